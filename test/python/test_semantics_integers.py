# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/semantics.md: integers, and the types of numbers."""

import itertools

import numpy as np
import pytest

import tegula
import tegula.language as tl
from semantics_cases import (FP8, INTEGERS, SIGNED, check, dtype_of, equal, greater,
                             greater_equal, integer_corners, less, less_equal, pairs, type_of,
                             unequal, wrapped)

row = pytest.mark.semantics


@tegula.jit
def add(a, b):
    return a + b


@tegula.jit
def subtract(a, b):
    return a - b


@tegula.jit
def multiply(a, b):
    return a * b


@tegula.jit
def negate(a, b):
    return -a


@tegula.jit
def magnitude(a, b):
    return tl.abs(a)


@row("int-wrap")
@pytest.mark.parametrize("name", INTEGERS)
def test_wrap(name):
    a, b = pairs(integer_corners(name))
    for function, exact in [(add, lambda x, y: x + y), (subtract, lambda x, y: x - y),
                            (multiply, lambda x, y: x * y)]:
        check(function, a, b, np.array([wrapped(exact(int(x), int(y)), name)
                                        for x, y in zip(a, b)], name))
    x = integer_corners(name)
    check(negate, x, x, np.array([wrapped(-int(v), name) for v in x], name))
    check(magnitude, x, x, np.array([wrapped(abs(int(v)), name) for v in x], name))


@tegula.jit
def divide(a, b):
    return a // b


@tegula.jit
def remainder(a, b):
    return a % b


def truncated(x, y):
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) if y else 0
    return quotient, x - quotient * y


@row("div-truncates", "div-zero", "rem-zero")
@pytest.mark.parametrize("name", INTEGERS)
def test_divide(name):
    a, b = pairs(integer_corners(name))
    results = [truncated(int(x), int(y)) for x, y in zip(a, b)]
    check(divide, a, b, np.array([wrapped(q, name) for q, _ in results], name))
    check(remainder, a, b, np.array([r for _, r in results], name))


@row("div-zero", "rem-zero")
@pytest.mark.parametrize("name", INTEGERS)
def test_divide_by_zero(name):
    a = integer_corners(name)
    zeros = np.zeros_like(a)
    check(divide, a, zeros, zeros)
    check(remainder, a, zeros, a)


@row("div-overflow")
@pytest.mark.parametrize("name", SIGNED)
def test_divide_the_most_negative_number(name):
    least = np.array([np.iinfo(name).min] * 2, name)
    minus = np.array([-1] * 2, name)
    check(divide, least, minus, least)
    check(remainder, least, minus, least * 0)


