# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix multiplication and attention."""

import numpy as np
from tegula_bench import Benchmark, arrays

import tegula
import tegula.language as tl


@tegula.jit
def matmul_kernel(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    program = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    per_group = GROUP * tiles_n
    first = program // per_group * GROUP
    height = min(tiles_m - first, GROUP)
    row = (first + program % per_group % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = program % per_group // height * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        depth = k + tl.arange(0, BLOCK_K)
        x = tl.load(a + row[:, None] * K + depth[None, :],
                    mask=(row[:, None] < M) & (depth[None, :] < K), other=0.0)
        y = tl.load(b + depth[:, None] * N + column[None, :],
                    mask=(depth[:, None] < K) & (column[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + row[:, None] * N + column[None, :], acc.to(c.dtype.element_ty),
             mask=(row[:, None] < M) & (column[None, :] < N))


@tegula.jit
def attention_kernel(q, k, v, out, length, scale, DEPTH: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr):
    head = tl.program_id(1) * length * DEPTH
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    depth = tl.arange(0, DEPTH)
    place = head + row[:, None] * DEPTH + depth[None, :]
    queries = tl.load(q + place, mask=row[:, None] < length, other=0.0)
    largest = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    acc = tl.zeros((BLOCK_M, DEPTH), tl.float32)
    for start in range(0, length, BLOCK_N):
        other = start + tl.arange(0, BLOCK_N)
        there = head + other[:, None] * DEPTH + depth[None, :]
        keys = tl.load(k + there, mask=other[:, None] < length, other=0.0)
        score = tl.dot(queries, tl.trans(keys)) * scale
        score = tl.where(other[None, :] < length, score, -float("inf"))
        new_largest = tl.maximum(largest, tl.max(score, axis=1))
        weight = tl.exp(score - new_largest[:, None])
        shrink = tl.exp(largest - new_largest)
        total = total * shrink + tl.sum(weight, axis=1)
        values = tl.load(v + there, mask=other[:, None] < length, other=0.0)
        acc = tl.dot(weight.to(values.dtype), values, acc * shrink[:, None])
        largest = new_largest
    tl.store(out + place, (acc / total[:, None]).to(out.dtype.element_ty),
             mask=row[:, None] < length)


class Matmul(Benchmark):
    name, summary, form = "matmul", "a @ b", "MxNxK"
    sizes = ("512x512x512", "1024x1024x1024", "1000x777x333")
    dtypes = ("float32", "float16", "bfloat16")
    bound = "compute"

    def inputs(self, sizes, dtype, rng):
        m, n, k = sizes
        return {"a": arrays.normal(rng, (m, k), dtype, k**-0.5),
                "b": arrays.normal(rng, (k, n), dtype)}

    def reference(self, inputs):
        return inputs["a"].astype(np.float64) @ inputs["b"].astype(np.float64)

    def work(self, sizes, itemsize):
        m, n, k = sizes
        return (m * k + k * n + m * n) * itemsize, 2 * m * n * k

    def tolerance(self, sizes, dtype):
        return super().tolerance(sizes, dtype) + sizes[2] ** 0.5 * 2.0**-24

    def tegula(self, inputs):
        a, b = inputs["a"], inputs["b"]
        (m, k), n = a.shape, b.shape[1]
        c = np.empty((m, n), a.dtype)
        grid = (tegula.cdiv(m, 64) * tegula.cdiv(n, 64),)

        def run():
            matmul_kernel[grid](a, b, c, m, n, k, BLOCK_M=64, BLOCK_N=64, BLOCK_K=64, GROUP=8)
            return c

        return run

    def numpy(self, inputs):
        # NumPy has no fast product of narrower types: it gets float32.
        a, b = (inputs[name].astype(np.float32) for name in "ab")
        out = np.empty((a.shape[0], b.shape[1]), np.float32)
        return lambda: np.matmul(a, b, out=out)

    def torch(self, inputs):
        import torch

        a, b = (arrays.to_torch(inputs[name]) for name in "ab")
        out = torch.empty((a.shape[0], b.shape[1]), dtype=a.dtype)
        return lambda: torch.mm(a, b, out=out)


class Attention(Benchmark):
    name, summary, form = "attention", "forward, H heads of S rows and D columns", "HxSxD"
    sizes = ("8x1024x64", "3x333x64")
    dtypes = ("float32", "float16")
    bound = "compute"
    roundings = 64

    def inputs(self, sizes, dtype, rng):
        return {name: arrays.normal(rng, sizes, dtype) for name in "qkv"}

    @staticmethod
    def _formula(q, k, v):
        score = q @ k.transpose(0, 2, 1) * q.dtype.type(q.shape[2] ** -0.5)
        weight = np.exp(score - score.max(axis=2, keepdims=True))
        return weight / weight.sum(axis=2, keepdims=True) @ v

    def reference(self, inputs):
        return self._formula(*(inputs[name].astype(np.float64) for name in "qkv"))

    def work(self, sizes, itemsize):
        heads, length, depth = sizes
        return 4 * heads * length * depth * itemsize, 4 * heads * length * length * depth

    def tolerance(self, sizes, dtype):
        # The weights are rounded too.
        return super().tolerance(sizes, dtype) * 2

    def tegula(self, inputs):
        q, k, v = (inputs[name] for name in "qkv")
        heads, length, depth = q.shape
        if depth & depth - 1 or depth < 16:
            raise ValueError(f"expected a power of two of at least 16 as D, got {depth}")
        out = np.empty_like(q)
        grid = (tegula.cdiv(length, 64), heads)

        def run():
            attention_kernel[grid](q, k, v, out, length, depth**-0.5, DEPTH=depth, BLOCK_M=64,
                                   BLOCK_N=64)
            return out

        return run

    def numpy(self, inputs):
        q, k, v = (inputs[name].astype(np.float32) for name in "qkv")
        return lambda: self._formula(q, k, v)

    def torch(self, inputs):
        import torch

        q, k, v = (arrays.to_torch(inputs[name])[None] for name in "qkv")
        return lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v)[0]
