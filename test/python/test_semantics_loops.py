# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/semantics.md: break, continue, return and else in loops; subscripts of tiles."""

import numpy as np
import pytest

import tegula
import tegula.language as tl

row = pytest.mark.semantics


def run(kernel, *args, size=8, dtype=np.int32, **constants):
    out = np.full(size, -7, dtype)
    kernel[(1,)](out, *args, **constants)
    return out.tolist()


# -- break and continue --------------------------------------------------------


@tegula.jit
def break_for(out, n, limit):
    total = 0
    last = -1
    for i in range(n):
        if total >= limit:
            break
        total += i
        last = i
    tl.store(out, total)
    tl.store(out + 1, last)


def break_for_reference(n, limit):
    total, last = 0, -1
    for i in range(n):
        if total >= limit:
            break
        total += i
        last = i
    return [total, last]


@row("loop-break")
@pytest.mark.parametrize("n", [0, 1, 5, 100])
@pytest.mark.parametrize("limit", [0, 1, 10, 10**6])
def test_break_of_a_for(n, limit):
    assert run(break_for, n, limit, size=2) == break_for_reference(n, limit)


@tegula.jit
def break_stores(out, n, stop):
    for i in range(n):
        if i == stop:
            tl.store(out + i, 100)
            break
        tl.store(out + i, i)


@row("loop-break")
def test_nothing_runs_after_a_break():
    assert run(break_stores, 8, 3) == [0, 1, 2, 100, -7, -7, -7, -7]
    assert run(break_stores, 8, 9) == list(range(8))


@tegula.jit
def mixed_endings(out, n, a, b):
    x = 0
    for i in range(n):
        if i % 3 == a:
            x += 1
            continue
        if x > b:
            x += 1000
            break
        else:
            x += 10
        x += 100
    else:
        x += 100000
    tl.store(out, x)


def mixed_endings_reference(n, a, b):
    x = 0
    for i in range(n):
        if i % 3 == a:
            x += 1
            continue
        if x > b:
            x += 1000
            break
        else:
            x += 10
        x += 100
    else:
        x += 100000
    return x


@row("loop-break")
@row("loop-else")
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
@pytest.mark.parametrize("a", [0, 1, 5])
@pytest.mark.parametrize("b", [-1, 0, 100, 300, 10**6])
def test_break_continue_and_else(n, a, b):
    assert run(mixed_endings, n, a, b, size=1) == [mixed_endings_reference(n, a, b)]


@tegula.jit
def one_branch_breaks_the_other_continues(out, n, a):
    x = 0
    for i in range(n):
        x += 1
        if i == a:
            x += 50
            break
        else:
            x += 2
            continue
        x += 10000
    tl.store(out, x)


@row("loop-break")
@pytest.mark.parametrize("a,expected", [(0, 51), (2, 57), (9, 15)])
def test_both_branches_end(a, expected):
    assert run(one_branch_breaks_the_other_continues, 5, a, size=1) == [expected]


@tegula.jit
def break_while(out, n, limit):
    i = 0
    while i < n:
        i += 1
        if i == 3:
            continue
        if i > limit:
            break
        tl.store(out + i - 1, i)
    else:
        i += 100
    tl.store(out + 7, i)


def break_while_reference(n, limit):
    out = [-7] * 8
    i = 0
    while i < n:
        i += 1
        if i == 3:
            continue
        if i > limit:
            break
        out[i - 1] = i
    else:
        i += 100
    out[7] = i
    return out


@row("loop-break")
@row("loop-else")
@pytest.mark.parametrize("n,limit", [(0, 5), (5, 9), (6, 4), (6, 0), (3, 3)])
def test_break_of_a_while(n, limit):
    assert run(break_while, n, limit) == break_while_reference(n, limit)


