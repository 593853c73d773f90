# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""libdevice: arithmetic and conversions that round towards zero (rz), down (rd) or up (ru).

The nearest result comes first; where its error shows that it lies on the wrong side, the
neighbour takes its place. Float32 is exact for all operands; float64 where neither the result
nor its error underflows."""

import tegula.language as tl


def _check_float(x, name: tl.constexpr):
    tl.static_assert(x.dtype == tl.float32 or x.dtype == tl.float64,
                     f"libdevice.{name} needs float32 or float64, got {x.dtype}")


def _check_type(x, T: tl.constexpr, name: tl.constexpr):
    tl.static_assert(x.dtype == T, f"libdevice.{name} needs {T}, got {x.dtype}")


def libdevice_nextafter(x, y):
    """The neighbour of x in the direction of y."""
    _check_float(x, "nextafter")
    if x.dtype == tl.float32:
        integer: tl.constexpr = tl.int32
        least: tl.constexpr = -0x7fffffff
    else:
        integer: tl.constexpr = tl.int64
        least: tl.constexpr = -0x7fffffffffffffff
    bits = x.to(integer, bitcast=True)
    up = y > x
    step = tl.where((bits >= 0) == up, 1, -1).to(integer)
    first = tl.where(up, 1, least).to(integer)
    result = tl.where(x == 0, first, bits + step).to(x.dtype, bitcast=True)
    result = tl.where(x == y, y, result)
    return tl.where((x != x) | (y != y), x + y, result)


def _directed(nearest, error, mode: tl.constexpr):
    """`nearest` or its neighbour: `error` has the sign of what the exact result has more."""
    if mode == "rn":
        return nearest
    elif mode == "rd":
        return tl.where(error < 0, libdevice_nextafter(nearest, -1e999), nearest)
    elif mode == "ru":
        return tl.where(error > 0, libdevice_nextafter(nearest, 1e999), nearest)
    else:
        inner = libdevice_nextafter(nearest, tl.zeros_like(nearest))
        outside = ((error < 0) & (nearest > 0)) | ((error > 0) & (nearest < 0))
        return tl.where(outside, inner, nearest)


def _narrow(x, mode: tl.constexpr):
    """float64 to float32."""
    nearest = x.to(tl.float32)
    return _directed(nearest, x - nearest.to(tl.float64), mode)


def _sum_error(s, x, y):
    """x + y - s exactly, for s = x + y."""
    part = s - x
    return (x - (s - part)) + (y - part)


def _add_in_mode(x, y, mode: tl.constexpr, name: tl.constexpr):
    _check_float(x, name)
    x, y = tl.broadcast(x, y)
    _check_type(y, x.dtype, name)
    nearest = x + y
    if mode == "rn":
        return nearest
    elif x.dtype == tl.float32:
        a = x.to(tl.float64)
        b = y.to(tl.float64)
        s = a + b
        rest = s - nearest.to(tl.float64)
        error = tl.where(rest != 0, rest, _sum_error(s, a, b).to(tl.float64))
    else:
        overflow = ((nearest - nearest) != 0) & ((x - x) == 0) & ((y - y) == 0)
        error = tl.where(overflow | ((nearest - nearest) != (nearest - nearest)) &
                         ((x - x) == 0) & ((y - y) == 0), -nearest, _sum_error(nearest, x, y))
    result = _directed(nearest, error, mode)
    if mode == "rd":
        # An exact zero of unlike terms is -0.0 then.
        unlike = (x != 0) | (_sign_of(x) != _sign_of(y))
        return tl.where((result == 0) & unlike, -0.0, result)
    else:
        return result


def _sign_of(x):
    """Whether the sign bit is set, as int1."""
    return tl.libdevice.signbit(x)


def _mul(x, y, mode: tl.constexpr, name: tl.constexpr):
    _check_float(x, name)
    nearest = x * y
    if mode == "rn":
        return nearest
    elif x.dtype == tl.float32:
        error = x.to(tl.float64) * y.to(tl.float64) - nearest.to(tl.float64)
    else:
        error = tl.fma(x, y, -nearest)
    return _directed(nearest, error, mode)


def _div(x, y, mode: tl.constexpr, name: tl.constexpr):
    _check_float(y, name)
    nearest = tl.div_rn(x, y)
    if mode == "rn":
        return nearest
    else:
        wide = y.to(tl.float64)
        rest = tl.fma(-nearest.to(tl.float64), wide, tl.zeros_like(wide) + x)
        return _directed(nearest, tl.where(y < 0, -rest, rest), mode)


def _sqrt(x, mode: tl.constexpr, name: tl.constexpr):
    _check_float(x, name)
    nearest = tl.sqrt_rn(x)
    if mode == "rn":
        return nearest
    else:
        root = nearest.to(tl.float64)
        return _directed(nearest, tl.fma(-root, root, x.to(tl.float64)), mode)


def _fma(x, y, z, mode: tl.constexpr, name: tl.constexpr):
    _check_type(x, tl.float32, name)
    nearest = tl.fma(x, y, z)
    product = x.to(tl.float64) * y.to(tl.float64)
    addend = tl.zeros_like(product) + z
    s = product + addend
    rest = s - nearest.to(tl.float64)
    error = tl.where(rest != 0, rest, _sum_error(s, product, addend))
    return _directed(nearest, error, mode)


def _to_float(x, T: tl.constexpr, mode: tl.constexpr):
    """An integer as float32 or float64."""
    nearest = x.to(T)
    if mode == "rn":
        return nearest
    else:
        back = nearest.to(x.dtype)
        if x.dtype.is_int_signed():
            beyond = nearest >= 2.0**(x.dtype.int_bitwidth - 1)
        else:
            beyond = nearest >= 2.0**x.dtype.int_bitwidth
        larger = beyond | (back > x)
        error = tl.where(larger, -1, tl.where(back < x, 1, 0))
        return _directed(nearest, error, mode)


def _to_int(x, T: tl.constexpr, mode: tl.constexpr):
    """A float as an integer: saturated, NaN is 0."""
    if mode == "rn":
        return tl.libdevice.rint(x).to(T)
    elif mode == "rd":
        return tl.floor(x).to(T)
    elif mode == "ru":
        return tl.ceil(x).to(T)
    else:
        return x.to(T)
