# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops and branches."""

import tegula
import tegula.language as tl


@tegula.jit
def count(out_ptr, n):
    total = 0
    last = -1
    for i in range(n):
        total += i * i
        last = i
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, last)


@tegula.jit
def run_time_range(out_ptr, start, stop, step):
    trips = 0
    total = 0
    for i in range(start, stop, step):
        trips += 1
        total += i
    tl.store(out_ptr, trips)
    tl.store(out_ptr + 1, total)


@tegula.jit
def constant_step(out_ptr, start, stop, STEP: tl.constexpr):
    trips = 0
    total = 0
    for i in range(start, stop, STEP):
        trips += 1
        total = total * 3 + i
    tl.store(out_ptr, trips)
    tl.store(out_ptr + 1, total)


@tegula.jit
def range_options(x_ptr, out_ptr, n, STAGES: tl.constexpr, UNROLL: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for k in tl.range(0, n, num_stages=STAGES, loop_unroll_factor=UNROLL, flatten=False,
                      disallow_acc_multi_buffer=True):
        total += tl.load(x_ptr + k * B + i)
    tl.store(out_ptr + i, total)


@tegula.jit
def unrolled(x_ptr, out_ptr, N: tl.constexpr, STEP: tl.constexpr):
    total = 0
    for k in tl.static_range(0, N, STEP):
        if k % 2 == 0:
            total += tl.load(x_ptr + k)
        else:
            total -= tl.load(x_ptr + k) * k
    tl.store(out_ptr, total)


@tegula.jit
def nested(out_ptr, n, m):
    total = 0
    for i in range(n):
        row = 0
        for j in range(m):
            if (i + j) % 3 == 0:
                row += i * 10 + j
            elif i > j:
                row -= 1
            else:
                k = j
                while k > 0:
                    k -= 2
                    row += 1
        total += row
        if row < 0:
            total *= 2
    tl.store(out_ptr, total)


@tegula.jit
def loop_types(x_ptr, out_ptr, n):
    # A number takes the type that the body gives it.
    low = 0
    high = 1
    for i in range(n):
        low += tl.load(x_ptr + i)
        high = low * 2
    tl.store(out_ptr, low)
    tl.store(out_ptr + 1, high)


@tegula.jit
def collatz(in_ptr, out_ptr):
    i = tl.program_id(0)
    x = tl.load(in_ptr + i)
    steps = 0
    while x > 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    tl.store(out_ptr + i, steps)


@tegula.jit
def while_two_conditions(x_ptr, out_ptr, n, wanted):
    i = 0
    while i < n and tl.load(x_ptr + i) != wanted:
        i += 1
    tl.store(out_ptr, i)


@tegula.jit
def branches(x_ptr, out_ptr):
    i = tl.program_id(0)
    x = tl.load(x_ptr + i)
    kind = 0
    y = x
    if x < -10:
        kind = 1
        y = -x
    elif x < 0:
        kind = 2
    elif x == 0:
        kind = 3
        y = x + 1000
    else:
        if x > 50:
            y = 50
            kind = 4
        elif x % 2 == 1:
            y *= 2
    tl.store(out_ptr + 2 * i, kind)
    tl.store(out_ptr + 2 * i + 1, y)


@tegula.jit
def branch_of_tiles(x_ptr, out_ptr, flag, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if flag > 0:
        y = x * 2
        tl.store(out_ptr + N, 1)
    else:
        y = x + flag
    tl.store(out_ptr + i, y)


@tegula.jit
def early(x_ptr, out_ptr, n):
    i = tl.program_id(0)
    if i >= n:
        return
    x = tl.load(x_ptr + i)
    if x < 0:
        tl.store(out_ptr + i, -1)
        return
    tl.store(out_ptr + i, x * 2)


@tegula.jit
def sign(x):
    if x < 0:
        return -1
    elif x == 0:
        return 0
    return 1


@tegula.jit
def helpers_that_return(x_ptr, out_ptr):
    i = tl.program_id(0)
    tl.store(out_ptr + i, sign(tl.load(x_ptr + i)))


@tegula.jit
def ternary(x_ptr, out_ptr, n):
    i = tl.program_id(0)
    x = tl.load(x_ptr + i)
    # The side that is not taken must not be loaded.
    y = tl.load(x_ptr + i + 1) if i + 1 < n else 7
    tl.store(out_ptr + i, x if x > y else y + 100)


@tegula.jit
def carried(x_ptr, out_ptr, n, B: tl.constexpr):
    # Scalars, tiles, pointers and tuples from trip to trip, some swapped.
    i = tl.arange(0, B)
    a = tl.zeros((B,), tl.float32)
    b = tl.full((B,), 1, tl.float32)
    p = x_ptr + i
    pair = (0, 1)
    for k in range(n):
        a, b = b, a + tl.load(p)
        p += B
        pair = (pair[1], pair[0] + pair[1])
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + B + i, b)
    tl.store(out_ptr + 2 * B, pair[0])


@tegula.jit
def loop_variable(out_ptr, n):
    i = 99
    for i in range(n):
        tl.store(out_ptr + i, i)
        i += 5
        tl.store(out_ptr + 16 + i, i)


@tegula.jit
def grid_stride(x_ptr, out_ptr, n, B: tl.constexpr):
    for start in range(tl.program_id(0) * B, n, tl.num_programs(0) * B):
        i = start + tl.arange(0, B)
        tl.store(out_ptr + i, tl.load(x_ptr + i, i < n) + 1, i < n)


@tegula.jit
def running(x_ptr, out_ptr, n, stride, B: tl.constexpr):
    # An online softmax: largest element and sum in one pass.
    row = tl.program_id(0)
    j = tl.arange(0, B)
    m = float("-inf")
    s = 0.0
    for start in range(0, n, B):
        x = tl.load(x_ptr + row * stride + start + j, start + j < n, float("-inf"))
        new = tl.maximum(m, tl.max(x, 0))
        s = s * tl.exp(m - new) + tl.sum(tl.exp(x - new), 0)
        m = new
    tl.store(out_ptr + 2 * row, m)
    tl.store(out_ptr + 2 * row + 1, s)


@tegula.jit
def empty_bodies(out_ptr, n):
    for _ in range(n):
        pass
    if n > 3:
        pass
    else:
        pass
    tl.store(out_ptr, n)


@tegula.jit
def limits(out_ptr, start, stop, step):
    trips = 0
    for i in range(start, stop, step):
        trips += 1
        tl.store(out_ptr + 1, i)
    tl.store(out_ptr, trips)


@tegula.jit
def condition_of_one(x_ptr, out_ptr):
    count = 0
    more = tl.load(x_ptr + tl.arange(0, 1)) > 3
    if more:
        count += 100
    while tl.full((1, 1), count, tl.int32) < 4:
        count += 1
    if not more or tl.load(x_ptr) == 7:
        count += 1000
    tl.store(out_ptr, count)
