# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of other projects that kernels call with tiles while they are compiled.

Such a function reads the compiler's own values and cannot be run as plain Python;
a kernel function that says the same stands for it.
"""

from .jit import jit


@jit
def _if_mask(mask, val):
    if mask is None:
        return None
    else:
        return val


_KNOWN = {("torch._inductor.runtime.triton_helpers", "if_mask"): _if_mask}


def known_helper(function):
    """What stands for a function marked with `__triton_builtin__`; the function itself if it runs
    as it is, with constants alone."""
    place = getattr(function, "__module__", None), getattr(function, "__name__", None)
    return _KNOWN.get(place, function)
