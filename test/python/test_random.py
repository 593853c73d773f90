# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers: the stream of Philox, bit for bit, against a second implementation."""

import numpy as np
import pytest

import tegula
import tegula.language as tl

N = 256
SPACE = 1 << 64


def philox(counters, keys, bits=32, rounds=10):
    """Philox 4x32 or 4x64 on Python's integers, written from its definition: each round
    multiplies two counters, crosses the halves of the products over, and moves the keys on."""
    mask = (1 << bits) - 1
    multipliers, steps = {
        32: ((0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)),
        64: ((0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)),
    }[bits]
    x, k = list(counters), list(keys)
    for _ in range(rounds):
        first, second = multipliers[0] * x[0], multipliers[1] * x[2]
        x = [(second >> bits) ^ x[1] ^ k[0], second & mask,
             (first >> bits) ^ x[3] ^ k[1], first & mask]
        k = [(key + step) & mask for key, step in zip(k, steps)]
    return x


def stream(seed, offsets, rounds=10):
    """Four arrays of uint32: what a seed and a list of offsets stand for."""
    seed %= SPACE
    keys = (seed & 0xFFFFFFFF, seed >> 32)
    rows = [philox((o & 0xFFFFFFFF, o >> 32, 0, 0), keys, rounds=rounds) for o in offsets]
    return np.array(rows, np.uint32).T


def uniform(bits):
    """Of random words: folded at zero and scaled, so that 1 is never reached."""
    signed = bits.astype(np.int32)
    folded = np.where(signed < 0, ~signed, signed)
    return folded.astype(np.float32) * np.float32(4.6566127342e-10)


def normal(u1, u2):
    """Box and Muller in float64."""
    u1, u2 = np.maximum(u1, np.float32(1e-7)).astype(np.float64), u2.astype(np.float64)
    radius = np.sqrt(-2 * np.log(u1))
    return radius * np.cos(2 * np.pi * u2), radius * np.sin(2 * np.pi * u2)


