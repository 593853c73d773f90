# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Running sums and products, in terms of tl.associative_scan."""

import tegula.language as tl


def _times(a, b):
    return a * b


def cumsum(input, axis=0, reverse=False, dtype: tl.constexpr = None):
    """Sum of each element and all before it along an axis, or with `reverse` all after it.
    Integers of fewer than 32 bits are summed in 32, and bfloat16 in float32; `dtype` asks for
    another type."""
    if dtype is not None:
        return tl.associative_scan(input.to(dtype), axis, _add, reverse=reverse)
    elif input.dtype.is_int_signed() and input.dtype.int_bitwidth < 32:
        return tl.associative_scan(input.to(tl.int32), axis, _add, reverse=reverse)
    elif input.dtype.is_int_unsigned() and input.dtype.int_bitwidth < 32:
        return tl.associative_scan(input.to(tl.uint32), axis, _add, reverse=reverse)
    else:
        return tl.associative_scan(_widen_bfloat16(input), axis, _add, reverse=reverse)


def cumprod(input, axis=0, reverse=False, dtype: tl.constexpr = None):
    """Product of each element and all before it along an axis, or with `reverse` all after it.
    bfloat16 is multiplied in float32, other types in themselves; `dtype` asks for another."""
    if dtype is not None:
        return tl.associative_scan(input.to(dtype), axis, _times, reverse=reverse)
    else:
        return tl.associative_scan(_widen_bfloat16(input), axis, _times, reverse=reverse)
