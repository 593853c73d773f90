# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/semantics.md: reductions and products of matrices."""

import itertools
import math

import numpy as np
import pytest

import tegula
import tegula.language as tl
from semantics_cases import FLOATS, INTEGERS, dtype_of, integer_corners, type_of, wrapped

row = pytest.mark.semantics
NAN, INF = math.nan, math.inf


@tegula.jit
def sum_kernel(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.sum(x, axis=0))


def total(x, out):
    result = np.zeros(1, out)
    sum_kernel[(1,)](x, result, N=x.size)
    return result[0]


@row("reduce-grouping")
@pytest.mark.parametrize("size", [1, 2, 16, 64, 1024, 8192])
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_float_sums(rng, size, name):
    x = rng.standard_normal(size).astype(name)
    got = [total(x, name) for _ in range(3)]
    assert got[0].tobytes() == got[1].tobytes() == got[2].tobytes()
    # Any order of n additions errs by at most n - 1 roundings of the sum of magnitudes.
    bound = max(size - 1, 0) * float(np.finfo(name).eps) / 2 * np.abs(x).sum(dtype=np.float64)
    assert abs(float(got[0]) - math.fsum(x.tolist())) <= bound * 1.01


@row("reduce-grouping")
@pytest.mark.parametrize("values, expected", [([INF, 1], INF), ([INF, -INF], NAN), ([NAN, 1], NAN),
                                              ([-INF, 1], -INF), ([-0.0, -0.0], 0.0)])
@pytest.mark.parametrize("place", [0, 5, 62])
def test_float_sums_of_special_values(values, expected, place):
    x = np.zeros(64, np.float32)
    x[place:place + 2] = values
    np.testing.assert_equal(float(total(x, np.float32)), expected)


@row("reduce-int")
@pytest.mark.parametrize("name", ["int32", "uint32", "int64", "uint64"])
def test_integer_sums(rng, name):
    corners = integer_corners(name)
    for size in (1, 16, 128, 1024):
        x = rng.choice(corners, size)
        assert total(x, name) == wrapped(sum(map(int, x)), name)


@tegula.jit
def widths_kernel(x_ptr, out_ptr, SUM: tl.constexpr, MAX: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    total = tl.sum(x, axis=0)
    tl.static_assert(total.dtype == SUM)
    tl.static_assert(tl.max(x, axis=0).dtype == MAX)
    tl.static_assert(tl.min(x, axis=0).dtype == MAX)
    tl.static_assert(tl.argmax(x, axis=0).dtype == tl.int32)
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, tl.max(x, axis=0))
    tl.store(out_ptr + 2, tl.min(x, axis=0))


@row("reduce-width")
@pytest.mark.parametrize("name, result, extreme", [
    ("int8", "int32", "int32"), ("int16", "int32", "int32"), ("uint8", "uint32", "int32"),
    ("uint16", "uint32", "int32"), ("bool", "uint32", "int32"), ("int32", "int32", "int32"),
    ("uint64", "uint64", "uint64")])
def test_widths(name, result, extreme):
    x = np.resize(integer_corners(name), 512)
    if name != "bool" and np.iinfo(name).bits < 32:
        x[:] = np.iinfo(name).max
        x[7] = np.iinfo(name).min
    out = np.zeros(3, "uint64" if name == "uint64" else "int64")
    widths_kernel[(1,)](x, out, SUM=type_of(result), MAX=type_of(extreme), N=512)
    assert out.tolist() == [wrapped(sum(map(int, x)), result), int(x.max()), int(x.min())]


@row("reduce-width")
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_widths_of_16_bit_floats(name):
    x = np.arange(512).astype(dtype_of(name))
    out = np.zeros(3, np.float64)
    summed = tl.float32 if name == "bfloat16" else tl.float16
    widths_kernel[(1,)](x / 512, out, SUM=summed, MAX=tl.float32, N=512)
    assert out[1:].tolist() == [float((x / 512).max()), 0.0]


@tegula.jit
def extremes_kernel(x_ptr, out_ptr, index_ptr, N: tl.constexpr, LEFT: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.max(x, axis=0))
    tl.store(out_ptr + 1, tl.min(x, axis=0))
    top, at_top = tl.max(x, axis=0, return_indices=True, return_indices_tie_break_left=LEFT)
    low, at_low = tl.min(x, axis=0, return_indices=True, return_indices_tie_break_left=LEFT)
    tl.store(out_ptr + 2, top)
    tl.store(out_ptr + 3, low)
    tl.store(index_ptr, at_top)
    tl.store(index_ptr + 1, at_low)
    tl.store(index_ptr + 2, tl.argmax(x, axis=0, tie_break_left=LEFT))
    tl.store(index_ptr + 3, tl.argmin(x, axis=0, tie_break_left=LEFT))


