# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""libdevice: error functions, their inverses and the gamma function, computed in float64."""

import tegula.language as tl


def libdevice_normcdf(x):
    """The part of the standard normal distribution below x."""
    wide = _wide(x, "normcdf")
    # x / sqrt(2) with its error: the tail would magnify that.
    z = -0.7071067811865476 * wide
    rest = tl.fma(-0.7071067811865476, wide, -z) + 4.833646656726457e-17 * wide
    slope = 1.1283791670955126 * tl.exp(-z * z)
    rest = tl.where(slope > 0, rest * slope, 0.0)
    return (0.5 * (tl.libdevice.erfc(z) - rest)).to(x.dtype)


def libdevice_erfcx(x):
    """exp(x*x) * erfc(x)."""
    wide = _wide(x, "erfcx")
    near = tl.minimum(wide, 25.0)
    square = near * near
    rest = tl.fma(near, near, -square)
    close = tl.exp(square) * (1 + rest) * tl.libdevice.erfc(near)
    u = 0.5 / (tl.maximum(wide, 25.0) * tl.maximum(wide, 25.0))
    series = tl.full((), 1.0, tl.float64)
    for i in tl.static_range(8):
        series = 1 - (15 - 2 * i) * u * series
    far = 0.5641895835477563 / wide * series
    result = tl.where(wide < 25, close, far)
    return tl.where(wide != wide, wide, result).to(x.dtype)


def _erfinv_near(x):
    """The inverse of erf for |x| <= 0.5, by Halley's method."""
    z = 0.886226925452758 * x
    for _ in tl.static_range(4):
        f = tl.erf(z) - x
        z -= f / (1.1283791670955126 * tl.exp(-z * z) + z * f)
    return z


def _erfcinv_far(q):
    """The inverse of erfc for 0 < q <= 0.5, by Halley's method."""
    t = tl.sqrt(-2 * tl.log(0.5 * q))
    z = -0.70711 * ((2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)) - t)
    for _ in tl.static_range(3):
        f = tl.libdevice.erfc(z) - q
        z += f / (1.1283791670955126 * tl.exp(-z * z) - z * f)
    return z


def _erfinv(x):
    size = tl.abs(x)
    is_near = size <= 0.5
    rest = tl.where(is_near | (size >= 1), 0.25, 1 - size)
    far = _erfcinv_far(rest)
    far = tl.where(size == 1, 1e999, tl.where(size > 1, (1e999 * 0), far))
    near = _erfinv_near(tl.where(is_near, x, 0.0))
    return tl.where(x != x, x, tl.where(is_near, near, tl.where(x < 0, -far, far)))


def _erfcinv(q):
    low = q < 0.5
    inside = low & (q > 0)
    far = _erfcinv_far(tl.where(inside, q, 0.25))
    far = tl.where(q == 0, 1e999, tl.where(q < 0, (1e999 * 0), far))
    return tl.where(low, far, _erfinv(1 - tl.where(low, 1.0, q)))


def libdevice_erfinv(x):
    """The number whose erf is x."""
    return _erfinv(_wide(x, "erfinv")).to(x.dtype)


def libdevice_erfcinv(x):
    """The number whose erfc is x."""
    return _erfcinv(_wide(x, "erfcinv")).to(x.dtype)


def libdevice_normcdfinv(x):
    """The number below which the part x of the standard normal distribution lies."""
    return (-1.4142135623730951 * _erfcinv(2 * _wide(x, "normcdfinv"))).to(x.dtype)


def _stirling(z):
    """log of gamma(z) less (z - 1/2) log z - z + log(2 pi) / 2, for z >= 10."""
    u = 1 / z
    v = u * u
    series = 0.00641025641025641 * v - 0.0019175269175269176
    series = series * v + 0.0008417508417508417
    series = series * v - 0.0005952380952380953
    series = series * v + 0.0007936507936507937
    series = series * v - 0.002777777777777778
    return u * (series * v + 0.08333333333333333)


def _shifted(x):
    """z >= 10 and p with gamma(x) = gamma(z) / p, for x >= 0.5."""
    p = tl.zeros_like(x) + 1.0
    z = x
    for _ in tl.static_range(10):
        low = z < 10
        p = tl.where(low, p * z, p)
        z = tl.where(low, z + 1, z)
    return z, p


def _gamma(x):
    """gamma(x) for x >= 0.5."""
    z, p = _shifted(x)
    half = tl.libdevice.pow(z, 0.5 * z - 0.25)
    scale = 2.5066282746310002 / p * tl.exp(_stirling(z))
    result = half * tl.exp(-z) * half * scale
    return tl.where(x > 171.7, 1e999, result)


def libdevice_tgamma(x):
    """The gamma function."""
    wide = _wide(x, "tgamma")
    mirror = wide < 0.5
    positive = _gamma(tl.where(mirror, 1 - wide, wide))
    sine = libdevice_sinpi(wide)
    reflected = 3.141592653589793 / (sine * positive)
    whole = (tl.floor(wide) == wide) & (wide < 0)
    result = tl.where(mirror, tl.where(whole, (1e999 * 0), reflected), positive)
    result = tl.where(wide == 0, 1 / wide, result)
    # Where gamma(1 - x) is infinite.
    result = tl.where((wide < -170.6) & (wide != tl.floor(wide)), sine * 0.0, result)
    return tl.where(wide != wide, wide, result).to(x.dtype)


def _log_gamma(x):
    """log(gamma(x)) for x >= 0.5."""
    z, p = _shifted(x)
    result = (z - 0.5) * tl.log(z) - z + 0.9189385332046728 + (_stirling(z) - tl.log(p))
    return tl.where((x == 1) | (x == 2), 0.0, tl.where(x == 1e999, x, result))


def libdevice_lgamma(x):
    """log(|gamma(x)|)."""
    wide = _wide(x, "lgamma")
    mirror = wide < 0.5
    positive = _log_gamma(tl.where(mirror, 1 - wide, wide))
    sine = tl.abs(libdevice_sinpi(wide))
    reflected = 1.1447298858494002 - tl.log(sine) - positive
    whole = (tl.floor(wide) == wide) & (wide <= 0)
    result = tl.where(mirror, tl.where(whole, 1e999, reflected), positive)
    result = tl.where(tl.abs(wide) == 1e999, 1e999, result)
    return tl.where(wide != wide, wide, result).to(x.dtype)