# The published known answers of Philox: counters, keys, results.
PI = [int(word, 16) for word in "243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0".split()]
KNOWN = [
    (32, 10, [0] * 4, [0] * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    (32, 10, [0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (32, 10, PI[:4], PI[4:], "d16cfe09 94fdcceb 5001e420 24126ea1"),
    (32, 7, [0] * 4, [0] * 2, "5f6fb709 0d893f64 4f121f81 4f730a48"),
    (64, 10, [0] * 4, [0] * 2,
     "16554d9eca36314c db20fe9d672d0fdc d7e772cee186176b 7e68b68aec7ba23b"),
    (64, 10, [SPACE - 1] * 4, [SPACE - 1] * 2,
     "87b092c3013fe90b 438c3c67be8d0224 9cc7d7c69cd777b6 a09caebf594f0ba0"),
]


@tegula.jit
def rounds_kernel(in_ptr, out_ptr, ROUNDS: tl.constexpr):
    c0 = tl.load(in_ptr)
    c1 = tl.load(in_ptr + 1)
    c2 = tl.load(in_ptr + 2)
    c3 = tl.load(in_ptr + 3)
    k0 = tl.load(in_ptr + 4)
    k1 = tl.load(in_ptr + 5)
    r0, r1, r2, r3 = tl.philox_impl(c0, c1, c2, c3, k0, k1, ROUNDS)
    tl.store(out_ptr, r0)
    tl.store(out_ptr + 1, r1)
    tl.store(out_ptr + 2, r2)
    tl.store(out_ptr + 3, r3)


@pytest.mark.parametrize("bits, rounds, counters, keys, words", KNOWN)
def test_known_answers(bits, rounds, counters, keys, words):
    expected = [int(word, 16) for word in words.split()]
    assert philox(counters, keys, bits, rounds) == expected
    out = np.zeros(4, f"uint{bits}")
    rounds_kernel[(1,)](np.array(counters + keys, out.dtype), out, ROUNDS=rounds)
    assert out.tolist() == expected


@tegula.jit
def words_kernel(out_ptr, seed, start, ROUNDS: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    offsets = start + i
    r0, r1, r2, r3 = tl.randint4x(seed, offsets, ROUNDS)
    tl.store(out_ptr + i, r0)
    tl.store(out_ptr + N + i, r1)
    tl.store(out_ptr + 2 * N + i, r2)
    tl.store(out_ptr + 3 * N + i, r3)
    tl.store(out_ptr + 4 * N + i, tl.randint(seed, offsets, n_rounds=ROUNDS))


@tegula.jit
def constant_seed_kernel(out_ptr, start, SEED: tl.constexpr, ROUNDS: tl.constexpr,
                         N: tl.constexpr):
    words_kernel(out_ptr, SEED, start, ROUNDS, N)


SEEDS = [0, 1, 2, 42, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40 + 7, 2**63 - 1, 2**63, SPACE - 1,
         -1, -2**31, -2**63]
# Counters that wrap in their lower word; counters of more than 32 bits.
STARTS = [0, 1, 2**31 - N, 2**31 - 5, 2**32 - 5, 2**40 + 3, 2**62 + 11, 2**63 - N]


def words_of(seed, start, constant, rounds=10):
    out = np.zeros((5, N), np.uint32)
    if constant:
        constant_seed_kernel[(1,)](out, start, SEED=seed, ROUNDS=rounds, N=N)
    else:
        words_kernel[(1,)](out, seed, start, ROUNDS=rounds, N=N)
    return out


def offsets_of(start):
    """Offsets of a run-time start: int32 wraps unless the start needs int64."""
    wide = start >= 2**31
    return [o if wide else o & 0xFFFFFFFF for o in range(start, start + N)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("constant", [False, True], ids=["run time", "constant"])
def test_seeds(seed, constant):
    expected = stream(seed, range(7, 7 + N))
    out = words_of(seed, 7, constant)
    np.testing.assert_array_equal(out[:4], expected)
    np.testing.assert_array_equal(out[4], expected[0])


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("seed", [3, 2**35 + 1])
def test_offsets(start, seed):
    out = words_of(seed, start, False)
    expected = stream(seed, offsets_of(start))
    np.testing.assert_array_equal(out[:4], expected)
    np.testing.assert_array_equal(out[4], expected[0])


@pytest.mark.parametrize("rounds", [0, 1, 4, 6, 7, 10, 16])
def test_rounds(rounds):
    np.testing.assert_array_equal(words_of(9, 0, False, rounds)[:4], stream(9, range(N), rounds))


@tegula.jit
def typed_offsets_kernel(offset_ptr, out_ptr, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.randint(seed, tl.load(offset_ptr + i)))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
                                   "uint64"])
def test_types_of_offsets(dtype):
    """Narrow offsets are widened by their sign; the words of wide ones are two counters."""
    info = np.iinfo(dtype)
    edge = np.arange(N // 4, dtype=dtype)
    offsets = np.concatenate([edge, info.max - edge, info.min + edge, edge * 0 + 77])
    out = np.zeros(N, np.uint32)
    typed_offsets_kernel[(1,)](offsets, out, 5, N=N)
    width = 64 if info.bits == 64 else 32
    expected = stream(5, [int(o) % (1 << width) for o in offsets])[0]
    np.testing.assert_array_equal(out, expected)


@tegula.jit
def scalar_kernel(out_ptr, seed, offset):
    tl.store(out_ptr, tl.randint(seed, offset))
    tl.store(out_ptr + 1, tl.randint(tl.load(out_ptr + 2), offset))


def test_scalars_and_loaded_seeds():
    out = np.array([0, 0, 123], np.uint32)
    scalar_kernel[(1,)](out, 2**33 + 9, 1000)
    assert out[0] == stream(2**33 + 9, [1000])[0, 0]
    assert out[1] == stream(123, [1000])[0, 0]


@tegula.jit
def four_counters_kernel(c_ptr, out_ptr, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    c0 = tl.load(c_ptr + i)
    c1 = tl.load(c_ptr + N + i)
    c2 = tl.load(c_ptr + 2 * N + i)
    c3 = tl.load(c_ptr + 3 * N + i)
    r0, r1, r2, r3 = tl.philox(seed, c0, c1, c2, c3)
    tl.store(out_ptr + i, r0)
    tl.store(out_ptr + N + i, r1)
    tl.store(out_ptr + 2 * N + i, r2)
    tl.store(out_ptr + 3 * N + i, r3)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_four_counters(rng, dtype):
    info = np.iinfo(dtype)
    counters = rng.integers(info.min, info.max, (4, N), dtype, endpoint=True)
    seed = 0x123456789ABCDEF0
    unsigned = f"uint{info.bits}"
    out = np.zeros((4, N), unsigned)
    four_counters_kernel[(1,)](counters, out, seed, N=N)
    keys = (seed, 0) if info.bits == 64 else (seed & 0xFFFFFFFF, seed >> 32)
    expected = [philox([int(c) for c in column], keys, info.bits)
                for column in counters.astype(unsigned).T]
    np.testing.assert_array_equal(out, np.array(expected, unsigned).T)


# -- floats ---------------------------------------------------------------------


@tegula.jit
def scale_kernel(in_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.uint_to_uniform_float(tl.load(in_ptr + i)))


@pytest.mark.parametrize("bits, scale", [(32, 4.6566127342e-10), (64, 1.0842020432385337e-19)])
@pytest.mark.parametrize("kind", ["int", "uint"])
def test_uniform_stays_below_one(bits, scale, kind):
    half, top = 1 << (bits - 1), (1 << bits) - 1
    words = [0, 1, 2, 1000, half - 1, half - 2, half - 1000, half, half + 1, top, top - 1,
             half // 2, half + half // 2, 12345, half - 65, half + 65]
    x = np.array(words, f"uint{bits}").astype(f"{kind}{bits}")
    out = np.full(16, -1, np.float32)
    scale_kernel[(1,)](x, out, N=16)
    folded = np.array([w if w < half else top - w for w in words], np.uint64)
    expected = folded.astype(np.float32) * np.float32(scale)
    np.testing.assert_array_equal(out, expected)
    assert (out >= 0).all() and (out < 1).all()


@tegula.jit
def floats_kernel(out_ptr, seed, start, ROUNDS: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    size = tl.num_programs(0) * N
    offsets = start + i
    u0, u1, u2, u3 = tl.rand4x(seed, offsets, ROUNDS)
    n0, n1, n2, n3 = tl.randn4x(seed, offsets, ROUNDS)
    tl.store(out_ptr + i, u0)
    tl.store(out_ptr + size + i, u1)
    tl.store(out_ptr + 2 * size + i, u2)
    tl.store(out_ptr + 3 * size + i, u3)
    tl.store(out_ptr + 4 * size + i, tl.rand(seed, offsets, ROUNDS))
    tl.store(out_ptr + 5 * size + i, n0)
    tl.store(out_ptr + 6 * size + i, n1)
    tl.store(out_ptr + 7 * size + i, n2)
    tl.store(out_ptr + 8 * size + i, n3)
    tl.store(out_ptr + 9 * size + i, tl.randn(seed, offsets, ROUNDS))


@pytest.mark.parametrize("seed, start, rounds", [(0, 0, 10), (1, 5, 10), (2**40 + 1, 2**33, 10),
                                                 (77, 2**31 - 4 * N, 7)])
def test_rand_and_randn(seed, start, rounds):
    size = 4 * N
    out = np.full((10, size), np.nan, np.float32)
    floats_kernel[(4,)](out, seed, start, ROUNDS=rounds, N=N)
    u = uniform(stream(seed, range(start, start + size), rounds))
    np.testing.assert_array_equal(out[:4], u)
    np.testing.assert_array_equal(out[4], u[0])
    # The angle is rounded to float32 before the cosine: up to 2 pi 2**-24 of it, times a
    # radius below 5.7, and a few units in the last place of each step.
    expected = [*normal(u[0], u[1]), *normal(u[2], u[3]), normal(u[0], u[1])[0]]
    np.testing.assert_allclose(out[5:], expected, rtol=1e-6, atol=5.7 * 2 * np.pi * 2.0**-23)


def test_moments():
    """Of 2**18 numbers: within five standard errors of what the distributions promise."""
    size = 1 << 18
    out = np.empty((10, size), np.float32)
    floats_kernel[(size // N,)](out, 20, 0, ROUNDS=10, N=N)
    root = size**0.5
    for u in out[:4].astype(np.float64):
        assert abs(u.mean() - 0.5) <= 5 * 12**-0.5 / root
        assert abs(u.var() - 1 / 12) <= 5 * 180**-0.5 / root
        counts = np.bincount((u * 64).astype(int), minlength=64)
        # Chi squared with 63 degrees of freedom has a deviation of sqrt(126).
        assert ((counts - size / 64)**2 / (size / 64)).sum() <= 63 + 5 * 126**0.5
    for n in out[5:9].astype(np.float64):
        assert abs(n.mean()) <= 5 / root
        assert abs(n.var() - 1) <= 5 * 2**0.5 / root
        assert abs((n**3).mean()) <= 5 * 15**0.5 / root
        assert abs((n**4).mean() - 3) <= 5 * 96**0.5 / root
    for a in range(4):
        for b in range(a + 1, 4):
            assert abs(np.corrcoef(out[a], out[b])[0, 1]) <= 5 / root
            assert abs(np.corrcoef(out[5 + a], out[5 + b])[0, 1]) <= 5 / root


@tegula.jit
def pair_kernel(u_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.pair_uniform_to_normal(tl.load(u_ptr + i), tl.load(u_ptr + N + i))
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + N + i, b)


def test_normal_of_zero_is_finite():
    u = np.zeros((2, 16), np.float32)
    u[0] = [0, 1e-38, 1e-8, 1e-7, 0.5, 0.75, 0.999, 1 - 2.0**-24] * 2
    u[1, 8:] = np.linspace(0, 1 - 2.0**-24, 8)
    out = np.full((2, 16), np.nan, np.float32)
    pair_kernel[(1,)](u, out, N=16)
    np.testing.assert_allclose(out, normal(*u), rtol=1e-6, atol=5.7 * 2 * np.pi * 2.0**-23)


def test_names_are_exported():
    for name in ("philox philox_impl randint randint4x rand rand4x randn randn4x "
                 "uint_to_uniform_float pair_uniform_to_normal").split():
        assert name in tl.__all__
        with pytest.raises(RuntimeError, match=f"tl.{name} can only be called inside a kernel"):
            getattr(tl, name)()
