# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands of an installed wheel: each becomes the program in the package's folder.

A module of its own, since `import tegula` takes longer than most of the programs do.
"""

import importlib.util
import os
import sys


def run(name):
    """Becomes the program `name`, with the arguments of this process."""
    spec = importlib.util.find_spec("tegula")
    for folder in spec.submodule_search_locations or () if spec else ():
        program = os.path.join(folder, "_dist", "bin", name)
        if os.path.exists(program):
            os.execv(program, [program, *sys.argv[1:]])
    print(f"{name}: error: the package tegula of this Python has no programs\n"
          f"hint: {sys.executable} -m pip install --force-reinstall tegula", file=sys.stderr)
    return 3


def __getattr__(attribute):
    """The entry point of any command: `tegula_opt` for tegula-opt."""
    if attribute.startswith("__"):
        raise AttributeError(attribute)
    return lambda: run(attribute.replace("_", "-"))
