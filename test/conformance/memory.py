# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores through pointers."""

import tegula
import tegula.language as tl


@tegula.jit
def copy(in_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    tl.store(out_ptr + i, tl.load(in_ptr + i, mask=mask), mask=mask)


@tegula.jit
def copy_unmasked(in_ptr, out_ptr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out_ptr + i, tl.load(in_ptr + i))


@tegula.jit
def copy_scalars(in_ptr, out_ptr, flag_ptr):
    i = tl.program_id(0)
    flag = tl.load(flag_ptr + i)
    tl.store(out_ptr + i, tl.load(in_ptr + i, flag, 3), True)
    tl.store(out_ptr + i + tl.num_programs(0), tl.load(in_ptr + i), flag)


@tegula.jit
def load_other(in_ptr, mask_ptr, none_ptr, zero_ptr, number_ptr, tile_ptr, OTHER: tl.constexpr,
               N: tl.constexpr):
    i = tl.arange(0, N)
    mask = tl.load(mask_ptr + i)
    tl.store(none_ptr + i, tl.load(in_ptr + i, mask))
    tl.store(zero_ptr + i, tl.load(in_ptr + i, mask, other=0))
    tl.store(number_ptr + i, tl.load(in_ptr + i, mask, other=OTHER))
    tl.store(tile_ptr + i, tl.load(in_ptr + i, mask=mask, other=i))


@tegula.jit
def load_other_scalar(in_ptr, other_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    other = tl.load(other_ptr)
    tl.store(out_ptr + i, tl.load(in_ptr + i, i < n, other))


@tegula.jit
def wild_pointers(index_ptr, in_ptr, out_ptr, n, N: tl.constexpr):
    # Elements whose mask is false have addresses that nothing may touch.
    i = tl.arange(0, N)
    k = tl.load(index_ptr + i)
    mask = (k >= 0) & (k < n)
    x = tl.load(in_ptr + k, mask, other=-1)
    tl.store(out_ptr + k, x, mask)


@tegula.jit
def all_masked_off(out_ptr, other_ptr, never, N: tl.constexpr):
    i = tl.arange(0, N).to(tl.int64) + 0x7FFFFFFFFFFF
    x = tl.load(out_ptr + i, mask=i < never, other=4)
    tl.store(out_ptr + i, x, mask=i < never)
    tl.store(other_ptr + tl.arange(0, N), x)


@tegula.jit
def mask_2d(in_ptr, out_ptr, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    offsets = i[:, None] * stride + j[None, :]
    mask = (i[:, None] < M) & (j[None, :] < N)
    tl.store(out_ptr + offsets, tl.load(in_ptr + offsets, mask, 0), mask)


@tegula.jit
def mask_broadcast(in_ptr, row_ptr, column_ptr, both_ptr, other_ptr, m, n, M: tl.constexpr,
                   N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    offsets = i[:, None] * N + j[None, :]
    p = in_ptr + offsets
    tl.store(row_ptr + offsets, tl.load(p, mask=i[:, None] < m, other=-1))
    tl.store(column_ptr + offsets, tl.load(p, mask=j[None, :] < n, other=j[None, :]))
    tl.store(both_ptr + offsets, tl.load(p), mask=j[None, :] < n)
    # One mask for the whole tile.
    tl.store(other_ptr + offsets, tl.load(p, mask=m > n, other=7))


@tegula.jit
def store_broadcast(out_ptr, value_ptr, number_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(out_ptr + i * N + j, tl.load(value_ptr + j))
    tl.store(number_ptr + i * N + j, 5)


@tegula.jit
def cache_modifiers(in_ptr, out_ptr, L: tl.constexpr, S: tl.constexpr, E: tl.constexpr,
                    V: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(in_ptr + i, cache_modifier=L, eviction_policy=E, volatile=V)
    tl.store(out_ptr + i, x, cache_modifier=S, eviction_policy=E)


@tegula.jit
def rank0(in_ptr, out_ptr):
    tl.store(out_ptr, tl.load(in_ptr) + tl.zeros((), tl.int32))


@tegula.jit
def rank3(in_ptr, out_ptr, n, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    i = tl.arange(0, A)[:, None, None]
    j = tl.arange(0, B)[None, :, None]
    k = tl.arange(0, C)[None, None, :]
    offsets = (i * B + j) * C + k
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(in_ptr + offsets, mask), mask)


@tegula.jit
def rank4(in_ptr, out_ptr, n, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    i = tl.arange(0, A)[:, None, None, None]
    j = tl.arange(0, B)[None, :, None, None]
    k = tl.arange(0, C)[None, None, :, None]
    m = tl.arange(0, D)[None, None, None, :]
    # Written transposed.
    x = tl.load(in_ptr + ((i * B + j) * C + k) * D + m, mask=m < n)
    tl.store(out_ptr + ((m * C + k) * B + j) * A + i, x)


@tegula.jit
def rank5(in_ptr, out_ptr, n, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr,
          E: tl.constexpr):
    i = tl.arange(0, A)[:, None, None, None, None]
    j = tl.arange(0, B)[None, :, None, None, None]
    k = tl.arange(0, C)[None, None, :, None, None]
    m = tl.arange(0, D)[None, None, None, :, None]
    p = tl.arange(0, E)[None, None, None, None, :]
    offsets = (((i * B + j) * C + k) * D + m) * E + p
    tl.store(out_ptr + offsets, tl.load(in_ptr + offsets, mask=(k < n) & (p < n), other=9))


@tegula.jit
def strided(in_ptr, out_ptr, M, N, sm, sn, om, on, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.arange(0, BM)[:, None]
    j = tl.arange(0, BN)[None, :]
    mask = (i < M) & (j < N)
    x = tl.load(in_ptr + i * sm + j * sn, mask)
    tl.store(out_ptr + i * om + j * on, x, mask)


@tegula.jit
def backwards(in_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    mask = i < n
    tl.store(out_ptr + i, tl.load(in_ptr + (n - 1 - i), mask), mask)
    tl.store(out_ptr + 2 * n - 1 - i, tl.load(in_ptr + n - 1 - i, mask), mask)


@tegula.jit
def gathered(in_ptr, index_ptr, out_ptr, back_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    k = tl.load(index_ptr + i)
    x = tl.load(in_ptr + k)
    tl.store(out_ptr + i, x)
    tl.store(back_ptr + k, x)


@tegula.jit
def unsigned_offsets(in_ptr, index_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    k = tl.load(index_ptr + i)
    tl.store(out_ptr + i, tl.load(in_ptr + k))


@tegula.jit
def scalar_then_tile(in_ptr, out_ptr, stride, N: tl.constexpr):
    base = in_ptr + tl.program_id(0) * stride
    base += 1
    i = tl.arange(0, N)
    tl.store(out_ptr + tl.program_id(0) * N + i, tl.load(1 + base + i - 2))


@tegula.jit
def own_stores(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x_ptr + i, i)
    a = tl.load(x_ptr + (N - 1 - i))
    tl.store(x_ptr + i, a * 2)
    tl.store(x_ptr + N // 2, 1000)
    b = tl.load(x_ptr + i)
    tl.store(out_ptr + i, b)


@tegula.jit
def shift_in_place(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x_ptr + i)
    tl.store(y_ptr + 1 + i, a)


@tegula.jit
def duplicates(index_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + tl.load(index_ptr + i), i)


@tegula.jit
def compare_pointers(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, a_ptr + i == b_ptr)
    tl.store(out_ptr + N + i, a_ptr + i < b_ptr)
    tl.store(out_ptr + 2 * N, a_ptr != b_ptr)


@tegula.jit
def pointer_in_loop(in_ptr, out_ptr, n, B: tl.constexpr):
    p = in_ptr + tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for _ in range(n):
        total += tl.load(p)
        p += B
    tl.store(out_ptr + tl.arange(0, B), total)


@tegula.jit
def chosen_pointers(a_ptr, b_ptr, choose_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    c = tl.load(choose_ptr + i)
    tl.store(out_ptr + i, tl.load(tl.where(c, a_ptr + i, b_ptr + (N - 1 - i))))
    p = a_ptr if tl.load(choose_ptr) else b_ptr
    tl.store(out_ptr + N + i, tl.load(p + i))


@tegula.jit
def methods(p_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    p = p_ptr + i
    (out_ptr + i).store(p.load(mask=i > 3, other=2), mask=i != 5)
