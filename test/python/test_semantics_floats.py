# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/semantics.md: floats; largest, smallest, selection."""

from fractions import Fraction
import math
import operator

import numpy as np
import pytest

import tegula
import tegula.language as tl
from semantics_cases import (FLOATS, FORMATS, FP8, INTEGERS, check, dtype_of, equal, every_form,
                             float_corners, greater, greater_equal, integer_corners, less,
                             less_equal, pairs, rounded, unequal)

row = pytest.mark.semantics
WIDE = ["float32", "float64"]
HALF = ["float16", "bfloat16"]


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


@tegula.jit
def add(a, b):
    return a + b


@tegula.jit
def subtract(a, b):
    return a - b


@tegula.jit
def multiply(a, b):
    return a * b


ARITHMETIC = [(add, operator.add), (subtract, operator.sub), (multiply, operator.mul)]


@row("float-exact", "float-denormal")
@pytest.mark.parametrize("name", WIDE)
def test_arithmetic(name):
    a, b = pairs(float_corners(name))
    for function, exact in ARITHMETIC:
        check(function, a, b, exact(a, b))


@row("float-half", "float-denormal")
@pytest.mark.parametrize("name", HALF)
def test_arithmetic_of_16_bits(name):
    """Sums and products of these are exact in float64: one rounding."""
    a, b = pairs(float_corners(name))
    for function, exact in ARITHMETIC:
        values = exact(a.astype(np.float64), b.astype(np.float64))
        expected = [rounded(Fraction(v), name) if math.isfinite(v) and v else v for v in values]
        check(function, a, b, np.array(expected).astype(a.dtype))


@tegula.jit
def three_steps(a, b):
    return (a * b + a) * b - a


@row("float-half")
@pytest.mark.parametrize("name", HALF)
def test_each_operator_rounds(rng, name):
    dtype = dtype_of(name)
    a, b = rng.standard_normal((2, 4096)).astype(dtype)
    expected = a * b
    for step in (lambda x: x + a, lambda x: x * b, lambda x: x - a):
        expected = step(expected)
    assert expected.dtype == dtype
    check(three_steps, a, b, expected)


@tegula.jit
def rounded_product(a, b):
    # The product rounds to 16 bits although everything else is float32.
    product = (a.to(tl.float32) * b.to(tl.float32)).to(a.dtype)
    return (product.to(tl.float32) + a.to(tl.float32)).to(a.dtype)


@row("float-half")
@pytest.mark.parametrize("name", HALF)
def test_products_rounded_on_the_way(rng, name):
    a, b = rng.standard_normal((2, 4096)).astype(dtype_of(name))
    check(rounded_product, a, b, a * b + a)


@row("float-fp8")
@pytest.mark.parametrize("name", FP8)
def test_arithmetic_of_8_bits(name):
    dtype = dtype_of(name)
    a, b = pairs(np.arange(0, 256, 5, dtype=np.uint8).view(dtype))
    wide = np.float32 if name == "float8e5b16" else np.float16
    for function, exact in ARITHMETIC:
        values = exact(a.astype(np.float32), b.astype(np.float32)).astype(wide)
        expected = []
        for v in values.astype(np.float64).tolist():
            if math.isfinite(v):
                v = math.copysign(rounded(Fraction(v), name), v)
            elif not math.isnan(v):
                v = math.copysign(FORMATS[name][2], v)
            expected.append(v)
        check(function, a, b, np.array(expected).astype(dtype), names=(name, name))


@tegula.jit
def halve(a, b):
    return a * 0.5


@row("float-denormal")
@pytest.mark.parametrize("name", FLOATS)
def test_denormals_of_all_sizes(name):
    info = dtype_of(name)
    bits = info.itemsize * 8
    fraction = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}[name]
    counts = np.array(sorted({1, 2, 3, *(1 << k for k in range(fraction + 2)),
                              *((1 << k) - 1 for k in range(1, fraction + 2))}), f"u{bits // 8}")
    x = counts.view(info)
    x = np.concatenate([x, -x])
    exact = [rounded(Fraction(float(v)) / 2, name) for v in x]
    expected = np.array([math.copysign(e, v) for e, v in zip(exact, x)]).astype(info)
    assert (expected != 0).sum() >= x.size - 2
    check(halve, x, x, expected)
    check(add, x, -x[::-1], x + -x[::-1])


