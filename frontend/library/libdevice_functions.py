# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""libdevice: functions of floats in terms of others. What is computed in float64 for float32
comes out within one unit in the last place; docs/libdevice.md has the bounds."""

import tegula.language as tl


def _wide(x, name: tl.constexpr):
    """x as float64, checked."""
    _check_float(x, name)
    return x.to(tl.float64)


def libdevice_saturatef(x):
    """x limited to [0, 1]; 0 for NaN."""
    _check_float(x, "saturatef")
    return tl.where(x > 0, tl.where(x < 1, x, 1), 0).to(x.dtype)


def libdevice_rcp64h(x):
    """1 / x."""
    return 1 / _wide(x, "rcp64h")


def libdevice_fdim(x, y):
    """x - y where that is positive, otherwise 0."""
    _check_float(x, "fdim")
    return tl.where(x > y, x - y, tl.where((x != x) | (y != y), x + y, 0).to(x.dtype))


def _exponent(x):
    """The exponent of a finite float64 that is not 0, as int32."""
    small = tl.abs(x) < 2.2250738585072014e-308
    bits = tl.where(small, x * 18014398509481984.0, x).to(tl.int64, bitcast=True)
    return ((bits >> 52) & 0x7ff).to(tl.int32) - tl.where(small, 1077, 1023)


def libdevice_ilogb(x):
    """The exponent as int32: of 0 and NaN the least, of infinity the largest integer."""
    wide = _wide(x, "ilogb")
    result = tl.where((wide == 0) | (wide != wide), -2147483648, _exponent(wide))
    return tl.where(tl.abs(wide) == 1e999, 2147483647, result)


def libdevice_logb(x):
    """The exponent as a float."""
    wide = _wide(x, "logb")
    result = tl.where(wide == 0, -1e999, _exponent(wide).to(tl.float64))
    return tl.where((wide - wide) != 0, wide * wide, result).to(x.dtype)


def _power_of_two(n):
    """2**n as float64, for n from -1022 to 1023."""
    return ((n.to(tl.int64) + 1023) << 52).to(tl.float64, bitcast=True)


def libdevice_ldexp(x, n):
    """x * 2**n, rounded once."""
    _check_float(x, "ldexp")
    if x.dtype == tl.float32:
        limited = tl.minimum(tl.maximum(n, -400), 400)
        return (x.to(tl.float64) * _power_of_two(limited)).to(tl.float32)
    else:
        result = x
        n = tl.minimum(tl.maximum(n, -4000), 4000).to(tl.int32)
        for _ in tl.static_range(2):
            large = n > 1023
            small = n < -1022
            result = tl.where(large, result * 8.98846567431158e307, result)
            result = tl.where(small, result * 2.004168360008973e-292, result)
            n = tl.where(large, n - 1023, tl.where(small, n + 969, n))
        return result * _power_of_two(tl.minimum(tl.maximum(n, -1022), 1023))


def libdevice_scalbn(x, n):
    """x * 2**n, rounded once."""
    return libdevice_ldexp(x, n)


def libdevice_remainder(x, y):
    """x - n * y for the integer n nearest to x / y, ties to even; exact."""
    _check_float(x, "remainder")
    a = tl.abs(x)
    b = tl.abs(y)
    twice = b + b
    rest = tl.where((twice - twice) == 0, tl.libdevice.fmod(a, twice), a)
    # Halves of odd denormals do not exist; twice the rest of those does not overflow.
    is_small = b < 1e-30
    half = b * 0.5
    over = tl.where(is_small, rest + rest > b, rest > half)
    rest = tl.where(over, rest - b, rest)
    again = over & tl.where(is_small, rest + rest >= b, rest >= half)
    rest = tl.where(again, rest - b, rest)
    result = tl.where(_sign_of(x), -rest, rest)
    return tl.where(((x - x) != 0) | (y != y) | (y == 0), 1e999 * 0, result)


def libdevice_llrint(x):
    """Nearest int64, ties to even."""
    return tl.libdevice.rint(x).to(tl.int64)


def libdevice_llround(x):
    """Nearest int64, ties away from zero."""
    return tl.libdevice.round(x).to(tl.int64)


def _half_turns(x):
    """sin and cos of pi * x for float64: x less the nearest half, and which half."""
    t = x - 2 * tl.libdevice.rint(x * 0.5)
    n = tl.libdevice.rint(t * 2)
    angle = (t - 0.5 * n) * 3.141592653589793
    return tl.sin(angle), tl.cos(angle), n.to(tl.int32) & 3


def libdevice_sinpi(x):
    """sin(pi * x)."""
    sine, cosine, n = _half_turns(_wide(x, "sinpi"))
    result = tl.where((n & 1) == 0, sine, cosine)
    return tl.where((n & 2) == 0, result, -result).to(x.dtype)


def libdevice_cospi(x):
    """cos(pi * x)."""
    sine, cosine, n = _half_turns(_wide(x, "cospi"))
    result = tl.where((n & 1) == 0, cosine, sine)
    return tl.where((n == 1) | (n == 2), -result, result).to(x.dtype)


def libdevice_fast_exp10f(x):
    """10 ** x."""
    return tl.libdevice.exp10(x)


def libdevice_fast_log10f(x):
    """Logarithm to base 10."""
    return tl.libdevice.log10(x)


def _norm(squares, largest, T: tl.constexpr, inverse: tl.constexpr):
    """The root of a sum of squares of numbers that were scaled by 2**-exponent(largest)."""
    root = tl.sqrt_rn(squares)
    exponent = _scale_of(largest)
    if inverse:
        result = libdevice_ldexp(1 / root, -exponent)
        return tl.where(largest == 1e999, 0.0, result).to(T)
    else:
        result = libdevice_ldexp(root, exponent)
        return tl.where(largest == 1e999, largest, result).to(T)


def _scale_of(largest):
    ordinary = (largest > 0) & (largest < 1e999)
    return tl.where(ordinary, _exponent(tl.where(ordinary, largest, 1.0)), 0)


def _square(x, exponent):
    scaled = libdevice_ldexp(x, -exponent)
    return scaled * scaled


def _norm4d(a, b, c, d, T: tl.constexpr, inverse: tl.constexpr):
    largest = tl.maximum(tl.maximum(tl.abs(a), tl.abs(b)), tl.maximum(tl.abs(c), tl.abs(d)))
    e = _scale_of(largest)
    squares = (_square(a, e) + _square(b, e)) + (_square(c, e) + _square(d, e))
    return _norm(squares, largest, T, inverse)


def libdevice_hypot(x, y):
    """sqrt(x*x + y*y) without overflow between."""
    return _norm4d(_wide(x, "hypot"), _wide(y, "hypot"), 0.0, 0.0, x.dtype, False)


def libdevice_rhypot(x, y):
    """1 / sqrt(x*x + y*y)."""
    return _norm4d(_wide(x, "rhypot"), _wide(y, "rhypot"), 0.0, 0.0, x.dtype, True)


def libdevice_norm3d(a, b, c):
    """sqrt(a*a + b*b + c*c) without overflow between."""
    return _norm4d(_wide(a, "norm3d"), _wide(b, "norm3d"), _wide(c, "norm3d"), 0.0, a.dtype, False)


def libdevice_rnorm3d(a, b, c):
    """1 / sqrt(a*a + b*b + c*c)."""
    return _norm4d(_wide(a, "rnorm3d"), _wide(b, "rnorm3d"), _wide(c, "rnorm3d"), 0.0, a.dtype,
                   True)


def libdevice_norm4d(a, b, c, d):
    """sqrt(a*a + b*b + c*c + d*d) without overflow between."""
    return _norm4d(_wide(a, "norm4d"), _wide(b, "norm4d"), _wide(c, "norm4d"), _wide(d, "norm4d"),
                   a.dtype, False)


def libdevice_rnorm4d(a, b, c, d):
    """1 / sqrt(a*a + b*b + c*c + d*d)."""
    return _norm4d(_wide(a, "rnorm4d"), _wide(b, "rnorm4d"), _wide(c, "rnorm4d"),
                   _wide(d, "rnorm4d"), a.dtype, True)


def libdevice_rcbrt(x):
    """1 / cbrt(x)."""
    return (1 / tl.libdevice.cbrt(_wide(x, "rcbrt"))).to(x.dtype)