def extremes(x, left):
    out, index = np.zeros(4, np.float64), np.full(4, -1, np.int32)
    extremes_kernel[(1,)](x, out, index, N=x.size, LEFT=left)
    return out.tolist(), index.tolist()


def check_extremes(x, left):
    numbers = [(v, i) for i, v in enumerate(x.astype(np.float64).tolist()) if not math.isnan(v)]
    out, index = extremes(x, left)
    if not numbers:
        assert np.isnan(out).all(), x
        assert index == [0] * 4 if left else all(0 <= i < x.size for i in index), x
        return
    high, low = max(v for v, _ in numbers), min(v for v, _ in numbers)
    assert out == [high, low, high, low], x
    for at, value in zip(index, [high, low, high, low]):
        places = [i for v, i in numbers if v == value]
        assert at == places[0] if left else at in places, x


@row("reduce-nan", "argmax-nan", "argmax-tie")
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("name", FLOATS)
def test_extremes_of_all_short_tiles(name, left):
    """Every arrangement of a NaN, ties and infinities among four elements."""
    for values in itertools.product([NAN, 6.0, 8.0, -INF], repeat=4):
        check_extremes(np.array(values).astype(dtype_of(name)), left)
    for values in itertools.product([NAN, -3.0, INF], repeat=2):
        check_extremes(np.array(values).astype(dtype_of(name)), left)


@row("reduce-nan", "argmax-nan", "argmax-tie")
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("size", [8, 64, 256, 2048])
def test_extremes_of_long_tiles(rng, size, left):
    for share in (0.0, 0.3, 0.9, 1.0):
        x = rng.integers(-3, 4, size).astype(np.float32)
        x[rng.random(size) < share] = NAN
        check_extremes(x, left)


@row("argmax-tie")
@pytest.mark.parametrize("name", INTEGERS)
def test_ties_of_integers(rng, name):
    for size in (4, 32, 512):
        x = rng.choice(integer_corners(name)[-3:], size)
        index = np.full(4, -1, np.int32)
        extremes_kernel[(1,)](x, np.zeros(4), index, N=size, LEFT=True)
        assert index.tolist() == [x.argmax(), x.argmin()] * 2