@tegula.jit
def negate(a, b):
    return -a


@tegula.jit
def from_zero(a, b):
    return 0.0 - a


@tegula.jit
def plus_zero(a, b):
    return a + 0.0


@tegula.jit
def minus_zero(a, b):
    return a - 0.0


@tegula.jit
def plus_negative_zero(a, b):
    return a + -0.0


@tegula.jit
def times_zero(a, b):
    return a * 0.0


@tegula.jit
def magnitude(a, b):
    return tl.abs(a)


@row("float-zero-sign")
@pytest.mark.parametrize("name", FLOATS)
def test_signs_of_zero(name):
    x = float_corners(name)
    zero = x.dtype.type(0)
    for function, expected in [(negate, -x), (from_zero, zero - x), (plus_zero, x + zero),
                               (minus_zero, x - zero), (plus_negative_zero, x + -zero),
                               (times_zero, x * zero), (magnitude, np.abs(x))]:
        check(function, x, x, expected)


@tegula.jit
def there_and_back(a, b):
    return (a + b) - b


@tegula.jit
def itself(a, b):
    return a - a


@tegula.jit
def quotient_of_itself(a, b):
    return a / a


@tegula.jit
def distributed(a, b):
    return (a + b) * (a - b)


@tegula.jit
def regrouped(a, b):
    return a + (b + (a + (b + a)))


@row("float-as-written")
@pytest.mark.parametrize("name", WIDE)
def test_as_written(rng, name):
    a, b = pairs(float_corners(name))
    noise = rng.standard_normal((2, 500)) * 10.0 ** rng.integers(-6, 7, (2, 500))
    a, b = np.concatenate([a, noise[0]]).astype(name), np.concatenate([b, noise[1]]).astype(name)
    for function, expected in [(there_and_back, (a + b) - b), (itself, a - a),
                               (quotient_of_itself, a / a), (distributed, (a + b) * (a - b)),
                               (regrouped, a + (b + (a + (b + a))))]:
        check(function, a, b, expected, forms=("tiles", "scalars", "constants"))


@tegula.jit
def product_sum(a, b):
    return a * b + a


@tegula.jit
def product_difference(a, b):
    return a - a * b


@tegula.jit
def fused(a, b):
    return tl.fma(a, b, a)


def one_rounding(a, b, c, name):
    """a * b + c, exactly, then rounded."""
    results = []
    for x, y, z in zip(a.tolist(), b.tolist(), c.tolist()):
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        results.append(rounded(exact, name))
    return np.array(results).astype(name)


def fma_operands(rng, name):
    a = rng.standard_normal(512).astype(name)
    b = (rng.standard_normal(512) * 2.0 ** rng.integers(-30, 3, 512)).astype(name)
    b[:8] = [-1, 1, 0.1, -0.9999999, 1 + 2.0**-20, 2.0**-24, 3, 1 / 3]
    return a, b


@row("fma-contract")
@pytest.mark.parametrize("name", WIDE)
def test_contraction_is_one_rounding_or_two(rng, name):
    a, b = fma_operands(rng, name)
    for function, two, one in [(product_sum, a * b + a, one_rounding(a, b, a, name)),
                               (product_difference, a - a * b, one_rounding(a, -b, a, name))]:
        assert (one != two).any()
        for form, which, got in every_form(function, a, b, a.dtype):
            assert ((got == one[which]) | (got == two[which])).all(), form


@row("fma-once")
@pytest.mark.parametrize("name", [*WIDE, "float16"])
def test_fma(rng, name):
    a, b = fma_operands(rng, name)
    check(fused, a, b, one_rounding(a, b, a, name))