@tegula.jit
def endless(out, x):
    steps = 0
    while True:
        if x == 1:
            break
        x = tl.where(x % 2 == 0, x // 2, 3 * x + 1)
        steps += 1
    tl.store(out, steps)


@row("loop-break")
def test_while_true():
    assert run(endless, 27, size=1) == [111]
    assert run(endless, 1, size=1) == [0]


@tegula.jit
def guarded(p, n, out):
    i = 0
    while tl.load(p + i) != 0:
        if i == n:
            break
        i += 1
    tl.store(out, i)


@row("loop-break")
def test_the_condition_is_not_asked_after_a_break():
    """The element at n is the last there is: n + 1 must not be loaded."""
    memory = np.full(2000, 1, np.int32)
    out = np.zeros(1, np.int32)
    guarded[(1,)](memory, 1999, out)
    assert out[0] == 1999
    memory[17] = 0
    guarded[(1,)](memory, 1999, out)
    assert out[0] == 17


@tegula.jit
def nested(out, n, m, stop):
    count = 0
    for i in range(n):
        for j in range(m):
            if i * m + j == stop:
                break
            if j > i:
                break
            count += 1
        else:
            count += 1000
            continue
        count += 100
        if count > 500:
            break
    tl.store(out, count)


def nested_reference(n, m, stop):
    count = 0
    for i in range(n):
        for j in range(m):
            if i * m + j == stop:
                break
            if j > i:
                break
            count += 1
        else:
            count += 1000
            continue
        count += 100
        if count > 500:
            break
    return count


@row("loop-break")
@row("loop-else")
@pytest.mark.parametrize("n,m", [(0, 3), (3, 0), (4, 2), (2, 4), (9, 9)])
@pytest.mark.parametrize("stop", [0, 3, 50, 1000])
def test_nested_loops(n, m, stop):
    assert run(nested, n, m, stop, size=1) == [nested_reference(n, m, stop)]


@tegula.jit
def tiles(p, out, n, limit):
    i = tl.arange(0, 16)
    acc = tl.zeros((16,), tl.float32)
    for k in range(n):
        x = tl.load(p + k * 16 + i)
        if tl.max(x, 0) > limit:
            acc = acc * 2
            break
        if tl.min(x, 0) < 0:
            continue
        acc += x
    tl.store(out + i, acc)


@row("loop-break")
@pytest.mark.parametrize("limit", [0.5, 2.0, 100.0])
def test_carried_tiles(limit, rng):
    x = rng.standard_normal((10, 16)).astype(np.float32)
    x[::2] = np.abs(x[::2])
    acc = np.zeros(16, np.float32)
    for line in x:
        if line.max() > limit:
            acc = acc * 2
            break
        if line.min() < 0:
            continue
        acc = acc + line
    out = np.zeros(16, np.float32)
    tiles[(1,)](x, out, 10, limit)
    np.testing.assert_array_equal(out, acc)


@tegula.jit
def limits(out, start, stop, step):
    count = 0
    for i in range(start, stop, step):
        count += 1
        if count == 100:
            break
    tl.store(out, count)


@row("loop-break")
@row("loop-limit")
@pytest.mark.parametrize("start,stop,step,count", [
    (2**31 - 5, 2**31 - 1, 2, 2), (2**31 - 5, 2**31 - 1, 3, 2), (-2**31, 2**31 - 1, 2**30, 4),
    (0, 10, 0, 0), (0, 10, -1, 0), (5, 5, 1, 0), (0, 2**31 - 1, 1, 100),
    (2**63 - 3, 2**63 - 1, 1, 2), (-2**63, 2**63 - 1, 2**62, 4)])
def test_ranges_that_may_be_left_end_where_they_should(start, stop, step, count):
    assert run(limits, start, stop, step, size=1) == [count]


@tegula.jit
def unrolled(out, x, STOP: tl.constexpr):
    count = 0
    for i in tl.static_range(8):
        if i == STOP:
            break
        if i == 1:
            continue
        if i > x:
            break
        tl.store(out + i, i)
        count += 1
    else:
        count += 100
    tl.store(out + 7, count)


def unrolled_reference(x, stop):
    out = [-7] * 8
    count = 0
    for i in range(8):
        if i == stop:
            break
        if i == 1:
            continue
        if i > x:
            break
        out[i] = i
        count += 1
    else:
        count += 100
    out[7] = count
    return out


@row("loop-break")
@row("loop-else")
@pytest.mark.parametrize("x", [-1, 0, 1, 4, 20])
@pytest.mark.parametrize("stop", [0, 3, 100])
def test_static_loops(x, stop):
    assert run(unrolled, x, STOP=stop) == unrolled_reference(x, stop)


@tegula.jit
def downwards(out, n, stop):
    for i in range(n, 0, -2):
        if i <= stop:
            break
        tl.store(out + i, i)


@row("loop-break")
def test_downwards():
    assert run(downwards, 7, 2) == [-7, -7, -7, 3, -7, 5, -7, 7]


# -- return inside loops ---------------------------------------------------------


@tegula.jit
def find(p, n, wanted):
    for i in range(n):
        if tl.load(p + i) == wanted:
            return i
    return -1


@tegula.jit
def call_find(out, p, n, wanted):
    tl.store(out, find(p, n, wanted))
    tl.store(out + 1, find(p, n, wanted + 1))


@row("loop-return")
def test_return_of_a_helper():
    p = np.array([5, 3, 9, 3, 4], np.int32)
    assert run(call_find, p, 5, 3, size=2) == [1, 4]
    assert run(call_find, p, 5, 8, size=2) == [-1, 2]
    assert run(call_find, p, 0, 3, size=2) == [-1, -1]


@tegula.jit
def first_pair(p, n, total):
    for i in range(n):
        x = tl.load(p + i)
        j = i + 1
        while j < n:
            y = tl.load(p + j)
            if x + y == total:
                return i, j
            j += 1
        else:
            if x == total:
                return i, -2
    return -1, -1


@tegula.jit
def call_first_pair(out, p, n, total):
    i, j = first_pair(p, n, total)
    tl.store(out, i)
    tl.store(out + 1, j)


def first_pair_reference(p, total):
    for i, x in enumerate(p):
        for j in range(i + 1, len(p)):
            if x + p[j] == total:
                return [i, j]
        if x == total:
            return [i, -2]
    return [-1, -1]


@row("loop-return")
@pytest.mark.parametrize("total", range(0, 16))
def test_return_from_nested_loops_with_a_tuple(total):
    p = [5, 3, 9, 3, 0]
    expected = first_pair_reference(p, total)
    assert run(call_first_pair, np.array(p, np.int32), 5, total, size=2) == expected


@tegula.jit
def return_a_tile(p, n, limit):
    i = tl.arange(0, 16)
    acc = tl.zeros((16,), tl.float32)
    for k in range(n):
        acc += tl.load(p + 16 * k + i)
        if tl.sum(acc, 0) > limit:
            return acc
    return acc * 0


@tegula.jit
def call_return_a_tile(p, out, n, limit):
    tl.store(out + tl.arange(0, 16), return_a_tile(p, n, limit))


@row("loop-return")
@pytest.mark.parametrize("limit,turns", [(-1.0, 1), (40.0, 3), (1000.0, 0)])
def test_return_of_a_tile(limit, turns):
    x = np.ones((5, 16), np.float32)
    out = np.full(16, 9, np.float32)
    call_return_a_tile[(1,)](x, out, 5, limit)
    np.testing.assert_array_equal(out, np.full(16, turns, np.float32))


@tegula.jit
def returns_what_is_carried(p, n, stop):
    acc = 0
    for i in range(n):
        if i == stop:
            return acc
        acc += tl.load(p + tl.arange(0, 4))
    return acc - 1


@tegula.jit
def call_returns_what_is_carried(out, p, n, stop):
    tl.store(out + tl.arange(0, 4), returns_what_is_carried(p, n, stop))


@row("loop-return")
@row("loop-types")
def test_return_of_a_number_that_becomes_a_tile():
    p = np.arange(4, dtype=np.float32)
    for n, stop, expected in [(3, 2, p * 2), (3, 9, p * 3 - 1), (3, 0, p * 0), (0, 0, p * 0 - 1)]:
        assert run(call_returns_what_is_carried, p, n, stop, size=4,
                   dtype=np.float32) == expected.tolist()


@tegula.jit
def kernel_returns(out, n, stop):
    for i in range(n):
        for j in tl.static_range(2):
            if i == stop:
                return
            tl.store(out + 2 * i + j, i)
    tl.store(out + 7, 99)


@row("loop-return")
def test_return_of_the_kernel():
    assert run(kernel_returns, 3, 1) == [0, 0, -7, -7, -7, -7, -7, -7]
    assert run(kernel_returns, 3, 9) == [0, 0, 1, 1, 2, 2, -7, 99]


@tegula.jit
def return_with_break(x, n):
    for i in range(n):
        if i == x:
            return 10 * i
        if i > 5:
            break
        if i == 3:
            continue
    else:
        return 1000
    return 2000


@tegula.jit
def call_return_with_break(out, x, n):
    tl.store(out, return_with_break(x, n))


@row("loop-return")
@pytest.mark.parametrize("x,n,expected", [(2, 9, 20), (0, 9, 0), (7, 9, 2000), (7, 4, 1000),
                                          (6, 9, 60), (5, 0, 1000)])
def test_return_break_and_else(x, n, expected):
    assert run(call_return_with_break, x, n, size=1) == [expected]


# -- subscripts ------------------------------------------------------------------


@tegula.jit
def subscripts(out, x, i, j):
    rows = tl.arange(0, 32)[:, None]
    columns = tl.arange(0, 16)[None, :]
    t = tl.load(x + rows * 16 + columns)
    tl.store(out + tl.arange(0, 16), t[3])
    tl.store(out + 16 + tl.arange(0, 16), t[-1, :])
    tl.store(out + 32 + tl.arange(0, 32), t[:, 4])
    tl.store(out + 64, t[2, 5])
    tl.store(out + 65, t[i, j])
    tl.store(out + 66, t[i, 3])
    tl.store(out + 80 + tl.arange(0, 16), t[i])
    tl.store(out + 96 + tl.arange(0, 32), t[:, j])
    tl.store(out + 128 + tl.arange(0, 16), t[::2, 0])
    tl.store(out + 144 + tl.arange(0, 32), t[::-1, 1])
    tl.store(out + 176 + tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :], t[4:8, 12::])
    tl.store(out + 192 + tl.arange(0, 16), t[..., 7][16:99])
    tl.store(out + 208 + tl.arange(0, 16)[None, :], t[None, 5])
    tl.store(out + 224 + tl.arange(0, 8), t[5, 15:7:-1])


