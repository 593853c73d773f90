# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that the tests of this folder compile."""

import tegula
import tegula.language as tl


@tegula.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    y = tl.load(y_ptr + at, mask=inside)
    tl.store(out_ptr + at, x + y, mask=inside)


@tegula.jit
def softmax(out_ptr, x_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + at, mask=at < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride + at, e / tl.sum(e, axis=0), mask=at < n)


@tegula.jit
def matmul(a_ptr, b_ptr, c_ptr, K, stride_a, stride_b, stride_c, M: tl.constexpr, N: tl.constexpr,
           BLOCK: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    ks = tl.arange(0, BLOCK)
    a = a_ptr + rows[:, None] * stride_a + ks[None, :]
    b = b_ptr + ks[:, None] * stride_b + columns[None, :]
    acc = tl.zeros((M, N), dtype=tl.float32)
    for k in range(0, K, BLOCK):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += BLOCK
        b += BLOCK * stride_b
    tl.store(c_ptr + rows[:, None] * stride_c + columns[None, :], acc.to(tl.float16))


@tegula.jit
def everything(x_ptr, counts_ptr, out_ptr, n, flag, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=(at < n) & flag)
    total = tl.cumsum(x, axis=0) + tl.num_programs(0)
    tl.atomic_add(counts_ptr + (at % 7), 1, mask=at < n, sem="relaxed")
    tl.atomic_max(counts_ptr + 8, tl.max(at, axis=0), sem="acq_rel")
    tl.store(out_ptr + at, total, mask=at < n)


@tegula.jit
def exchange(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    columns = tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :])
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], tl.sort(x, dim=1))
    out_ptr += M * N
    tl.store(out_ptr + columns[:, None] * M + rows[None, :], tl.trans(tl.cumsum(x, axis=0)))
    tl.store(out_ptr + M * N + rows, tl.argmax(x, axis=1))


@tegula.jit
def atomics(x_ptr, best_ptr, half_ptr, memory_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.atomic_max(best_ptr + at % 4, x)
    tl.atomic_add(half_ptr + at % 4, x.to(tl.float16))
    tl.atomic_cas(memory_ptr + at, at, at * 2)


@tegula.jit
def shout(x_ptr):
    tl.device_print("x", tl.load(x_ptr))


@tegula.jit
def foreign(x_ptr):
    x = tl.load(x_ptr)
    y = tl.inline_asm_elementwise("add.s32 $0, $1, 1;", "=r,r", [x], dtype=tl.int32, is_pure=True,
                                  pack=1)
    tl.store(x_ptr, y)
