# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types, exact rounding and generated arrays of the conformance table.

docs/conformance.md and docs/input-generators.md say what must come out here.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class Type:
    """A type of the language. Floats: bits of the significand, exponent of the least normal
    number, largest finite value, whether infinities and -0.0 exist."""
    name: str
    storage: np.dtype
    kind: str  # "bool", "int", "uint" or "float"
    precision: int = 0
    least: int = 0
    largest: float = 0.0
    has_infinity: bool = True
    has_negative_zero: bool = True

    @property
    def bits(self):
        return self.storage.itemsize * 8

    @property
    def is_float(self):
        return self.kind == "float"


def _types():
    yield Type("int1", np.dtype(np.bool_), "bool")
    for bits in (8, 16, 32, 64):
        yield Type(f"int{bits}", np.dtype(f"int{bits}"), "int")
        yield Type(f"uint{bits}", np.dtype(f"uint{bits}"), "uint")
    for name, storage, precision, least, largest in (
            ("float16", np.float16, 11, -14, 65504.0),
            ("bfloat16", ml_dtypes.bfloat16, 8, -126, (2 - 2.0**-7) * 2.0**127),
            ("float32", np.float32, 24, -126, (2 - 2.0**-23) * 2.0**127),
            ("float64", np.float64, 53, -1022, float(np.finfo(np.float64).max))):
        yield Type(name, np.dtype(storage), "float", precision, least, largest)
    for name, storage, precision, least, largest, infinity, zero in (
            ("float8e4nv", ml_dtypes.float8_e4m3fn, 4, -6, 448.0, False, True),
            ("float8e5", ml_dtypes.float8_e5m2, 3, -14, 57344.0, True, True),
            ("float8e4b8", ml_dtypes.float8_e4m3fnuz, 4, -7, 240.0, False, False),
            ("float8e5b16", ml_dtypes.float8_e5m2fnuz, 3, -15, 57344.0, False, False)):
        yield Type(name, np.dtype(storage), "float", precision, least, largest, infinity, zero)


TYPES = {t.name: t for t in _types()}
_SIGNED = [f"int{b}" for b in (8, 16, 32, 64)]
_FLOATS = ["float16", "bfloat16", "float32", "float64"]
GROUPS = {
    "signed": _SIGNED, "unsigned": [f"u{t}" for t in _SIGNED],
    "ints": _SIGNED + [f"u{t}" for t in _SIGNED], "floats": _FLOATS,
    "fp8": ["float8e4nv", "float8e5", "float8e4b8", "float8e5b16"],
}
GROUPS["numbers"] = GROUPS["ints"] + _FLOATS


def is_fp8(type_):
    return type_.is_float and type_.bits == 8


def overflow(type_):
    """What a finite number beyond the type's range becomes: 8-bit floats saturate."""
    return type_.largest if is_fp8(type_) else np.inf


def _round_integer(value, type_, toward_zero):
    """round_fraction of an integer of more bits than the type has."""
    magnitude = abs(value)
    drop = magnitude.bit_length() - type_.precision
    count, rest, half = magnitude >> drop, magnitude & ((1 << drop) - 1), 1 << (drop - 1)
    if not toward_zero and (rest > half or rest == half and count & 1):
        count += 1
    result = count << drop
    if result > type_.largest:
        result = type_.largest if toward_zero else overflow(type_)
    return float(result) * (-1 if value < 0 else 1)