@tegula.jit
def rows_kernel(x_ptr, out_ptr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    x = tl.load(x_ptr + i[:, None] * N + j[None, :])
    tl.store(out_ptr + (j if AXIS == 0 else i), tl.argmax(x, axis=AXIS))


@row("argmax-nan", "argmax-tie")
@pytest.mark.parametrize("axis", [0, 1])
def test_rows_with_nans(rng, axis):
    x = rng.integers(-2, 3, (32, 64)).astype(np.float32)
    x[rng.random(x.shape) < 0.5] = NAN
    x[3], x[:, 5] = NAN, NAN
    out = np.full(x.shape[1 - axis], -1, np.int32)
    rows_kernel[(1,)](x, out, AXIS=axis, M=32, N=64)
    filled = np.where(np.isnan(x), -INF, x)
    np.testing.assert_array_equal(out, filled.argmax(axis=axis))


@tegula.jit
def take_top_kernel(x_ptr, out_ptr, K: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    taken = i < 0
    for k in tl.static_range(K):
        best = tl.argmax(tl.where(taken, float("-inf"), x), axis=0)
        tl.store(out_ptr + k, best)
        taken = taken | (i == best)


@row("argmax-tie")
def test_repeated_argmax_is_a_stable_selection(rng):
    x = rng.integers(0, 6, 64).astype(np.float32)
    x[[7, 20, 21, 50]] = INF
    out = np.full(16, -1, np.int32)
    take_top_kernel[(1,)](x, out, K=16, N=64)
    np.testing.assert_array_equal(out, np.argsort(-x, kind="stable")[:16])


@tegula.jit
def plus(a, b):
    return a + b


@tegula.jit
def plus_and_most(a, b, c, d):
    return a + c, tl.maximum(b, d)


@tegula.jit
def tuple_kernel(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    (one,) = tl.reduce((x,), 0, plus)
    total, most = tl.reduce((x, x * 2), 0, plus_and_most)
    tl.store(out_ptr, one)
    tl.store(out_ptr + 1, total)
    tl.store(out_ptr + 2, most)
    tl.store(out_ptr + 3, tl.reduce(x, 0, plus))


@row("reduce-tuple")
@pytest.mark.parametrize("size", [1, 8, 128])
def test_tuples(size):
    x = np.arange(size, dtype=np.int32) - 3
    out = np.zeros(4, np.int32)
    tuple_kernel[(1,)](x, out, N=size)
    assert out.tolist() == [x.sum(), x.sum(), 2 * x.max(), x.sum()]


# -- dot ------------------------------------------------------------------------


@tegula.jit
def dot_kernel(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)[:, None]
    n = tl.arange(0, N)[None, :]
    k = tl.arange(0, K)
    a = tl.load(a_ptr + m * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n)
    tl.store(c_ptr + m * N + n, tl.dot(a, b))


def dot(a, b, out):
    c = np.full((a.shape[0], b.shape[1]), 77, out)
    dot_kernel[(1,)](a, b, c, M=c.shape[0], N=c.shape[1], K=a.shape[1])
    return c


@row("dot-float")
@pytest.mark.parametrize("name", ["float16", "bfloat16", "float8e5", "float8e4nv"])
def test_dots_of_narrow_floats_do_not_round_products(rng, name):
    """Few terms of few bits: exact in float32, though not in the operands' type."""
    a = rng.integers(-7, 8, (16, 32)).astype(dtype_of(name))
    b = rng.integers(-7, 8, (32, 16)).astype(dtype_of(name))
    np.testing.assert_array_equal(dot(a, b, np.float32),
                                  a.astype(np.float64) @ b.astype(np.float64))


@row("dot-float")
@pytest.mark.parametrize("name", FLOATS)
def test_dots_of_floats(rng, name):
    a = rng.standard_normal((32, 64)).astype(dtype_of(name))
    b = rng.standard_normal((64, 32)).astype(dtype_of(name))
    result = np.float64 if name == "float64" else np.float32
    x, y = a.astype(np.float64), b.astype(np.float64)
    bound = 64 * np.finfo(result).eps * (np.abs(x) @ np.abs(y))
    assert (np.abs(dot(a, b, result) - x @ y) <= bound).all()


@row("dot-int")
def test_dots_of_integers(rng):
    a = rng.choice(np.array([-128, -127, -1, 0, 1, 127], np.int8), (32, 64))
    b = rng.choice(np.array([-128, -127, -1, 0, 1, 127], np.int8), (64, 32))
    np.testing.assert_array_equal(dot(a, b, np.int32), a.astype(np.int64) @ b.astype(np.int64))


@row("dot-nan")
@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_dots_of_special_values(name):
    a, b = np.zeros((16, 16), name), np.ones((16, 16), name)
    a[1, 3], a[2, 0], a[3, 5], b[7, 4] = NAN, INF, -INF, INF
    b[0, 2] = 0
    a[4] = 1
    with np.errstate(all="ignore"):
        expected = np.array([[sum(x * y for x, y in zip(r, c)) for c in b.T]
                             for r in a.astype(np.float64)])
    assert np.isnan(expected[0, 4]) and np.isnan(expected[2, 2])
    np.testing.assert_array_equal(dot(a, b, np.float64 if name == "float64" else np.float32),
                                  expected)


@tegula.jit
def chain_kernel(a_ptr, b_ptr, c_ptr, d_ptr, out_ptr, M: tl.constexpr, K):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, M)[None, :]
    acc = tl.zeros((M, M), dtype=tl.float32)
    for k in range(0, K, M):
        acc = tl.dot(tl.load(a_ptr + i * K + k + j), tl.load(b_ptr + (k + i) * M + j), acc)
        acc = tl.dot(tl.load(c_ptr + i * K + k + j), tl.load(d_ptr + (k + i) * M + j), acc)
    tl.store(out_ptr + i * M + j, acc)


@row("dot-chain")
@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32"])
def test_one_accumulator_through_two_dots(rng, name):
    a, c = rng.standard_normal((2, 64, 192)).astype(dtype_of(name))
    b, d = rng.standard_normal((2, 192, 64)).astype(dtype_of(name))
    out = np.zeros((64, 64), np.float32)
    chain_kernel[(1,)](a, b, c, d, out, M=64, K=192)
    a, b, c, d = (x.astype(np.float64) for x in (a, b, c, d))
    np.testing.assert_allclose(out, a @ b + c @ d, rtol=0, atol=384 * 2.0**-23 * 16)


@tegula.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, qk_ptr, out_ptr, M: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, M)[None, :]
    q = tl.load(q_ptr + i * M + j)
    k = tl.load(k_ptr + i * M + j)
    v = tl.load(v_ptr + i * M + j)
    qk = tl.dot(q, tl.trans(k))
    tl.store(qk_ptr + i * M + j, qk)
    tl.store(out_ptr + i * M + j, tl.dot(qk.to(tl.float16), v))


@row("dot-chain")
def test_a_dot_of_a_dot(rng):
    q, k, v = rng.integers(-3, 4, (3, 16, 16)).astype(np.float16)
    qk, out = np.zeros((2, 16, 16), np.float32)
    attention_kernel[(1,)](q, k, v, qk, out, M=16)
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    np.testing.assert_array_equal(qk, q @ k.T)
    np.testing.assert_array_equal(out, q @ k.T @ v)
