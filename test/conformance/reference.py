# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions for the reference expressions of the conformance table.

All work elementwise on what references see: floats as float64, integers as
exact Python integers in object arrays, int1 as bool; types are text.
"""

import functools as _functools
import math as _math
from fractions import Fraction

import numpy as np
from conformance_values import TYPES as _TYPES
from conformance_values import round_exact as _round_exact
from conformance_values import round_floats as _round_floats
from conformance_values import to_reference as _to_reference
from conformance_values import to_storage as _to_storage

nan, inf = np.nan, np.inf


def _each(function, *operands):
    """Elementwise on objects, with an array of objects as result."""
    result = np.frompyfunc(function, len(operands), 1)(*(np.asarray(o, object) for o in operands))
    return np.asarray(result, object)


# -- types and conversions ----------------------------------------------------------


def is_float(T):
    return _TYPES[T].is_float


def wrap(x, T):
    """Integers modulo 2^width."""
    return _to_reference(_to_storage(np.asarray(x), _TYPES[T]))


def cast(x, T, rtz=False):
    """`.to(T)`: by docs/semantics.md, of floats, integers and bools."""
    x, type_ = np.asarray(x), _TYPES[T]
    if type_.kind == "bool":
        return x != 0
    if x.dtype == np.bool_:
        x = x.astype(object) * 1 if not type_.is_float else x.astype(np.float64)
    if type_.is_float:
        if x.dtype == object or x.dtype.kind in "iu":
            return _round_exact(x.astype(object), type_, rtz)
        return _round_floats(x, type_, rtz)
    if x.dtype == object or x.dtype.kind in "iu":
        return wrap(x, T)
    low = 0 if type_.kind == "uint" else -(1 << (type_.bits - 1))
    high = low + (1 << type_.bits) - 1
    return _each(lambda v: 0 if v != v else low if v <= low else high if v >= high else int(v), x)


def bitcast(x, T, U):
    """Values of T, or elements of `stored`, read as U."""
    stored = np.asarray(x)
    if stored.dtype != _TYPES[T].storage:
        stored = _to_storage(stored, _TYPES[T])
    return _to_reference(np.ascontiguousarray(stored).view(_TYPES[U].storage))


def e4b15_value(bits):
    """The numbers that bytes stand for in float8e4b15: 4 bits of exponent with bias 15."""
    def one(b):
        exponent, mantissa = b >> 3 & 15, b & 7
        value = (8 + mantissa) * 2.0**(exponent - 18) if exponent else mantissa * 2.0**-17
        return -value if b >> 7 else value
    return np.asarray(_each(one, bits), np.float64)


def e4b15_bits(x, rtz=False):
    """Numbers as bytes of float8e4b15; what is too large, and NaN, is the largest number."""
    magnitudes = e4b15_value(np.arange(128)).tolist()

    def one(v):
        sign = 128 if np.signbit(v) else 0
        magnitude = abs(v)
        if not magnitude < magnitudes[-1]:
            return sign | 127
        low = max(i for i in range(128) if magnitudes[i] <= magnitude)
        if rtz:
            return sign | low
        below, above = magnitude - magnitudes[low], magnitudes[low + 1] - magnitude
        return sign | (low + (above < below or above == below and low & 1))
    return _each(one, x)


# -- integers -------------------------------------------------------------------------


def c_div(a, b):
    """Quotient rounded towards zero; 0 where b is 0."""
    return _each(lambda x, y: 0 if not y else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1),
                 a, b)


def c_rem(a, b):
    """Remainder with the sign of a; a where b is 0."""
    return _each(lambda x, y: x if not y else abs(x) % abs(y) * (-1 if x < 0 else 1), a, b)


def shl(a, n, T):
    """a << n as T; amounts are unsigned, past the width 0."""
    w = _TYPES[T].bits
    return wrap(_each(lambda x, y: x << (y % (1 << w)) if y % (1 << w) < w else 0, a, n), T)


def shr(a, n, T):
    """a >> n as T; past the width the sign."""
    w = _TYPES[T].bits
    return _each(lambda x, y: x >> min(y % (1 << w), w), a, n)


def mulhi(a, b, width):
    return _each(lambda x, y: (x * y) >> width, a, b)


# -- floats -----------------------------------------------------------------------------


def exact(x):
    """Finite floats as Fractions (NaN and infinities as they are): exact arithmetic."""
    return _each(lambda v: Fraction(v) if np.isfinite(v) else v, np.asarray(x, np.float64))


def fma(x, y, z):
    """x * y + z, exact where all are finite."""
    def one(a, b, c):
        if np.isfinite(a) and np.isfinite(b) and np.isinf(c):
            return c
        plain = np.float64(a) * np.float64(b) + np.float64(c)
        if not (np.isfinite(a) and np.isfinite(b) and np.isfinite(c)):
            return plain
        result = Fraction(a) * Fraction(b) + Fraction(c)
        # An exact zero has the sign that IEEE gives the sum.
        return result if result else plain if plain == 0 else 0.0
    return _each(one, x, y, z)


def maxnum(a, b):
    """The larger one; of one NaN the other operand."""
    return np.fmax(a, b)


def minnum(a, b):
    return np.fmin(a, b)


def maximum_all(a, b):
    """NaN wins, -0.0 < 0.0."""
    zeros = (a == 0) & (b == 0)
    return np.where(zeros, np.where(np.signbit(a) & np.signbit(b), -0.0, 0.0), np.maximum(a, b))


def minimum_all(a, b):
    zeros = (a == 0) & (b == 0)
    return np.where(zeros, np.where(np.signbit(a) | np.signbit(b), -0.0, 0.0), np.minimum(a, b))


def fmod(x, y):
    return np.fmod(x, y)


def vectorized(function, x):
    """A function of one float from Python's math, NaN and errors included."""
    def one(v):
        try:
            return float(function(v))
        except (ValueError, OverflowError):
            return np.nan
    return np.asarray(_each(one, x), np.float64)


