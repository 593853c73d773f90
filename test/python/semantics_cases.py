# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One operation in every form that a compiler may treat differently.

The tests of docs/semantics.md run each operation on tiles, on scalars, and on
operands of which one or both are known when compiling, where folding takes the
place of machine code.
"""

from fractions import Fraction

import ml_dtypes
import numpy as np

import tegula
import tegula.language as tl

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
FLOATS = ["float16", "bfloat16", "float32", "float64"]
# NumPy's name of each 8-bit float.
FP8 = {"float8e4nv": "float8_e4m3fn", "float8e5": "float8_e5m2", "float8e4b8": "float8_e4m3fnuz",
       "float8e5b16": "float8_e5m2fnuz"}
FORMS = ("tiles", "scalars", "constants", "constant tiles", "left constant", "right constant")
# Each pair of constants is compiled on its own: so many to a kernel, and in all.
CHUNK = 32
MOST_CONSTANTS = 32


def dtype_of(name):
    """NumPy's dtype of a type of the language."""
    name = FP8.get(name, name)
    return np.dtype(getattr(ml_dtypes, name, name))


def type_of(name):
    return tl.int1 if name == "bool" else getattr(tl, name)


@tegula.jit
def tiles_kernel(F: tl.constexpr, a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, F(tl.load(a_ptr + i), tl.load(b_ptr + i)))


@tegula.jit
def scalars_kernel(F: tl.constexpr, a_ptr, b_ptr, out_ptr):
    i = tl.program_id(0)
    tl.store(out_ptr + i, F(tl.load(a_ptr + i), tl.load(b_ptr + i)))


@tegula.jit
def constants_kernel(F: tl.constexpr, a_ptr, b_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr,
                     TA: tl.constexpr, TB: tl.constexpr, FORM: tl.constexpr):
    for k in tl.static_range(len(A)):
        if FORM == "constant tiles":
            a = tl.full((16,), A[k], TA)
            b = tl.full((16,), B[k], TB)
            tl.store(out_ptr + k * 16 + tl.arange(0, 16), F(a, b))
        elif FORM == "constants":
            tl.store(out_ptr + k * 16, F(tl.full((), A[k], TA), tl.full((), B[k], TB)))
        elif FORM == "left constant":
            b = tl.load(b_ptr + k + tl.arange(0, 1))
            tl.store(out_ptr + k * 16 + tl.arange(0, 1), F(tl.full((1,), A[k], TA), b))
        else:
            a = tl.load(a_ptr + k + tl.arange(0, 1))
            tl.store(out_ptr + k * 16 + tl.arange(0, 1), F(a, tl.full((1,), B[k], TB)))


@tegula.jit
def less(a, b):
    return a < b


@tegula.jit
def less_equal(a, b):
    return a <= b


@tegula.jit
def equal(a, b):
    return a == b


@tegula.jit
def unequal(a, b):
    return a != b


@tegula.jit
def greater(a, b):
    return a > b


@tegula.jit
def greater_equal(a, b):
    return a >= b


def python_value(x):
    """An element as the literal that stands for it."""
    if x.dtype == np.bool_:
        return bool(x)
    return int(x) if x.dtype.kind in "iu" else float(x)


def every_form(function, a, b, out, names=None, forms=FORMS):
    """(form, which elements, results) of `function(a, b)`, elementwise, stored as dtype `out`.

    a, b: arrays of one length; names: their types in the language, by default
    those of the arrays. The function takes both operands even if it needs one.
    Of many operands, constants take a fixed choice.
    """
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    types = [type_of(name) for name in names or (a.dtype.name, b.dtype.name)]
    n = a.size
    poison = np.frombuffer(b"\x5a" * 16, np.uint8)
    for form in forms:
        if form in ("tiles", "scalars"):
            size = max(16, tegula.next_power_of_2(n))
            x, y = np.resize(a, size), np.resize(b, size)
            result = np.resize(poison, size * out.itemsize).view(out)
            if form == "tiles":
                tiles_kernel[(1,)](function, x, y, result, N=size)
            else:
                scalars_kernel[(n,)](function, x, y, result)
            yield form, slice(0, n), result[:n]
            continue
        parts = []
        chosen = np.random.default_rng(n).permutation(n)[:MOST_CONSTANTS]
        for start in range(0, chosen.size, CHUNK):
            part = chosen[start:start + CHUNK]
            x, y = a[part], b[part]
            result = np.resize(poison, x.size * 16 * out.itemsize).view(out)
            constants_kernel[(1,)](function, x, y, result, A=tuple(map(python_value, x)),
                                   B=tuple(map(python_value, y)), TA=types[0], TB=types[1],
                                   FORM=form)
            rows = result.reshape(-1, 16)
            if form == "constant tiles":
                assert all(row.tobytes() == row[:1].tobytes() * 16 for row in rows)
            parts.append(rows[:, 0])
        yield form, chosen, np.concatenate(parts)


