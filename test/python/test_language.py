# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small kernels against NumPy: the corners of the language."""

import importlib.util
import itertools

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula.language as tl

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, name))


def corners(dtype):
    """Numbers of a type at which conversions and operators change course."""
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        numbers = {info.min, info.min + 1, info.max, info.max - 1, info.max // 2 + 1}
        numbers |= {n for n in (-129, -128, -7, -2, -1, 0, 1, 2, 3, 7, 127, 128, 255, 256, 65504,
                                65535, 65536, 16777217) if info.min <= n <= info.max}
        return np.array(sorted(numbers), dtype)
    numbers = [0.0, -0.0, 0.5, -0.5, 0.99, -0.99, 1.5, -1.5, 2.5, 126.7, 127.5, 128.0, -128.5,
               -129.0, 255.9, 256.0, 32767.5, -32769.0, 65519.0, 65520.0, 2147483647.0,
               2147483648.0, -2147483649.0, 4294967296.0, 9.2e18, 9.3e18, -9.3e18, 1.9e19, 1e30,
               -1e30, 1e-8, 3e38, np.inf, -np.inf, np.nan]
    with np.errstate(all="ignore"):
        return np.array(numbers, np.float64).astype(dtype)


def pairs(values):
    """All pairs of `values` and the number of them, with room up to a power of two."""
    a, b = (m.ravel() for m in np.meshgrid(values, values))
    size = tegula.next_power_of_2(a.size)
    return np.resize(a, size).copy(), np.resize(b, size).copy(), size


# -- integers -------------------------------------------------------------------


@tegula.jit
def divide_kernel(a_ptr, b_ptr, q_ptr, r_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(q_ptr + i, a // b)
    tl.store(r_ptr + i, a % b)


@pytest.mark.parametrize("name", INTEGERS)
def test_divide(name):
    a, b, size = pairs(corners(name))
    q, r = np.full_like(a, 77), np.full_like(a, 77)
    divide_kernel[(1,)](a, b, q, r, N=size)
    bits = a.dtype.itemsize * 8
    for x, y, quotient, remainder in zip(*(v.tolist() for v in (a, b, q, r))):
        expected = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) if y else 0
        left = x - expected * y
        if a.dtype.kind == "i" and expected == 1 << (bits - 1):
            expected = -expected
        assert (quotient, remainder) == (expected, left), (x, y)


@tegula.jit
def divide_scalar_kernel(out_ptr, a, b):
    tl.store(out_ptr, a // b)
    tl.store(out_ptr + 1, a % b)


@pytest.mark.parametrize("a, b, q, r", [(7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1),
                                        (-7, -2, 3, -1), (-7, 0, 0, -7), (7, 0, 0, 7),
                                        (-2**31, -1, -2**31, 0), (-2**63, -1, -2**63, 0)])
def test_divide_scalars(a, b, q, r):
    out = np.zeros(2, np.int64)
    divide_scalar_kernel[(1,)](out, a, b)
    assert out.tolist() == [q, r]


@tegula.jit
def divide_constants_kernel(out_ptr, A: tl.constexpr, B: tl.constexpr):
    tl.store(out_ptr, A // B)
    tl.store(out_ptr + 1, A % B)


@pytest.mark.parametrize("a, b", [(7, 2), (-7, 2), (7, -2), (-7, -2)])
def test_divide_constants_as_python(a, b):
    out = np.zeros(2, np.int64)
    divide_constants_kernel[(1,)](out, A=a, B=b)
    assert out.tolist() == [a // b, a % b]


@tegula.jit
def shift_kernel(a_ptr, b_ptr, left_ptr, right_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(left_ptr + i, a << b)
    tl.store(right_ptr + i, a >> b)


@pytest.mark.parametrize("name", INTEGERS)
def test_shift(name):
    dtype = np.dtype(name)
    bits = dtype.itemsize * 8
    amounts = np.array([0, 1, bits - 1, bits, bits + 1, 100, 127], dtype)
    if dtype.kind == "i":
        amounts = np.append(amounts, np.array([-1], dtype))
    a, b = (m.ravel() for m in np.meshgrid(corners(name), amounts))
    size = tegula.next_power_of_2(a.size)
    a, b = np.resize(a, size).copy(), np.resize(b, size).copy()
    left, right = np.full_like(a, 77), np.full_like(a, 77)
    shift_kernel[(1,)](a, b, left, right, N=size)
    for x, y, up, down in zip(*(v.tolist() for v in (a, b, left, right))):
        amount = y if y >= 0 else 1 << bits
        wrapped = (x << amount) % (1 << bits) if amount < bits else 0
        if dtype.kind == "i" and wrapped >> (bits - 1):
            wrapped -= 1 << bits
        assert up == wrapped, (x, y)
        assert down == x >> min(amount, bits), (x, y)


@tegula.jit
def operators_kernel(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(out_ptr + i, a + b)
    tl.store(out_ptr + N + i, a - b)
    tl.store(out_ptr + 2 * N + i, a * b)
    tl.store(out_ptr + 3 * N + i, a & b)
    tl.store(out_ptr + 4 * N + i, a | b)
    tl.store(out_ptr + 5 * N + i, a ^ b)
    tl.store(out_ptr + 6 * N + i, ~a)
    tl.store(out_ptr + 7 * N + i, -a)
    tl.store(out_ptr + 8 * N + i, tl.minimum(a, b))
    tl.store(out_ptr + 9 * N + i, tl.maximum(a, b))
    tl.store(out_ptr + 10 * N + i, tl.where(a < b, a, b))
    tl.store(out_ptr + 11 * N + i, a >= b)


@pytest.mark.parametrize("name", INTEGERS)
def test_integer_operators(name):
    a, b, size = pairs(corners(name))
    out = np.zeros((12, size), name)
    operators_kernel[(1,)](a, b, out, N=size)
    with np.errstate(all="ignore"):
        expected = [a + b, a - b, a * b, a & b, a | b, a ^ b, ~a, np.zeros_like(a) - a,
                    np.minimum(a, b), np.maximum(a, b), np.minimum(a, b), a >= b]
    for row, want in zip(out, expected):
        np.testing.assert_array_equal(row, want.astype(name))


# -- casts ----------------------------------------------------------------------


@tegula.jit
def cast_kernel(in_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(in_ptr + i).to(out_ptr.dtype.element_ty))


def converted(values, to):
    """What docs/semantics.md promises for a cast."""
    wide = values.astype(np.float64) if values.dtype.kind not in "iub" else values
    if to.kind in "iu":
        if wide.dtype.kind == "f":
            info = np.iinfo(to)
            return np.array([0 if np.isnan(v) else info.min if v <= info.min else
                             info.max if v >= info.max else int(v) for v in wide], to)
        return wide.astype(to)
    with np.errstate(all="ignore"):
        return wide.astype(to)


@pytest.mark.parametrize("source", ["bool", *INTEGERS, *FLOATS])
@pytest.mark.parametrize("to", [*INTEGERS, *FLOATS])
def test_cast(source, to):
    x = corners(dtype_of(source))
    n = x.size
    x = np.resize(x, tegula.next_power_of_2(n)).copy()
    out = np.full(x.size, 77, dtype_of(to))
    cast_kernel[(1,)](x, out, N=x.size)
    expected = converted(x, dtype_of(to))
    if source in ("int64", "uint64", "float64") and to == "bfloat16":
        # NumPy rounds these by way of float32: one unit is allowed.
        np.testing.assert_allclose(out.astype(np.float64), expected.astype(np.float64), rtol=2**-7)
    elif to == "bfloat16":
        np.testing.assert_array_equal(out.astype(np.float32), expected.astype(np.float32))
    else:
        np.testing.assert_array_equal(out, expected)


# -- NaN ------------------------------------------------------------------------


@tegula.jit
def extremes_kernel(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(out_ptr + i, tl.minimum(a, b))
    tl.store(out_ptr + N + i, tl.maximum(a, b))
    tl.store(out_ptr + 2 * N + i, tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out_ptr + 3 * N + i, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out_ptr + 4 * N + i, tl.where(a > b, a, b))
    tl.store(out_ptr + 5 * N + i, tl.where(a != a, 1.0, 0.0))
    tl.store(out_ptr + 6 * N + i, tl.where(a == b, 1.0, 0.0))
    tl.store(out_ptr + 7 * N + i, tl.where(a <= b, 1.0, 0.0))


@pytest.mark.parametrize("name", FLOATS)
def test_minimum_maximum_and_comparisons_of_nan(name):
    a, b, size = pairs(np.array([np.nan, -1.5, 0.0, 2.0, np.inf, -np.inf]).astype(dtype_of(name)))
    out = np.zeros((8, size), a.dtype)
    extremes_kernel[(1,)](a, b, out, N=size)
    x, y = a.astype(np.float64), b.astype(np.float64)
    expected = [np.fmin(x, y), np.fmax(x, y), np.minimum(x, y), np.maximum(x, y),
                np.where(x > y, x, y), np.isnan(x), x == y, x <= y]
    for row, want in zip(out.astype(np.float64), expected):
        np.testing.assert_array_equal(row, want)


# -- control flow ---------------------------------------------------------------


@tegula.jit
def early_return_kernel(out_ptr, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    if pid % 2 == 0:
        tl.store(out_ptr + pid, 100 + pid)
        return
    tl.store(out_ptr + pid, 200 + pid)


def test_early_return():
    out = np.full(10, -1, np.int32)
    early_return_kernel[(10,)](out, 7)
    assert out.tolist() == [100, 201, 102, 203, 104, 205, 106, -1, -1, -1]


@tegula.jit
def nested_if_kernel(out_ptr, a, b):
    x = 0
    y = 1.5
    if a > 0:
        if b > 0:
            x = 1
        elif b == 0:
            x = 2
            y = 2.5
        else:
            x = 3
    else:
        x = 4 if b > 0 else 5
        if a == 0 and b == 0:
            y = -y
    tl.store(out_ptr, x)
    tl.store(out_ptr + 1, y)


@pytest.mark.parametrize("a, b, x, y", [(3, 3, 1, 1.5), (3, 0, 2, 2.5), (3, -3, 3, 1.5),
                                        (-3, 3, 4, 1.5), (-3, -3, 5, 1.5), (0, 0, 5, -1.5)])
def test_nested_if(a, b, x, y):
    out = np.zeros(2, np.float32)
    nested_if_kernel[(1,)](out, a, b)
    assert out.tolist() == [x, y]


@tegula.jit
def collatz_kernel(out_ptr, N: tl.constexpr):
    pid = tl.program_id(0)
    value = pid + 1
    steps = 0
    while value != 1:
        if value % 2 == 0:
            value = value // 2
        else:
            value = 3 * value + 1
        steps += 1
    tl.store(out_ptr + pid, steps)


def test_while():
    out = np.zeros(30, np.int32)
    collatz_kernel[(30,)](out, N=30)

    def steps(n):
        return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)

    assert out.tolist() == [steps(n + 1) for n in range(30)]


@tegula.jit
def ranges_kernel(out_ptr, start, stop, step, UP: tl.constexpr):
    total = 0
    last = -1
    for i in range(start, stop, step):
        total += i * i
        last = i
    for i in tl.static_range(UP):
        total += 1000 * i
    for i in tl.static_range(6, 0, -2):
        total += 100000 * i
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, last)


@pytest.mark.parametrize("start, stop, step", [(0, 10, 1), (3, 10, 4), (5, 5, 1), (7, 3, 1),
                                               (-5, 6, 3)])
def test_ranges(start, stop, step):
    out = np.zeros(2, np.int64)
    ranges_kernel[(1,)](out, start, stop, step, UP=4)
    values = list(range(start, stop, step))
    assert out.tolist() == [sum(i * i for i in values) + 6000 + 1200000, [-1, *values][-1]]


# -- functions ------------------------------------------------------------------


@tegula.jit
def minmax(x, y, low=-100, *, SCALE: tl.constexpr = 2):
    if low > 0:
        return low, low
    return min(x, y) * SCALE, max(x, y) * SCALE


@tegula.jit
def tuples_kernel(out_ptr, a, b):
    x, y = minmax(a, b)
    z, w = minmax(y=a, x=b, SCALE=10)
    u, v = minmax(a, b, low=a)
    x, y = y, x
    both = (x, y)
    tl.store(out_ptr, both[0])
    tl.store(out_ptr + 1, both[-1])
    tl.store(out_ptr + 2, z)
    tl.store(out_ptr + 3, w)
    tl.store(out_ptr + 4, u)
    tl.store(out_ptr + 5, v)
    tl.store(out_ptr + 6, len(both))


@pytest.mark.parametrize("a, b", [(3, 9), (-3, -9)])
def test_tuples_defaults_and_keywords(a, b):
    out = np.zeros(7, np.int32)
    tuples_kernel[(1,)](out, a, b)
    low, high = min(a, b), max(a, b)
    special = [a, a] if a > 0 else [low * 2, high * 2]
    assert out.tolist() == [high * 2, low * 2, low * 10, high * 10, *special, 2]


def make_kernel(constant, function):
    @tegula.jit
    def inner(out_ptr, n):
        tl.store(out_ptr, function(n) + constant)

    return inner


@tegula.jit
def square(x):
    return x * x


@tegula.jit
def negate(x):
    return -x


def test_kernels_in_closures_keep_their_own_values():
    out = np.zeros(1, np.int32)
    first = make_kernel(tl.constexpr(5), square)
    second = make_kernel(tl.constexpr(7), negate)
    first[(1,)](out, 3)
    assert out[0] == 14
    second[(1,)](out, 3)
    assert out[0] == 4
    first[(1,)](out, 4)
    assert out[0] == 21


class Holder:
    @staticmethod
    @tegula.jit
    def kernel(out_ptr, n):
        tl.store(out_ptr, n * 3)


if Holder is not None:
    @tegula.jit
    def conditional_kernel(out_ptr, n):
        tl.store(out_ptr, n * 4)
else:
    @tegula.jit
    def conditional_kernel(out_ptr, n):
        tl.store(out_ptr, n * 5)


def plain(out_ptr, n):
    """Not decorated; made a kernel by a call."""
    tl.store(out_ptr, n * 6)


def test_where_kernels_may_stand():
    out = np.zeros(1, np.int32)
    for kernel, factor in [(Holder.kernel, 3), (conditional_kernel, 4), (tegula.jit(plain), 6)]:
        kernel[(1,)](out, 7)
        assert out[0] == 7 * factor


TABBED = ('"""Tabs."""\nimport tegula\nimport tegula.language as tl\n\nclass Box:\n'
          "\t@tegula.jit\n\tdef kernel(out_ptr, n,\n\t\t\tN: tl.constexpr):\n"
          "\t\tif n > 3:  # a comment\n\n\t\t\tx = (n +\n1)\n\t\telse:\n\t\t\tx = \\\n\t\t\t  0\n"
          "\t\ttl.store(out_ptr, x * N); tl.store(out_ptr + 1, 9)\n")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_tabs_continuations_and_line_ends(tmp_path, newline):
    file = tmp_path / "tabbed.py"
    file.write_text(TABBED, newline=newline)
    spec = importlib.util.spec_from_file_location(f"tabbed{len(newline)}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    out = np.zeros(2, np.int32)
    module.Box.kernel[(1,)](out, 4, N=10)
    assert out.tolist() == [50, 9]
    module.Box.kernel[(1,)](out, 2, N=10)
    assert out.tolist() == [0, 9]


# -- arguments ------------------------------------------------------------------


@tegula.jit
def optional_kernel(out_ptr, bias_ptr, n, FLAG: tl.constexpr):
    x = n.to(tl.float32) * 0.5
    if bias_ptr is not None:
        x += tl.load(bias_ptr)
    if FLAG:
        x = -x
    tl.store(out_ptr, x)


@pytest.mark.parametrize("n", [0, 1, 2, 16, 2**40, True])
@pytest.mark.parametrize("flag", [False, True])
def test_none_and_one(n, flag):
    out = np.zeros(1, np.float32)
    sign = -1 if flag else 1
    optional_kernel[(1,)](out, None, n, FLAG=flag)
    assert out[0] == np.float32(sign * n * 0.5)
    optional_kernel[(1,)](out, np.array([3.0], np.float32), n, FLAG=flag)
    assert out[0] == np.float32(sign * (n * 0.5 + 3))


@tegula.jit
def scalars_kernel(out_ptr, f, i, flag, wide):
    tl.store(out_ptr, f)
    tl.store(out_ptr + 1, i)
    tl.store(out_ptr + 2, tl.where(flag, 1.0, 0.0))
    tl.store(out_ptr + 3, wide)


def test_scalar_arguments():
    out = np.zeros(4, np.float64)
    for f, i, flag, wide in [(0.5, -3, True, 2**33), (1, 1, False, -2**33), (-2.25, 0, True, 1),
                             (np.float32(4.5), np.int8(-7), np.bool_(False), np.int64(9))]:
        scalars_kernel[(1,)](out, f, i, flag, wide)
        assert out.tolist() == [float(f), int(i), float(flag), float(wide)]


@tegula.jit
def constant_kernel(out_ptr, C: tl.constexpr, PAIR: tl.constexpr):
    tl.store(out_ptr, 1.0 / C)
    tl.store(out_ptr + 1, 2.0 if isinstance(C, float) else 1.0)
    tl.store(out_ptr + 2, 2.0 if isinstance(PAIR[0], float) else 1.0)


def test_constants_that_are_equal_to_python_are_not_confused():
    out = np.zeros(3, np.float32)
    for constant, pair, expected in [(2, (1, 2), [0.5, 1, 1]), (2.0, (1, 2), [0.5, 2, 1]),
                                     (2, (1.0, 2), [0.5, 1, 2]), (2, (1, 2), [0.5, 1, 1])]:
        constant_kernel[(1,)](out, C=constant, PAIR=pair)
        assert out.tolist() == expected


@tegula.jit
def sign_kernel(out_ptr, C: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(out_ptr + i, tl.full((16,), C, tl.float32))


def test_signs_of_constant_zeros_are_kept():
    out = np.ones(16, np.float32)
    for zero in (0.0, -0.0, 0.0):
        sign_kernel[(1,)](out, C=zero)
        assert (out == 0).all() and (np.signbit(out) == np.signbit(zero)).all()


@tegula.jit
def bool_pointer_kernel(a_ptr, b_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i, mask=i < n, other=False)
    b = tl.load(b_ptr + i, mask=i < n, other=True)
    tl.store(out_ptr + i, a & ~b, mask=i < n)
    tl.store(out_ptr + N + i, a | b)
    tl.store(out_ptr + 2 * N + i, a ^ b)


def test_bool_pointers(rng):
    a, b = rng.random((2, 64)) < 0.5
    out = np.zeros((3, 64), bool)
    bool_pointer_kernel[(1,)](a, b, out, 50, N=64)
    inside = np.arange(64) < 50
    low, high = a & inside, b | ~inside
    np.testing.assert_array_equal(out[0], low & ~high & inside)
    np.testing.assert_array_equal(out[1], low | high)
    np.testing.assert_array_equal(out[2], low ^ high)
    assert set(np.unique(out.view(np.uint8))) <= {0, 1}


# -- shapes ---------------------------------------------------------------------


@tegula.jit
def reduce_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr,
                  OP: tl.constexpr, KEEP: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    x = tl.load(x_ptr + i[:, None] * N + j[None, :])
    if OP == "sum":
        r = tl.sum(x, axis=AXIS, keep_dims=KEEP)
    elif OP == "max":
        r = tl.max(x, axis=AXIS, keep_dims=KEEP)
    elif OP == "min":
        r = tl.min(x, axis=AXIS, keep_dims=KEEP)
    elif OP == "argmax":
        r = tl.argmax(x, axis=AXIS, keep_dims=KEEP)
    else:
        r = tl.argmin(x, axis=AXIS, keep_dims=KEEP)
    k = j if AXIS == 0 else i
    if KEEP:
        r = tl.reshape(r, (N if AXIS == 0 else M,))
    tl.store(out_ptr + k, r)


@pytest.mark.parametrize("shape", [(8, 16), (1, 32), (32, 1), (64, 4)])
@pytest.mark.parametrize("dtype", ["int32", "float32", "int8", "float16"])
@pytest.mark.parametrize("op", ["sum", "max", "min", "argmax", "argmin"])
def test_reduce(rng, shape, dtype, op):
    # Few values: many ties, of which the first counts; sums are exact.
    x = rng.integers(-3, 4, shape).astype(dtype)
    for axis, keep in itertools.product((0, 1), (False, True)):
        out = np.full(shape[1 - axis], 77, np.int32 if "arg" in op else x.dtype)
        reduce_kernel[(1,)](x, out, *shape, AXIS=axis, OP=op, KEEP=keep)
        expected = getattr(x, op)(axis=axis)
        np.testing.assert_array_equal(out, expected.astype(out.dtype))


@tegula.jit
def broadcast_kernel(a_ptr, b_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + j)
    x = a[:, None] * 10 + b[None, :]
    x = tl.where(i[:, None] >= j[None, :], x, -1)
    tl.store(out_ptr + i[:, None] * N + j[None, :], x)


def test_broadcast(rng):
    a, b = rng.integers(0, 9, 8).astype(np.int32), rng.integers(0, 9, 32).astype(np.int32)
    out = np.zeros((8, 32), np.int32)
    broadcast_kernel[(1,)](a, b, out, M=8, N=32)
    inside = np.arange(8)[:, None] >= np.arange(32)
    np.testing.assert_array_equal(out, np.where(inside, a[:, None] * 10 + b, -1))


@tegula.jit
def transpose_kernel(x_ptr, out_ptr, m, n, HOW: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    x = tl.load(x_ptr + i[:, None] * n + j[None, :], mask=(i[:, None] < m) & (j[None, :] < n))
    if HOW == "pointers":
        tl.store(out_ptr + j[None, :] * m + i[:, None], x, mask=(i[:, None] < m) & (j[None, :] < n))
    else:
        y = tl.trans(x) if HOW == "trans" else tl.permute(x, (1, 0))
        tl.store(out_ptr + j[:, None] * m + i[None, :], y, mask=(j[:, None] < n) & (i[None, :] < m))


@pytest.mark.parametrize("shape", [(16, 32), (33, 65), (1, 100)])
@pytest.mark.parametrize("how", ["pointers", "trans", "permute"])
@pytest.mark.parametrize("dtype", ["float32", "int8", "float64"])
def test_transposed_copy(rng, shape, how, dtype):
    x = (rng.standard_normal(shape) * 50).astype(dtype)
    out = np.full(shape[::-1], 77, dtype)
    grid = (tegula.cdiv(shape[0], 16), tegula.cdiv(shape[1], 32))
    transpose_kernel[grid](x, out, *shape, HOW=how, BM=16, BN=32)
    np.testing.assert_array_equal(out, x.T)


@tegula.jit
def reshape_kernel(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 64))
    y = tl.trans(tl.reshape(x, (4, 16)))
    z = tl.reshape(y, (2, 4, 8))
    s = tl.sum(z, axis=1)
    tl.store(out_ptr + tl.arange(0, 64), tl.reshape(z, (64,)))
    tl.store(out_ptr + 64 + tl.arange(0, 16), tl.ravel(s))


def test_reshape():
    x = np.arange(64, dtype=np.int32) ** 2
    out = np.zeros(80, np.int32)
    reshape_kernel[(1,)](x, out)
    z = x.reshape(4, 16).T.reshape(2, 4, 8)
    np.testing.assert_array_equal(out, np.concatenate([z.ravel(), z.sum(axis=1).ravel()]))


# -- mathematics ----------------------------------------------------------------


@tegula.jit
def math_kernel(x_ptr, out_ptr, F: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + i, F(tl.load(x_ptr + i)))


@tegula.jit
def tanh(x):
    return tl.extra.libdevice.tanh(x)


def erf64(x):
    import math
    return np.array([math.erf(v) for v in x])


FUNCTIONS = {
    "exp": (tl.exp, np.exp, -80, 80), "exp2": (tl.exp2, np.exp2, -120, 120),
    "log": (tl.log, np.log, 1e-30, 1e30), "log2": (tl.log2, np.log2, 1e-30, 1e30),
    "sin": (tl.sin, np.sin, -100, 100), "cos": (tl.cos, np.cos, -100, 100),
    "erf": (tl.erf, erf64, -4, 4), "tanh": (tanh, np.tanh, -10, 10),
    "sqrt": (tl.sqrt, np.sqrt, 0, 1e30), "rsqrt": (tl.rsqrt, lambda x: 1 / np.sqrt(x), 1e-30, 1e30),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_accuracy(rng, name):
    function, exact, low, high = FUNCTIONS[name]
    count = 1 << 14
    if high == 1e30:
        x = 10.0 ** rng.uniform(-30, 30, count)
    else:
        small = rng.uniform(-1, 1, count // 2) * 2.0 ** rng.integers(-20, 1, count // 2)
        x = np.concatenate([rng.uniform(low, high, count // 2), small])
    x = x.astype(np.float32)
    out = np.full(count, 77, np.float32)
    math_kernel[(count // 1024,)](x, out, F=function, N=1024)
    expected = exact(x.astype(np.float64))
    unit = np.spacing(np.abs(expected).astype(np.float32)).astype(np.float64)
    error = np.abs(out - expected) / unit
    assert error.max() <= 2.5, (x[error.argmax()], out[error.argmax()], expected[error.argmax()])


@pytest.mark.parametrize("name, special, expected", [
    ("exp", [np.inf, -np.inf, np.nan, 0, 1000, -1000], [np.inf, 0, np.nan, 1, np.inf, 0]),
    ("log", [0, -0.0, -1, np.inf, np.nan, 1], [-np.inf, -np.inf, np.nan, np.inf, np.nan, 0]),
    ("sqrt", [0, -0.0, -1, np.inf, np.nan, 4], [0, -0.0, np.nan, np.inf, np.nan, 2]),
    ("sin", [0, -0.0, np.inf, -np.inf, np.nan], [0, -0.0, np.nan, np.nan, np.nan]),
    ("cos", [0, -0.0, np.inf, -np.inf, np.nan], [1, 1, np.nan, np.nan, np.nan]),
    ("tanh", [0, -0.0, np.inf, -np.inf, np.nan], [0, -0.0, 1, -1, np.nan]),
    ("erf", [0, -0.0, np.inf, -np.inf, np.nan], [0, -0.0, 1, -1, np.nan]),
    ("rsqrt", [0, np.inf, -1, np.nan, 4], [np.inf, 0, np.nan, np.nan, 0.5]),
])
def test_special_values(name, special, expected):
    x = np.resize(np.array(special, np.float32), 16).copy()
    out = np.full(16, 77, np.float32)
    math_kernel[(1,)](x, out, F=FUNCTIONS[name][0], N=16)
    want = np.resize(np.array(expected, np.float32), 16)
    np.testing.assert_array_equal(out, want)
    numbers = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(out[numbers]), np.signbit(want[numbers]))
