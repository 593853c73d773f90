# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices."""

import tegula
import tegula.language as tl


@tegula.jit
def dot(a_ptr, b_ptr, c_ptr, P: tl.constexpr, R: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
        K: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    k = tl.arange(0, K)
    a = tl.load(a_ptr + i * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + j)
    c = tl.dot(a, b, input_precision=P)
    tl.static_assert(c.dtype == R)
    tl.store(c_ptr + i * N + j, c)


@tegula.jit
def dot_plain(a_ptr, b_ptr, c_ptr, R: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
              K: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    k = tl.arange(0, K)
    c = tl.load(a_ptr + i * K + k[None, :]).dot(tl.load(b_ptr + k[:, None] * N + j))
    tl.static_assert(c.dtype == R)
    tl.store(c_ptr + i * N + j, c)


@tegula.jit
def dot_acc(a_ptr, b_ptr, c_ptr, out_ptr, again_ptr, R: tl.constexpr, M: tl.constexpr,
            N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    k = tl.arange(0, K)
    a = tl.load(a_ptr + i * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + j)
    c = tl.load(c_ptr + i * N + j)
    tl.store(out_ptr + i * N + j, tl.dot(a, b, acc=c))
    c += tl.dot(a, b)
    c = tl.dot(a, b, c)
    tl.store(again_ptr + i * N + j, c)


@tegula.jit
def dot_out_float16(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    k = tl.arange(0, K)
    a = tl.load(a_ptr + i * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + j)
    c = tl.dot(a, b, out_dtype=tl.float16)
    tl.static_assert(c.dtype == tl.float16)
    tl.store(c_ptr + i * N + j, c)


@tegula.jit
def dot_transposed(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    # a is stored as (K, M), b as (N, K); the result is stored as (N, M).
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    k = tl.arange(0, K)
    a = tl.load(a_ptr + k[:, None] * M + i[None, :])
    b = tl.load(b_ptr + j[None, :] * K + k[:, None])
    c = tl.dot(tl.trans(a), b)
    tl.store(c_ptr + i[:, None] + j[None, :] * M, c)
    tl.store(c_ptr + M * N + j[:, None] * M + i[None, :], c.T)


@tegula.jit
def dot_3d(a_ptr, b_ptr, c_ptr, R: tl.constexpr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
           K: tl.constexpr):
    h = tl.arange(0, B)[:, None, None]
    i = tl.arange(0, M)[None, :, None]
    j = tl.arange(0, N)[None, None, :]
    ka = tl.arange(0, K)[None, None, :]
    kb = tl.arange(0, K)[None, :, None]
    a = tl.load(a_ptr + (h * M + i) * K + ka)
    b = tl.load(b_ptr + (h * K + kb) * N + j)
    c = tl.dot(a, b)
    tl.static_assert(c.dtype == R)
    tl.store(c_ptr + (h * M + i) * N + j, c)


@tegula.jit
def dot_nd(a_ptr, b_ptr, acc_ptr, c_ptr, S: tl.constexpr, SIZE: tl.constexpr, M: tl.constexpr,
           N: tl.constexpr, K: tl.constexpr):
    a = tl.load(a_ptr + tl.reshape(tl.arange(0, SIZE * M * K), S + (M, K)))
    b = tl.load(b_ptr + tl.reshape(tl.arange(0, SIZE * K * N), S + (K, N)))
    at = tl.reshape(tl.arange(0, SIZE * M * N), S + (M, N))
    tl.store(c_ptr + at, tl.dot(a, b, tl.load(acc_ptr + at)))


@tegula.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, R: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), R)
    a_tile = a_ptr + i[:, None] * K + k[None, :]
    b_tile = b_ptr + k[:, None] * N + j[None, :]
    for start in range(0, tl.cdiv(K, BK)):
        rest = K - start * BK
        a = tl.load(a_tile, mask=(i[:, None] < M) & (k[None, :] < rest), other=0.0)
        b = tl.load(b_tile, mask=(k[:, None] < rest) & (j[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
        a_tile += BK
        b_tile += BK * N
    mask = (i[:, None] < M) & (j[None, :] < N)
    tl.store(c_ptr + i[:, None] * N + j[None, :], acc, mask=mask)


@tegula.jit
def two_products(a_ptr, b_ptr, v_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                 D: tl.constexpr):
    # The result of one product, rounded, is the operand of the next.
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    k = tl.arange(0, K)
    a = tl.load(a_ptr + i * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + j)
    p = tl.maximum(tl.dot(a, b), 0.0).to(tl.float16)
    d = tl.arange(0, D)[None, :]
    v = tl.load(v_ptr + tl.arange(0, N)[:, None] * D + d)
    tl.store(out_ptr + i * D + d, tl.dot(p, v))