@tegula.jit
def never_kernel(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(out_ptr + i, a * b + a)
    tl.store(out_ptr + N + i, a - a * b)
    tl.store(out_ptr + 2 * N + i, tl.fma(a, b, a))
    total = a
    for k in range(3):
        total = total * b + a
    tl.store(out_ptr + 3 * N + i, total)
    x = tl.load(a_ptr)
    tl.store(out_ptr + 4 * N, x * tl.load(b_ptr) + x)


@row("fma-never")
@pytest.mark.parametrize("name", WIDE)
def test_contraction_can_be_forbidden(rng, tmp_path, name):
    target = tmp_path / "exact.yaml"
    target.write_text("schema: tegula.target/v1\nname: exact\n"
                      "targets: [{id: host, backend: cpu, arch: native}]\n"
                      "numerics: {fma: never}\n")
    a, b = fma_operands(rng, name)
    out = np.zeros(4 * 512 + 1, name)
    never_kernel[(1,)](a, b, out, N=512, target=str(target))
    total = a
    for _ in range(3):
        total = total * b + a
    np.testing.assert_array_equal(out[:-1].reshape(4, 512), [
        a * b + a, a - a * b, one_rounding(a, b, a, name), total])
    assert out[-1] == a[0] * b[0] + a[0]


@tegula.jit
def divide(a, b):
    return a / b


@tegula.jit
def divide_by_name(a, b):
    return tl.fdiv(a, b, True)


@tegula.jit
def divide_rounded(a, b):
    return tl.div_rn(a, b)


@row("div-exact", "float-denormal")
@pytest.mark.parametrize("name", FLOATS)
def test_quotients(rng, name):
    a, b = pairs(float_corners(name))
    noise = rng.standard_normal((2, 1000)) * 10.0 ** rng.integers(-4, 4, (2, 1000))
    a = np.concatenate([a, noise[0].astype(a.dtype)])
    b = np.concatenate([b, noise[1].astype(b.dtype)])
    wide = np.float32 if name in HALF else a.dtype
    expected = a.astype(wide) / b.astype(wide)
    check(divide, a, b, expected)
    if name in WIDE:
        check(divide_by_name, a, b, expected, forms=("tiles", "scalars", "constants"))
        check(divide_rounded, a, b, expected, forms=("tiles", "scalars", "constants"))


@tegula.jit
def root(a, b):
    return tl.sqrt(a)


@tegula.jit
def root_rounded(a, b):
    return tl.sqrt_rn(a)


@row("sqrt-exact", "float-denormal")
@pytest.mark.parametrize("name", WIDE)
def test_roots(rng, name):
    noise = (rng.random(3000) * 10.0 ** rng.integers(-30, 30, 3000)).astype(name)
    x = np.concatenate([float_corners(name), noise, np.nextafter(noise, noise.dtype.type(0))])
    check(root, x, x, np.sqrt(x))
    check(root_rounded, x, x, np.sqrt(x))


@tegula.jit
def remainder(a, b):
    return a % b


@row("float-mod")
@pytest.mark.parametrize("name", FLOATS)
def test_remainders(name):
    a, b = pairs(float_corners(name))
    wide = np.float32 if name in HALF else a.dtype
    check(remainder, a, b, np.fmod(a.astype(wide), b.astype(wide)))


@tegula.jit
def floor_divide(a, b):
    return a // b


@row("float-floordiv")
@pytest.mark.parametrize("form", ["tiles", "scalars", "left constant"])
def test_no_floor_division(form):
    x = np.ones(16, np.float32)
    with pytest.raises(tegula.CompilationError, match=r"'//' needs integers.*tl\.floor"):
        list(every_form(floor_divide, x, x, x.dtype, forms=(form,)))


@tegula.jit
def round_down(a, b):
    return tl.floor(a)


@tegula.jit
def round_up(a, b):
    return tl.ceil(a)


@row("round-whole")
@pytest.mark.parametrize("name", WIDE)
def test_floor_and_ceil(name):
    more = [0.5, -0.5, 0.99999994, -0.99999994, 2.5, -2.5, 8388607.5, -8388607.5, 2.0**52 - 0.5]
    x = np.concatenate([float_corners(name), np.array(more).astype(name)])
    check(round_down, x, x, np.floor(x))
    check(round_up, x, x, np.ceil(x))


@tegula.jit
def not_less(a, b):
    return not (a < b)


@tegula.jit
def is_itself(a, b):
    return a == a


@row("nan-compare")
@pytest.mark.parametrize("name", FLOATS)
def test_comparisons(name):
    values = float_corners(name)[::3]
    more = np.array([np.nan, 0.0, -0.0, 1.0, np.inf]).astype(values.dtype)
    values = np.concatenate([values, more])
    a, b = pairs(values)
    for function, expected in [(less, a < b), (less_equal, a <= b), (equal, a == b),
                               (unequal, a != b), (greater, a > b), (greater_equal, a >= b),
                               (not_less, ~(a < b)), (is_itself, ~np.isnan(a.astype(float)))]:
        check(function, a, b, expected)


@tegula.jit
def truth_kernel(out, x, C: tl.constexpr):
    r = 0
    if x:
        r = 1
    tl.store(out, r)
    tl.store(out + 1, not x)
    tl.store(out + 2, 1 if x else 0)
    tl.store(out + 3, x and True)
    n = 0
    while x and n < 1:
        n += 1
    tl.store(out + 4, n)
    tl.store(out + 5, 1 if C else 0)
    tl.store(out + 6, not C)


@row("nan-truth")
@pytest.mark.parametrize("value", [0.0, -0.0, math.nan, 1e-45, math.inf, -1.0])
def test_floats_as_conditions(value):
    truth = int(bool(value))
    out = np.full(7, -1, np.int32)
    truth_kernel[(1,)](out, value, C=value)
    assert out.tolist() == [truth, 1 - truth, truth, truth, truth, truth, 1 - truth]


@row("nan-any")
@pytest.mark.parametrize("name", FLOATS)
def test_nans_stay_nans(name):
    """All payloads and both signs, through every operator."""
    dtype = dtype_of(name)
    bits = dtype.itemsize * 8
    fraction = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}[name]
    exponent = ((1 << (bits - 1 - fraction)) - 1) << fraction
    payloads = [1, 2, (1 << fraction) - 1, 1 << (fraction - 1), (1 << (fraction - 1)) + 1]
    words = [s << (bits - 1) | exponent | p for s in (0, 1) for p in payloads]
    nans = np.array(words, f"u{bits // 8}").view(dtype)
    ones = np.ones_like(nans)
    for function in (add, subtract, multiply, divide, remainder, negate, magnitude):
        for form, _, got in every_form(function, nans, ones, np.dtype(np.float64),
                                       forms=("tiles", "scalars")):
            assert np.isnan(got).all(), (function, form)