def assert_same(got, expected, context, *operands):
    """Equal bits, but that any NaN stands for any other."""
    expected = np.asarray(expected, got.dtype)
    bits = f"u{got.dtype.itemsize}"
    wrong = got.view(bits) != expected.view(bits)
    if got.dtype.kind not in "iub":
        with np.errstate(invalid="ignore"):
            wrong &= ~(np.isnan(got.astype(np.float64)) & np.isnan(expected.astype(np.float64)))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        inputs = ", ".join(repr(o[at]) for o in operands)
        raise AssertionError(f"{context}: {wrong.sum()} of {wrong.size} differ; at ({inputs}) "
                             f"expected {expected[at]!r}, got {got[at]!r}")


def check(function, a, b, expected, names=None, forms=FORMS):
    """`function` of a and b is `expected` in every form."""
    expected = np.asarray(expected)
    for form, which, got in every_form(function, a, b, expected.dtype, names, forms):
        assert_same(got, expected[which], form, a[which], b[which])


def integer_corners(name):
    """Integers at which operators change course."""
    if name == "bool":
        return np.array([False, True])
    info = np.iinfo(name)
    numbers = {info.min, info.min + 1, info.max, info.max - 1, info.max // 2 + 1}
    numbers |= {n for n in (-100, -7, -2, -1, 0, 1, 2, 3, 7, 127, 2**31, 2**32 - 1)
                if info.min <= n <= info.max}
    return np.array(sorted(numbers), name)


def float_corners(name):
    """Floats of all kinds: zeros, least and largest of each kind, infinities, NaN."""
    dtype = dtype_of(name)
    info = ml_dtypes.finfo(dtype)
    largest, normal, least = float(info.max), float(info.tiny), float(info.smallest_subnormal)
    numbers = [0.0, 1.0, 1.5, 3.0, 0.1, 7.0, 1 + float(info.eps), largest, normal, least,
               normal - least, 3 * least, largest / 2, np.inf]
    both = np.array(numbers + [-x for x in numbers] + [np.nan])
    with np.errstate(all="ignore"):
        return both.astype(dtype)


def pairs(values, others=None):
    """All pairs as two arrays."""
    a, b = np.meshgrid(values, values if others is None else others, indexing="ij")
    return a.ravel().copy(), b.ravel().copy()


def wrapped(value, name):
    """A Python integer as the type holds it: modulo two to its width."""
    bits = np.iinfo(name).bits
    value &= (1 << bits) - 1
    return value - (1 << bits) if name[0] == "i" and value >> (bits - 1) else value


# -- exact numbers --------------------------------------------------------------

# Bits of the significand, exponent of the least normal number, largest finite
# value, and whether infinities exist.
FORMATS = {
    "float16": (11, -14, 65504.0, True), "bfloat16": (8, -126, (2 - 2.0**-7) * 2.0**127, True),
    "float32": (24, -126, (2 - 2.0**-23) * 2.0**127, True),
    "float64": (53, -1022, float(np.finfo(np.float64).max), True),
    "float8e4nv": (4, -6, 448.0, False), "float8e5": (3, -14, 57344.0, False),
    "float8e4b8": (4, -7, 240.0, False), "float8e5b16": (3, -15, 57344.0, False),
}


def rounded(value, name, toward_zero=False):
    """A Fraction as the nearest float of a format, ties to even, or the next one to zero.

    Returns a Python float, which holds all formats; for 8-bit floats what is too
    large becomes the largest finite value.
    """
    bits, least, largest, has_infinity = FORMATS[name]
    magnitude = abs(value)
    if not magnitude:
        return 0.0
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2)**exponent > magnitude:
        exponent -= 1
    unit = Fraction(2)**(max(exponent, least) - bits + 1)
    count = magnitude / unit
    # Python's round is to nearest, ties to even.
    whole = count.numerator // count.denominator if toward_zero else round(count)
    result = whole * unit
    if result > Fraction(largest):
        result = np.inf if has_infinity and not toward_zero else largest
    return float(result) * (-1 if value < 0 else 1)
