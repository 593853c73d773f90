# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/semantics.md: conversions."""

from fractions import Fraction
import math

import numpy as np
import pytest

import tegula
import tegula.language as tl
from semantics_cases import (FLOATS, FORMATS, FP8, INTEGERS, check, dtype_of, float_corners,
                             integer_corners, rounded, type_of, wrapped)

row = pytest.mark.semantics


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def caster(to, by_way_of=None, rtz=False):
    """A function of two operands that casts the first."""
    target = type_of(to)
    if by_way_of is not None:
        middle = type_of(by_way_of)

        @tegula.jit
        def cast(a, b):
            return a.to(middle).to(target)
    elif rtz:
        @tegula.jit
        def cast(a, b):
            return a.to(target, fp_downcast_rounding="rtz")
    else:
        @tegula.jit
        def cast(a, b):
            return a.to(target)
    return cast


def wide_integers(name):
    """Integers around the halfway points of all float formats, and the corners."""
    if name == "bool":
        return np.array([False, True])
    info = np.iinfo(name)
    numbers = set(integer_corners(name).tolist())
    for bits in (3, 4, 8, 11, 24, 53):
        for shift in (0, 1, 5, 10, 29, 38):
            for odd in (1, 3):
                for low in (-1, 0, 1):
                    half = (((1 << bits) + odd) << (shift + 1)) + (1 << shift) + low
                    numbers |= {half, -half}
    return np.array(sorted(n for n in numbers if info.min <= n <= info.max), name)


@row("cast-int-int", "cast-bool")
@pytest.mark.parametrize("source", ["bool", *INTEGERS])
@pytest.mark.parametrize("to", ["bool", *INTEGERS])
def test_integers_to_integers(source, to):
    x = integer_corners(source)
    expected = [bool(v) if to == "bool" else wrapped(int(v), to) for v in x]
    check(caster(to), x, x, np.array(expected, to))


@row("cast-int-float", "cast-bool")
@pytest.mark.parametrize("source", ["bool", *INTEGERS])
@pytest.mark.parametrize("to", [*FLOATS, *FP8])
def test_integers_to_floats(source, to):
    x = wide_integers(source)
    expected = np.array([rounded(Fraction(int(v)), to) for v in x])
    check(caster(to), x, x, expected.astype(dtype_of(to)))


@tegula.jit
def one_bit(a, b):
    # All the compiler knows is that few bits are set, not how large the number is.
    return (a & b).to(tl.float16).to(tl.float64)


@row("cast-int-float", "cast-chain")
@pytest.mark.parametrize("name", ["int32", "uint32", "int64", "uint64"])
def test_overflow_of_numbers_with_few_bits(name):
    top = 1 << (np.iinfo(name).bits - 1)
    a = np.array([wrapped(n, name) for n in (top, top | 1, 1 << 16, 3 << 20, 1 << 15, 0)], name)
    b = np.array([wrapped(n, name) for n in (top, top, 1 << 16, 3 << 20, 1 << 15, top)], name)
    expected = [rounded(Fraction(int(x)), "float16") for x in a & b]
    check(one_bit, a, b, np.array(expected))


@row("cast-chain")
@pytest.mark.parametrize("middle, to", [("float32", "bfloat16"), ("float64", "float32"),
                                        ("float64", "bfloat16"), ("float32", "float16"),
                                        ("float64", "float16"), ("float32", "float8e5")])
@pytest.mark.parametrize("source", ["int64", "uint64", "int32"])
def test_integers_by_way_of_a_float(source, middle, to):
    x = wide_integers(source)
    once = [rounded(Fraction(int(v)), middle) for v in x]
    twice = [rounded(Fraction(v), to) for v in once]
    check(caster(to, middle), x, x, np.array(twice).astype(dtype_of(to)))


@row("cast-chain")
def test_both_roundings_show():
    """An integer of which the two ways give two results."""
    x = np.array([0x8080000000000 + 1, -(0x8080000000000 + 1)], np.int64)
    two = np.array([2.0**51, -(2.0**51)]).astype(dtype_of("bfloat16"))
    one = np.array([2.0**51 * (1 + 2.0**-7), -(2.0**51 * (1 + 2.0**-7))])
    check(caster("bfloat16", "float32"), x, x, two)
    check(caster("bfloat16"), x, x, one.astype(dtype_of("bfloat16")))