@tegula.jit
def line_divide_kernel(out):
    i = tl.arange(0, 16)
    tl.store(out + i, i // -2)
    tl.store(out + 16 + i, (i - 21) // 2)
    tl.store(out + 32 + i, (i - 21) % 2)


@row("div-truncates")
def test_divide_a_range_by_constants():
    """Negative operands that the compiler could take for Python's numbers."""
    out = np.zeros(48, np.int32)
    line_divide_kernel[(1,)](out)
    i = list(range(16))
    assert out.tolist() == ([truncated(x, -2)[0] for x in i] + [truncated(x - 21, 2)[0] for x in i]
                            + [truncated(x - 21, 2)[1] for x in i])


@tegula.jit
def constants_kernel(out, A: tl.constexpr, B: tl.constexpr):
    tl.store(out, A // B)
    tl.store(out + 1, A % B)


FRACTIONS = [(7, 2), (-7, 2), (7, -2), (-7, -2), (0, 5), (-1, 10**18), (2**63 - 1, -2), (7.5, 2),
             (-7.5, 2.0), (7.5, -2.0), (1.0, 0.1), (-1.0, 1.0), (1.0, -1.0), (0.0, -3.0),
             (-0.0, 3.0), (5.0, float("inf")), (-5.0, float("inf")), (1e308, 1e-308)]


@row("div-constants")
@pytest.mark.parametrize("a, b", FRACTIONS)
def test_divide_constants(a, b):
    out = np.zeros(2, np.int64 if isinstance(a, int) and isinstance(b, int) else np.float64)
    constants_kernel[(1,)](out, A=a, B=b)
    quotient, rest = a // b, a % b
    if abs(quotient) < 2**-126 or out.dtype == np.int64 or abs(quotient) > 2.0**128:
        assert out[0] == quotient
    else:
        assert out[0] == np.float32(quotient)
    # A float constant is float32 unless that cannot hold it.
    assert out[1] in (rest, np.float32(rest))
    assert np.signbit(out).tolist() == [np.signbit(quotient), np.signbit(rest)]


@row("div-constants")
@pytest.mark.parametrize("a, b", [(1, 0), (1.0, 0), (1, 0.0), (0, -0.0)])
def test_divide_constants_by_zero(a, b):
    with pytest.raises(tegula.CompilationError, match="division by zero"):
        constants_kernel[(1,)](np.zeros(2), A=a, B=b)


@tegula.jit
def true_divide(a, b):
    return a / b


@row("div-true")
@pytest.mark.parametrize("name", INTEGERS)
def test_true_division(name):
    a, b = pairs(integer_corners(name))
    with np.errstate(all="ignore"):
        expected = a.astype(np.float32) / b.astype(np.float32)
    check(true_divide, a, b, expected)


@tegula.jit
def ceiling(a, b):
    return tl.cdiv(a, b)


@tegula.jit
def ceiling_constants_kernel(out, A: tl.constexpr, B: tl.constexpr):
    tl.store(out, tl.cdiv(A, B))


@row("cdiv")
@pytest.mark.parametrize("name", ["int32", "int64", "uint32"])
def test_cdiv(name):
    top = np.iinfo(name).max
    numbers = [0, 1, 2, 7, 8, 9, 1000, top - 6, top - 5, top]
    numbers += [-1, -6, -7, -8, -9] if name[0] == "i" else []
    a, b = pairs(np.array(numbers, name), np.array([1, 2, 3, 7], name))
    expected = [truncated(wrapped(int(x) + int(y) - 1, name), int(y))[0] for x, y in zip(a, b)]
    check(ceiling, a, b, np.array(expected, name))
    out = np.zeros(1, np.int64)
    for x, y in [(7, 2), (8, 2), (0, 3), (-7, 3), (-6, 3), (2**31 - 1, 2)]:
        ceiling_constants_kernel[(1,)](out, A=x, B=y)
        assert out[0] == -(-x // y) == tegula.cdiv(x, y)


@tegula.jit
def shift_left(a, b):
    return a << b


@tegula.jit
def shift_right(a, b):
    return a >> b


@row("shift-wide", "shift-sign")
@pytest.mark.parametrize("name", INTEGERS)
def test_shifts(name):
    bits = np.iinfo(name).bits
    amounts = [0, 1, bits - 1, bits, bits + 1, 2 * bits - 1, 127]
    amounts += [-1, np.iinfo(name).min] if name[0] == "i" else [np.iinfo(name).max]
    a, b = pairs(integer_corners(name), np.array(amounts, name))
    up, down = [], []
    for x, y in zip(a.tolist(), b.tolist()):
        amount = y if 0 <= y < bits else bits
        up.append(wrapped(x << amount, name))
        down.append(x >> amount)
    check(shift_left, a, b, np.array(up, name))
    check(shift_right, a, b, np.array(down, name))


@row("shift-sign")
@pytest.mark.parametrize("left, right, result", [
    ("int8", "uint16", "uint16"), ("int32", "uint32", "uint32"), ("int64", "uint64", "uint64"),
    ("uint8", "int32", "int32"), ("uint32", "int32", "uint32")])
def test_shifts_of_mixed_signs(left, right, result):
    bits = np.iinfo(result).bits
    a, b = pairs(integer_corners(left), np.array([0, 1, bits - 1, bits], right))
    down = [wrapped(x >> y, result) for x, y in zip(a.tolist(), b.tolist())]
    check(shift_right, a, b, np.array(down, result))


@tegula.jit
def bools_kernel(a_ptr, b_ptr, out_ptr):
    i = tl.arange(0, 4)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(out_ptr + i, a + b)
    tl.store(out_ptr + 4 + i, a - b)
    tl.store(out_ptr + 8 + i, a * b)
    tl.store(out_ptr + 12 + i, ~a)
    tl.store(out_ptr + 16 + i, -a)
    tl.store(out_ptr + 20 + i, a + 1)
    tl.store(out_ptr + 24 + i, a.to(tl.int8) - b)
    tl.store(out_ptr + 28 + i, a * 2.5 * 2)
    tl.store(out_ptr + 32, tl.sum(a + (i < 9), axis=0) + 10 * tl.sum(b, axis=0))


@row("bool-arith")
def test_bool_arithmetic():
    a, b = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    out = np.full(33, 99, np.int32)
    bools_kernel[(1,)](a, b, out)
    assert out.reshape(-1)[:32].reshape(8, 4).tolist() == [
        (a ^ b).tolist(), (a ^ b).tolist(), (a & b).tolist(), (~a).tolist(), a.tolist(),
        (a + 1).tolist(), (a.astype(int) - b).tolist(), (a * 5).tolist()]
    assert out[32] == (~a).sum() + 10 * b.sum()


def common_type(a, b):
    """C's usual conversions."""
    x, y = np.iinfo(a), np.iinfo(b)
    if x.bits != y.bits and (x.kind == y.kind or (x.bits > y.bits) == (x.kind == "u")):
        return a if x.bits > y.bits else b
    if x.kind == y.kind:
        return a
    unsigned, signed = (a, b) if x.kind == "u" else (b, a)
    return unsigned if np.iinfo(unsigned).bits >= np.iinfo(signed).bits else signed


@row("compare-int")
@pytest.mark.parametrize("names", [*zip(INTEGERS, INTEGERS), ("int32", "uint32"),
                                   ("int64", "uint32"), ("int8", "uint64"), ("uint8", "int16")])
def test_comparisons(names):
    a, b = pairs(*map(integer_corners, names))
    common = common_type(*names)
    x, y = a.astype(common), b.astype(common)
    for function, expected in [(less, x < y), (less_equal, x <= y), (equal, x == y),
                               (unequal, x != y), (greater, x > y), (greater_equal, x >= y)]:
        check(function, a, b, expected,
              forms=("tiles", "scalars", "constants", "right constant"))


@tegula.jit
def upper_half(a, b):
    return tl.umulhi(a, b)


@row("umulhi")
@pytest.mark.parametrize("name", ["uint32", "uint64", "int32", "int64"])
def test_umulhi(name):
    a, b = pairs(integer_corners(name))
    bits = np.iinfo(name).bits
    mask = (1 << bits) - 1
    expected = [wrapped(((int(x) & mask) * (int(y) & mask)) >> bits, name) for x, y in zip(a, b)]
    check(upper_half, a, b, np.array(expected, name))


# -- types of numbers -----------------------------------------------------------


@tegula.jit
def has_type(x, T: tl.constexpr):
    tl.static_assert(x.dtype == T, "another type")


@tegula.jit
def literal_kernel(out, C: tl.constexpr, T: tl.constexpr):
    x = tl.where(tl.program_id(0) == 0, C, C)
    has_type(x, T)
    tl.store(out, x)


@row("literal-int")
@pytest.mark.parametrize("value, name", [
    (True, "int1"), (0, "int32"), (-1, "int32"), (2**31 - 1, "int32"), (-2**31, "int32"),
    (2**31, "uint32"), (2**32 - 1, "uint32"), (2**32, "int64"), (-2**31 - 1, "int64"),
    (2**63 - 1, "int64"), (-2**63, "int64"), (2**63, "uint64"), (2**64 - 1, "uint64")])
def test_types_of_integers(value, name):
    out = np.zeros(1, "uint64" if value >= 2**63 else "int64")
    literal_kernel[(1,)](out, C=value, T=getattr(tl, name))
    assert out[0] == value


@row("literal-int")
@pytest.mark.parametrize("value", [2**64, -2**63 - 1])
def test_integers_of_more_than_64_bits(value):
    with pytest.raises(tegula.CompilationError, match="64 bits"):
        literal_kernel[(1,)](np.zeros(1, np.int64), C=value, T=tl.int64)


@row("literal-float")
@pytest.mark.parametrize("value, name", [
    (0.0, "float32"), (-0.0, "float32"), (0.1, "float32"), (float("inf"), "float32"),
    (float("-inf"), "float32"), (float("nan"), "float32"), (2.0**-126, "float32"),
    (float(np.finfo(np.float32).max), "float32"), (2.0**-127, "float64"), (1e-46, "float64"),
    (3.5e38, "float64"), (-1e300, "float64")])
def test_types_of_floats(value, name):
    out = np.ones(1, np.float64)
    literal_kernel[(1,)](out, C=value, T=getattr(tl, name))
    np.testing.assert_array_equal(out, np.array([value], name))
    assert np.signbit(out[0]) == np.signbit(value)


@tegula.jit
def adapts_kernel(x_ptr, out_ptr, C: tl.constexpr, T: tl.constexpr):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i)
    has_type(x + C, T)
    has_type(C * x, T)
    has_type(tl.maximum(x, C), tl.float32 if T == tl.bfloat16 else T)
    has_type(tl.where(x == x, x, C), T)
    tl.store(out_ptr + i, x + C)


@row("literal-adapts")
@pytest.mark.parametrize("name, constant, result", [
    *((name, 3, name) for name in (*INTEGERS, "float16", "bfloat16", "float32", "float64")),
    *((name, True, name) for name in ("int8", "uint64", "float16")),
    ("float16", 1.5, "float16"), ("bfloat16", 1.5, "bfloat16"), ("float64", 1.5, "float64"),
    ("int8", 1.5, "float32"), ("uint64", 1.5, "float32"), ("bool", 3, "int32"),
    ("bool", 1.5, "float32"), ("uint32", 0x80000000, "uint32"), ("uint32", 0xFFFF0000, "uint32"),
    ("int64", 0x80000000, "int64"), ("uint8", 255, "uint8"), ("int8", -128, "int8")])
def test_constants_adapt(name, constant, result):
    x = (np.arange(16) % 2).astype(dtype_of(name))
    out = np.zeros(16, dtype_of(result))
    adapts_kernel[(1,)](x, out, C=constant, T=type_of(result))
    exact = [int(v) + constant if name in INTEGERS and not isinstance(constant, float)
             else float(v) + constant for v in x]
    if result in INTEGERS:
        exact = [wrapped(int(v), result) for v in exact]
    np.testing.assert_array_equal(out, np.array(exact).astype(dtype_of(result)))


@tegula.jit
def masks_kernel(x_ptr, out_ptr):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, (x & 0xFFFF0000) | (x % 2))
    tl.store(out_ptr + 16 + i, x + 0x80000000)
    tl.store(out_ptr + 32 + i, (x == 0xFFFFFFFF).to(tl.uint32))


@row("literal-adapts")
def test_constants_of_32_bits():
    x = np.array([0, 1, 0xFFFFFFFF, 0x80000000, 0x12345678] * 3 + [7], np.uint32)
    out = np.zeros((3, 16), np.uint32)
    masks_kernel[(1,)](x, out)
    np.testing.assert_array_equal(out, [(x & 0xFFFF0000) | (x % 2), x + np.uint32(0x80000000),
                                        x == 0xFFFFFFFF])


@row("literal-range")
@pytest.mark.parametrize("name, constant", [("int8", 128), ("int8", -129), ("uint8", 256),
                                            ("int32", 2**31), ("int32", 0xFFFF0000),
                                            ("uint32", 2**32), ("int64", 2**63),
                                            ("uint8", -1), ("uint64", -1)])
def test_constants_out_of_range(name, constant):
    x = np.zeros(16, name)
    with pytest.raises(tegula.CompilationError, match="out of range|negative number"):
        adapts_kernel[(1,)](x, x, C=constant, T=type_of(name))


@tegula.jit
def filled_kernel(out_ptr, C: tl.constexpr, T: tl.constexpr):
    tl.store(out_ptr, tl.full((), C, T))
    tl.store(out_ptr + 1 + tl.arange(0, 4), tl.full((4,), C, T))
    tl.store(out_ptr + 5, tl.cast(C, T))
    tl.store(out_ptr + 6, tl.load(out_ptr + 7) + C)


@row("literal-range")
@pytest.mark.parametrize("name, constant, expected", [
    # Each would round to the other side by way of a wider float.
    ("float32", 0x8000008000000001, 2.0**63 + 2.0**40),
    ("float32", -(2**60 + 2**36 + 1), -(2.0**60 + 2.0**37)),
    ("float64", 2**64 - 2**10 + 1, 2.0**64), ("float16", 2049 + 2.0**-40, 2050.0),
    ("bfloat16", 257 + 2.0**-40, 258.0), ("float8e5", 1.125 + 2.0**-40, 1.25),
    ("float8e4nv", 17 + 2.0**-40, 18.0), ("float8e5", 1.125, 1.0)])
def test_constants_round_once(name, constant, expected):
    out = np.zeros(8, dtype_of(name))
    filled_kernel[(1,)](out, C=constant, T=type_of(name))
    assert out[:7].astype(np.float64).tolist() == [expected] * 7


@tegula.jit
def mixed_kernel(a_ptr, b_ptr, SUM: tl.constexpr, QUOTIENT: tl.constexpr, HOW: tl.constexpr):
    i = tl.arange(0, 16)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    has_type(a + b, SUM)
    has_type(b * a, SUM)
    has_type(tl.where(a == a, a, b), SUM)
    if HOW == "/":
        has_type(a / b, QUOTIENT)
    elif HOW == "//":
        has_type(a // b, SUM)
    elif HOW == "%":
        has_type(a % b, SUM)
    has_type(tl.load(a_ptr) - tl.load(b_ptr), SUM)


@row("mixed-int")
@pytest.mark.parametrize("a, b", list(itertools.combinations_with_replacement(INTEGERS, 2)))
def test_mixed_integers(a, b):
    x, y = np.ones(16, a), np.ones(16, b)
    result = type_of(common_type(a, b))
    mixed_kernel[(1,)](x, y, SUM=result, QUOTIENT=tl.float32, HOW="")
    for how in ("/", "//", "%"):
        if a[0] == b[0]:
            mixed_kernel[(1,)](x, y, SUM=result, QUOTIENT=tl.float32, HOW=how)
        else:
            with pytest.raises(tegula.CompilationError, match=f"'{how}' differ in signedness"):
                mixed_kernel[(1,)](x, y, SUM=result, QUOTIENT=tl.float32, HOW=how)


@row("mixed-float")
@pytest.mark.parametrize("a, b, result", [
    ("float64", "float32", "float64"), ("float64", "float16", "float64"),
    ("float64", "float8e5", "float64"), ("float32", "float16", "float32"),
    ("float32", "bfloat16", "float32"), ("float16", "bfloat16", "float16"),
    ("float16", "float8e5", "float16"), ("bfloat16", "bfloat16", "bfloat16"),
    ("bfloat16", "float8e4nv", "float32"), ("float8e4nv", "float8e5", "float16"),
    ("float8e5", "float8e5", "float8e5")])
def test_mixed_floats(a, b, result):
    quotient = result if result in ("float32", "float64") or result in FP8 else "float32"
    if {a, b} <= set(FP8):
        quotient = result
    mixed_kernel[(1,)](np.ones(16, dtype_of(a)), np.ones(16, dtype_of(b)), SUM=type_of(result),
                       QUOTIENT=type_of(quotient), HOW="/")


@row("mixed-int-float")
@pytest.mark.parametrize("name", ["int8", "uint64", "int64", "bool"])
@pytest.mark.parametrize("other", ["float16", "bfloat16", "float32", "float64"])
def test_integers_with_floats(name, other):
    quotient = other if other in ("float32", "float64") else "float32"
    total = "float32" if other == "bfloat16" else other
    mixed_kernel[(1,)](np.ones(16, name), np.ones(16, dtype_of(other)), SUM=type_of(total),
                       QUOTIENT=type_of(quotient), HOW="/")


@tegula.jit
def argument_kernel(out, x, T: tl.constexpr):
    y = tl.where(tl.program_id(0) == 0, x, x)
    has_type(y, T)
    has_type(x.to(tl.int64), tl.int64)
    tl.store(out, x)
    tl.store(out + 1, y * 2)
    tl.store(out + 2, x.to(tl.int64) * 3)


@row("arg-types", "arg-one")
@pytest.mark.parametrize("value, name", [
    (0, "int32"), (1, "int32"), (16, "int32"), (42, "int32"), (-1, "int32"), (2**31 - 1, "int32"),
    (-2**31, "int32"), (2**31, "int64"), (-2**31 - 1, "int64"), (2**62, "int64"),
    (2**63, "uint64"), (2**64 - 16, "uint64")])
def test_integer_arguments(value, name):
    out = np.zeros(3, "uint64" if value >= 2**63 else "int64")
    argument_kernel[(1,)](out, value, T=type_of(name))
    assert out.tolist() == [value, wrapped(value * 2, name), wrapped(value * 3, out.dtype.name)]


@row("arg-types", "arg-one")
@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, -0.0, 1e-45, 3.5e38, float("nan")])
def test_float_arguments(value):
    out = np.zeros(3, np.float64)
    argument_kernel[(1,)](out, value, T=tl.float32)
    with np.errstate(all="ignore"):
        x = np.float32(value)
        np.testing.assert_array_equal(out[:2], np.array([x, x * np.float32(2)], np.float64))


@row("arg-types")
def test_bool_arguments():
    out = np.zeros(3, np.int64)
    for value in (True, False, np.True_):
        argument_kernel[(1,)](out, value, T=tl.int1)
        assert out.tolist() == [int(value), 2 * int(value), 3 * int(value)]


@tegula.jit
def one_kernel(out, tile_ptr, x, FACTOR: tl.constexpr):
    tl.store(out, (x - 8) // 3)
    tl.store(out + 1, (x - 8) % 3)
    tl.store(out + 2, x + 2147483647)
    tl.store(out + 3, x << 31)
    tl.store(out + 4, x << 33)
    tl.store(out + 5, x and FACTOR)
    tl.store(out + 6, -x // 2 + ~x)
    tl.store(out + 7, 7 // (x - x))
    tl.store(out + 8, (x - 9) >> 40)
    tl.store(out + 9, max(x, 5) * 2147483647)
    tile = tl.load(tile_ptr + tl.arange(0, 16))
    tl.store(out + 16 + tl.arange(0, 16), tile * (x + FACTOR))
    has_type(tile * (x + FACTOR), tl.int32)
    has_type(tile + max(x, FACTOR), tl.int32)
    has_type(tl.where(x > 0, x + 1, x - 1), tl.int32)
    tl.store(out + 10, (x / 3).to(tl.float64) * 2.0**60)


def expected_of_one(x, factor, tile):
    third = float(np.float32(x) / np.float32(3)) * 2.0**60
    numbers = [*truncated(x - 8, 3), x + 2**31 - 1, x << 31, 0, bool(x and factor),
               truncated(-x, 2)[0] + ~x, 0, (x - 9) >> 40, max(x, 5) * (2**31 - 1)]
    numbers = [wrapped(int(n), "int32") for n in numbers] + [int(third)]
    return numbers, [wrapped(int(t) * (x + factor), "int32") for t in tile]


@row("arg-one", "name-int")
@pytest.mark.parametrize("x", [1, 2, 3, 16])
def test_an_argument_of_one_is_like_any_other(x):
    tile = np.resize(integer_corners("int8"), 16)
    out = np.zeros(32, np.int64)
    one_kernel[(1,)](out, tile, x, FACTOR=100)
    numbers, products = expected_of_one(x, 100, tile)
    assert out[:11].tolist() == numbers
    assert out[16:].tolist() == products


@tegula.jit
def named_kernel(out, tile_ptr, FACTOR: tl.constexpr):
    x = 1
    one_kernel(out, tile_ptr, x, FACTOR)
    SIZE = 4
    tl.store(out + 32 + tl.arange(0, SIZE * 2), SIZE)
    exact: tl.constexpr = -7
    tl.store(out + 40, exact // 2)
    named = -7
    tl.store(out + 41, named // 2)


@row("name-int")
def test_integers_with_a_name():
    tile = np.resize(integer_corners("int8"), 16)
    out = np.zeros(42, np.int64)
    named_kernel[(1,)](out, tile, FACTOR=100)
    numbers, products = expected_of_one(1, 100, tile)
    assert out[:11].tolist() == numbers
    assert out[16:32].tolist() == products
    assert out[32:].tolist() == [4] * 8 + [-4, -3]


@tegula.jit
def scale_kernel(x_ptr, out_ptr, stride, factor):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i * stride)
    tl.store(out_ptr + i, x * factor.to(tl.int64))


@row("arg-one")
def test_a_factor_of_one():
    x = np.arange(300, dtype=np.int64) + 2**40
    out = np.zeros(16, np.int64)
    for stride, factor in [(3, 42), (3, 1), (1, 42), (1, 1), (16, 16), (2, 0)]:
        scale_kernel[(1,)](x, out, stride, factor)
        np.testing.assert_array_equal(out, x[:16 * stride:stride] * factor)


@tegula.jit
def exact_kernel(out, A: tl.constexpr, B: tl.constexpr):
    tl.store(out, (A * B + 1 - A * B) * 7)
    tl.store(out + 1, A + B - A == B)
    tl.store(out + 2, A == float(A))
    tl.store(out + 3, (1 << 100) >> 98)
    tl.store(out + 4, 0.1 + 0.2 == 0.3)
    tl.store(out + 5, (0.1 + 0.2 - 0.3) * 2.0**54)


@row("constants-exact")
def test_constants_are_exact():
    out = np.zeros(6, np.float64)
    exact_kernel[(1,)](out, A=2**62 + 1, B=2**61 + 1)
    assert out.tolist() == [7, 1, 0, 4, 0, (0.1 + 0.2 - 0.3) * 2.0**54]


@tegula.jit
def huge_kernel(out, A: tl.constexpr):
    tl.store(out, (A * A * A) % 7)


@row("constants-exact")
def test_constants_beyond_128_bits():
    out = np.zeros(1, np.int64)
    huge_kernel[(1,)](out, A=2**40)
    assert out[0] == 2**120 % 7
    with pytest.raises(tegula.CompilationError, match="128 bits"):
        huge_kernel[(1,)](out, A=2**43)