def erf(x):
    return vectorized(_math.erf, x)


def erfc(x):
    return vectorized(_math.erfc, x)


def largest(a, b):
    """The larger one; NaN loses, and -0.0 < 0.0."""
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, maximum_all(a, b)))


def smallest(a, b):
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, minimum_all(a, b)))


# -- libdevice ----------------------------------------------------------------------------


def _finite(*values):
    return all(isinstance(v, int) or _math.isfinite(v) for v in values)


def _neighbour(value, up, T):
    type_ = np.float32 if T == "float32" else np.float64
    with np.errstate(all="ignore"):
        return float(np.nextafter(type_(value), type_(_math.inf if up else -_math.inf)))


def _round_directed(compare, near, mode, T):
    """The float next to the exact number that `compare` compares a float with; `near` is near."""
    with np.errstate(all="ignore"):
        low = float(np.float32(near)) if T == "float32" else float(near)
    low = _math.copysign(np.finfo(T).max, low) if _math.isinf(low) else low
    while not _math.isinf(low) and compare(low) > 0:
        low = _neighbour(low, False, T)
    while not _math.isinf(_neighbour(low, True, T)) and compare(_neighbour(low, True, T)) <= 0:
        low = _neighbour(low, True, T)
    if not _math.isinf(low) and compare(low) == 0:
        return low
    high = _neighbour(low, True, T)
    if mode == "rn":
        return None
    down = mode == "rd" or (mode == "rz" and (low >= 0 or high > 0 and low > 0))
    if mode == "rz":
        down = compare(0.0) <= 0
    return low if down else high


