# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small host functions that launch code needs."""

from ._function import constexpr_function  # noqa: F401
from .errors import LaunchTypeError


def cdiv(x, y):
    """x / y rounded up, for integers y > 0 (negative x as the ceiling, too)."""
    return (x + y - 1) // y


def next_power_of_2(n):
    """The smallest power of two that is at least n (1 for n <= 1)."""
    return 1 << max(int(n) - 1, 0).bit_length()


# Kernels may call them on values known at compile time.
cdiv._tegula_host_path = "triton.cdiv"
next_power_of_2._tegula_host_path = "triton.next_power_of_2"


_allocator = None


def set_allocator(fn):
    """Says where kernels get device memory for descriptors from.

    fn: `fn(size, alignment, stream)`, returns an array of `size` bytes; or None.
    Targets without tensor maps in memory, such as the CPU, never call it.
    """
    global _allocator
    if fn is not None and not callable(fn):
        raise LaunchTypeError(f"set_allocator: expected a function or None, got "
                              f"{type(fn).__name__}", id="invalid-option")
    _allocator = fn


def get_allocator():
    """What `set_allocator` was given last."""
    return _allocator