def to_integer(x, to):
    info = np.iinfo(to)
    if math.isnan(x):
        return 0
    if math.isinf(x):
        return info.max if x > 0 else info.min
    return max(info.min, min(info.max, int(x)))


def integer_limits(name):
    """Floats around the limits of all integer types."""
    dtype = dtype_of(name)
    if name in FP8:
        return np.arange(256, dtype=np.uint8).view(dtype)
    numbers = [0.5, 0.99, -0.5, -0.99]
    for bits in (7, 8, 15, 16, 31, 32, 63, 64):
        for step in (-2, -1, -0.5, 0, 0.5, 1):
            numbers += [2.0**bits + step, -(2.0**bits) + step]
        for kind in (np.float32, np.float64):
            limit = kind(2.0**bits)
            numbers += [float(np.nextafter(limit, kind(0))), float(np.nextafter(limit, kind(1e30))),
                        float(np.nextafter(-limit, kind(-1e30)))]
    with np.errstate(all="ignore"):
        values = np.concatenate([float_corners(name), np.array(numbers).astype(dtype)])
    bits = f"u{dtype.itemsize}"
    return np.unique(values.view(bits)).view(dtype)


@row("cast-float-int", "cast-bool")
@pytest.mark.parametrize("source", [*FLOATS, *FP8])
def test_floats_to_integers(source):
    x = integer_limits(source)
    for to in INTEGERS:
        expected = [to_integer(v, to) for v in x.astype(np.float64).tolist()]
        check(caster(to), x, x, np.array(expected, to), names=(source, source))
    check(caster("bool"), x, x, x.astype(np.float64) != 0, names=(source, source))


WIDER = [("float16", "float32"), ("float16", "float64"), ("bfloat16", "float32"),
         ("bfloat16", "float64"), ("float32", "float64")]


@row("cast-widen")
@pytest.mark.parametrize("source, to", WIDER)
def test_floats_to_wider_floats(source, to):
    dtype = dtype_of(source)
    if dtype.itemsize == 2:
        x = np.arange(1 << 16, dtype=np.uint16).view(dtype)
        check(caster(to), x, x, x.astype(dtype_of(to)), forms=("tiles",))
    x = float_corners(source)
    check(caster(to), x, x, x.astype(dtype_of(to)))


@row("cast-fp8-exact")
@pytest.mark.parametrize("source", FP8)
@pytest.mark.parametrize("to", FLOATS)
def test_all_8_bit_floats(source, to):
    x = np.arange(256, dtype=np.uint8).view(dtype_of(source))
    expected = x.astype(np.float32).astype(dtype_of(to))
    check(caster(to), x, x, expected, names=(source, source))


def near_ties(name, source):
    """Values of `source` on and beside the halfway points of the format `name`."""
    bits, least, largest, _ = FORMATS[name]
    exact = []
    for exponent in (least - bits - 1, least - bits, least - bits + 1, least, 0, 3):
        for count in (1, 2, 3, 5, 7, (1 << bits) - 1, (1 << bits) + 1):
            for beside in (0, Fraction(1, 2**20), Fraction(-1, 2**20), Fraction(1, 2**45),
                           Fraction(-1, 2**45)):
                exact.append(Fraction(count) * Fraction(2)**exponent * (1 + beside))
    unit = Fraction(2)**(math.frexp(largest)[1] - bits)
    exact += [Fraction(largest) + unit * f for f in
              (0, Fraction(1, 2), Fraction(1, 2) + Fraction(1, 2**20),
               Fraction(1, 2) - Fraction(1, 2**20), 1, 100, Fraction(-1, 2), -1)]
    values = [rounded(x, source) for x in exact]
    values = [v for v in values if math.isfinite(v)]
    values += [-v for v in values] + [0.0, -0.0, math.inf, -math.inf, math.nan]
    dtype = dtype_of(source)
    return np.unique(np.array(values).astype(dtype).view(f"u{dtype.itemsize}")).view(dtype)


