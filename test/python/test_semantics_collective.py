# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/semantics.md: scans, sorting and picking, atomics."""

import math

import numpy as np
import pytest

import tegula
import tegula.language as tl
from semantics_cases import FLOATS, INTEGERS, dtype_of, integer_corners, type_of, wrapped

row = pytest.mark.semantics
NAN, INF = math.nan, math.inf


@tegula.jit
def take_left(a, b):
    return a


@tegula.jit
def decimal(a, m, b, n):
    # Digits in a row: 12 with 345 is 12345, so that order and side show.
    return a * n + b, m * n


@tegula.jit
def digits_kernel(out_ptr, REVERSE: tl.constexpr):
    i = tl.arange(0, 8)
    number, power = tl.associative_scan((i + 1, tl.full((8,), 10, tl.int32)), 0, decimal, REVERSE)
    tl.store(out_ptr + i, number)


@row("scan-order")
def test_scan_order():
    out = np.zeros(8, np.int32)
    digits_kernel[(1,)](out, REVERSE=False)
    assert out.tolist() == [1, 12, 123, 1234, 12345, 123456, 1234567, 12345678]
    digits_kernel[(1,)](out, REVERSE=True)
    assert out.tolist() == [87654321, 8765432, 876543, 87654, 8765, 876, 87, 8]


@tegula.jit
def half(a, b):
    return a * 0.5 + b


@tegula.jit
def scan_kernel(x_ptr, out_ptr, F: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.associative_scan(tl.load(x_ptr + i), 0, F))


@tegula.jit
def add(a, b):
    return a + b


@row("scan-grouping")
@pytest.mark.parametrize("function", [half, add])
def test_scan_repeats(rng, function):
    x = rng.standard_normal(1024).astype(np.float32)
    results = []
    for _ in range(3):
        out = np.zeros(1024, np.float32)
        scan_kernel[(1,)](x, out, F=function, N=1024)
        results.append(out.tobytes())
    assert results[0] == results[1] == results[2]
    assert np.frombuffer(results[0], np.float32)[0] == x[0]


@tegula.jit
def width_kernel(x_ptr, out_ptr, SUM: tl.constexpr, PRODUCT: tl.constexpr):
    i = tl.arange(0, 4)
    x = tl.load(x_ptr + i)
    tl.static_assert(tl.cumsum(x).dtype == SUM)
    tl.static_assert(tl.cumprod(x).dtype == PRODUCT)
    tl.store(out_ptr + i, tl.cumsum(x, reverse=True))


@row("scan-width")
@pytest.mark.parametrize("name, sum_type, product", [
    ("int8", "int32", "int8"), ("uint16", "uint32", "uint16"), ("bool", "uint32", "bool"),
    ("int64", "int64", "int64"), ("bfloat16", "float32", "float32"),
    ("float16", "float16", "float16")])
def test_scan_widths(name, sum_type, product):
    x = np.ones(4, dtype_of(name))
    out = np.zeros(4, dtype_of(sum_type))
    width_kernel[(1,)](x, out, SUM=type_of(sum_type), PRODUCT=type_of(product))
    assert out.astype(np.float64).tolist() == [4, 3, 2, 1]


@tegula.jit
def sort_kernel(x_ptr, out_ptr, index_ptr, N: tl.constexpr, DOWN: tl.constexpr):
    i = tl.arange(0, N)
    values, index = tl.sort(tl.load(x_ptr + i), descending=DOWN, return_indices=True)
    tl.store(out_ptr + i, values)
    tl.store(index_ptr + i, index)


@row("sort-order")
@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("down", [False, True])
def test_sort_of_special_values(name, down):
    x = np.array([0.0, NAN, -INF, -0.0, INF, -NAN, 1, -0.0, INF, 0.0, -1, NAN, 2, 1, -INF, 0.0],
                 dtype_of(name))
    out, index = np.zeros(16, x.dtype), np.zeros(16, np.int32)
    sort_kernel[(1,)](x, out, index, N=16, DOWN=down)
    up = [2, 14, 10, 0, 3, 7, 9, 15, 6, 13, 12, 4, 8, 1, 5, 11]
    falling = [1, 5, 11, 4, 8, 12, 6, 13, 0, 3, 7, 9, 15, 10, 2, 14]
    assert index.tolist() == (falling if down else up)
    assert out.tobytes() == x[index].tobytes() or np.isnan(x.astype(np.float64)).any()
    np.testing.assert_equal(out.astype(np.float64), x[index].astype(np.float64))


