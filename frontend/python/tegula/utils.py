# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small host functions that launch code needs."""

import functools

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


def _plain(value):
    """The value without the wrapping of `constexpr`, in tuples and lists too."""
    if getattr(value, "_tegula_kind", None) == "constexpr":
        return value.value
    if type(value) in (tuple, list):
        return type(value)(map(_plain, value))
    return value


def constexpr_function(fn):
    """Lets kernels call a function of the host on values known at compile time.

    Its arguments arrive as plain Python values, and kernels see what it returns
    as known at compile time. Kernels may call other functions of the host in the
    same way: the decorator says that it is meant, and unwraps `tl.constexpr` when
    the host itself calls.
    """
    if not callable(fn):
        raise LaunchTypeError(f"expected a function for constexpr_function, got "
                              f"{type(fn).__name__}", id="not-a-kernel")

    @functools.wraps(fn)
    def call(*args, **kwargs):
        return fn(*map(_plain, args), **{name: _plain(value) for name, value in kwargs.items()})

    call._tegula_constexpr_function = True
    return call


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
