# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""break, continue, return and else in loops."""

import tegula
import tegula.language as tl


@tegula.jit
def left_for(x_ptr, out_ptr, n, limit):
    total = 0
    last = -1
    for i in range(n):
        x = tl.load(x_ptr + i)
        if x < 0:
            continue
        if total + x > limit:
            break
        total += x
        last = i
    else:
        last += 100
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, last)


@tegula.jit
def left_while(x_ptr, out_ptr, n, limit):
    total = 0
    i = 0
    while i < n:
        x = tl.load(x_ptr + i)
        i += 1
        if x < 0:
            continue
        if total + x > limit:
            break
        total += x
        tl.store(out_ptr + 2 + i, x)
    else:
        i += 100
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, i)


@tegula.jit
def endless(x_ptr, out_ptr):
    i = tl.program_id(0)
    x = tl.load(x_ptr + i)
    steps = 0
    while True:
        if x == 1:
            break
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    tl.store(out_ptr + i, steps)


@tegula.jit
def left_tiles(x_ptr, out_ptr, n, limit, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in range(n):
        x = tl.load(x_ptr + k * B + i)
        if tl.min(x, 0) < 0:
            continue
        if tl.max(x, 0) > limit:
            acc = -acc
            break
        acc += x
    tl.store(out_ptr + i, acc)


@tegula.jit
def left_static(x_ptr, out_ptr, limit, STOP: tl.constexpr):
    total = 0
    for i in tl.static_range(8):
        if i == STOP:
            break
        x = tl.load(x_ptr + i)
        if x < 0:
            continue
        if total + x > limit:
            break
        total += x
        tl.store(out_ptr + 1 + i, x)
    else:
        total += 100
    tl.store(out_ptr, total)


@tegula.jit
def first_equal(x_ptr, n, wanted):
    for i in range(n):
        if tl.load(x_ptr + i) == wanted:
            return i
    return -1


@tegula.jit
def first_pair(x_ptr, n, total):
    for i in range(n):
        x = tl.load(x_ptr + i)
        for j in range(i + 1, n):
            if x + tl.load(x_ptr + j) == total:
                return i, j
    return -1, -1


@tegula.jit
def prefix_over(x_ptr, n, limit, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    k = 0
    while True:
        if k == n:
            return -acc
        acc += tl.load(x_ptr + k * B + i)
        if tl.max(acc, 0) > limit:
            return acc
        k += 1


@tegula.jit
def returns(x_ptr, out_ptr, n, wanted):
    i, j = first_pair(x_ptr, n, wanted)
    tl.store(out_ptr, first_equal(x_ptr, n, wanted))
    tl.store(out_ptr + 1, i)
    tl.store(out_ptr + 2, j)


@tegula.jit
def returns_tile(x_ptr, out_ptr, n, limit, B: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, B), prefix_over(x_ptr, n, limit, B))


@tegula.jit
def kernel_returns(x_ptr, out_ptr, n):
    for i in range(n):
        x = tl.load(x_ptr + i)
        if x < 0:
            return
        tl.store(out_ptr + i, x)
    tl.store(out_ptr + n, 1)


@tegula.jit
def chained(x_ptr, out_ptr, n, limit):
    i = tl.program_id(0)
    inside = -1 < i < n
    tl.store(out_ptr + i, inside and 0 <= tl.load(x_ptr + i) < limit)
    j = tl.arange(0, 16)
    tl.store(out_ptr + 16 + 16 * i + j, 2 < j <= i < 100)


@tegula.jit
def chained_guard(x_ptr, out_ptr, n, far):
    i = tl.program_id(0) * far
    tl.store(out_ptr + tl.program_id(0), 0 <= i < tl.load(x_ptr + i * 0) and i < n)
    tl.store(out_ptr + 4 + tl.program_id(0), -1 < n - i < tl.load(x_ptr + i) + n)