def directed(function, T, *operands):
    """add_rz, int2float_ru and the like: the exact result rounded as the name says."""
    name, mode = function.rsplit("_", 1)

    def one(*v):
        if not _finite(*v):
            a = [np.float64(x) for x in v]
            plain = {"add": lambda: a[0] + a[1], "sub": lambda: a[0] - a[1],
                     "mul": lambda: a[0] * a[1], "div": lambda: a[0] / a[1],
                     "sqrt": lambda: np.sqrt(a[0]), "rcp": lambda: 1 / a[0],
                     "fma": lambda: a[0] * a[1] + a[2]}.get(name, lambda: a[0])
            with np.errstate(all="ignore"):
                return float(plain())
        e = [Fraction(x) for x in v]
        if name in ("div", "rcp") and e[-1] == 0:
            top = np.float64(v[0]) if name == "div" else np.float64(1)
            with np.errstate(all="ignore"):
                return float(top / np.float64(v[-1]))
        if name == "sqrt":
            if e[0] < 0:
                return _math.nan
            root = _math.sqrt(v[0])
            if mode == "rn":
                return float(np.sqrt(np.float32(v[0]))) if T == "float32" else root
            return _round_directed(lambda x: (1 if x > 0 else -1) * Fraction(x) ** 2 - e[0]
                                   if x != 0 else -e[0], root, mode, T)
        exact_value = {"add": lambda: e[0] + e[1], "sub": lambda: e[0] - e[1],
                       "mul": lambda: e[0] * e[1], "div": lambda: e[0] / e[1],
                       "rcp": lambda: 1 / e[0], "fma": lambda: e[0] * e[1] + e[2]}.get(
                           name, lambda: e[0])()
        if mode == "rn":
            return float(_round_exact(np.array([exact_value], object), _TYPES[T], False)[0])
        near = float(exact_value) if abs(exact_value) < Fraction(2) ** 1024 else (
            _math.copysign(_math.inf, exact_value))
        return _round_directed(lambda x: Fraction(x) - exact_value, near, mode, T)

    return np.asarray(_each(one, *operands), np.float64)


def to_whole(x, function):
    """Floats rounded to whole numbers as the end of a name says."""
    with np.errstate(all="ignore"):
        if function.endswith("rint") or function.endswith("_rn"):
            return np.rint(x)
        if function.endswith("round"):
            return np.copysign(np.floor(np.abs(x) + 0.5), x)
        return {"rz": np.trunc, "rd": np.floor, "ru": np.ceil}[function[-2:]](x)


def libdevice_integers(function, T, *operands):
    bits = _TYPES[T].bits
    low24 = (lambda v: (v & 0xffffff) - (1 << 24 if v & 0x800000 else 0)) if T[0] == "i" else (
        lambda v: v & 0xffffff)

    def byte_perm(x, y, s):
        pool = (x % 2**32) | (y % 2**32) << 32
        return sum(((pool >> 8 * ((s >> 4 * i) & 7)) & 0xff) << 8 * i for i in range(4))

    one = {"mulhi": lambda x, y: (x * y) >> bits,
           "mul24": lambda x, y: low24(x) * low24(y),
           "hadd": lambda x, y: (x + y) >> 1, "rhadd": lambda x, y: (x + y + 1) >> 1,
           "sad": lambda x, y, z: abs(x - y) + z, "byte_perm": byte_perm}[function]
    return wrap(_each(one, *operands), T)


def libdevice_exact(function, T, *operands):
    type_ = np.float32 if T == "float32" else np.float64

    def remainder(x, y):
        return _math.remainder(x, y) if _math.isfinite(x) and y else (
            _math.nan)

    def ldexp(x, n):
        if not _math.isfinite(x) or x == 0:
            return x
        return float(_round_exact(np.array([Fraction(x) * Fraction(2) ** n], object), _TYPES[T],
                                  False)[0])

    def exponent(x):
        return _math.frexp(x)[1] - 1

    one = {"nextafter": lambda x, y: float(np.nextafter(type_(x), type_(y))),
           "fdim": lambda x, y: _math.nan if x != x or y != y else x - y if x > y else 0.0,
           "remainder": lambda x, y: _math.nan if x != x or y != y else remainder(x, y),
           "saturatef": lambda x: 0.0 if x != x else min(max(x, 0.0), 1.0),
           "logb": lambda x: x * x if not _math.isfinite(x) else (
               -_math.inf if x == 0 else float(exponent(x))),
           "ilogb": lambda x: -2**31 if x != x or x == 0 else (
               2**31 - 1 if _math.isinf(x) else exponent(x)),
           "ldexp": ldexp}[function]
    result = _each(one, *operands)
    return result if function == "ilogb" else np.asarray(result, np.float64)


def norms(function, *operands):
    """Roots of sums of squares, and their inverses."""
    def one(*values):
        infinite = any(_math.isinf(v) for v in values)
        if function[0] != "r":
            return _math.inf if infinite else _math.hypot(*values)
        root = _math.hypot(*(v / 4 for v in values))
        return 0.0 if infinite else _math.inf if root == 0 else 0.25 / root
    return np.asarray(_each(one, *operands), np.float64)


