# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Random numbers: Philox 4x32-10 (and 4x64-10), counter based, so that element `offset` of the
stream `seed` is the same on every device."""

import tegula.language as tl


def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    """The rounds of Philox on four counters and two keys, all uint32 or all uint64."""
    if c0.dtype == tl.uint32:
        key_a: tl.constexpr = 0x9E3779B9
        key_b: tl.constexpr = 0xBB67AE85
        round_a: tl.constexpr = 0xD2511F53
        round_b: tl.constexpr = 0xCD9E8D57
    else:
        tl.static_assert(c0.dtype == tl.uint64,
                         f"tl.philox_impl needs uint32 or uint64 counters, got {c0.dtype}")
        key_a: tl.constexpr = 0x9E3779B97F4A7C15
        key_b: tl.constexpr = 0xBB67AE8584CAA73B
        round_a: tl.constexpr = 0xD2E7470EE14C6C93
        round_b: tl.constexpr = 0xCA5A826395121157
    for _ in tl.static_range(n_rounds):
        old0 = c0
        old2 = c2
        c0 = tl.umulhi(old2, round_b) ^ c1 ^ k0
        c2 = tl.umulhi(old0, round_a) ^ c3 ^ k1
        c1 = old2 * round_b
        c3 = old0 * round_a
        k0 = k0 + key_a
        k1 = k1 + key_b
    return c0, c1, c2, c3


def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    """Four tiles of random unsigned integers from a seed of up to 64 bits and four counters."""
    tl.static_assert(seed.dtype.is_int(),
                     f"random numbers need an integer as seed, got {seed.dtype}")
    key = seed.to(tl.uint64)
    if c0.dtype.primitive_bitwidth == 32:
        low = (key & 0xFFFFFFFF).to(tl.uint32)
        high = (key >> 32).to(tl.uint32)
        return philox_impl(c0.to(tl.uint32), c1.to(tl.uint32), c2.to(tl.uint32), c3.to(tl.uint32),
                           low, high, n_rounds)
    else:
        tl.static_assert(c0.dtype.primitive_bitwidth == 64,
                         f"tl.philox needs counters of 32 or 64 bits, got {c0.dtype}")
        return philox_impl(c0.to(tl.uint64), c1.to(tl.uint64), c2.to(tl.uint64), c3.to(tl.uint64),
                           key, key * 0, n_rounds)


def randint4x(seed, offset, n_rounds: tl.constexpr = 10):
    """Four tiles of random uint32, one of each per offset."""
    if offset.dtype.primitive_bitwidth > 32:
        low = offset.to(tl.uint32)
        high = (offset >> 32).to(tl.uint32)
        return philox(seed, low, high, low * 0, low * 0, n_rounds)
    else:
        start = offset.to(tl.int32)
        return philox(seed, start, start * 0, start * 0, start * 0, n_rounds)


def randint(seed, offset, n_rounds: tl.constexpr = 10):
    """A tile of random uint32."""
    r0, r1, r2, r3 = randint4x(seed, offset, n_rounds)
    return r0


def uint_to_uniform_float(x):
    """Random integers of 32 or 64 bits as float32, uniform in [0, 1)."""
    if x.dtype.primitive_bitwidth == 32:
        bits = x.to(tl.int32, bitcast=True)
        return tl.where(bits < 0, -bits - 1, bits) * 4.6566127342e-10
    else:
        bits = x.to(tl.int64, bitcast=True)
        return tl.where(bits < 0, -bits - 1, bits) * 1.0842020432385337e-19


def rand(seed, offset, n_rounds: tl.constexpr = 10):
    """A tile of random float32, uniform in [0, 1)."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


def rand4x(seed, offset, n_rounds: tl.constexpr = 10):
    """Four tiles of random float32, uniform in [0, 1)."""
    r0, r1, r2, r3 = randint4x(seed, offset, n_rounds)
    return (uint_to_uniform_float(r0), uint_to_uniform_float(r1), uint_to_uniform_float(r2),
            uint_to_uniform_float(r3))


def pair_uniform_to_normal(u1, u2):
    """Two tiles of standard normal numbers from two of uniform ones (Box and Muller)."""
    radius = tl.sqrt(-2.0 * tl.log(tl.maximum(u1, 1.0e-7)))
    angle = 6.283185307179586 * u2
    return radius * tl.cos(angle), radius * tl.sin(angle)


def randn(seed, offset, n_rounds: tl.constexpr = 10):
    """A tile of random float32 of the standard normal distribution."""
    r0, r1, r2, r3 = randint4x(seed, offset, n_rounds)
    n0, n1 = pair_uniform_to_normal(uint_to_uniform_float(r0), uint_to_uniform_float(r1))
    return n0


def randn4x(seed, offset, n_rounds: tl.constexpr = 10):
    """Four tiles of random float32 of the standard normal distribution."""
    u0, u1, u2, u3 = rand4x(seed, offset, n_rounds)
    n0, n1 = pair_uniform_to_normal(u0, u1)
    n2, n3 = pair_uniform_to_normal(u2, u3)
    return n0, n1, n2, n3