def narrowed(x, to, toward_zero):
    largest, has_infinity = FORMATS[to][2:]
    results = []
    for v in x.astype(np.float64).tolist():
        if math.isinf(v):
            v = v if has_infinity else math.copysign(largest, v)
        elif v and not math.isnan(v):
            v = math.copysign(rounded(Fraction(v), to, toward_zero), v)
        results.append(v)
    return np.array(results).astype(dtype_of(to))


NARROWER = {"float64": ["float32", "float16", "bfloat16"], "float32": ["float16", "bfloat16"]}


def check_narrowing(source, to, toward_zero):
    x = near_ties(to, source)
    function = caster(to, rtz=True) if toward_zero else caster(to)
    check(function, x, x, narrowed(x, to, toward_zero))


@row("cast-narrow")
@pytest.mark.parametrize("source, to", [(s, t) for s, ts in NARROWER.items() for t in ts])
def test_floats_to_narrower_floats(source, to):
    check_narrowing(source, to, False)


@row("cast-rtz")
@pytest.mark.parametrize("source, to", [(s, t) for s, ts in NARROWER.items() for t in ts])
def test_rounding_towards_zero(source, to):
    check_narrowing(source, to, True)


@row("cast-half")
@pytest.mark.parametrize("source, to", [("float16", "bfloat16"), ("bfloat16", "float16")])
def test_between_16_bit_floats(source, to):
    check_narrowing(source, to, False)
    x = np.arange(1 << 16, dtype=np.uint16).view(dtype_of(source))
    check(caster(to), x, x, narrowed(x, to, False), forms=("tiles",))


@row("cast-fp8")
@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("to", FP8)
@pytest.mark.parametrize("rtz", [False, True])
def test_to_8_bit_floats(source, to, rtz):
    check_narrowing(source, to, rtz)


@tegula.jit
def constant_cast_kernel(out, C: tl.constexpr, T: tl.constexpr):
    tl.store(out, tl.cast(C, T, fp_downcast_rounding="rtz"))
    tl.store(out + 1, tl.cast(C, T))


@row("cast-rtz", "cast-fp8")
@pytest.mark.parametrize("to", ["float16", "bfloat16", "float32", "float8e5", "float8e4nv"])
@pytest.mark.parametrize("value", [0.1, -0.1, 1.1, 1 / 3, -200.7, 1e-5])
def test_rounding_of_constants(to, value):
    out = np.zeros(2, dtype_of(to))
    constant_cast_kernel[(1,)](out, C=value, T=type_of(to))
    assert out.astype(np.float64).tolist() == [rounded(Fraction(value), to, True),
                                               rounded(Fraction(value), to)]


@row("cast-fp8")
def test_ties_of_float8e5():
    """The two halfway points that rounding up by habit gets wrong."""
    x = np.array([9.0, 1.125, -9.0, 1.375, 11.0], np.float16)
    check(caster("float8e5"), x, x,
          np.array([8.0, 1.0, -8.0, 1.5, 12.0]).astype(dtype_of("float8e5")))


@row("bitcast")
@pytest.mark.parametrize("source, to", [("float32", "int32"), ("uint32", "float32"),
                                        ("float64", "uint64"), ("float16", "bfloat16"),
                                        ("int16", "float16"), ("uint8", "float8e5"),
                                        ("float8e4nv", "int8"), ("int64", "uint64")])
def test_bitcast(source, to):
    dtype = dtype_of(source)
    x = float_corners(source) if source[0] in "fb" and source not in FP8 else (
        integer_corners(source) if source in INTEGERS
        else np.arange(256, dtype=np.uint8).view(dtype))
    forms = ("tiles", "scalars", "constants") if x.dtype.kind in "iu" else ("tiles", "scalars")
    expected = x.view(dtype_of(to))
    # Compared as bits, NaNs too.
    bits = f"uint{8 * dtype.itemsize}"
    check(raw_caster(to, bits), x, x, expected.view(bits), names=(source, source), forms=forms)


def raw_caster(to, bits):
    first, second = type_of(to), type_of(bits)

    @tegula.jit
    def cast(a, b):
        return a.to(first, bitcast=True).to(second, bitcast=True)
    return cast