def special(function, x):
    """Special functions, by mpmath."""
    import mpmath as mp
    mp.mp.dps = 40

    def whole(v):
        return v == _math.floor(v)

    def one(v):
        if v != v:
            return v
        if function in ("sinpi", "cospi", "tgamma") and _math.isinf(v):
            return _math.inf if function == "tgamma" and v > 0 else _math.nan
        if function == "tgamma" and v <= 0 and whole(v):
            return _math.copysign(_math.inf, v) if v == 0 else _math.nan
        if function == "lgamma" and (_math.isinf(v) or (v <= 0 and whole(v))):
            return _math.inf
        if function == "rcbrt":
            return _math.copysign(0.0, v) if _math.isinf(v) else _math.copysign(_math.inf, v) if (
                v == 0) else float(mp.sign(v) / mp.cbrt(abs(mp.mpf(v))))
        if function in ("erfinv", "erfcinv"):
            y = mp.mpf(v) if function == "erfinv" else 1 - mp.mpf(v)
            return _math.nan if abs(y) > 1 else float(mp.erfinv(y)) if abs(y) < 1 else (
                _math.copysign(_math.inf, y))
        if function in ("j0", "j1") and _math.isinf(v):
            return 0.0
        if function in ("y0", "y1") and (v <= 0 or _math.isinf(v)):
            return 0.0 if v > 0 else -_math.inf if v == 0 else _math.nan
        m = mp.mpf(v)
        value = {"j0": lambda t: mp.besselj(0, t), "j1": lambda t: mp.besselj(1, t),
                 "y0": lambda t: mp.bessely(0, t), "y1": lambda t: mp.bessely(1, t),
                 "sinpi": mp.sinpi, "cospi": mp.cospi, "fast_exp10f": lambda t: mp.power(10, t),
                 "fast_log10f": mp.log10, "normcdf": mp.ncdf,
                 "normcdfinv": lambda t: mp.sqrt(2) * mp.erfinv(2 * t - 1),
                 "erfcx": lambda t: mp.exp(t * t) * mp.erfc(t), "tgamma": mp.gamma,
                 "lgamma": lambda t: mp.re(mp.loggamma(t)),
                 "cyl_bessel_i0": lambda t: mp.besseli(0, t),
                 "cyl_bessel_i1": lambda t: mp.besseli(1, t)}[function](m)
        return float(value)

    return np.asarray(_each(one, x), np.float64)


def ordered(function, n, x):
    """Bessel functions of order n."""
    import mpmath as mp
    mp.mp.dps = 40

    def one(order, v):
        v = float(v)
        if _math.isnan(v) or order < 0 or (function == "yn" and v < 0):
            return _math.nan
        if _math.isinf(v):
            return 0.0
        if function == "yn":
            return -_math.inf if v == 0 else float(mp.bessely(int(order), v))
        return float(mp.besselj(int(order), v))

    return np.asarray([one(*pair) for pair in zip(n, x)], np.float64)


# -- tiles ------------------------------------------------------------------------------


def total_at(index, values, size):
    """The sum of the values at each index from 0 to size - 1."""
    total = np.zeros(size, np.asarray(values).dtype)
    np.add.at(total, np.asarray(index, np.int64), values)
    return total


def program_ids(*grid):
    """Index of each program along each axis: arrays of shape `grid`."""
    return tuple(i.astype(object) for i in np.indices(grid))


def pad(x, shape, value=0):
    """x in the corner of a larger array of one value."""
    out = np.full(shape, value, np.asarray(x).dtype)
    out[tuple(slice(0, n) for n in np.shape(x))] = x
    return out


def gathered(x, index, axis):
    """Elements of x at each index along an axis; 0 where there is none."""
    size = x.shape[axis]
    inside = (index >= 0) & (index < size)
    near = np.where(inside, index, 0).astype(np.int64)
    return np.where(inside, np.take_along_axis(x, near, axis), 0)


def collatz_steps(x, limit, T):
    """Steps of each number to 1 by halving or 3 n + 1 in the arithmetic of T, at most `limit`."""
    def count(n):
        steps = 0
        while n > 1 and steps < limit:
            n = n // 2 if n % 2 == 0 else int(wrap(3 * n + 1, T))
            steps += 1
        return steps
    return _each(count, x)


