# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types, and their arithmetic after docs/semantics.md, on NumPy arrays.

Types go by their names in the language; "bool" is int1. Every function takes and
returns arrays of `DTYPES[name]`.
"""

import ml_dtypes
import numpy as np

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
HALVES = ("float16", "bfloat16")
WIDE = ("float32", "float64")
FLOATS = HALVES + WIDE
FP8 = ("float8e4nv", "float8e5", "float8e4b8", "float8e5b16")
_FP8_NAMES = {"float8e4nv": "float8_e4m3fn", "float8e5": "float8_e5m2",
              "float8e4b8": "float8_e4m3fnuz", "float8e5b16": "float8_e5m2fnuz"}

DTYPES = {name: np.dtype(getattr(ml_dtypes, _FP8_NAMES.get(name, name), None) or name)
          for name in INTEGERS + FLOATS + FP8}
DTYPES["bool"] = np.dtype(np.bool_)
# Bits of the significand, exponent of the least normal number, largest finite value.
FORMATS = {"float16": (11, -14, 65504.0), "bfloat16": (8, -126, (2 - 2.0**-7) * 2.0**127),
           "float32": (24, -126, (2 - 2.0**-23) * 2.0**127), "float8e4nv": (4, -6, 448.0),
           "float8e5": (3, -14, 57344.0), "float8e4b8": (4, -7, 240.0),
           "float8e5b16": (3, -15, 57344.0)}
NO_MINUS_ZERO = ("float8e4b8", "float8e5b16")


def is_int(name):
    return name in INTEGERS


def is_float(name):
    return name in FLOATS or name in FP8


def bits(name):
    return 1 if name == "bool" else DTYPES[name].itemsize * 8


def int_range(name):
    info = np.iinfo(DTYPES[name])
    return int(info.min), int(info.max)


# -- conversions ------------------------------------------------------------------

def round_to(values, name, toward_zero=False):
    """float64 values, rounded once to a narrower float: to nearest, ties to even."""
    precision, least, largest = FORMATS[name]
    x = np.asarray(values, np.float64)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(x)
        unit = np.maximum(exponent - 1, least) - precision + 1
        scaled = np.ldexp(x, -unit)
        rounded = np.ldexp(np.trunc(scaled) if toward_zero else np.rint(scaled), unit)
        rounded = np.where(np.isfinite(x), rounded, x)
        too_large = np.abs(rounded) > largest
        limit = np.copysign(largest, x)
        if name in FP8:
            rounded = np.where(too_large, limit, rounded)
            if name in NO_MINUS_ZERO:
                rounded = np.where(rounded == 0, 0.0, rounded)
        else:
            keep = np.isfinite(x) if toward_zero else np.zeros(x.shape, bool)
            rounded = np.where(too_large & ~keep, np.copysign(np.inf, x), rounded)
            rounded = np.where(too_large & keep, limit, rounded)
        return rounded.astype(DTYPES[name])


def _sticky(values):
    """Integers as float64, such that rounding once more gives what one rounding would."""
    x = np.asarray(values)
    if bits_of(x) < 64:
        return x.astype(np.float64)
    twelve = x.dtype.type(12)
    short = (x >> twelve) | (x & x.dtype.type(0xFFF) != 0).astype(x.dtype)
    near = x.astype(np.float64)
    return np.where(np.abs(near) < 2.0**53, near, short.astype(np.float64) * 4096.0)


def bits_of(array):
    return array.dtype.itemsize * 8


def cast(x, source, target, rtz=False):
    """`x.to(target)`."""
    if source == target:
        return x
    if target == "bool":
        return (x.astype(np.float64) if is_float(source) else x) != 0
    if source == "bool":
        return cast(x.astype(np.int8), "int8", target) if is_float(target) else x.astype(
            DTYPES[target])
    with np.errstate(all="ignore"):
        if is_int(source):
            if is_int(target):
                return x.astype(DTYPES[target])
            if target == "float64":
                return x.astype(np.float64)
            return round_to(_sticky(x), target)
        if is_int(target):
            return _float_to_int(x.astype(np.float64), target)
        if target == "float64":
            return x.astype(np.float64)
        return round_to(x.astype(np.float64), target, rtz)


def _float_to_int(x, target):
    low, high = int_range(target)
    whole = np.trunc(np.where(np.isnan(x), 0.0, x))
    # float(high) may be above high: that many, too, become the largest number.
    inside = np.where((whole < float(high)) & (whole > float(low)), whole, 0.0)
    result = inside.astype(DTYPES[target])
    result = np.where(whole >= float(high), DTYPES[target].type(high), result)
    return np.where(whole <= float(low), DTYPES[target].type(low), result).astype(DTYPES[target])


def bitcast(x, target):
    return np.ascontiguousarray(x).view(DTYPES[target]) if x.ndim else np.ascontiguousarray(
        x.reshape(1)).view(DTYPES[target]).reshape(())


# -- arithmetic ---------------------------------------------------------------------

def binary(op, x, y, name):
    """Both of type `name`; comparisons give bool."""
    with np.errstate(all="ignore"):
        if op in _COMPARISONS:
            return _COMPARISONS[op](_comparable(x, name), _comparable(y, name))
        if name == "bool":
            return {"+": np.logical_xor, "-": np.logical_xor, "*": np.logical_and,
                    "&": np.logical_and, "|": np.logical_or, "^": np.logical_xor}[op](x, y)
        if is_int(name):
            return _int_binary(op, x, y, name)
        if name in FP8:
            wide = "float32" if name == "float8e5b16" else "float16"
            result = binary(op, cast(x, name, wide), cast(y, name, wide), wide)
            return cast(result, wide, name)
        if op == "%":
            return np.fmod(x, y)
        function = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[op]
        if name in HALVES:
            return round_to(function(x.astype(np.float64), y.astype(np.float64)), name)
        return function(x, y)


_COMPARISONS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
                "==": np.equal, "!=": np.not_equal}


def _comparable(x, name):
    return x.astype(np.float64) if name in FP8 or name in HALVES else x


def _int_binary(op, x, y, name):
    if op in ("//", "%"):
        return _truncating(op, x, y, name)
    if op in ("<<", ">>"):
        width = bits(name)
        amount = y.view(f"u{y.dtype.itemsize}") if y.dtype.kind == "i" else y
        wide = amount >= width
        small = np.where(wide, 0, amount).astype(DTYPES[name])
        if op == "<<":
            return np.where(wide, 0, np.left_shift(x, small)).astype(DTYPES[name])
        sign = np.where(x < 0, -1, 0).astype(np.int64).astype(DTYPES[name])
        return np.where(wide, sign, np.right_shift(x, small)).astype(DTYPES[name])
    function = {"+": np.add, "-": np.subtract, "*": np.multiply, "&": np.bitwise_and,
                "|": np.bitwise_or, "^": np.bitwise_xor}[op]
    return function(x, y)


def _truncating(op, x, y, name):
    signed = name in SIGNED
    # Magnitudes as unsigned numbers: that of the most negative one is itself.
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    a, b = x.astype(unsigned), y.astype(unsigned)
    if signed:
        a, b = np.where(x < 0, 0 - a, a), np.where(y < 0, 0 - b, b)
    zero = b == 0
    divisor = np.where(zero, 1, b).astype(unsigned)
    quotient, rest = (a // divisor).astype(unsigned), (a % divisor).astype(unsigned)
    if signed:
        quotient = np.where((x < 0) != (y < 0), 0 - quotient, quotient)
        rest = np.where(x < 0, 0 - rest, rest)
    result = np.where(zero, 0, quotient) if op == "//" else np.where(zero, x.astype(unsigned), rest)
    return result.astype(unsigned).astype(DTYPES[name])


def negative(x, name):
    if name == "bool":
        return x
    if name in NO_MINUS_ZERO:
        return cast(-x.astype(np.float64), "float64", name)
    with np.errstate(all="ignore"):
        return np.negative(x)


def absolute(x, name):
    if name in UNSIGNED or name == "bool":
        return x
    with np.errstate(all="ignore"):
        return np.abs(x)


def min_max(largest, x, y, name, propagate=False):
    """`tl.maximum` or `tl.minimum`; the sign of a zero is left open without `propagate`."""
    if not is_float(name):
        if name == "bool":
            return np.logical_or(x, y) if largest else np.logical_and(x, y)
        return np.maximum(x, y) if largest else np.minimum(x, y)
    with np.errstate(all="ignore"):
        if not propagate:
            return (np.fmax if largest else np.fmin)(x, y)
        first = np.signbit(x) if largest else ~np.signbit(x)  # of two zeros: take the other
        result = (np.maximum if largest else np.minimum)(x, y)
        zeros = (x == 0) & (y == 0)
        return np.where(zeros, np.where(first, y, x), result).astype(x.dtype)


def fma(x, y, z):
    """float32, rounded once."""
    with np.errstate(all="ignore"):
        product = x.astype(np.float64) * y.astype(np.float64)  # exact
        addend = z.astype(np.float64)
        total = product + addend
        back = total - product
        error = (product - (total - back)) + (addend - back)
        # An inexact sum becomes odd, so that rounding it again cannot tie.
        bits64 = np.asarray(total, order="C").view(np.int64)
        inexact = np.isfinite(total) & (error != 0)
        shrink = inexact & ((error < 0) != (total < 0))
        odd = np.where(shrink, bits64 - 1, bits64) | inexact.astype(np.int64)
        return np.where(inexact, odd, bits64).view(np.float64).astype(np.float32)


def promote(x, y, op):
    """Type in which an operator on run-time values of two types computes; None if refused."""
    if is_float(x) or is_float(y):
        for wide in ("float64", "float32", "float16", "bfloat16"):
            if wide in (x, y):
                divides = op in ("/", "%") and wide in HALVES
                if divides or (wide == "bfloat16" and x != y):
                    return "float32"
                return wide
        if not (is_float(x) and is_float(y)):
            return None
        return x if x == y else "float16"
    if op in ("//", "%") and (x in SIGNED) != (y in SIGNED):
        return None
    if bits(x) != bits(y):
        wide, narrow = (x, y) if bits(x) > bits(y) else (y, x)
        return wide
    return y if x in SIGNED else x
