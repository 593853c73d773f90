# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Base classes that programs ask `isinstance` of, or derive from."""

import abc

from tegula import Autotuner, Heuristics, JITFunction


class KernelInterface(abc.ABC):
    """What is launched as `kernel[grid](...)`; a class of one's own derives and has `run`."""

    def __getitem__(self, grid):
        def start(*args, **kwargs):
            return self.run(*args, grid=grid, warmup=False, **kwargs)

        return start

    @classmethod
    def __class_getitem__(cls, item):
        return cls


for _kernel in (JITFunction, Autotuner, Heuristics):
    KernelInterface.register(_kernel)


def get_jit_fn_file_line(fn):
    """File and line of the `def` of a kernel, behind autotune and heuristics."""
    while not isinstance(fn, JITFunction):
        fn = fn.fn
    for offset, line in enumerate(fn.src.splitlines()):
        if line.lstrip().startswith("def "):
            return fn.file, fn.first_line + offset
    return fn.file, fn.first_line