def sort_order(x, axis=-1, descending=False):
    """Positions that order x: stable both ways, NaN the largest, -0.0 equal to 0.0."""
    x = np.asarray(x)
    if x.dtype == object:
        levels = sorted(set(x.ravel()))
        rank = {value: i for i, value in enumerate(levels)}
        keys = np.frompyfunc(rank.get, 1, 1)(x).astype(np.int64)
    else:
        keys = np.unique(x, return_inverse=True)[1].reshape(x.shape)
        keys = np.where(np.isnan(x), x.size + 1, keys) if x.dtype == np.float64 else keys
    return np.argsort(-keys if descending else keys, axis, kind="stable")


def count_values(x, bins):
    """How often each of 0 to bins - 1 occurs."""
    return np.bincount([int(v) for v in np.ravel(x) if 0 <= v < bins], minlength=bins)


def running_sum(x, axis, reverse):
    """Exact sums along an axis, from its end if `reverse`."""
    x = np.flip(x, axis) if reverse else x
    total = np.cumsum(x, axis)
    return np.flip(total, axis) if reverse else total


def recurrence(a, x, reverse):
    """h[i] = a[i] * h[i - 1] + x[i], from the end if `reverse`."""
    h, out = 0, []
    for one, more in zip(a[::-1] if reverse else a, x[::-1] if reverse else x):
        h = one * h + more
        out.append(h)
    return np.array(out[::-1] if reverse else out, np.asarray(x).dtype)


def e8m0(bits):
    """Scales of 8 bits: powers of two, 255 is NaN."""
    bits = np.asarray(bits, np.float64)
    return np.where(bits == 255, np.nan, np.exp2(bits - 127))