def round_fraction(value, type_, toward_zero=False):
    """An exact number (int or Fraction) as the type's nearest float, ties to even, in float64."""
    if isinstance(value, int) and value.bit_length() > type_.precision:
        return _round_integer(value, type_, toward_zero)
    value = Fraction(value)
    magnitude = abs(value)
    if not magnitude:
        return 0.0
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2)**exponent > magnitude:
        exponent -= 1
    unit = Fraction(2)**(max(exponent, type_.least) - type_.precision + 1)
    count = magnitude / unit
    # Python's round is to nearest, ties to even.
    result = (count.numerator // count.denominator if toward_zero else round(count)) * unit
    if result > Fraction(type_.largest):
        result = type_.largest if toward_zero else overflow(type_)
    return float(result) * (-1 if value < 0 else 1)


def round_floats(values, type_, toward_zero=False):
    """float64 values as the type's nearest (or next towards zero), in float64."""
    values = np.asarray(values, np.float64)
    if type_.name == "float64":
        return values
    with np.errstate(all="ignore"):
        magnitude = np.abs(values)
        exponent = np.frexp(magnitude)[1].astype(np.int64) - 1
        unit = np.maximum(exponent, type_.least) - type_.precision + 1
        count = np.ldexp(magnitude, -unit)
        count = np.floor(count) if toward_zero else np.rint(count)
        result = np.ldexp(count, unit)
        finite = np.isfinite(values)
        beyond = finite & (result > type_.largest)
        result = np.where(beyond, type_.largest if toward_zero else overflow(type_), result)
        infinite = np.isinf(values)
        result = np.where(infinite, overflow(type_), np.where(finite, result, np.nan))
        result = np.copysign(result, values)
    return result if type_.has_negative_zero else np.where(result == 0, 0.0, result)


def to_float(value):
    """float(), with infinities for what is too large."""
    try:
        return float(value)
    except OverflowError:
        return np.copysign(np.inf, value > 0 or -1)


def round_exact(values, type_, toward_zero=False):
    """An object array of ints, Fractions and floats as the type's nearest, in float64."""
    flat = values.ravel().tolist()
    floats = np.array([to_float(v) for v in flat], np.float64)
    rounded = round_floats(floats, type_, toward_zero)
    # float() has rounded what it does not hold.
    large = ~(np.abs(floats) < 2.0**53)
    for at, v in enumerate(flat):
        if type(v) is Fraction or large[at] and isinstance(v, int):
            rounded[at] = round_fraction(v, type_, toward_zero)
    return rounded.reshape(values.shape)


def to_storage(values, type_):
    """Values in the type's own NumPy dtype: ints modulo 2^width, floats to nearest."""
    # NumPy would make floats of large integers.
    exact = isinstance(values, list) and all(isinstance(v, int) for v in values)
    values = np.asarray(values, object if exact else None)
    if not type_.is_float:
        if type_.kind == "bool":
            return values.astype(np.bool_)
        mask = (1 << type_.bits) - 1
        flat = [int(v) & mask for v in values.ravel().tolist()]
        unsigned = np.array(flat, f"u{type_.storage.itemsize}")
        return unsigned.view(type_.storage).reshape(values.shape)
    rounded = (round_exact if values.dtype == object else round_floats)(values, type_)
    with np.errstate(all="ignore"):
        return rounded.astype(type_.storage)


def to_reference(array):
    """An array as references see it: float64, Python integers, bool."""
    if array.dtype.kind in "iu":
        return array.astype(object)
    if array.dtype == np.bool_:
        return array.view(np.uint8) != 0
    with np.errstate(all="ignore"):
        return array.astype(np.float64)


# -- random words -----------------------------------------------------------------


def stream_of(name):
    """FNV-1a of an argument's name."""
    value = 2166136261
    for byte in name.encode():
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value


def words(kind, blocks, seed, stream):
    """Philox4x32-10: an array of (blocks, 4) words for blocks 0, 1, ..."""
    mask = np.uint64(0xFFFFFFFF)
    block = np.arange(blocks, dtype=np.uint64)
    c = [block & mask, block >> np.uint64(32), np.full(blocks, stream, np.uint64),
         np.full(blocks, kind, np.uint64)]
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> np.uint64(32)) ^ c[1] ^ np.uint64(k0), b & mask,
             (a >> np.uint64(32)) ^ c[3] ^ np.uint64(k1), a & mask]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack(c, axis=1)


