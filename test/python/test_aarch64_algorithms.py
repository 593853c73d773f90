# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for AArch64, run under qemu-user: reductions, products, whole algorithms.

Against NumPy in float64, with bounds from the number of roundings.
"""


import ml_dtypes
import numpy as np
import pytest
import tegula
import tegula.language as tl
from aarch64 import Machine, assert_same_bits
from test_aarch64 import patterns
from test_kernels import layer_norm_kernel, matmul_kernel, softmax_kernel
from test_language import FLOATS, INTEGERS, dtype_of

pytestmark = pytest.mark.filterwarnings("ignore:invalid value")
EPSILON = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}


def assert_close(got, expected, bound):
    error = np.abs(got.astype(np.float64) - expected)
    assert (error <= bound).all(), f"largest error {np.max(error - bound)} above its bound"


def normal(rng, shape, dtype):
    return rng.standard_normal(shape).astype(dtype_of(dtype))


# -- reductions ---------------------------------------------------------------------


@tegula.jit
def reduce_kernel(x_ptr, sum_ptr, max_ptr, min_ptr, at_max_ptr, at_min_ptr, M: tl.constexpr,
                  N: tl.constexpr, AXIS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    o = tl.arange(0, M if AXIS == 1 else N)
    tl.store(sum_ptr + o, tl.sum(x, axis=AXIS))
    tl.store(max_ptr + o, tl.max(x, axis=AXIS))
    tl.store(min_ptr + o, tl.min(x, axis=AXIS))
    tl.store(at_max_ptr + o, tl.argmax(x, axis=AXIS))
    tl.store(at_min_ptr + o, tl.argmin(x, axis=AXIS))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
def test_reductions(machine, rng, name, axis):
    """Few different values, so that the first of equal ones is asked for."""
    x = rng.integers(0, 10, (16, 32)).astype(dtype_of(name))
    size = x.shape[1 - axis]
    total = np.zeros(size, np.float64 if name in FLOATS else np.int64)
    extremes = [np.zeros(size, x.dtype) for _ in range(2)]
    places = [np.zeros(size, np.int32) for _ in range(2)]
    machine.compare(reduce_kernel, (1,), x, total, *extremes, *places, M=16, N=32, AXIS=axis)
    wide = x.astype(np.float64)
    np.testing.assert_array_equal(extremes[0].astype(np.float64), wide.max(axis))
    np.testing.assert_array_equal(extremes[1].astype(np.float64), wide.min(axis))
    np.testing.assert_array_equal(places[0], wide.argmax(axis))
    np.testing.assert_array_equal(places[1], wide.argmin(axis))
    np.testing.assert_array_equal(total, wide.sum(axis))


@tegula.jit
def bits_kernel(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.xor_sum(x, axis=0))
    tl.store(out_ptr + 1, tl.reduce_or(x, axis=0))


@pytest.mark.parametrize("name", ["int8", "uint32", "int64"])
def test_reductions_of_bits(machine, rng, name):
    x = patterns(rng, name, 128) & np.array(0x55, name)
    out = np.zeros(2, name)
    machine.compare(bits_kernel, (1,), x, out, N=128)
    assert_same_bits(out, np.array([np.bitwise_xor.reduce(x), np.bitwise_or.reduce(x)]))


@tegula.jit
def extremes_of_nan_kernel(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.max(x, axis=0))
    tl.store(out_ptr + 1, tl.min(x, axis=0))


@pytest.mark.parametrize("name, signalling", [("float16", 0x7d00), ("bfloat16", 0x7fa0),
                                              ("float32", 0x7fa00000),
                                              ("float64", 0x7ff4 << 48)])
@pytest.mark.parametrize("number", [0, 17, 63])
def test_extremes_among_nan(machine, name, signalling, number):
    x = np.full(64, np.nan).astype(dtype_of(name))
    x.view(f"u{x.itemsize}")[::2] = signalling
    x[number] = -2
    out = np.zeros(2, x.dtype)
    machine.launch(extremes_of_nan_kernel, (1,), x, out, N=64)
    np.testing.assert_array_equal(out.astype(np.float64), [-2, -2])


@tegula.jit
def multiply(a, b):
    return a * b


@tegula.jit
def statistics_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=0).to(tl.float64)
    mean = tl.sum(x, axis=0) / n
    centred = tl.where(i < n, x - mean, 0)
    tl.store(out_ptr + row * 3, mean)
    tl.store(out_ptr + row * 3 + 1, tl.sum(centred * centred, axis=0) / n)
    tl.store(out_ptr + row * 3 + 2, tl.reduce(tl.where(i < n, 1 + x / 64, 1), 0, multiply))


@pytest.mark.parametrize("name", FLOATS)
def test_statistics(machine, rng, name):
    x = normal(rng, (5, 77), name)
    out = np.zeros((5, 3))
    machine.launch(statistics_kernel, (5,), x, out, 77, BLOCK=128)
    wide = x.astype(np.float64)
    expected = np.stack([wide.mean(1), wide.var(1), (1 + wide / 64).prod(1)], 1)
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("shape", [(1, 1), (9, 100), (3, 513)])
def test_softmax(machine, rng, shape):
    x = normal(rng, shape, "float32") * 3
    out = np.zeros_like(x)
    machine.launch(softmax_kernel, (min(4, shape[0]),), out, x, shape[1], shape[1], *shape,
                   BLOCK=tegula.next_power_of_2(shape[1]), num_stages=2)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(axis=1, keepdims=True), rtol=2e-6, atol=1e-38)


@pytest.mark.parametrize("name", ["float16", "float32"])
def test_layer_norm(machine, rng, name):
    x = normal(rng, (3, 300), name)
    w, b = normal(rng, 300, name), normal(rng, 300, name)
    y = np.zeros_like(x)
    mean, rstd = np.zeros(3, np.float32), np.zeros(3, np.float32)
    machine.launch(layer_norm_kernel, (3,), x, y, w, b, mean, rstd, 300, 300, 1e-5, BLOCK=128)
    wide = x.astype(np.float64)
    scale = 1 / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    expected = (wide - wide.mean(1, keepdims=True)) * scale * w + b
    assert_close(y, expected, EPSILON[name] * np.abs(expected) + 2e-5)


@tegula.jit
def cross_entropy_kernel(x_ptr, label_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=-float("inf"))
    top = tl.max(x, axis=0)
    total = top + tl.log(tl.sum(tl.exp(x - top), axis=0))
    tl.store(out_ptr + row, total - tl.load(x_ptr + row * n + tl.load(label_ptr + row)))


def test_cross_entropy(machine, rng):
    x = normal(rng, (7, 50), "float32") * 4
    labels = rng.integers(0, 50, 7)
    out = np.zeros(7, np.float32)
    machine.launch(cross_entropy_kernel, (7,), x, labels, out, 50, BLOCK=64)
    wide = x.astype(np.float64)
    expected = np.log(np.exp(wide).sum(1)) - wide[np.arange(7), labels]
    assert_close(out, expected, 1e-5)


# -- products -----------------------------------------------------------------------


def product_bound(a, b, name, expected):
    """Rounding of the result, and of each sum in f32 or f64."""
    unit = EPSILON["float64" if name == "float64" else "float32"]
    scale = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    return EPSILON[name] * np.abs(expected) + (a.shape[-1] + 2) * unit * scale


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("shape", [(64, 64, 64), (33, 47, 40), (1, 1, 1)])
@pytest.mark.parametrize("activation", ["", "leaky_relu"])
def test_matmul(machine, rng, name, shape, activation):
    check_matmul(machine, rng, name, shape, activation)


def check_matmul(machine, rng, name, shape, activation):
    M, N, K = shape
    a, b = normal(rng, (M, K), name), normal(rng, (K, N), name)
    c = np.zeros((M, N), a.dtype)
    machine.launch(matmul_kernel, (tegula.cdiv(M, 32) * tegula.cdiv(N, 32),), a, b, c, M, N, K, K,
                   1, N, 1, N, 1, BM=32, BN=32, BK=16, GROUP=2, ACTIVATION=activation)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    if activation:
        expected = np.where(expected >= 0, expected, 0.01 * expected)
    assert_close(c, expected, product_bound(a, b, name, expected))


@tegula.jit
def dot_kernel(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
               TYPE: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b, out_dtype=TYPE))


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(16, 16, 16), (32, 64, 16), (16, 16, 128)])
def test_dot(machine, rng, name, shape):
    M, N, K = shape
    a, b = normal(rng, (M, K), name), normal(rng, (K, N), name)
    out = "float64" if name == "float64" else "float32"
    c = np.zeros((M, N), out)
    machine.launch(dot_kernel, (1,), a, b, c, M=M, N=N, K=K, TYPE=getattr(tl, out))
    expected = a.astype(np.float64) @ b.astype(np.float64)
    assert_close(c, expected, product_bound(a, b, out, expected))


@pytest.mark.parametrize("shape", [(16, 16, 32), (32, 16, 64)])
def test_dot_of_integers(machine, rng, shape):
    M, N, K = shape
    a, b = patterns(rng, np.int8, M * K).reshape(M, K), patterns(rng, np.int8, K * N).reshape(K, N)
    c = np.zeros((M, N), np.int32)
    machine.compare(dot_kernel, (1,), a, b, c, M=M, N=N, K=K, TYPE=tl.int32)
    assert_same_bits(c, a.astype(np.int32) @ b.astype(np.int32))


@tegula.jit
def batched_kernel(a_ptr, b_ptr, c_ptr, n, K: tl.constexpr, BLOCK: tl.constexpr):
    batch = tl.program_id(2)
    m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    k = tl.arange(0, K)
    a = tl.load(a_ptr + batch * n * K + m[:, None] * K + k[None, :], mask=m[:, None] < n)
    b = tl.load(b_ptr + batch * n * K + j[:, None] * K + k[None, :], mask=j[:, None] < n)
    c = tl.dot(a, tl.trans(b))
    tl.store(c_ptr + batch * n * n + m[:, None] * n + j[None, :], c,
             mask=(m[:, None] < n) & (j[None, :] < n))


def test_batched_products(machine, rng):
    a, b = normal(rng, (3, 21, 16), "float16"), normal(rng, (3, 21, 16), "float16")
    c = np.zeros((3, 21, 21), np.float32)
    machine.launch(batched_kernel, (2, 2, 3), a, b, c, 21, K=16, BLOCK=16)
    wide = a.astype(np.float64), b.astype(np.float64).transpose(0, 2, 1)
    expected = wide[0] @ wide[1]
    assert_close(c, expected, product_bound(a, wide[1], "float32", expected))


@tegula.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, n, scale, D: tl.constexpr, BM: tl.constexpr,
                     BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :], mask=m[:, None] < n, other=0.0)
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, n, BN):
        j = start + tl.arange(0, BN)
        k = tl.load(k_ptr + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        v = tl.load(v_ptr + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        s = tl.dot(q, tl.trans(k)) * scale
        s = tl.where((j[None, :] <= m[:, None]) & (j[None, :] < n), s, -1e30)
        newer = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp(s - newer[:, None])
        factor = tl.exp(top - newer)
        total = total * factor + tl.sum(p, axis=1)
        acc = acc * factor[:, None] + tl.dot(p.to(v.dtype), v)
        top = newer
    out = acc / total[:, None]
    tl.store(out_ptr + m[:, None] * D + d[None, :], out, mask=m[:, None] < n)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32"])
def test_attention(machine, rng, name):
    n, d = 45, 32
    q, k, v = (normal(rng, (n, d), name) for _ in range(3))
    out = np.zeros((n, d), np.float32)
    machine.launch(attention_kernel, (3,), q, k, v, out, n, d**-0.5, D=d, BM=16, BN=32)
    s = q.astype(np.float64) @ k.astype(np.float64).T * d**-0.5
    p = np.exp(np.where(np.tri(n), s, -np.inf))
    p /= p.sum(1, keepdims=True)
    # The weights are rounded to the type of v.
    assert_close(out, p @ v.astype(np.float64), EPSILON[name] * 2 * np.abs(v.astype(float)).max()
                 + 1e-5)


@tegula.jit
def matvec_kernel(a_ptr, x_ptr, out_ptr, rows, columns, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, columns, BN):
        n = start + tl.arange(0, BN)
        mask = (m[:, None] < rows) & (n[None, :] < columns)
        a = tl.load(a_ptr + m[:, None] * columns + n[None, :], mask=mask, other=0.0)
        acc += a * tl.load(x_ptr + n, mask=n < columns, other=0.0)[None, :]
    tl.store(out_ptr + m, tl.sum(acc, axis=1), mask=m < rows)


@pytest.mark.parametrize("name", ["float16", "float32"])
def test_matvec(machine, rng, name):
    a, x = normal(rng, (37, 100), name), normal(rng, 100, name)
    out = np.zeros(37, np.float32)
    machine.launch(matvec_kernel, (3,), a, x, out, 37, 100, BM=16, BN=32)
    expected = a.astype(np.float64) @ x.astype(np.float64)
    scale = np.abs(a.astype(np.float64)) @ np.abs(x.astype(np.float64))
    # In f16 each product is rounded.
    assert_close(out, expected, (EPSILON[name] + 110 * EPSILON["float32"]) * scale)


# -- algorithms ---------------------------------------------------------------------


@tegula.jit
def rotary_kernel(x_ptr, out_ptr, theta, HALF: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, HALF)
    angle = row * tl.exp2(i.to(tl.float32) * theta)
    cos = tl.cos(angle)
    sin = tl.sin(angle)
    a = tl.load(x_ptr + row * 2 * HALF + 2 * i)
    b = tl.load(x_ptr + row * 2 * HALF + 2 * i + 1)
    tl.store(out_ptr + row * 2 * HALF + 2 * i, a * cos - b * sin)
    tl.store(out_ptr + row * 2 * HALF + 2 * i + 1, a * sin + b * cos)


def test_rotary_embedding(machine, rng):
    x = normal(rng, (9, 32), "float32")
    out = np.zeros_like(x)
    machine.launch(rotary_kernel, (9,), x, out, -0.8, HALF=16)
    turn = np.exp(1j * np.arange(9)[:, None] * 2 ** (np.arange(16) * -0.8))
    expected = (x.astype(np.float64).view(complex) * turn).view(float)
    assert_close(out, expected, 1e-5)


@tegula.jit
def quantise_kernel(x_ptr, out_ptr, scale_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=0.0)
    scale = tl.max(tl.abs(x), axis=0) / 127
    q = tl.floor(x / scale + 0.5)
    tl.store(out_ptr + row * n + i, tl.clamp(q, -127.0, 127.0).to(tl.int8), mask=i < n)
    tl.store(scale_ptr + row, scale)


def test_quantise(machine, rng):
    x = normal(rng, (6, 91), "float32")
    out, scale = np.zeros((6, 91), np.int8), np.zeros(6, np.float32)
    machine.compare(quantise_kernel, (6,), x, out, scale, 91, BLOCK=128)
    assert_close(out * scale[:, None].astype(np.float64), x, scale[:, None] * 0.5001)


@tegula.jit
def convolve_kernel(x_ptr, w_ptr, out_ptr, n, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float64)
    for k in tl.static_range(WIDTH):
        at = i + k - WIDTH // 2
        acc += tl.load(w_ptr + k) * tl.load(x_ptr + at, mask=(at >= 0) & (at < n), other=0.0)
    tl.store(out_ptr + i, acc, mask=i < n)


def test_convolve(machine, rng):
    x, w = rng.standard_normal(101), rng.standard_normal(5)
    out = np.zeros(101)
    machine.launch(convolve_kernel, (4,), x, w, out, 101, WIDTH=5, BLOCK=32)
    np.testing.assert_allclose(out, np.convolve(x, w[::-1], "same"), rtol=0, atol=1e-14)


@tegula.jit
def stencil_kernel(x_ptr, out_ptr, rows, columns, B: tl.constexpr):
    i = tl.program_id(1) * B + tl.arange(0, B)[:, None]
    j = tl.program_id(0) * B + tl.arange(0, B)[None, :]
    inside = (i > 0) & (i < rows - 1) & (j > 0) & (j < columns - 1)
    p = x_ptr + i * columns + j
    total = tl.load(p - 1, mask=inside, other=0) + tl.load(p + 1, mask=inside, other=0)
    total += tl.load(p - columns, mask=inside, other=0) + tl.load(p + columns, mask=inside, other=0)
    tl.store(out_ptr + i * columns + j, total - 4 * tl.load(p, mask=inside, other=0), mask=inside)


@pytest.mark.parametrize("name", ["int16", "int64", "float32"])
def test_stencil(machine, rng, name):
    x = rng.integers(-100, 100, (19, 35)).astype(name)
    out = np.zeros_like(x)
    machine.compare(stencil_kernel, (3, 2), x, out, 19, 35, B=16)
    want = np.zeros_like(x)
    want[1:-1, 1:-1] = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
                        - 4 * x[1:-1, 1:-1])
    assert_same_bits(out, want)


@tegula.jit
def pool_kernel(x_ptr, out_ptr, columns, N: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, N)
    best = tl.load(x_ptr + 2 * row * columns + 2 * i)
    for k in range(1, 4):
        best = tl.maximum(best, tl.load(x_ptr + (2 * row + k // 2) * columns + 2 * i + k % 2))
    tl.store(out_ptr + row * N + i, best)


@pytest.mark.parametrize("name", ["uint8", "int32", "float16", "float64"])
def test_pool(machine, rng, name):
    x = (rng.standard_normal((8, 32)) * 40).astype(np.int8).astype(name)
    out = np.zeros((4, 16), name)
    machine.compare(pool_kernel, (4,), x, out, 32, N=16)
    assert_same_bits(out, x.reshape(4, 2, 16, 2).max((1, 3)))


@tegula.jit
def mandelbrot_kernel(out_ptr, steps, N: tl.constexpr):
    i = tl.arange(0, N)
    cr = -2 + i % 16 * 0.1875
    ci = -1.25 + i // 16 * 0.15625
    x = tl.zeros((N,), tl.float32)
    y = tl.zeros((N,), tl.float32)
    count = tl.zeros((N,), tl.int32)
    step = 0
    while step < steps and tl.sum((x * x + y * y < 4).to(tl.int32), axis=0) > 0:
        inside = x * x + y * y < 4
        count += inside.to(tl.int32)
        x, y = tl.where(inside, x * x - y * y + cr, x), tl.where(inside, 2 * x * y + ci, y)
        step += 1
    tl.store(out_ptr + i, count)


def test_mandelbrot(machine):
    out = np.zeros(256, np.int32)
    machine.launch(mandelbrot_kernel, (1,), out, 8, N=256)
    c = (-2 + np.arange(256) % 16 * 0.1875) + 1j * (-1.25 + np.arange(256) // 16 * 0.15625)
    z, count = np.zeros(256, complex), np.zeros(256, int)
    for _ in range(8):
        inside = np.abs(z) < 2
        count += inside
        z = np.where(inside, z * z + c, z)
    np.testing.assert_array_equal(out, count)


@tegula.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, i) > p
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.where(keep, x / (1 - p), 0.0), mask=i < n)


def test_dropout(machine, rng):
    x = normal(rng, 1000, "float32")
    out = np.zeros_like(x)
    machine.compare(dropout_kernel, (4,), x, out, 1000, 0.5, 123, BLOCK=256)
    assert np.isin(out, [0, *x * 2]).all() and 400 < np.count_nonzero(out) < 600


@tegula.jit
def bag_kernel(table_ptr, index_ptr, start_ptr, out_ptr, D: tl.constexpr):
    bag = tl.program_id(0)
    d = tl.arange(0, D)
    acc = tl.zeros((D,), tl.float32)
    for k in range(tl.load(start_ptr + bag), tl.load(start_ptr + bag + 1)):
        acc += tl.load(table_ptr + tl.load(index_ptr + k) * D + d).to(tl.float32)
    tl.store(out_ptr + bag * D + d, acc)


def test_bags_of_embeddings(machine, rng):
    table = rng.integers(-8, 8, (20, 16)).astype(ml_dtypes.bfloat16)
    index = rng.integers(0, 20, 30)
    starts = np.array([0, 0, 4, 5, 30], np.int32)
    out = np.zeros((4, 16), np.float32)
    machine.compare(bag_kernel, (4,), table, index, starts, out, D=16)
    want = [table[index[a:b]].astype(float).sum(0) for a, b in zip(starts, starts[1:])]
    np.testing.assert_array_equal(out, want)


@tegula.jit
def horner_kernel(x_ptr, c_ptr, out_ptr, n, degree, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    acc = tl.zeros((BLOCK,), tl.float64)
    for k in range(degree, -1, -1):
        acc = acc * x + tl.load(c_ptr + k)
    tl.store(out_ptr + i, acc, mask=i < n)


def test_horner(machine, rng):
    x, c = rng.uniform(-1, 1, 77), rng.standard_normal(9)
    out = np.zeros(77)
    machine.launch(horner_kernel, (3,), x, c, out, 77, 8, BLOCK=32)
    np.testing.assert_allclose(out, np.polyval(c[::-1], x), rtol=0, atol=1e-13)


@tegula.jit
def recurrence_kernel(x_ptr, out_ptr, n):
    total = 0
    last = tl.load(x_ptr)
    for k in range(n):
        x = tl.load(x_ptr + k)
        total += x * (x != last).to(tl.int32)
        last = x
        tl.store(out_ptr + k, total)


def test_recurrence(machine, rng):
    x = rng.integers(-3, 3, 50).astype(np.int32)
    out = np.zeros(50, np.int32)
    machine.compare(recurrence_kernel, (1,), x, out, 50)
    np.testing.assert_array_equal(out, np.cumsum(x * (x != np.concatenate([x[:1], x[:-1]]))))


@tegula.jit
def histogram_kernel(x_ptr, out_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    bins = tl.arange(0, BINS)
    count = tl.zeros((BINS,), tl.int64)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n, other=255)
        count += tl.sum((x[:, None] == bins[None, :]).to(tl.int64), axis=0)
    tl.store(out_ptr + bins, count)


def test_histogram(machine, rng):
    x = rng.integers(0, 16, 333, dtype=np.uint8)
    out = np.zeros(16, np.int64)
    machine.compare(histogram_kernel, (1,), x, out, 333, BINS=16, BLOCK=64)
    np.testing.assert_array_equal(out, np.bincount(x, minlength=16))


@tegula.jit
def welford_kernel(x_ptr, mean_ptr, var_ptr, rows, columns, BLOCK: tl.constexpr):
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mean = tl.zeros((BLOCK,), tl.float32)
    squares = tl.zeros((BLOCK,), tl.float32)
    for k in range(rows):
        x = tl.load(x_ptr + k * columns + j, mask=j < columns, other=0.0)
        delta = x - mean
        mean += delta / (k + 1)
        squares += delta * (x - mean)
    tl.store(mean_ptr + j, mean, mask=j < columns)
    tl.store(var_ptr + j, squares / rows, mask=j < columns)


def test_welford(machine, rng):
    x = normal(rng, (60, 23), "float32") + 5
    mean, var = np.zeros(23, np.float32), np.zeros(23, np.float32)
    machine.launch(welford_kernel, (1,), x, mean, var, 60, 23, BLOCK=32)
    assert_close(mean, x.astype(np.float64).mean(0), 60 * 6 * EPSILON["float32"])
    assert_close(var, x.astype(np.float64).var(0), 60 * 20 * EPSILON["float32"])


@tegula.jit
def collatz_kernel(out_ptr):
    pid = tl.program_id(0)
    n = (pid + 1).to(tl.int64)
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(out_ptr + pid, steps)


def test_collatz(machine):
    out = np.zeros(40, np.int32)
    machine.compare(collatz_kernel, (40,), out)

    def steps(n):
        return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)

    assert out.tolist() == [steps(n) for n in range(1, 41)]


@tegula.jit
def rms_norm_kernel(x_ptr, w_ptr, residual_ptr, out_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + row * n + i, mask=mask, other=0.0).to(tl.float32)
    x += tl.load(residual_ptr + row * n + i, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / n + eps)
    w = tl.load(w_ptr + i, mask=mask)
    tl.store(residual_ptr + row * n + i, x, mask=mask)
    tl.store(out_ptr + row * n + i, x * scale * w, mask=mask)


def test_rms_norm_in_place(machine, rng):
    x, residual = normal(rng, (4, 50), "bfloat16"), normal(rng, (4, 50), "float32")
    w = normal(rng, 50, "bfloat16")
    out = np.zeros((4, 50), np.float32)
    total = x.astype(np.float64) + residual
    machine.launch(rms_norm_kernel, (4,), x, w, residual, out, 50, 1e-6, BLOCK=64)
    assert_close(residual, total, EPSILON["float32"] * 8)
    expected = total / np.sqrt((total**2).mean(1, keepdims=True) + 1e-6) * w.astype(np.float64)
    np.testing.assert_allclose(out, expected, rtol=1e-5)


@tegula.jit
def sort_kernel(x_ptr, N: tl.constexpr):
    """Odd-even transposition, in place."""
    i = tl.arange(0, N // 2)
    for step in range(N):
        a = x_ptr + 2 * i + step % 2
        mask = 2 * i + step % 2 + 1 < N
        low = tl.load(a, mask=mask)
        high = tl.load(a + 1, mask=mask)
        tl.store(a, tl.minimum(low, high), mask=mask)
        tl.store(a + 1, tl.maximum(low, high), mask=mask)


@pytest.mark.parametrize("name", ["int8", "uint16", "int64", "float32"])
def test_sort(machine, rng, name):
    x = rng.integers(-100, 100, 32).astype(name)
    want = np.sort(x)
    machine.compare(sort_kernel, (1,), x, N=32)
    assert_same_bits(x, want)


@tegula.jit
def pick(x, how: tl.constexpr):
    if how == "square":
        return x * x
    return x + 1


@tegula.jit
def clip_rows_kernel(x_ptr, n, HOW: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row % 3 == 1:
        return
    i = tl.arange(0, BLOCK)
    p = x_ptr + row * n + i
    x = tl.load(p, mask=i < n)
    if tl.sum(tl.where(i < n, x, 0), axis=0) > 0:
        x = pick(x, HOW)
    else:
        x = -x
    tl.store(p, x, mask=i < n)


@pytest.mark.parametrize("how", ["square", "other"])
def test_branches_and_early_returns(machine, rng, how):
    x = rng.integers(-100, 100, (7, 20)).astype(np.int32)
    positive = x.sum(1, keepdims=True) > 0
    want = np.where(positive, x * x if how == "square" else x + 1, -x)
    want[1::3] = x[1::3]
    machine.compare(clip_rows_kernel, (7,), x, 20, HOW=how, BLOCK=32)
    assert_same_bits(x, want.astype(np.int32))


@tegula.jit
def slide_kernel(x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i + 1, tl.load(x_ptr + i))


@pytest.mark.parametrize("name", ["int8", "float16", "float64"])
def test_loads_of_a_tile_come_before_its_store(machine, name):
    x = np.arange(65).astype(name)
    machine.compare(slide_kernel, (1,), x, BLOCK=64)
    np.testing.assert_array_equal(x, [0, *range(64)])


# -- processors ---------------------------------------------------------------------


@pytest.mark.parametrize("arch", ["neoverse-n1", "neoverse-v1", "a64fx"])
def test_other_processors(machine, tmp_path, rng, arch):
    """Those of SVE vectors have instructions for masked accesses; bf16 has none."""
    other = Machine(machine.loader, tmp_path, arch)
    for name in ("bfloat16", "float32"):
        check_matmul(other, rng, name, (33, 47, 40), "leaky_relu")
    test_extremes_among_nan(other, "float32", 0x7fa00000, 17)
    test_dot_of_integers(other, rng, (16, 16, 32))
    test_sort(other, rng, "int64")
    test_rms_norm_in_place(other, rng)
