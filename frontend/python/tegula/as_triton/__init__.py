# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose imports say `triton`, run by Tegula.

    python -m tegula.as_triton prog.py arguments...
    python -m tegula.as_triton -m pytest ...

or, ahead of the first `import triton`:

    import tegula.as_triton
    tegula.as_triton.install()
"""

from ._finder import VERSION, install, path, uninstall

__all__ = ["VERSION", "install", "path", "uninstall"]
