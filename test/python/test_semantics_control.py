# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/semantics.md: control flow."""

import numpy as np
import pytest

import tegula
import tegula.language as tl

row = pytest.mark.semantics
I32, I64 = 2**31, 2**63


@tegula.jit
def range_kernel(out, start, stop, step):
    count = 0
    last = start.to(tl.int64)
    total = tl.full((), 0, tl.int64)
    tile = tl.zeros((4,), tl.int32)
    for i in range(start, stop, step):
        count += 1
        last = i.to(tl.int64)
        total += i
        tile += 1
    tl.store(out, count)
    tl.store(out + 1, last)
    tl.store(out + 2, total)
    tl.store(out + 3 + tl.arange(0, 4), tile)


@tegula.jit
def constant_range_kernel(out, START: tl.constexpr, STOP: tl.constexpr, STEP: tl.constexpr,
                          HOW: tl.constexpr, stop):
    count = 0
    last = tl.full((), START, tl.int64)
    total = tl.full((), 0, tl.int64)
    if HOW == "all":
        for i in range(START, STOP, STEP):
            count += 1
            last = tl.cast(i, tl.int64)
            total += i
    elif HOW == "stop":
        for i in range(START, stop, STEP):
            count += 1
            last = tl.cast(i, tl.int64)
            total += i
    elif HOW == "tl.range":
        for i in tl.range(START, stop, STEP, num_stages=2):
            count += 1
            last = tl.cast(i, tl.int64)
            total += i
    else:
        for i in tl.static_range(START, STOP, STEP):
            count += 1
            last = tl.cast(i, tl.int64)
            total += i
    tl.store(out, count)
    tl.store(out + 1, last)
    tl.store(out + 2, total)


def expected_range(start, stop, step):
    numbers = range(start, stop, step)
    total = sum(numbers) % 2**64
    return [len(numbers), numbers[-1] if numbers else start, total - 2**64 * (total >= 2**63)]


def check_range(start, stop, step):
    out = np.full(7, -9, np.int64)
    if step > 0:
        range_kernel[(1,)](out, start, stop, step)
        expected = expected_range(start, stop, step)
        assert out.tolist() == expected + [expected[0]] * 4
    for how in ("all", "stop", "tl.range", "static"):
        if how == "static" and len(range(start, stop, step)) > 100:
            continue
        constant_range_kernel[(1,)](out, START=start, STOP=stop, STEP=step, HOW=how, stop=stop)
        assert out[:3].tolist() == expected_range(start, stop, step), how


@row("loop-empty")
@pytest.mark.parametrize("start, stop, step", [
    (0, 0, 1), (5, 5, 3), (7, 3, 1), (0, -1, 1), (0, -I32, 7), (I32 - 1, -I32, 2), (3, 7, -1),
    (3, 3, -2), (-I32, I32 - 1, -1), (0, 0, I32 - 1)])
def test_no_trips(start, stop, step):
    assert not len(range(start, stop, step))
    check_range(start, stop, step)


@row("loop-step")
@pytest.mark.parametrize("start, stop, step", [
    (0, 10, 1), (0, 10, 3), (-5, 6, 4), (10, 0, -1), (10, 0, -3), (5, -6, -4), (0, 1, 1000),
    (0, 1, I32 - 1), (-3, 100, 7), (1, 0, -1)])
def test_steps(start, stop, step):
    check_range(start, stop, step)


@row("loop-step")
@pytest.mark.parametrize("step", [0, -1, -7, -I32, -I64])
def test_run_time_steps_that_do_not_rise(step):
    out = np.full(7, -9, np.int64)
    for start, stop in [(0, 10), (10, 0), (0, 0), (-I32, I32 - 1)]:
        range_kernel[(1,)](out, start, stop, step)
        assert out.tolist() == [0, start, 0, 0, 0, 0, 0]


