# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole kernels against NumPy in float64: sizes off the block, poisoned outputs."""

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula.language as tl

POISON = 123.0


@tegula.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


@pytest.mark.parametrize("n", [1, 15, 16, 17, 1023, 1024, 1025, 98432])
@pytest.mark.parametrize("dtype",
                         ["float32", "float64", "float16", "int8", "uint8", "int32", "int64"])
def test_add(rng, n, dtype):
    x = (rng.standard_normal(n) * 50).astype(dtype)
    y = (rng.standard_normal(n) * 50).astype(dtype)
    out = np.full(n + 64, POISON, dtype)
    add_kernel[(tegula.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    np.testing.assert_array_equal(out[:n], x + y)
    np.testing.assert_array_equal(out[n:], np.full(64, POISON, dtype))


def test_add_bfloat16(rng):
    x = rng.standard_normal(3000).astype(ml_dtypes.bfloat16)
    y = rng.standard_normal(3000).astype(ml_dtypes.bfloat16)
    out = np.empty_like(x)
    add_kernel[lambda meta: (tegula.cdiv(3000, meta["BLOCK"]),)](x, y, out, 3000, BLOCK=256)
    exact = x.astype(np.float64) + y.astype(np.float64)
    np.testing.assert_array_equal(out, exact.astype(np.float32).astype(ml_dtypes.bfloat16))


def test_add_special_values():
    specials = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 3.4e38], np.float32)
    x, y = (a.ravel().copy() for a in np.meshgrid(specials, specials))
    out = np.full(64, POISON, np.float32)
    add_kernel[(1,)](x, y, out, 64, BLOCK=64)
    with np.errstate(all="ignore"):
        expected = x + y
    np.testing.assert_array_equal(out, expected)
    both = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(out[both]), np.signbit(expected[both]))


def test_empty_grid():
    out = np.full(4, POISON, np.float32)
    add_kernel[(0,)](out, out, out, 4, BLOCK=16)
    np.testing.assert_array_equal(out, np.full(4, POISON, np.float32))


@tegula.jit
def shift_kernel(x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i + 1, tl.load(x_ptr + i))


@pytest.mark.parametrize("block", [16, 64, 1024])
def test_loads_of_a_tile_come_before_its_store(block):
    """In place by one element: a store must not feed later elements of its own load."""
    x = np.arange(block + 1, dtype=np.float32)
    shift_kernel[(1,)](x, BLOCK=block)
    np.testing.assert_array_equal(x, np.concatenate([[0.0], np.arange(block)]))


@tegula.jit
def softmax_kernel(out_ptr, in_ptr, in_stride, out_stride, n_rows, n_cols, BLOCK: tl.constexpr,
                   num_stages: tl.constexpr):
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row in tl.range(row_start, n_rows, row_step, num_stages=num_stages):
        cols = tl.arange(0, BLOCK)
        mask = cols < n_cols
        x = tl.load(in_ptr + row * in_stride + cols, mask=mask, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * out_stride + cols, e / tl.sum(e, axis=0), mask=mask)


@pytest.mark.parametrize("shape", [(1, 1), (3, 2), (1823, 781), (5, 4097)])
def test_softmax(rng, shape):
    x = (rng.standard_normal(shape) * 3).astype(np.float32)
    out = np.full_like(x, POISON)
    softmax_kernel[(min(7, shape[0]),)](out, x, shape[1], shape[1], *shape,
                                        BLOCK=tegula.next_power_of_2(shape[1]), num_stages=2)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(axis=1, keepdims=True), rtol=2e-6, atol=1e-38)