def subscripts_reference(x, i, j):
    t = x.reshape(32, 16)
    has_row, has_column = 0 <= i < 32, 0 <= j < 16
    out = np.zeros(232, np.float32)
    out[:16], out[16:32], out[32:64], out[64] = t[3], t[-1], t[:, 4], t[2, 5]
    out[65] = t[i, j] if has_row and has_column else 0
    out[66] = t[i, 3] if has_row else 0
    out[80:96] = t[i] if has_row else 0
    out[96:128] = t[:, j] if has_column else 0
    out[128:144], out[144:176] = t[::2, 0], t[::-1, 1]
    out[176:192], out[192:208], out[208:224] = t[4:8, 12:].ravel(), t[16:, 7], t[5]
    out[224:232] = t[5, 15:7:-1]
    return out


@row("subscript-constant")
@row("subscript-run-time")
@row("subscript-slice")
@pytest.mark.parametrize("i,j", [(2, 3), (31, 15), (-1, 0), (0, -1), (32, 1), (1, 16),
                                 (2**31 - 1, -2**31), (2**40, 2**40), (0, 0), (1, 1)])
def test_subscripts(i, j, rng):
    x = rng.standard_normal(512).astype(np.float32)
    out = np.zeros(232, np.float32)
    subscripts[(1,)](out, x, i, j)
    np.testing.assert_array_equal(out, subscripts_reference(x, i, j))


