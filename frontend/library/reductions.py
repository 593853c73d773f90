# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Reductions, all in terms of tl.reduce."""

import tegula.language as tl


def _add(a, b):
    return a + b


def _larger(a, b):
    return tl.maximum(a, b)


def _smaller(a, b):
    return tl.minimum(a, b)


def _xor(a, b):
    return a ^ b


def _or(a, b):
    return a | b


def _first_wins(better, equal, value1, index1, value2, index2, tie_break_left: tl.constexpr):
    """Whether the first pair stays. Pairs meet in any order: of equal values, or of NaNs alone,
    the index decides where that is asked for. A NaN loses against any number."""
    if value1.dtype.is_floating():
        nan1 = value1 != value1
        nan2 = value2 != value2
        better = better | (nan2 & (nan1 == 0))
        equal = equal | (nan1 & nan2)
    if tie_break_left:
        return better | (equal & (index1 < index2))
    else:
        return better


def _larger_with_index(value1, index1, value2, index2):
    first = _first_wins(value1 > value2, value1 == value2, value1, index1, value2, index2, False)
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


def _larger_with_least_index(value1, index1, value2, index2):
    first = _first_wins(value1 > value2, value1 == value2, value1, index1, value2, index2, True)
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


def _smaller_with_index(value1, index1, value2, index2):
    first = _first_wins(value1 < value2, value1 == value2, value1, index1, value2, index2, False)
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


def _smaller_with_least_index(value1, index1, value2, index2):
    first = _first_wins(value1 < value2, value1 == value2, value1, index1, value2, index2, True)
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


def _widen_bfloat16(input):
    """bfloat16 as float32, other types as they are."""
    if input.dtype.is_bf16():
        return input.to(tl.float32)
    else:
        return input


def _widen_small(input):
    """Types of fewer than 32 bits as float32 or int32, others as they are."""
    if input.dtype.primitive_bitwidth >= 32:
        return input
    elif input.dtype.is_floating():
        return input.to(tl.float32)
    else:
        return input.to(tl.int32)


def _indices(input, axis: tl.constexpr):
    """The position along `axis` of each element, or in the whole tile if it is None."""
    if axis is None:
        return tl.reshape(tl.arange(0, input.numel), input.shape)
    elif axis < 0:
        return _indices(input, axis + len(input.shape))
    elif axis >= len(input.shape):
        return input  # tl.reduce refuses the axis
    else:
        line = tl.reshape(tl.arange(0, input.shape[axis]),
                          (1,) * axis + (input.shape[axis],) + (1,) * (len(input.shape) - 1 - axis))
        return tl.broadcast_to(line, input.shape)


def sum(input, axis=None, keep_dims=False, dtype: tl.constexpr = None):
    """Sum along an axis, or of all elements. Integers of fewer than 32 bits are summed in 32, and
    bfloat16 in float32; `dtype` asks for another type."""
    if dtype is not None:
        return tl.reduce(input.to(dtype), axis, _add, keep_dims=keep_dims)
    elif input.dtype.is_int_signed() and input.dtype.int_bitwidth < 32:
        return tl.reduce(input.to(tl.int32), axis, _add, keep_dims=keep_dims)
    elif input.dtype.is_int_unsigned() and input.dtype.int_bitwidth < 32:
        return tl.reduce(input.to(tl.uint32), axis, _add, keep_dims=keep_dims)
    else:
        return tl.reduce(_widen_bfloat16(input), axis, _add, keep_dims=keep_dims)


def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True,
        keep_dims=False):
    """Largest element along an axis, or of all elements; with its int32 position if
    `return_indices`. Without it, floats of 16 bits come out as float32 and small integers as
    int32. A NaN loses against any number."""
    if return_indices:
        values = _widen_bfloat16(input)
        if return_indices_tie_break_left:
            return tl.reduce((values, _indices(input, axis)), axis, _larger_with_least_index,
                             keep_dims=keep_dims)
        else:
            return tl.reduce((values, _indices(input, axis)), axis, _larger_with_index,
                             keep_dims=keep_dims)
    else:
        return tl.reduce(_widen_small(input), axis, _larger, keep_dims=keep_dims)


def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True,
        keep_dims=False):
    """Smallest element along an axis, or of all elements; otherwise as `max`."""
    if return_indices:
        values = _widen_bfloat16(input)
        if return_indices_tie_break_left:
            return tl.reduce((values, _indices(input, axis)), axis, _smaller_with_least_index,
                             keep_dims=keep_dims)
        else:
            return tl.reduce((values, _indices(input, axis)), axis, _smaller_with_index,
                             keep_dims=keep_dims)
    else:
        return tl.reduce(_widen_small(input), axis, _smaller, keep_dims=keep_dims)


def argmax(input, axis=None, tie_break_left=True, keep_dims=False):
    """int32 position of the largest element; of equal ones the first if `tie_break_left`. NaNs
    count only where there is nothing else."""
    value, index = max(input, axis, True, tie_break_left, keep_dims)
    return index


def argmin(input, axis=None, tie_break_left=True, keep_dims=False):
    """int32 position of the smallest element; otherwise as `argmax`."""
    value, index = min(input, axis, True, tie_break_left, keep_dims)
    return index


def xor_sum(input, axis=None, keep_dims=False):
    """Exclusive or of the integers along an axis, or of all."""
    tl.static_assert(input.dtype.is_int(), f"tl.xor_sum needs integers, got {input.dtype}")
    return tl.reduce(input, axis, _xor, keep_dims=keep_dims)


def reduce_or(input, axis=None, keep_dims=False):
    """Bitwise or of the integers along an axis, or of all."""
    tl.static_assert(input.dtype.is_int(), f"tl.reduce_or needs integers, got {input.dtype}")
    return tl.reduce(input, axis, _or, keep_dims=keep_dims)