SPECIAL = [
    ("exp", [0, -0.0, math.inf, -math.inf, math.nan, 1000, -1000],
     [1, 1, math.inf, 0, math.nan, math.inf, 0]),
    ("exp2", [0, math.inf, -math.inf, math.nan, 3, -149], [1, math.inf, 0, math.nan, 8, 2.0**-149]),
    ("log", [0, -0.0, -1, math.inf, math.nan, 1], [-math.inf, -math.inf, math.nan, math.inf,
                                                    math.nan, 0]),
    ("log2", [0, -1, math.inf, math.nan, 8, 2.0**-149], [-math.inf, math.nan, math.inf, math.nan,
                                                          3, -149]),
    ("sin", [0, -0.0, math.inf, math.nan], [0, -0.0, math.nan, math.nan]),
    ("cos", [0, -0.0, -math.inf, math.nan], [1, 1, math.nan, math.nan]),
    ("erf", [0, -0.0, math.inf, -math.inf, math.nan], [0, -0.0, 1, -1, math.nan]),
    ("rsqrt", [0, math.inf, -1, math.nan, 4], [math.inf, 0, math.nan, math.nan, 0.5]),
]


@row("math-special")
@pytest.mark.parametrize("name, values, expected", SPECIAL, ids=[s[0] for s in SPECIAL])
def test_special_values(name, values, expected):
    member = getattr(tl, name)

    @tegula.jit
    def function(a, b):
        return member(a)

    for dtype in (np.float32, np.float64):
        x = np.array(values, dtype)
        check(function, x, x, np.array(expected, dtype))


