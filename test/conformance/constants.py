# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One operand or a mask that is known when compiling, where other code is made."""

import tegula
import tegula.language as tl


@tegula.jit
def integers(a_ptr, quotient_ptr, rest_ptr, inverse_ptr, inverse_rest_ptr, product_ptr, sum_ptr,
             and_ptr, C: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    tl.store(quotient_ptr + i, a // C)
    tl.store(rest_ptr + i, a % C)
    tl.store(inverse_ptr + i, C // a)
    tl.store(inverse_rest_ptr + i, C % a)
    tl.store(product_ptr + i, a * C)
    tl.store(sum_ptr + i, C - a)
    tl.store(and_ptr + i, (a & C) ^ (C | a))


@tegula.jit
def integer_comparisons(a_ptr, out_ptr, C: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    tl.store(out_ptr + i, a < C)
    tl.store(out_ptr + N + i, a <= C)
    tl.store(out_ptr + 2 * N + i, C < a)
    tl.store(out_ptr + 3 * N + i, C <= a)
    tl.store(out_ptr + 4 * N + i, a == C)
    tl.store(out_ptr + 5 * N + i, C != a)


@tegula.jit
def shifts(a_ptr, left_ptr, right_ptr, both_ptr, of_ptr, C: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    tl.store(left_ptr + i, a << C)
    tl.store(right_ptr + i, a >> C)
    tl.store(both_ptr + i, (a << C) >> C)
    tl.store(of_ptr + i, 1 << a)


@tegula.jit
def floats(a_ptr, product_ptr, quotient_ptr, inverse_ptr, rest_ptr, sum_ptr, difference_ptr,
           larger_ptr, smaller_ptr, C: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    tl.store(product_ptr + i, a * C)
    tl.store(quotient_ptr + i, a / C)
    tl.store(inverse_ptr + i, C / a)
    tl.store(rest_ptr + i, a % C)
    tl.store(sum_ptr + i, a + C)
    tl.store(difference_ptr + i, C - a)
    tl.store(larger_ptr + i, tl.maximum(a, C))
    tl.store(smaller_ptr + i, tl.minimum(C, a))


@tegula.jit
def float_comparisons(a_ptr, out_ptr, C: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    tl.store(out_ptr + i, a < C)
    tl.store(out_ptr + N + i, not (a >= C))
    tl.store(out_ptr + 2 * N + i, C < a)
    tl.store(out_ptr + 3 * N + i, a == C)
    tl.store(out_ptr + 4 * N + i, a != C)
    tl.store(out_ptr + 5 * N + i, tl.where(a > C, True, False))


@tegula.jit
def masks(a_ptr, load_ptr, other_ptr, store_ptr, middle_ptr, C: tl.constexpr, D: tl.constexpr,
          N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(load_ptr + i, tl.load(a_ptr + i, i < C))
    tl.store(other_ptr + i, tl.load(a_ptr + i, i >= C, other=5))
    a = tl.load(a_ptr + i)
    tl.store(store_ptr + i, a, i < C)
    tl.store(middle_ptr + i, a, (i >= C) & (i < D))


@tegula.jit
def constant_tiles(out_ptr, sum_ptr, C: tl.constexpr, T: tl.constexpr, N: tl.constexpr):
    # Tiles that are known as a whole.
    i = tl.arange(0, N)
    x = tl.full((N,), C, T)
    tl.store(out_ptr + i, x * x + x)
    tl.store(out_ptr + N + i, tl.where(i % 2 == 0, x, tl.zeros((N,), T)))
    tl.store(sum_ptr, tl.sum(x))
    tl.store(sum_ptr + 1, tl.max(x))
    tl.store(sum_ptr + 2, tl.sum(tl.arange(0, N)))


@tegula.jit
def chains(a_ptr, b_ptr, out_ptr, n, B: tl.constexpr):
    # Types of many widths in one loop.
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    a = tl.load(a_ptr + i, mask, 0)
    b = tl.load(b_ptr + i, mask, 0.0)
    x = a.to(tl.int32) * 3 + b.to(tl.int16)
    y = (x.to(tl.int8) > 0) | (b > 100.0)
    z = tl.where(y, x.to(tl.float32) * 0.5, b.to(tl.float32))
    w = (z.to(tl.int64) << 3) ^ i
    v = tl.where(w > 50, w.to(tl.uint8).to(tl.int64), -w)
    tl.store(out_ptr + i, v, mask & (v != 7))


@tegula.jit
def types_of_constants(out_ptr, N: tl.constexpr):
    a: tl.constexpr = 10
    tl.static_assert(a.type == tl.core.constexpr_type(10))
    tl.static_assert(a.type != tl.core.constexpr_type(11))
    tl.static_assert(N.type == tl.core.constexpr_type(N))
    pair: tl.constexpr = (1, 2)
    tl.static_assert(pair.type == tl.core.constexpr_type((1, 2)))
    tl.static_assert(pair.type != tl.core.constexpr_type((1, 3)))
    b = N  # what a variable holds is a number of the run time
    tl.static_assert(b.type == tl.int32)
    tl.store(out_ptr, b)
