# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""where, maximum, minimum, clamp."""

import tegula
import tegula.language as tl


@tegula.jit
def where(c_ptr, a_ptr, b_ptr, out_ptr, constant_ptr, number_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    c = tl.load(c_ptr + i)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(out_ptr + i, tl.where(c, a, b))
    tl.store(constant_ptr + i, tl.where(c, a, 0))
    tl.store(number_ptr + i, tl.where(i < 5, 1, a))


@tegula.jit
def where_broadcast(c_ptr, a_ptr, b_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    c = tl.load(c_ptr + i)
    a = tl.load(a_ptr + j)
    b = tl.load(b_ptr)
    tl.store(out_ptr + i[:, None] * N + j[None, :], tl.where(c[:, None], a[None, :], b))


@tegula.jit
def where_promotes(c_ptr, a_ptr, b_ptr, out_ptr, R: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.where(tl.load(c_ptr + i), tl.load(a_ptr + i), tl.load(b_ptr + i))
    tl.static_assert(x.dtype == R)
    tl.store(out_ptr + i, x)


@tegula.jit
def extrema(a_ptr, b_ptr, largest_ptr, smallest_ptr, max_ptr, min_ptr, all_max_ptr, all_min_ptr,
            N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(largest_ptr + i, tl.maximum(a, b))
    tl.store(smallest_ptr + i, tl.minimum(a, b))
    tl.store(max_ptr + i, max(a, b))
    tl.store(min_ptr + i, min(a, b))
    tl.store(all_max_ptr + i, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(all_min_ptr + i, tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL))


@tegula.jit
def scalar_extrema(a_ptr, b_ptr, largest_ptr, smallest_ptr):
    i = tl.program_id(0)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(largest_ptr + i, tl.maximum(a, b))
    tl.store(smallest_ptr + i, tl.minimum(a, b))


@tegula.jit
def clamp(x_ptr, low_ptr, high_ptr, out_ptr, all_ptr, constant_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    low = tl.load(low_ptr + i)
    high = tl.load(high_ptr + i)
    bottom = tl.minimum(low, high)
    top = tl.maximum(low, high)
    tl.store(out_ptr + i, tl.clamp(x, bottom, top))
    tl.store(all_ptr + i, tl.clamp(x, bottom, top, propagate_nan=tl.PropagateNan.ALL))
    tl.store(constant_ptr + i, tl.clamp(x, -1.5, 2.0))


@tegula.jit
def bfloat16_types(a_ptr, b_ptr, out_ptr, R: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.maximum(tl.load(a_ptr + i), tl.load(b_ptr + i))
    tl.static_assert(x.dtype == R)
    tl.store(out_ptr + i, x)