# -- largest, smallest, selection -----------------------------------------------


@tegula.jit
def largest(a, b):
    return tl.maximum(a, b)


@tegula.jit
def smallest(a, b):
    return tl.minimum(a, b)


@tegula.jit
def python_largest(a, b):
    return max(a, b)


@tegula.jit
def python_smallest(a, b):
    return min(a, b)


@tegula.jit
def largest_or_nan(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@tegula.jit
def smallest_or_nan(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


def extreme_operands(name):
    values = np.concatenate([float_corners(name)[::2],
                             np.array([np.nan, 1.0, 0.0, -0.0, np.inf, -np.inf])
                             .astype(dtype_of(name))])
    a, b = pairs(values)
    # bfloat16 comes out as float32.
    return a, b, np.float32 if name == "bfloat16" else a.dtype


@row("minmax-nan", "minmax-zero")
@pytest.mark.parametrize("name", FLOATS)
def test_extremes(name):
    a, b, result = extreme_operands(name)
    zeros = (a == 0) & (b == 0)
    x, y = a.astype(result), b.astype(result)
    for function, expected in [(largest, np.fmax(x, y)), (smallest, np.fmin(x, y)),
                               (python_largest, np.fmax(x, y)), (python_smallest, np.fmin(x, y))]:
        check(function, a[~zeros], b[~zeros], expected[~zeros])
        for form, _, got in every_form(function, a[zeros], b[zeros], np.dtype(result)):
            assert (got == 0).all(), form


@row("minmax-nan-all")
@pytest.mark.parametrize("name", FLOATS)
def test_extremes_that_propagate(name):
    a, b, result = extreme_operands(name)
    x, y = a.astype(result), b.astype(result)
    zeros = (x == 0) & (y == 0)
    up = np.where(zeros, np.where(np.signbit(x) & np.signbit(y), -0.0, 0.0), np.maximum(x, y))
    down = np.where(zeros, np.where(np.signbit(x) | np.signbit(y), -0.0, 0.0), np.minimum(x, y))
    check(largest_or_nan, a, b, up.astype(result))
    check(smallest_or_nan, a, b, down.astype(result))


@row("minmax-int")
@pytest.mark.parametrize("name", INTEGERS)
def test_extremes_of_integers(name):
    a, b = pairs(integer_corners(name))
    check(largest, a, b, np.maximum(a, b))
    check(smallest, a, b, np.minimum(a, b))
    check(python_largest, a, b, np.maximum(a, b), forms=("tiles", "scalars"))


@tegula.jit
def clamped(a, b):
    return tl.clamp(a, -1.0, 2.5)


@tegula.jit
def clamped_or_nan(a, b):
    return tl.clamp(a, -1.0, 2.5, propagate_nan=tl.PropagateNan.ALL)


@row("clamp-nan")
@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_clamp(name):
    x = float_corners(name)
    limited = np.fmin(np.fmax(x, x.dtype.type(-1)), x.dtype.type(2.5))
    check(clamped, x, x, limited)
    check(clamped_or_nan, x, x, np.where(np.isnan(x), x, limited))


@tegula.jit
def logarithm_or_one(a, b):
    return tl.where(a > 0, tl.log(a), -1.0)


@tegula.jit
def not_nan(a, b):
    return tl.where(a != a, b, a)


@tegula.jit
def reciprocal_or_zero(a, b):
    return tl.where(a != 0, b / a, 0.0) + tl.where(a == 0, 0.0, a) * 0


@row("where-exact")
@pytest.mark.parametrize("name", WIDE)
def test_selection(name):
    a, b = pairs(np.array([1.0, -1.0, 0.0, -0.0, 4.0, np.nan], name))
    logs = np.where(a > 0, np.log(np.abs(a)), -1).astype(name)
    for form, which, got in every_form(logarithm_or_one, a, b, a.dtype):
        np.testing.assert_allclose(got, logs[which], rtol=1e-6, err_msg=form)
    check(not_nan, a, b, np.where(np.isnan(a), b, a))
    check(reciprocal_or_zero, a, b, np.where(a != 0, b / a, 0) + np.where(a == 0, 0, a) * 0)
