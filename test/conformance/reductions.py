# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions along one axis or all."""

import tegula
import tegula.language as tl


@tegula.jit
def rows_and_columns(x_ptr, row_ptr, column_ptr, all_ptr, F: tl.constexpr, R: tl.constexpr,
                     M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    x = tl.load(x_ptr + i[:, None] * N + j[None, :])
    tl.static_assert(F(x, 1).dtype == R)
    tl.store(row_ptr + i, F(x, 1))
    tl.store(column_ptr + j, F(x, 0))
    tl.store(all_ptr, F(x, None))


@tegula.jit
def f_sum(x, axis: tl.constexpr):
    return tl.sum(x, axis)


@tegula.jit
def f_max(x, axis: tl.constexpr):
    return tl.max(x, axis=axis)


@tegula.jit
def f_min(x, axis: tl.constexpr):
    return x.min(axis)


@tegula.jit
def f_argmax(x, axis: tl.constexpr):
    return tl.argmax(x, axis)


@tegula.jit
def f_argmin(x, axis: tl.constexpr):
    return x.argmin(axis)


@tegula.jit
def f_xor_sum(x, axis: tl.constexpr):
    return tl.xor_sum(x, axis)


@tegula.jit
def f_reduce_or(x, axis: tl.constexpr):
    return tl.reduce_or(x, axis)


@tegula.jit
def one_row(x_ptr, sum_ptr, max_ptr, min_ptr, argmax_ptr, argmin_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(sum_ptr, tl.sum(x))
    tl.store(max_ptr, tl.max(x))
    tl.store(min_ptr, tl.min(x, axis=0))
    tl.store(argmax_ptr, tl.argmax(x, axis=0))
    tl.store(argmin_ptr, tl.argmin(x, 0))


@tegula.jit
def masked_rows(x_ptr, out_ptr, max_ptr, n, stride, B: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((B,), tl.float32)
    largest = tl.full((B,), float("-inf"), tl.float32)
    for start in range(0, n, B):
        j = start + tl.arange(0, B)
        total += tl.load(x_ptr + row * stride + j, j < n, 0.0).to(tl.float32)
        largest = tl.maximum(largest, tl.load(x_ptr + row * stride + j, j < n, float("-inf")))
    tl.store(out_ptr + row, tl.sum(total, 0))
    tl.store(max_ptr + row, tl.max(largest, 0))


@tegula.jit
def keep_dims(x_ptr, mean_ptr, all_ptr, index_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + i * N + j)
    tl.static_assert(tl.sum(x, 0, keep_dims=True).shape == (1, N))
    tl.static_assert(tl.sum(x, keep_dims=True).shape == (1, 1))
    tl.store(mean_ptr + i * N + j, x - tl.max(x, 1, keep_dims=True))
    tl.store(all_ptr + i * N + j, x - tl.sum(x, keep_dims=True))
    tl.store(index_ptr + i, tl.argmin(x, 1, keep_dims=True))


@tegula.jit
def rank3(x_ptr, out0_ptr, out1_ptr, out2_ptr, last_ptr, A: tl.constexpr, B: tl.constexpr,
          C: tl.constexpr):
    i = tl.arange(0, A)
    j = tl.arange(0, B)
    k = tl.arange(0, C)
    x = tl.load(x_ptr + (i[:, None, None] * B + j[None, :, None]) * C + k[None, None, :])
    tl.store(out0_ptr + j[:, None] * C + k[None, :], tl.sum(x, 0))
    tl.store(out1_ptr + i[:, None] * C + k[None, :], tl.max(x, 1))
    tl.store(out2_ptr + i[:, None] * B + j[None, :], tl.min(x, -1))
    tl.store(last_ptr + i, tl.sum(tl.sum(x, 2), -1))


@tegula.jit
def sum_as(x_ptr, out_ptr, D: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    total = tl.sum(x, dtype=D)
    tl.static_assert(total.dtype == D)
    tl.store(out_ptr, total)


@tegula.jit
def with_indices(x_ptr, value_ptr, index_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    x = tl.load(x_ptr + i[:, None] * N + tl.arange(0, N)[None, :])
    value, index = tl.max(x, 1, return_indices=True)
    tl.store(value_ptr + i, value)
    tl.store(index_ptr + i, index)
    value, index = tl.min(x, 1, return_indices=True, return_indices_tie_break_left=True)
    tl.store(value_ptr + M + i, value)
    tl.store(index_ptr + M + i, index)


@tegula.jit
def any_index(x_ptr, value_ptr, index_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    value, index = tl.max(x, 0, return_indices=True, return_indices_tie_break_left=False)
    tl.store(value_ptr, value)
    tl.store(index_ptr, tl.load(x_ptr + index))
    tl.store(index_ptr + 1, tl.load(x_ptr + tl.argmin(x, 0, tie_break_left=False)))


@tegula.jit
def multiply(a, b):
    return a * b


@tegula.jit
def compose(a0, b0, a1, b1):
    # First a0 x + b0, then a1 x + b1: not commutative.
    return a0 * a1, b0 * a1 + b1


@tegula.jit
def keep_first(a, b):
    return a


@tegula.jit
def keep_last(a, b):
    return b


@tegula.jit
def three_sums(a0, b0, c0, a1, b1, c1):
    return a0 + a1, tl.maximum(b0, b1), c0 | c1


@tegula.jit
def user_function(x_ptr, out_ptr, F: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    x = tl.load(x_ptr + i[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out_ptr + i, tl.reduce(x, 1, F))


@tegula.jit
def user_function_of_all(x_ptr, out_ptr, F: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out_ptr, tl.reduce(x, None, F))


@tegula.jit
def maps(a_ptr, b_ptr, outa_ptr, outb_ptr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
         L: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a, b = tl.reduce((tl.load(a_ptr + i), tl.load(b_ptr + i)), AXIS, compose)
    tl.store(outa_ptr + tl.arange(0, L), a)
    tl.store(outb_ptr + tl.arange(0, L), b)


@tegula.jit
def triples(a_ptr, b_ptr, c_ptr, outa_ptr, outb_ptr, outc_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c = tl.reduce((tl.load(a_ptr + i), tl.load(b_ptr + i), tl.load(c_ptr + i)), 0, three_sums)
    tl.store(outa_ptr, a)
    tl.store(outb_ptr, b)
    tl.store(outc_ptr, c)
