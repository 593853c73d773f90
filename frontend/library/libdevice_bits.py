# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""libdevice: integers and bits."""

import tegula.language as tl


def _check_int(x, name: tl.constexpr):
    tl.static_assert(x.dtype.is_int() and x.dtype.int_bitwidth >= 32,
                     f"libdevice.{name} needs integers of 32 or 64 bits, got {x.dtype}")


def _unsigned(x):
    """The same bits as an unsigned integer."""
    return x.to(tl.get_int_dtype(x.dtype.int_bitwidth, False), bitcast=True)


def libdevice_mulhi(x, y):
    """Upper half of the product."""
    _check_int(x, "mulhi")
    x, y = tl.broadcast(x, y)
    high = tl.umulhi(_unsigned(x), _unsigned(y)).to(x.dtype, bitcast=True)
    if x.dtype.is_int_signed():
        return high - tl.where(x < 0, y, 0) - tl.where(y < 0, x, 0)
    else:
        return high


def libdevice_mul24(x, y):
    """Product of the lower 24 bits."""
    tl.static_assert(x.dtype.is_int() and x.dtype.int_bitwidth == 32,
                     f"libdevice.mul24 needs integers of 32 bits, got {x.dtype}")
    return ((x << 8) >> 8) * ((y << 8) >> 8)


def _halves_swapped(bits, width: tl.constexpr, pattern: tl.constexpr):
    """Each two neighbours of `width` bits in the other order; the pattern selects the lower."""
    mask: tl.constexpr = pattern & ((1 << bits.dtype.int_bitwidth) - 1)
    return ((bits >> width) & mask) | ((bits & mask) << width)


def libdevice_brev(x):
    """The bits in reverse order."""
    _check_int(x, "brev")
    bits = _unsigned(x)
    bits = _halves_swapped(bits, 1, 0x5555555555555555)
    bits = _halves_swapped(bits, 2, 0x3333333333333333)
    bits = _halves_swapped(bits, 4, 0x0f0f0f0f0f0f0f0f)
    bits = _halves_swapped(bits, 8, 0x00ff00ff00ff00ff)
    bits = _halves_swapped(bits, 16, 0x0000ffff0000ffff)
    if x.dtype.int_bitwidth == 64:
        bits = _halves_swapped(bits, 32, 0x00000000ffffffff)
    return bits.to(x.dtype, bitcast=True)


def libdevice_byte_perm(x, y, s):
    """Byte i of the result is that of y * 2**32 + x which bits 4i to 4i + 2 of s name."""
    _check_int(x, "byte_perm")
    _check_int(s, "byte_perm")
    pool = _unsigned(x).to(tl.uint64) | (y.to(tl.uint32).to(tl.uint64) << 32)
    result = tl.zeros_like(pool)
    for i in tl.static_range(4):
        place = ((s >> (4 * i)) & 7).to(tl.uint64) * 8
        result = result | (((pool >> place) & 0xff) << (8 * i))
    return result.to(x.dtype)


def libdevice_sad(x, y, z):
    """|x - y| + z."""
    _check_int(x, "sad")
    difference = tl.where(x > y, _unsigned(x) - _unsigned(y), _unsigned(y) - _unsigned(x))
    return (difference + _unsigned(z)).to(x.dtype, bitcast=True)


def libdevice_hadd(x, y):
    """(x + y) / 2 without overflow, rounded down."""
    _check_int(x, "hadd")
    return (x & y) + ((x ^ y) >> 1)


def libdevice_rhadd(x, y):
    """(x + y + 1) / 2 without overflow, rounded down."""
    _check_int(x, "rhadd")
    return (x | y) - ((x ^ y) >> 1)


def libdevice_int_as_float(x):
    """The bits of an int32 as float32."""
    return x.to(tl.float32, bitcast=True)


def libdevice_uint_as_float(x):
    """The bits of a uint32 as float32."""
    return x.to(tl.float32, bitcast=True)


def libdevice_float_as_int(x):
    """The bits of a float32 as int32."""
    return x.to(tl.int32, bitcast=True)


def libdevice_float_as_uint(x):
    """The bits of a float32 as uint32."""
    return x.to(tl.uint32, bitcast=True)


def libdevice_longlong_as_double(x):
    """The bits of an int64 as float64."""
    return x.to(tl.float64, bitcast=True)


def libdevice_double_as_longlong(x):
    """The bits of a float64 as int64."""
    return x.to(tl.int64, bitcast=True)


def libdevice_hiloint2double(hi, lo):
    """The float64 of two halves."""
    bits = (hi.to(tl.int64) << 32) | lo.to(tl.uint32).to(tl.int64)
    return bits.to(tl.float64, bitcast=True)


def libdevice_double2loint(x):
    """The lower half of a float64."""
    return x.to(tl.int64, bitcast=True).to(tl.int32)


def libdevice_double2hiint(x):
    """The upper half of a float64."""
    return (x.to(tl.int64, bitcast=True) >> 32).to(tl.int32)