@tegula.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@tegula.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn,
                  stride_cm, stride_cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                  GROUP: tl.constexpr, ACTIVATION: tl.constexpr):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BM)
    num_pid_n = tl.cdiv(N, BN)
    in_group = GROUP * num_pid_n
    first_m = (pid // in_group) * GROUP
    group_m = min(num_pid_m - first_m, GROUP)
    pid_m = first_m + ((pid % in_group) % group_m)
    pid_n = (pid % in_group) // group_m
    tl.assume(pid_m >= 0)
    offs_am = (pid_m * BM + tl.arange(0, BM)) % M
    offs_bn = (pid_n * BN + tl.arange(0, BN)) % N
    offs_k = tl.arange(0, BK)
    a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BK, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    if ACTIVATION == "leaky_relu":
        acc = leaky_relu(acc)
    c = acc.to(c_ptr.dtype.element_ty)
    offs_cm = pid_m * BM + tl.arange(0, BM)
    offs_cn = pid_n * BN + tl.arange(0, BN)
    c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    tl.store(c_ptrs, c, mask=(offs_cm[:, None] < M) & (offs_cn[None, :] < N))


@pytest.mark.parametrize("activation", ["", "leaky_relu"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(512, 512, 512), (131, 257, 96), (1, 1, 1), (17, 3, 5)])
@pytest.mark.parametrize("transposed", [False, True])
def test_matmul(rng, shape, dtype, activation, transposed):
    M, N, K = shape
    dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    a = (rng.standard_normal((M, K)) / K**0.5).astype(dtype)
    b = rng.standard_normal((N, K) if transposed else (K, N)).astype(dtype)
    b_strides = [s // b.itemsize for s in (b.strides[::-1] if transposed else b.strides)]
    c = np.full((M, N), POISON, dtype)
    grid = (tegula.cdiv(M, 64) * tegula.cdiv(N, 64),)
    matmul_kernel[grid](a, b, c, M, N, K, K, 1, *b_strides, N, 1, BM=64, BN=64, BK=32, GROUP=8,
                        ACTIVATION=activation)
    expected = a.astype(np.float64) @ (b.T if transposed else b).astype(np.float64)
    if activation:
        expected = np.where(expected >= 0, expected, 0.01 * expected)
    unit = {"float32": 0.0, "float16": 2.0**-11, "bfloat16": 2.0**-8}[dtype.name]
    scale = np.abs(a.astype(np.float64)) @ np.abs((b.T if transposed else b).astype(np.float64))
    bound = unit * np.abs(expected) + (K + 2) * 2.0**-24 * scale + 1e-7
    assert (np.abs(c.astype(np.float64) - expected) <= bound).all()


@tegula.jit
def layer_norm_kernel(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    mean = 0
    _mean = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        _mean += tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
    mean = tl.sum(_mean, axis=0) / N
    _var = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.)
        _var += x * x
    var = tl.sum(_var, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        b = tl.load(B + cols, mask=mask)
        x = tl.load(X + cols, mask=mask, other=0.).to(tl.float32)
        tl.store(Y + cols, (x - mean) * rstd * w + b, mask=mask)


@pytest.mark.parametrize("block", [1024, 8192])
@pytest.mark.parametrize("shape", [(1151, 8192), (3, 700)])
def test_layer_norm(rng, shape, block):
    rows, n = shape
    x = (rng.standard_normal(shape) * 2 + 1).astype(np.float16)
    w, b = (rng.standard_normal(n).astype(np.float16) for _ in range(2))
    y = np.full_like(x, POISON)
    mean, rstd = np.full(rows, POISON, np.float32), np.full(rows, POISON, np.float32)
    layer_norm_kernel[(rows,)](x, y, w, b, mean, rstd, n, n, 1e-5, BLOCK=block)
    x64 = x.astype(np.float64)
    mu, var = x64.mean(axis=1), x64.var(axis=1)
    np.testing.assert_allclose(mean, mu, rtol=0, atol=1e-5)
    np.testing.assert_allclose(rstd, 1 / np.sqrt(var + 1e-5), rtol=1e-5)
    expected = (x64 - mu[:, None]) / np.sqrt(var + 1e-5)[:, None] * w + b
    # f16 result: half a unit of rounding, plus the f32 arithmetic before it.
    assert (np.abs(y - expected) <= 2.0**-11 * np.abs(expected) + 1e-4).all()
