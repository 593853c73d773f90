# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for the profiler of Linux."""

import os

from ._errors import wrong

# How perf calls the mapping of a kernel: it is loaded from memory, there is no such file.
_NAME = "memfd:tegula-kernel (deleted)"


def save_for_perf(compiled, folder="perf-symbols"):
    """Writes a compiled kernel to where `perf report --symfs FOLDER` looks for it.

    compiled: what a launch or `warmup` returned. The folder is made if need be; a
    kernel that is in it already is replaced, since all have one name. Returns the
    path of the file, a shared library with the kernel's lines.
    """
    try:
        library = compiled.asm["object"]
    except (AttributeError, KeyError, TypeError):
        raise wrong("save_for_perf", "compiled", "a compiled kernel, as a launch returns it",
                    compiled) from None
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, _NAME)
    with open(path, "wb") as file:
        file.write(library)
    return path