def _stream(kind, count, seed, stream):
    """One word an element."""
    return words(kind, (count + 3) // 4, seed, stream).ravel()[:count]


# -- generators -------------------------------------------------------------------


def special_values(type_):
    """The 32 special values of a type, in order."""
    w = type_.bits
    if type_.kind == "bool":
        return np.array([False, True] * 16)
    if not type_.is_float:
        low = 0 if type_.kind == "uint" else -(1 << (w - 1))
        high = low + (1 << w) - 1
        return to_storage([low, high, 0, -1, 1, 2, -2, 3, low + 1, high - 1, high // 2 + 1, 7, -7,
                           10, 100, -100, w - 1, w, w + 1, 127, -128, 255, 256, 32767, -32768,
                           65535, 65536, 2**31 - 1, -2**31, 2**32 - 1, 5, 64], type_)
    largest, tiny = type_.largest, 2.0**type_.least
    epsilon = 2.0**(1 - type_.precision)
    least = tiny * epsilon
    return to_storage([0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, largest, -largest, tiny,
                       -tiny, least, -least, tiny - least, least - tiny, 0.5, 1.5, -1.5, 2.5, 0.1,
                       -7.0, 3.0, 1 + epsilon, 1 - epsilon / 2, -1 - epsilon, largest / 2, 127.5,
                       100.0, -100.0, 3 * least, 2.0**type_.precision, 65504.0], type_)


def random_bits(type_, count, seed, stream):
    if type_.bits == 64:
        pairs = words(3, (count + 1) // 2, seed, stream).reshape(-1, 2)[:count]
        return (pairs[:, 0] | pairs[:, 1] << np.uint64(32)).view(type_.storage)
    drawn = _stream(3, count, seed, stream)
    if type_.kind == "bool":
        return (drawn & np.uint64(1)).astype(np.bool_)
    return drawn.astype(f"u{type_.storage.itemsize}").view(type_.storage)


def _adversarial(type_, count, seed, stream, which=0):
    i = np.arange(count)
    index = (i % 32, i // 32 % 32, (i + 5 * (i // 32)) % 32)[which]
    drawn = _stream(5, count, seed, stream)
    index = np.where(i < 1024, index, (drawn >> np.uint64(8)).astype(np.int64) % 32)
    special = (i < 1024) | (drawn % np.uint64(4) == 0)
    return np.where(special, special_values(type_)[index],
                    random_bits(type_, count, seed, stream))


def _randint(type_, count, seed, stream, low, high):
    drawn = _stream(2, count, seed, stream)
    return [low + (int(w) * (high - low) >> 32) for w in drawn]


def _index(type_, count, seed, stream, low, high):
    numbers = _randint(type_, count, seed, stream, low, high)
    if count:
        numbers[0], numbers[-1] = low, high - 1
    return numbers


def _permutation(type_, count, seed, stream):
    numbers = list(range(count))
    drawn = _stream(4, count, seed, stream).tolist()
    for k in range(count - 1, 0, -1):
        j = drawn[k] * (k + 1) >> 32
        numbers[k], numbers[j] = numbers[j], numbers[k]
    return numbers


def _rand(type_, count, seed, stream):
    return (_stream(0, count, seed, stream) >> np.uint64(8)) * 2.0**-24


def _randn(type_, count, seed, stream):
    # The C library's log and cos, as everyone else has them; NumPy's own differ in the last place.
    return np.array([math.sqrt(-2 * math.log((a + 1) * 2.0**-32)) * math.cos(
        b * (2 * math.pi * 2.0**-32)) for a, b, _, _ in words(1, count, seed, stream).tolist()])


def _uniform(type_, count, seed, stream, low, high):
    return low + (high - low) * _rand(type_, count, seed, stream)


def _linear(type_, count, seed, stream, low, high):
    return low + (high - low) * (np.arange(count) / max(count - 1, 1))


def _poison(type_, count, seed, stream):
    return np.full(count * type_.storage.itemsize, 0x5A, np.uint8).view(type_.storage)


def _values(type_, count, seed, stream, *values):
    return np.resize(to_storage(list(values), type_), count)


# Name -> (function, least and most parameters, whether they must be integers, kinds of types).
_FLOAT, _ALL = ("float",), ("bool", "int", "uint", "float")
GENERATORS = {
    "zeros": (lambda t, n, s, r: [0] * n, 0, 0, True, _ALL),
    "ones": (lambda t, n, s, r: [1] * n, 0, 0, True, _ALL),
    "full": (lambda t, n, s, r, v: [v] * n, 1, 1, False, _ALL),
    "arange": (lambda t, n, s, r: list(range(n)), 0, 0, True, _ALL),
    "values": (_values, 1, 64, False, _ALL),
    "rand": (_rand, 0, 0, True, _FLOAT),
    "randn": (_randn, 0, 0, True, _FLOAT),
    "uniform": (_uniform, 2, 2, False, _FLOAT),
    "linear": (_linear, 2, 2, False, _FLOAT),
    "randint": (_randint, 2, 2, True, _ALL),
    "index": (_index, 2, 2, True, _ALL),
    "permutation": (_permutation, 0, 0, True, ("int", "uint", "float")),
    "bits": (lambda t, n, s, r: random_bits(t, n, s, r), 0, 0, True, _ALL),
    "adversarial": (_adversarial, 0, 1, True, _ALL),
    "poison": (_poison, 0, 0, True, _ALL),
}


def generate(generator, parameters, type_, shape, seed, name):
    """A generated array in the type's own NumPy dtype."""
    count = int(np.prod(shape, dtype=np.int64))
    values = GENERATORS[generator][0](type_, count, seed, stream_of(name), *parameters)
    if not (isinstance(values, np.ndarray) and values.dtype == type_.storage):
        # Whole numbers stay exact on their way.
        exact = isinstance(values, list) and all(isinstance(v, int) for v in values)
        values = np.array(values, object if exact else None)
        values = to_storage(values.reshape(count), type_)
    return values.reshape(shape)
