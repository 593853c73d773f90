# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a result is right by the tolerances of docs/conformance.md."""

from fractions import Fraction

import numpy as np

from conformance_values import (TYPES, is_fp8, overflow, round_floats, to_float, to_reference,
                                to_storage)

TOLERANCES = ("exact", "value", "rounded", "ulp", "sum")


def as_floats(reference):
    """A reference for floats in float64; integers and Fractions to nearest."""
    if reference.dtype != object:
        return reference.astype(np.float64)
    return np.array([to_float(v) for v in reference.tolist()], np.float64).reshape(
        reference.shape)


def bits_of(array):
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def ulp(values, type_):
    exponent = np.frexp(np.abs(values))[1].astype(np.int64) - 1
    exponent = np.where(values == 0, type_.least, np.maximum(exponent, type_.least))
    return np.ldexp(1.0, exponent - type_.precision + 1)


def compare_floats(got, reference, type_, tolerance, count, magnitude, compute):
    """Which elements are wrong, and the expected values to show. Flat arrays."""
    actual = to_reference(got)
    with np.errstate(all="ignore"):
        expected = as_floats(reference)
        both_nan = np.isnan(actual) & np.isnan(expected)
        if tolerance in ("exact", "value", "rounded"):
            stored = to_storage(reference, type_)
            if tolerance != "rounded":
                # An infinity that the type has is a value of it, though casts avoid it.
                if type_.has_infinity and is_fp8(type_):
                    stored = np.where(np.isinf(expected), expected.astype(stored.dtype), stored)
                back = to_reference(stored)
                exact = (back == expected) | np.isnan(expected)
                if type_.is_float and reference.dtype == object:
                    exact &= np.array([not np.isfinite(b) or Fraction(b) == Fraction(v) for b, v
                                       in zip(back.tolist(), reference.tolist())], bool)
                if not exact.all():
                    at = int(np.flatnonzero(~exact)[0])
                    raise ValueError(f"reference {reference[at]!r} of element {at} is not a value "
                                     f"of {type_.name}; use tolerance 'rounded'")
            wrong = bits_of(got) != bits_of(stored)
            if tolerance == "value":
                wrong &= ~((actual == 0) & (to_reference(stored) == 0))
            return wrong & ~both_nan, stored
        infinity = np.inf
        if type_.name != "float64":
            infinity = 2.0 * 2.0**np.floor(np.log2(type_.largest))
        if tolerance == "ulp":
            # Infinity counts as the power of two after the largest numbers.
            a = np.where(np.isinf(actual), np.copysign(infinity, actual), actual)
            b = np.where(np.abs(expected) > infinity, np.copysign(infinity, expected), expected)
            limit = count * ulp(np.where(np.isfinite(b), b, type_.largest), type_)
            close = (np.abs(a - b) <= limit) | (a == b)
        else:
            precision = TYPES[compute].precision
            terms = np.abs(expected) if magnitude is None else as_floats(magnitude)
            finite = np.isfinite(expected)
            rounded = round_floats(expected, type_)
            limit = 2.0 * count * 2.0**-precision * terms
            limit += ulp(np.where(finite, expected, 0), type_)
            # A sum close to the largest number may overflow or not.
            beyond = np.isinf(rounded) | (np.abs(expected) + limit > type_.largest)
            spilled = finite & beyond & (np.abs(actual) >= np.minimum(
                overflow(type_), np.abs(expected) - limit)) & (np.sign(actual) == np.sign(expected))
            close = np.where(finite, (np.abs(actual - expected) <= limit) | spilled,
                             actual == rounded)
        return ~(close | both_nan), expected


def flatten(size, reference, where=None, magnitude=None):
    """A result's reference, which of its elements are touched, and magnitude: flat, one size."""
    def whole(values, what, count=size):
        if isinstance(values, (list, tuple, int)):
            # NumPy would make floats of large integers.
            exact = np.array(values, object)
            whole_numbers = all(isinstance(v, int) for v in exact.ravel().tolist())
            values = exact if whole_numbers and exact.size else values
        values = np.asarray(values)
        if values.ndim == 0:
            return np.full(count, values[()], values.dtype)
        values = values.ravel()
        if values.size > size:
            raise ValueError(f"{what} has {values.size} elements, the array {size}")
        return values

    reference = whole(reference, "reference")
    n = reference.size
    touched = np.ones(n, bool)
    if where is not None:
        mask = whole(where, "where", n)
        if mask.dtype != np.bool_ and mask.dtype != object or mask.size != n:
            raise ValueError(f"expected {n} bools in 'where', got {mask.size} of {mask.dtype}")
        touched = mask.astype(bool)
    if magnitude is not None:
        magnitude = whole(magnitude, "magnitude", n)
        if magnitude.size != n:
            raise ValueError(f"expected {n} elements in 'magnitude', got {magnitude.size}")
    return reference, touched, magnitude


def compute_of(type_, compute):
    """The type whose precision bounds sums."""
    return compute or ("float64" if type_.bits == 64 else "float32")


def compare(got, before, reference, type_, *, tolerance="exact", count=0, where=None,
            magnitude=None, compute=None):
    """Compares a flat array with its reference.

    got, before: elements after and before the launch; reference, where, magnitude: flat
    arrays of as many or fewer elements. Returns (which are wrong, expected values), both
    of got's size. Raises ValueError for a reference that does not fit.
    """
    reference, touched, magnitude = flatten(got.size, reference, where, magnitude)
    n = reference.size
    expected = before.copy()
    wrong = bits_of(got) != bits_of(before)
    if type_.is_float:
        bad, shown = compare_floats(got[:n], reference, type_, tolerance, count, magnitude,
                                    compute_of(type_, compute))
        if shown.dtype != expected.dtype:
            expected = to_reference(before)
    else:
        if reference.dtype.kind == "f":
            raise ValueError(f"expected an integer reference for {type_.name}, got floats")
        if reference.dtype == object and float in set(map(type, reference.tolist())):
            raise ValueError(f"expected an integer reference for {type_.name}, got floats in it")
        shown = to_storage(reference, type_)
        bad = bits_of(got[:n]) != bits_of(shown)
    wrong[:n] = np.where(touched, bad, wrong[:n])
    expected[:n] = np.where(touched, shown, expected[:n])
    return wrong, expected
