# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import tegula
import tegula.language as tl


@tegula.jit
def sums(x_ptr, sum_ptr, back_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i, i < n, other=0)
    tl.store(sum_ptr + i, tl.cumsum(x), i < n)
    tl.store(back_ptr + i, tl.cumsum(x, axis=-1, reverse=True), i < n)


@tegula.jit
def products(x_ptr, out_ptr, back_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x.cumprod(0))
    tl.store(back_ptr + i, tl.cumprod(x, 0, reverse=True))


@tegula.jit
def types(x_ptr, out_ptr, SUM: tl.constexpr, PRODUCT: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.static_assert(tl.cumsum(x).dtype == SUM)
    tl.static_assert(tl.cumprod(x).dtype == PRODUCT)
    tl.static_assert(tl.cumsum(x, dtype=tl.float64).dtype == tl.float64)
    tl.store(out_ptr + tl.arange(0, N), tl.cumsum(x, dtype=tl.int64))


@tegula.jit
def along(x_ptr, out_ptr, S: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    n: tl.constexpr = tl.cdiv(128, 1)
    i = tl.reshape(tl.arange(0, n), S)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.cumsum(x, AXIS, REVERSE))


@tegula.jit
def affine(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@tegula.jit
def recurrence(a_ptr, x_ptr, out_ptr, all_ptr, n, N: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i, i < n, other=1)
    x = tl.load(x_ptr + i, i < n, other=0)
    product, h = tl.associative_scan((a, x), 0, affine, reverse=REVERSE)
    tl.store(out_ptr + i, h, i < n)
    tl.store(all_ptr + i, product, i < n)


@tegula.jit
def last(a, b):
    return b


@tegula.jit
def first(a, b):
    return a


@tegula.jit
def larger(a, b):
    return tl.maximum(a, b)


@tegula.jit
def functions(x_ptr, out_ptr, F: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
              REVERSE: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.associative_scan(x, 1, F, REVERSE))


@tegula.jit
def carry(x_ptr, out_ptr, n, B: tl.constexpr):
    total = tl.zeros((), tl.int32)
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        x = tl.load(x_ptr + i, i < n, other=0)
        tl.store(out_ptr + i, total + tl.cumsum(x, 0), i < n)
        total += tl.sum(x)


@tegula.jit
def tuples(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    only, = tl.associative_scan((x,), 0, larger)
    tl.static_assert(tl.associative_scan(2, 0, larger).dtype == tl.int32)
    tl.store(out_ptr + i, only)
    number, = tl.reduce((x,), 0, larger)
    tl.store(out_ptr + N, number)