@tegula.jit
def pick_kernel(x_ptr, index_ptr, out_ptr, count_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    index = tl.load(index_ptr + i)
    tl.store(out_ptr + i, tl.gather(tl.load(x_ptr + tl.arange(0, 4)), index, 0))
    tl.store(count_ptr + tl.arange(0, 4), tl.histogram(index, 4))


@row("gather-range", "histogram-range")
@pytest.mark.parametrize("name", INTEGERS)
def test_picks_out_of_range(name):
    corners = [int(v) for v in integer_corners(name)][:12] + [0, 3, 4, 2]
    index = np.array((corners * 16)[:16], dtype_of(name))
    x = np.array([10, 20, 30, 40], np.int32)
    out, count = np.full(16, -1, np.int32), np.full(4, -1, np.int32)
    pick_kernel[(1,)](x, index, out, count, N=16)
    assert out.tolist() == [x[i] if 0 <= i < 4 else 0 for i in map(int, index)]
    assert count.tolist() == [sum(int(v) == b for v in index) for b in range(4)]


@tegula.jit
def note_visit(count_ptr, x):
    tl.atomic_add(count_ptr + x, 1)
    return x


@tegula.jit
def map_kernel(count_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.map_elementwise(note_visit, count_ptr, i))


@row("map-each")
def test_map_runs_once_for_each():
    counts, out = np.zeros(64, np.int32), np.zeros(64, np.int32)
    map_kernel[(1,)](counts, out, N=64)
    assert counts.tolist() == [1] * 64
    assert out.tolist() == list(range(64))


# --- Atomics ---------------------------------------------------------------------


@tegula.jit
def atomic_kernel(F: tl.constexpr, x_ptr, v_ptr, old_ptr, mask_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    old = F(x_ptr + i, tl.load(v_ptr + i), tl.load(mask_ptr + i))
    tl.store(old_ptr + i, old)


@tegula.jit
def do_add(p, v, mask):
    return tl.atomic_add(p, v, mask)


@tegula.jit
def do_max(p, v, mask):
    return tl.atomic_max(p, v, mask)


@tegula.jit
def do_min(p, v, mask):
    return tl.atomic_min(p, v, mask)


@tegula.jit
def do_xchg(p, v, mask):
    return tl.atomic_xchg(p, v, mask)


def atomic(function, x, v, mask=None):
    """(memory, old values) of an atomic access to each element."""
    x, old = np.array(x), np.full(len(x), 77, np.asarray(x).dtype)
    mask = np.ones(len(x), np.bool_) if mask is None else mask
    atomic_kernel[(1,)](function, x, np.asarray(v), old, mask, N=len(x))
    return x, old


@row("atomic-int", "atomic-mask")
@pytest.mark.parametrize("name", INTEGERS)
def test_atomic_integers(name):
    corners = integer_corners(name)[:8]
    a, b = (np.resize(c, 64) for c in (np.repeat(corners, 8), corners))
    mask = np.arange(64) % 3 != 0
    for function, exact in ((do_add, lambda x, y: wrapped(x + y, name)), (do_max, max),
                            (do_min, min), (do_xchg, lambda x, y: y)):
        memory, old = atomic(function, a, b, mask)
        expected = [exact(int(x), int(y)) if m else int(x) for x, y, m in zip(a, b, mask)]
        assert [int(v) for v in memory] == expected
        assert [int(v) for v in old] == [int(x) if m else 0 for x, m in zip(a, mask)]


@row("atomic-float", "atomic-nan")
@pytest.mark.parametrize("name", FLOATS)
def test_atomic_floats(name):
    special = [0.0, -0.0, 1.5, -2.25, INF, -INF, NAN, 3e-5]
    a = np.repeat(special, 8).astype(dtype_of(name))
    b = np.tile(special, 8).astype(dtype_of(name))
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore"):
        total = (wide_a + wide_b).astype(a.dtype)
    memory, old = atomic(do_add, a, b)
    np.testing.assert_equal(memory.astype(np.float64), total.astype(np.float64))
    np.testing.assert_equal(old.astype(np.float64), wide_a)
    for function, pick in ((do_max, max), (do_min, min)):
        def better(x, y):
            if x != x or y != y:
                return y if x != x else x
            if x == y == 0:
                negative = (math.copysign(1, x) < 0) + (math.copysign(1, y) < 0)
                return -0.0 if negative == 2 or (negative and pick is min) else 0.0
            return pick(x, y)
        memory, _ = atomic(function, a, b)
        expected = np.array([better(x, y) for x, y in zip(wide_a, wide_b)])
        np.testing.assert_equal(memory.astype(np.float64), expected)
        zeros = expected == 0
        assert (np.signbit(memory.astype(np.float64)) == np.signbit(expected))[zeros].all()


@tegula.jit
def cas_kernel(x_ptr, cmp_ptr, v_ptr, old_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    old = tl.atomic_cas(x_ptr + i, tl.load(cmp_ptr + i), tl.load(v_ptr + i))
    tl.store(old_ptr + i, old)


@row("atomic-cas")
@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_compare_bits(name):
    x = np.array([0.0, -0.0, 0.0, NAN, NAN, 1.0, INF, -0.0], name)
    cmp = np.array([0.0, 0.0, -0.0, NAN, 1.0, 1.0, INF, -0.0], name)
    v, old = np.full(8, 9, name), np.zeros(8, name)
    before = x.copy()
    cas_kernel[(1,)](x, cmp, v, old, N=8)
    same = [a.tobytes() == b.tobytes() for a, b in zip(before, cmp)]
    assert same == [True, False, False, True, False, True, True, True]
    np.testing.assert_equal(x, np.where(same, v, before))
    np.testing.assert_equal(old, before)


@tegula.jit
def shared_kernel(counter_ptr, seen_ptr, N: tl.constexpr):
    old = tl.atomic_add(counter_ptr + tl.zeros((N,), tl.int32), 1)
    tl.atomic_add(seen_ptr + old, 1)


@row("atomic-each")
@pytest.mark.parametrize("programs", [1, 2, 64])
def test_each_element_is_an_access(programs):
    counter, seen = np.zeros(1, np.int32), np.zeros(programs * 64, np.int32)
    shared_kernel[(programs,)](counter, seen, N=64)
    assert counter[0] == programs * 64
    assert seen.tolist() == [1] * (programs * 64)


@row("atomic-cast")
@pytest.mark.parametrize("name, value, expected", [
    ("int8", 300, 44), ("int32", 2.9, 2), ("uint8", -1, 255), ("float32", 7, 7.0)])
def test_values_are_cast(name, value, expected):
    v = np.full(8, value, np.float64 if isinstance(value, float) else np.int64)
    memory, _ = atomic(do_xchg, np.zeros(8, name), v)
    assert memory.tolist() == [expected] * 8


@tegula.jit
def handover_kernel(data_ptr, flag_ptr, out_ptr, SEM: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    if tl.program_id(0) == 0:
        tl.store(data_ptr + i, i + 1)
        tl.debug_barrier()
        tl.atomic_xchg(flag_ptr, 1, sem=SEM)
    else:
        while tl.atomic_add(flag_ptr, 0, sem=SEM) == 0:
            pass
        tl.store(out_ptr + tl.program_id(0) * N + i, tl.load(data_ptr + i))


@row("atomic-sem")
@pytest.mark.parametrize("sem", [None, "acq_rel"])
def test_data_behind_a_flag(sem):
    for _ in range(20):
        data, flag = np.zeros(256, np.int32), np.zeros(1, np.int32)
        out = np.zeros((4, 256), np.int32)
        handover_kernel[(4,)](data, flag, out, SEM=sem, N=256)
        assert (out[1:] == np.arange(256) + 1).all()


@tegula.jit
def refused_kernel(p):
    tl.atomic_add(p, 1)


@row("atomic-types")
@pytest.mark.parametrize("dtype", ["bool", "float8e4nv", "float8e5"])
def test_types_without_atomics(dtype):
    with pytest.raises(tegula.CompilationError, match="expected pointers to integers"):
        refused_kernel[(1,)](np.zeros(1, dtype_of(dtype)))


@tegula.jit
def assert_kernel(x_ptr, n):
    tl.device_assert(n > 5, "n is too small")
    assert n > 5
    tl.store(x_ptr, tl.expect_zero(n, True))


@row("assert-debug")
def test_assertions_without_debug():
    x = np.zeros(1, np.int32)
    assert_kernel[(1,)](x, 3)
    assert x[0] == 3


@tegula.jit
def scaled_kernel(a_ptr, b_ptr, s_ptr, out_ptr):
    i, j, k = tl.arange(0, 16), tl.arange(0, 16), tl.arange(0, 32)
    a = tl.load(a_ptr + i[:, None] * 32 + k[None, :])
    b = tl.load(b_ptr + k[:, None] * 16 + j[None, :])
    s = tl.load(s_ptr + i[:, None])
    tl.store(out_ptr + i[:, None] * 16 + j[None, :], tl.dot_scaled(a, s, "bf16", b, None, "bf16"))


@row("dot-scaled")
def test_scales(rng):
    import ml_dtypes
    a = rng.integers(-8, 8, (16, 32)).astype(ml_dtypes.bfloat16)
    b = rng.integers(-8, 8, (32, 16)).astype(ml_dtypes.bfloat16)
    scale, out = np.full(16, 127, np.uint8), np.zeros((16, 16), np.float32)
    scale[:4] = 130, 120, 255, 0
    scaled_kernel[(1,)](a, b, scale, out)
    plain = a.astype(np.float64) @ b.astype(np.float64)
    factor = np.where(scale == 255, np.nan, np.exp2(scale.astype(np.float64) - 127))
    np.testing.assert_equal(out, (plain * factor[:, None]).astype(np.float32))
