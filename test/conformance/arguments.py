# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that are more than pointers and numbers."""

import tegula
import tegula.language as tl


@tegula.jit
def copy_blocks(source, target, M: tl.constexpr, N: tl.constexpr):
    row = tl.program_id(0) * M
    column = tl.program_id(1) * N
    target.store([row, column], source.load([row, column]))


@tegula.jit
def padded(source, out_ptr, row, column, M: tl.constexpr, N: tl.constexpr):
    tl.static_assert(source.block_shape == (M, N))
    x = source.load([row, column])
    tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], x)


@tegula.jit
def product(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM
    n = tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m, k]), b.load([k, n]), acc)
    c.store([m, n], acc.to(c.dtype))


@tegula.jit
def nested_tuples(inputs, out_ptr, scales, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(inputs[0] + i)
    b = tl.load(inputs[1][0] + i)
    tl.static_assert(len(inputs) == 2)
    total = a * scales[0] + b * scales[1] + inputs[1][1]
    tl.store(out_ptr + i, total)


@tegula.jit
def pointer_types(x_ptr, out_ptr):
    words = x_ptr.to(tl.pi32_t)
    tl.static_assert(words.dtype.is_ptr())
    tl.store(out_ptr, tl.load(words + 1))


@tegula.jit
def constant_tuples(out_ptr, A: tl.constexpr, B: tl.constexpr):
    tl.store(out_ptr, A[0] + A[1][0])
    tl.store(out_ptr + 1, A[1][1].primitive_bitwidth)
    tl.store(out_ptr + 2, 1 if B is None else B)


@tegula.jit
def annotated_constant(x_ptr: tl.const, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i))


@tegula.jit
def store_to_constant(out_ptr: tl.const):
    tl.store(out_ptr, 1)


@tegula.jit
def annotated_text(out_ptr: "tl.const"):
    tl.store(out_ptr, 1)