def e2m1(packed, axis):
    """Bytes as two values each along an axis, the lower half first."""
    table = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6] + [-0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
    packed = np.asarray(packed, np.int64)
    both = np.stack([table[packed & 15], table[packed >> 4]], axis + 1)
    shape = list(packed.shape)
    shape[axis] *= 2
    return both.reshape(shape)


def scaled(x, scale, group):
    """Rows of x times one scale per group of columns."""
    return x * np.repeat(scale, group, 1)


def matmul(a, b):
    """Matrix products, also of batches; of integers exact."""
    return np.matmul(a, b)


def fold(function, items):
    """functools.reduce: from left to right."""
    return _functools.reduce(function, items)


def _best(x, axis, worse):
    """Index of the first best element; a NaN is worse than any number, of NaNs the first."""
    x = np.asarray(x)
    if axis is None:
        x, axis = x.ravel(), 0
    if x.dtype != object:
        nan_last = np.where(np.isnan(x), worse, x)
        index = (np.argmax if worse < 0 else np.argmin)(nan_last, axis)
        # An infinity of the worse sign still beats a NaN.
        real = np.take_along_axis(np.isnan(x), np.expand_dims(index, axis), axis)
        other = np.argmax(~np.isnan(x), axis)
        return np.where(real.squeeze(axis), other, index).astype(object)
    return np.asarray((np.argmax if worse < 0 else np.argmin)(x, axis), object)


def argmax(x, axis):
    """Index of the largest element along an axis, or in all of x: the first of equal ones."""
    return _best(x, axis, -np.inf)


def argmin(x, axis):
    return _best(x, axis, np.inf)


def aliased(x, n, offset):
    """What programs/aliases leaves in an array that both of its arguments reach."""
    x = x.copy()
    x[offset:offset + n] = x[:n] + 1
    x[offset:offset + n] = x[:n] * 2
    return x


def collatz(x):
    """How many steps of x / 2 or 3 x + 1 lead to 1."""
    steps = 0
    while x > 1:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        steps += 1
    return steps


def escape_steps(re, im, limit):
    """How many steps of z z + c stay within 2, up to a limit."""
    def one(a, b):
        c, z = complex(a, b), 0j
        for step in range(limit):
            z = z * z + c
            if not z.real * z.real + z.imag * z.imag < 4:
                return step
        return limit
    return _each(one, re, im)


def nested_loops(n, m):
    """What control/nested computes."""
    total = 0
    for i in range(n):
        row = 0
        for j in range(m):
            if (i + j) % 3 == 0:
                row += i * 10 + j
            elif i > j:
                row -= 1
            else:
                row += (j + 1) // 2
        total += row
        if row < 0:
            total *= 2
    return [total]


# -- random numbers -----------------------------------------------------------------------


def philox(c0, c1, c2, c3, k0, k1, rounds=10, width=32):
    """The rounds of Philox on exact integers: four arrays."""
    mask = (1 << width) - 1
    if width == 32:
        key_a, key_b, round_a, round_b = 0x9E3779B9, 0xBB67AE85, 0xD2511F53, 0xCD9E8D57
    else:
        key_a, key_b = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
        round_a, round_b = 0xD2E7470EE14C6C93, 0xCA5A826395121157
    for _ in range(rounds):
        a, b = round_a * c0, round_b * c2
        c0, c1, c2, c3 = ((b >> width) ^ c1 ^ k0, b & mask, (a >> width) ^ c3 ^ k1, a & mask)
        k0, k1 = (k0 + key_a) & mask, (k1 + key_b) & mask
    return c0, c1, c2, c3


def random_words(seed, offset, rounds=10):
    """tl.randint4x: four arrays of uint32 as exact integers."""
    offset = np.asarray(offset, object)
    zero = offset * 0
    seed &= (1 << 64) - 1
    return philox(offset & 0xFFFFFFFF, (offset >> 32) & 0xFFFFFFFF, zero, zero,
                  zero + (seed & 0xFFFFFFFF), zero + (seed >> 32), rounds)


def random_uniform(words):
    """uint32 words as the float32 numbers of tl.rand, in float64."""
    signed = wrap(words, "int32")
    positive = np.where(signed < 0, -signed - 1, signed).astype(np.float64).astype(np.float32)
    return (positive * np.float32(4.6566127342e-10)).astype(np.float64)


# -- blocks ---------------------------------------------------------------------------


def _placed(shape, offsets, block, edges):
    """Indices of the elements of a block in an array of `shape`, those outside moved inside,
    and which are inside. `edges`: dimensions to check; all if None."""
    positions = np.meshgrid(*(np.arange(b) + int(o) for b, o in zip(block, offsets)), indexing="ij")
    inside = np.ones(tuple(block), bool)
    for d, (at, size) in enumerate(zip(positions, shape)):
        if edges is None or d in edges:
            inside &= (at >= 0) & (at < size)
    return tuple(np.clip(at, 0, max(size - 1, 0)) for at, size in zip(positions, shape)), inside


def block_at(x, offsets, block, pad=0, edges=None):
    """The block of `x` at `offsets`; outside, in dimensions of `edges`, it is `pad`."""
    if x.size == 0:
        return np.full(tuple(block), pad, x.dtype)
    at, inside = _placed(x.shape, offsets, block, edges)
    return np.where(inside, x[at], np.asarray(pad, x.dtype))


def with_block(x, offsets, tile, update=None):
    """`x` after a store of `tile` at `offsets`, or after update(old, new) there."""
    result = x.copy()
    if x.size:
        at, inside = _placed(x.shape, offsets, tile.shape, None)
        at = tuple(i[inside] for i in at)
        result[at] = tile[inside] if update is None else update(result[at], tile[inside])
    return result


def strided(flat, start, shape, strides):
    """The view with these strides, in elements, of a flat array, copied."""
    at = sum((np.arange(n).reshape((-1,) + (1,) * (len(shape) - 1 - d)) * s
              for d, (n, s) in enumerate(zip(shape, strides))), start)
    return flat[at]


def put(x, at, values):
    """`x` with values at flat indices; of several at one index the last stays."""
    result = x.copy()
    result.reshape(-1)[at] = values
    return result


def box_muller(u, v):
    """tl.pair_uniform_to_normal of two arrays in [0, 1)."""
    radius = np.sqrt(-2 * np.log(np.maximum(u, np.float64(np.float32(1e-7)))))
    angle = np.float64(np.float32(6.283185307179586)) * v
    return radius * np.cos(angle), radius * np.sin(angle)


def rows_stored(x, rows, column, tile):
    """`x` after tile[i] was stored at [rows[i], column] for every i, in order."""
    for row, values in zip(rows, tile):
        x = with_block(x, (row, column), values[None])
    return x
