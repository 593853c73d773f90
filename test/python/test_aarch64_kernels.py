# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for AArch64, run under qemu-user: functions, reductions, whole algorithms.

Against NumPy in float64; where nothing is rounded, against this machine to the bit.
"""

import math

import numpy as np
import pytest
import tegula
import tegula.language as tl
from aarch64 import assert_same_bits
from test_aarch64 import patterns
from test_language import math_kernel
from tegula.language.extra import libdevice

pytestmark = pytest.mark.filterwarnings("ignore")
EPSILON = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}


def assert_close(got, expected, bound):
    error = np.abs(got.astype(np.float64) - expected)
    assert (error <= bound).all(), f"largest error {np.max(error - bound)} above its bound"


# -- mathematical functions ---------------------------------------------------------


@tegula.jit
def gelu(x):
    return 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))


@tegula.jit
def silu(x):
    return x * tl.sigmoid(x)


@tegula.jit
def log1p(x):
    return libdevice.log1p(x)


@tegula.jit
def tanh(x):
    return tl.math.tanh(x)


def vectorised(function):
    return lambda x: np.array([function(v) for v in x])


# Function of the language, exact function, range, units in the last place.
FUNCTIONS = {
    "exp": (tl.exp, np.exp, -80, 80, 1), "exp2": (tl.exp2, np.exp2, -120, 120, 1),
    "log": (tl.log, np.log, 1e-6, 1e6, 1), "log2": (tl.log2, np.log2, 1e-6, 1e6, 1.5),
    "log1p": (log1p, np.log1p, -0.9, 100, 2), "sin": (tl.sin, np.sin, -100, 100, 2),
    "cos": (tl.cos, np.cos, -100, 100, 2), "tanh": (tanh, np.tanh, -10, 10, 2),
    "erf": (tl.erf, vectorised(math.erf), -4, 4, 2), "sqrt": (tl.sqrt, np.sqrt, 0, 1e30, 0.5),
    "rsqrt": (tl.rsqrt, lambda x: 1 / np.sqrt(x), 1e-30, 1e30, 1.5),
    "sigmoid": (tl.sigmoid, lambda x: 1 / (1 + np.exp(-x)), -20, 20, 4),
    "floor": (tl.floor, np.floor, -1e6, 1e6, 0), "ceil": (tl.ceil, np.ceil, -1e6, 1e6, 0),
    "abs": (tl.abs, np.abs, -1e6, 1e6, 0),
    "gelu": (gelu, lambda x: x * (1 + vectorised(math.erf)(x / 2**0.5)) / 2, -1, 4, 16),
    "silu": (silu, lambda x: x / (1 + np.exp(-x)), -10, 10, 6),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(machine, rng, name, dtype):
    function, exact, low, high, units = FUNCTIONS[name]
    x = rng.uniform(low, high, 1024).astype(dtype)
    out = np.zeros_like(x)
    machine.launch(math_kernel, (4,), x, out, F=function, N=256)
    expected = exact(x.astype(np.float64))
    unit = np.spacing(np.abs(expected).astype(dtype)).astype(np.float64)
    # NumPy's own float64 results are off by a unit or so.
    assert_close(out, expected, (units + (dtype == "float64") * 2) * unit)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["exp", "exp2", "log", "log2", "log1p", "sin", "cos", "tanh",
                                  "erf", "sqrt", "floor", "ceil", "abs"])
def test_functions_of_all_bit_patterns(machine, rng, name, dtype):
    """The same instructions on both machines, if this one fuses products too."""
    function = FUNCTIONS[name][0]
    x = patterns(rng, dtype, 2048)
    out, here = np.zeros_like(x), np.zeros_like(x)
    machine.launch(math_kernel, (8,), x, out, F=function, N=256)
    handle = math_kernel.warmup(x, here, F=function, N=256)
    math_kernel[(8,)](x, here, F=function, N=256)
    features = handle.metadata["features"]
    if "aarch64" in handle.metadata["triple"] or "+fma" in features:
        assert_same_bits(out, here)
    else:
        np.testing.assert_allclose(out, here, rtol=8 * EPSILON[dtype])


@tegula.jit
def binary_kernel(x_ptr, y_ptr, pow_ptr, quotient_ptr, mod_ptr, div_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(pow_ptr + i, tl.math.pow(x, y))
    tl.store(mod_ptr + i, x % y)
    tl.store(div_ptr + i, x / y)
    tl.store(quotient_ptr + i, tl.fdiv(x, y))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_binary_functions(machine, rng, dtype):
    x = rng.uniform(0.1, 20, 512).astype(dtype)
    y = rng.uniform(-8, 8, 512).astype(dtype)
    x[:4], y[:4] = [0, 2, 1, 7], [2, 0, 5, -1]
    out = [np.zeros_like(x) for _ in range(4)]
    machine.launch(binary_kernel, (4,), x, y, *out, N=128)
    wide = x.astype(np.float64), y.astype(np.float64)
    power = wide[0] ** wide[1]
    assert_close(out[0], power, 4 * EPSILON[dtype] * power)
    for got, want in ((out[1], x / y), (out[2], np.fmod(x, y)), (out[3], x / y)):
        assert_same_bits(got, want)


@tegula.jit
def fused_kernel(a_ptr, b_ptr, c_ptr, fma_ptr, clamp_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    c = tl.load(c_ptr + i)
    tl.store(fma_ptr + i, tl.fma(a, b, c))
    tl.store(clamp_ptr + i, tl.clamp(a, tl.minimum(b, c), tl.maximum(b, c)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fma_and_clamp(machine, rng, dtype):
    a, b, c = (rng.standard_normal(256).astype(dtype) for _ in range(3))
    c[:64] = -(a[:64] * b[:64])  # leaves only what rounding the product took away
    out = [np.zeros_like(a) for _ in range(2)]
    machine.compare(fused_kernel, (1,), a, b, c, *out, N=256)
    if dtype == "float32":
        exact = a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)
        assert_same_bits(out[0], exact.astype(dtype))
    assert_same_bits(out[1], np.clip(a, np.minimum(b, c), np.maximum(b, c)))


# -- integers and random numbers ----------------------------------------------------


@tegula.jit
def hash_kernel(x_ptr, high_ptr, hash_ptr, count_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(high_ptr + i, tl.umulhi(x, x ^ 0x5bd1e995))
    h = x
    for _ in tl.static_range(3):
        h ^= h << 13
        h ^= h >> 17
        h ^= h << 5
    tl.store(hash_ptr + i, h)
    count = tl.zeros((N,), tl.uint32)
    for k in range(32):
        count += (x >> k).to(tl.uint32) & 1
    tl.store(count_ptr + i, count)


def test_hash_and_high_products(machine, rng):
    x = patterns(rng, np.uint32, 256)
    out = [np.zeros_like(x) for _ in range(3)]
    machine.compare(hash_kernel, (1,), x, *out, N=256)
    wide = x.astype(np.uint64)
    assert_same_bits(out[0], (wide * (x ^ np.uint32(0x5bd1e995)) >> np.uint64(32)).astype("u4"))
    assert out[2].tolist() == [int(v).bit_count() for v in x]


@tegula.jit
def gcd_kernel(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    while tl.max(b, axis=0) > 0:
        rest = tl.where(b > 0, a % b, 0)
        a = tl.where(b > 0, b, a)
        b = rest
    tl.store(out_ptr + i, a)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint16"])
def test_greatest_common_divisor(machine, rng, dtype):
    a, b = (rng.integers(1, 2**15, 64).astype(dtype) for _ in range(2))
    out = np.zeros_like(a)
    machine.compare(gcd_kernel, (1,), a, b, out, N=64)
    assert_same_bits(out, np.gcd(a, b))


@tegula.jit
def search_kernel(sorted_ptr, wanted_ptr, out_ptr, n):
    pid = tl.program_id(0)
    wanted = tl.load(wanted_ptr + pid)
    low = 0
    high = n
    while low < high:
        middle = (low + high) // 2
        if tl.load(sorted_ptr + middle) < wanted:
            low = middle + 1
        else:
            high = middle
    tl.store(out_ptr + pid, low)


def test_binary_search(machine, rng):
    numbers = np.sort(rng.integers(-1000, 1000, 333).astype(np.int64))
    wanted = rng.integers(-1100, 1100, 50)
    out = np.zeros(50, np.int32)
    machine.compare(search_kernel, (50,), numbers, wanted, out, 333)
    np.testing.assert_array_equal(out, np.searchsorted(numbers, wanted))


@tegula.jit
def random_kernel(ints_ptr, floats_ptr, seed, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a, b, c, d = tl.randint4x(seed, i)
    tl.store(ints_ptr + i, a ^ (b + c) ^ d)
    tl.store(floats_ptr + i, tl.rand(seed, i))


@pytest.mark.parametrize("seed", [0, 42, 2**40 + 1])
def test_random_numbers(machine, seed):
    ints, floats = np.zeros(512, np.int32), np.zeros(512, np.float32)
    machine.compare(random_kernel, (4,), ints, floats, seed, N=128)
    assert ((floats >= 0) & (floats < 1)).all() and abs(floats.mean() - 0.5) < 0.06


@tegula.jit
def unpack_kernel(packed_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    byte = tl.load(packed_ptr + i // 2)
    nibble = (byte >> (i % 2 * 4).to(tl.uint8)) & 15
    tl.store(out_ptr + i, ((nibble ^ 8).to(tl.int8) - 8).to(tl.float16))


def test_unpack_four_bit_integers(machine, rng):
    packed = rng.integers(0, 256, 64, dtype=np.uint8)
    out = np.zeros(128, np.float16)
    machine.compare(unpack_kernel, (1,), packed, out, N=128)
    nibbles = np.stack([packed & 15, packed >> 4], 1).ravel().astype(np.int8)
    np.testing.assert_array_equal(out, np.where(nibbles > 7, nibbles - 16, nibbles))
