# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of tiles, tiles of other sizes than powers of two, assignments."""

import tegula
import tegula.language as tl


@tegula.jit
def elements(x_ptr, out_ptr, i, j, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    columns = tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :])
    tl.store(out_ptr, x[M - 1, 0])
    tl.store(out_ptr + 1, x[-1, -N])
    tl.store(out_ptr + 2, x[i, j])
    tl.store(out_ptr + 3, x[i, 0])
    tl.store(out_ptr + 4 + columns, x[0])
    tl.store(out_ptr + 4 + N + columns, x[i])
    tl.store(out_ptr + 4 + 2 * N + rows, x[:, -1])
    tl.store(out_ptr + 4 + 2 * N + M + rows[None, :], x[None, :, j])


@tegula.jit
def slices(x_ptr, out_ptr, START: tl.constexpr, STOP: tl.constexpr, STEP: tl.constexpr,
           K: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    columns = tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :])
    k = tl.arange(0, K)
    part = x[START:STOP:STEP]
    tl.static_assert(part.shape == (K, N))
    tl.store(out_ptr + k[:, None] * N + columns[None, :], part)
    tl.store(out_ptr + K * N + k, x[START:STOP:STEP, N - 1])
    tl.store(out_ptr + K * N + K + k[:, None] * 1, x[START:STOP:STEP, ::-1][..., 0:1])
    tl.store(out_ptr + K * N + 2 * K + k, (x + x)[:, 0][START:STOP:STEP])


@tegula.jit
def slices_of_pointers(x_ptr, out_ptr, N: tl.constexpr):
    pointers = x_ptr + tl.arange(0, N)
    half = pointers[N // 2:]
    tl.store(out_ptr + tl.arange(0, N // 2), tl.load(half))
    tl.store(out_ptr + N // 2, tl.load(pointers[3]))
    mask = tl.arange(0, N) < 3
    tl.store(out_ptr + N // 2 + 1, mask[2])
    tl.store(out_ptr + N // 2 + 2, mask[3])


@tegula.jit
def sizes(x_ptr, y_ptr, out_ptr, sum_ptr, max_ptr, flat_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    columns = tl.arange(0, N)
    at = rows[:, None] * N + columns[None, :]
    x = tl.load(x_ptr + at)
    y = tl.load(y_ptr + at)
    tl.store(out_ptr + at, x * 2 + y)
    tl.store(sum_ptr + columns, tl.sum(x, 0))
    tl.store(max_ptr + rows, tl.max(x, 1))
    flipped = tl.trans(tl.where(x > y, x, tl.zeros((M, N), x.dtype)))
    tl.store(flat_ptr + tl.arange(0, M * N), tl.reshape(flipped, (M * N,)))


@tegula.jit
def product_sizes(x_ptr, y_ptr, out_ptr, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr):
    m = tl.arange(0, M)
    k = tl.arange(0, K)
    n = tl.arange(0, N)
    x = tl.load(x_ptr + m[:, None] * K + k[None, :])
    y = tl.load(y_ptr + k[:, None] * N + n[None, :])
    tl.store(out_ptr + m[:, None] * N + n[None, :], tl.dot(x, y))


@tegula.jit
def assignments(out_ptr, n):
    a = b = c = n
    first, *middle, last = (1, n, 3, 4)
    *head, tail = (5,)
    d, (e, f) = n + 1, [6, 7]
    a += 1
    tl.store(out_ptr, a + b + c)
    tl.store(out_ptr + 1, first + last + middle[0] + middle[1])
    tl.store(out_ptr + 2, len(middle) * 10 + len(head))
    tl.store(out_ptr + 3, tail + d + e + f)
    tl.store(out_ptr + 4, (m := n * 2) + m)