@row("loop-step")
def test_a_constant_step_of_zero():
    with pytest.raises(tegula.CompilationError, match="step"):
        constant_range_kernel[(1,)](np.zeros(7, np.int64), START=0, STOP=4, STEP=0, HOW="stop",
                                    stop=4)


@row("loop-limit")
@pytest.mark.parametrize("start, stop, step", [
    (I32 - 3, I32 - 1, 5), (I32 - 3, I32 - 1, 1), (I32 - 10, I32 - 1, 4), (0, I32 - 1, I32 // 3),
    (5, I32 - 1, 2**30), (-I32, I32 - 1, 2**30), (-I32, I32 - 1, I32 - 1), (-7, I32 - 1, 2**29 + 1),
    (-I32, -I32 + 3, 2), (I32 - 1, -I32, -2**30), (-I32 + 5, -I32, -3), (-I32 + 1, -I32, -1),
    (I32 - 1, -2, -2**29), (I32 - 2, I32, 1), (I32 - 2, I32 + 3, 2),
    (I64 - 9, I64 - 1, 5), (-I64, I64 - 1, 2**62), (3, I64 - 1, 2**61), (-I64 + 5, -I64, -3),
    (2**40, 2**40 + 5, 2)])
def test_ranges_near_the_limits(start, stop, step):
    check_range(start, stop, step)


@tegula.jit
def blocks_kernel(out_ptr, n, BLOCK: tl.constexpr):
    count = 0
    for start in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        count += 1
    tl.store(out_ptr + tl.program_id(0), count)


@row("loop-limit")
@pytest.mark.parametrize("n", [I32 - 1, I32 - 1024, I32 - 2**22])
def test_strides_of_the_grid(n):
    out = np.zeros(3, np.int64)
    blocks_kernel[(3,)](out, n, BLOCK=2**20)
    assert out.tolist() == [len(range(p << 20, n, 3 << 20)) for p in range(3)]


@tegula.jit
def rebound_kernel(out, x_ptr, n, offset):
    i = 100
    total = 0
    for i in range(n):
        i = i * 2 + offset
        total += tl.load(x_ptr + i)
    tl.store(out, i)
    tl.store(out + 1, total)
    j = 0
    while j < n:
        j += 1
        k = j
        k = k + offset
        total += k
    tl.store(out + 2, total)


@row("loop-variable")
@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("offset", [0, 3])
def test_variables_assigned_in_the_body(n, offset):
    x = np.arange(100, dtype=np.int32) ** 2
    out = np.zeros(3, np.int32)
    rebound_kernel[(1,)](out, x, n, offset)
    i, total = 100, 0
    for i in range(n):
        i = i * 2 + offset
        total += int(x[i])
    assert out.tolist() == [i, total, total + sum(k + offset for k in range(1, n + 1))]


@tegula.jit
def conditional_kernel(index_ptr, out_ptr, n):
    last = 0
    for i in tl.range(0, n, num_stages=2):
        place = tl.load(index_ptr + i)
        if place >= 0:
            tl.store(out_ptr + place, i + 1)
            last = place
    tl.store(out_ptr + n, last)


@row("loop-variable")
@pytest.mark.parametrize("n", [0, 1, 17])
def test_indices_loaded_in_a_loop(rng, n):
    index = rng.permutation(n).astype(np.int32)
    out = np.zeros(n + 1, np.int32)
    conditional_kernel[(1,)](index, out, n)
    expected = np.zeros(n + 1)
    expected[index] = np.arange(n) + 1
    expected[n] = index[-1] if n else 0
    np.testing.assert_array_equal(out, expected)


@tegula.jit
def two_sums_kernel(a_ptr, b_ptr, column_ptr, product_ptr, n, ORDER: tl.constexpr, D: tl.constexpr):
    i = tl.arange(0, 16)[:, None]
    j = tl.arange(0, D)[None, :]
    column = tl.zeros((D,), tl.float32)
    product = tl.zeros((D, D), tl.float32)
    for start in tl.range(0, n, 16, num_stages=3):
        inside = start + i < n
        a = tl.load(a_ptr + (start + i) * D + j, mask=inside, other=0.0)
        if ORDER:
            column += tl.sum(a, axis=0)
        b = tl.load(b_ptr + (start + i) * D + j, mask=inside, other=0.0)
        product = tl.dot(tl.trans(a), b, product)
        if not ORDER:
            column += tl.sum(a, axis=0)
    tl.store(column_ptr + tl.arange(0, D), column)
    tl.store(product_ptr + tl.arange(0, D)[:, None] * D + j, product)


@row("loop-types")
@pytest.mark.parametrize("order", [True, False])
def test_two_sums_in_one_loop(rng, order):
    a, b = rng.integers(-3, 4, (2, 501, 32)).astype(np.float32)
    column, product = np.zeros(32, np.float32), np.zeros((32, 32), np.float32)
    two_sums_kernel[(1,)](a, b, column, product, 501, ORDER=order, D=32)
    np.testing.assert_array_equal(column, a.sum(axis=0))
    np.testing.assert_array_equal(product, a.T @ b)


@tegula.jit
def widening_kernel(out, n, x):
    total = 0
    scale = 1
    for i in range(n):
        total += x
        scale = scale * 0.5
    tl.store(out, total)
    tl.store(out + 1, scale)


@tegula.jit
def shape_kernel(out, n):
    total = 0
    for i in range(n):
        total = total + tl.arange(0, 16)
    tl.store(out + tl.arange(0, 16), total)


@tegula.jit
def changing_kernel(out, n, x):
    total = x
    for i in range(n):
        total = total * 0.5
    tl.store(out, total)


@row("loop-types")
def test_types_of_carried_variables():
    out = np.zeros(16, np.float64)
    for n in (0, 1, 10):
        widening_kernel[(1,)](out, n, 2**31 + 0)
        assert out[:2].tolist() == [n * 2**31, 0.5**n]
        shape_kernel[(1,)](out, n)
        assert out.tolist() == [n * i for i in range(16)]
    with pytest.raises(tegula.CompilationError, match="'total'"):
        changing_kernel[(1,)](out, 3, 7)


@tegula.jit
def static_kernel(out):
    total = 0
    for i in tl.static_range(4):
        a: tl.constexpr = i * i + 2
        total += tl.sum(tl.full((2 ** i,), a, tl.int32), axis=0)
    for i in tl.static_range(2, 0, -1):
        b: tl.constexpr = 2
        total += b * i
    tl.store(out, total)


@row("loop-static")
def test_constants_of_a_static_loop():
    out = np.zeros(1, np.int32)
    static_kernel[(1,)](out)
    assert out[0] == sum((i * i + 2) * 2**i for i in range(4)) + 6


@tegula.jit
def inside_constant_kernel(out):
    for i in range(0, 1):
        value = i + 3
    tl.store(out, value)


@tegula.jit
def inside_kernel(out, n):
    for i in range(n):
        value = i + 3
    tl.store(out, value)


@tegula.jit
def inside_while_kernel(out, n):
    while n > 0:
        value = n
        n -= 1
    tl.store(out, value)


@tegula.jit
def inside_variable_kernel(out, n):
    for i in range(n):
        pass
    tl.store(out, i)


@row("only-inside")
@pytest.mark.parametrize("kernel, args, name", [
    (inside_constant_kernel, (), "value"), (inside_kernel, (3,), "value"),
    (inside_while_kernel, (3,), "value"), (inside_variable_kernel, (3,), "i")])
def test_variables_of_the_loop_only(kernel, args, name):
    with pytest.raises(tegula.CompilationError, match=f"'{name}' is defined only inside the loop"):
        kernel[(1,)](np.zeros(1, np.int32), *args)


@tegula.jit
def while_kernel(out, n, x):
    k = 0
    while k < n:
        k += 1
    tl.store(out, k)
    while x < 0.5:
        x = x * 2
        k += 100
    tl.store(out + 1, k)
    while False:
        k += 1000
    tl.store(out + 2, k)


@row("while-false")
@pytest.mark.parametrize("n", [0, -1, -I32, 1, 9])
@pytest.mark.parametrize("x", [0.5, 1.0, float("nan"), 0.125])
def test_while(n, x):
    out = np.full(3, -1, np.int32)
    while_kernel[(1,)](out, n, x)
    k = max(n, 0)
    assert out.tolist() == [k, k + (200 if x == 0.125 else 0), k + (200 if x == 0.125 else 0)]


@tegula.jit
def pure_while_kernel(out, n):
    k = 0
    while n > 5:
        k = 1 - k
    tl.store(out, 7)


@row("while-pure")
def test_a_pure_while_that_ends_is_kept_or_not():
    """Only the end is promised; with the condition true it may also never come."""
    out = np.zeros(1, np.int32)
    pure_while_kernel[(1,)](out, 5)
    assert out[0] == 7


@tegula.jit
def branch_kernel(p, out, n):
    x = tl.load(p + (1 << 50)) if n > 0 else 7.0
    tl.store(out, x)
    if n > 0:
        tl.store(p + (1 << 50), 1.0)
        tl.store(out + 1, tl.load(p + (1 << 50) + tl.arange(0, 16)).to(tl.float32).sum(axis=0)
                 if False else 2.0)
    elif n == 0:
        tl.store(out + 1, tl.load(p))
    else:
        for i in range(n, 0):
            if i == -100:
                tl.store(p - (1 << 50), 1.0)
        tl.store(out + 1, 9.0)
    while n > 3:
        tl.store(p + (1 << 50), 1.0)
        n -= 1


@row("branch-lazy")
@pytest.mark.parametrize("n, expected", [(0, 42.0), (-3, 9.0)])
def test_branches_not_taken(n, expected):
    out = np.zeros(2, np.float32)
    branch_kernel[(1,)](np.full(1, 42, np.float32), out, n)
    assert out.tolist() == [7.0, expected]


@tegula.jit
def logic_kernel(out, a, b, C: tl.constexpr):
    x = a > 0 and b > 0
    tl.static_assert(x.dtype == tl.int1)
    tl.store(out, x)
    tl.store(out + 1, a > 0 or b > 0)
    tl.store(out + 2, not a)
    tl.store(out + 3, a and b)
    tl.store(out + 4, C and a)
    tl.store(out + 5, C or b)
    i = tl.arange(0, 2)
    tl.store(out + 6 + i, (i < a) and (i < b))
    tl.store(out + 8 + i, not (i < a))


@tegula.jit
def guard_kernel(p, out, i, n):
    tl.store(out, i < n and tl.load(p + i) > 0)
    tl.store(out + 1, i >= n or tl.load(p + i) > 0)
    far = i.to(tl.int64) << 50
    k = 0
    while k < n and tl.load(p + far + k) > 0:
        k += 1
    tl.store(out + 2, k)


@row("logic")
def test_the_right_side_is_guarded():
    p = np.array([1, 0, 1, 1], np.int32)
    out = np.full(3, -1, np.int32)
    for i, n, expected in [(0, 4, [1, 1, 1]), (1 << 40, 0, [0, 1, 0]), (1, 0, [0, 1, 0])]:
        guard_kernel[(1,)](p, out, i, n)
        assert out.tolist() == expected


@row("logic")
@pytest.mark.parametrize("a", [0, 1, 2, -5])
@pytest.mark.parametrize("b", [0, 1, 3])
@pytest.mark.parametrize("constant", [0, 1, 5])
def test_logic(a, b, constant):
    out = np.full(10, -1, np.int32)
    logic_kernel[(1,)](out, a, b, C=constant)
    assert out.tolist() == [
        a > 0 and b > 0, a > 0 or b > 0, not a, bool(a and b), constant and a, constant or b,
        *(i < a and i < b for i in range(2)), *(not i < a for i in range(2))]