@tegula.jit
def subscripts_of_types(out, x, i, N: tl.constexpr):
    t = tl.load(x + tl.arange(0, N))
    tl.store(out, t[i])
    tl.store(out + 1, t[-1])
    tl.store(out + 2 + tl.arange(0, N), t[::-1])


@row("subscript-constant")
@row("subscript-run-time")
@row("subscript-slice")
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float16, np.float64, np.bool_])
@pytest.mark.parametrize("size", [1, 2, 16, 48, 1024])
def test_subscripts_of_types(dtype, size, rng):
    x = rng.integers(0, 2, size).astype(dtype)
    for i in (0, size - 1, size, -1):
        out = np.ones(size + 2, dtype)
        subscripts_of_types[(1,)](out, x, i, N=size)
        assert out[0] == (x[i] if 0 <= i < size else 0)
        assert out[1] == x[-1]
        np.testing.assert_array_equal(out[2:], x[::-1])


# -- comparisons -----------------------------------------------------------------


@tegula.jit
def chain(out, x, n, far):
    tl.store(out, 0 < n < 5)
    tl.store(out + 1, n < 3 > 1)
    tl.store(out + 2, -1 < n - far < tl.load(x + far))
    tl.store(out + 3, 1 < 2 < n <= 4 == 4)


@row("compare-chain")
@pytest.mark.parametrize("n", [0, 1, 3, 4, 5])
def test_chained_comparisons(n):
    x = np.array([7], np.int32)
    assert run(chain, x, n, 2**28, size=4) == [0 < n < 5, n < 3, 0, 2 < n <= 4]
    assert run(chain, x, n, 0, size=4) == [0 < n < 5, n < 3, n < 7, 2 < n <= 4]
