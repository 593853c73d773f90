# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels to try a new backend with, from simple to less so."""

import tegula
import tegula.language as tl


@tegula.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    total = tl.load(x + index, mask=inside) + tl.load(y + index, mask=inside)
    tl.store(out + index, total, mask=inside)


@tegula.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    index = tl.arange(0, BLOCK)
    inside = index < columns
    start = tl.program_id(0) * columns
    row = tl.load(x + start + index, mask=inside, other=-float("inf"))
    e = tl.exp(row - tl.max(row, axis=0))
    tl.store(out + start + index, e / tl.sum(e, axis=0), mask=inside)


@tegula.jit
def matmul(a, b, c, k, BLOCK: tl.constexpr):
    """c = a @ b for square matrices of side k, a multiple of BLOCK."""
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, k, BLOCK):
        inner = start + tl.arange(0, BLOCK)
        left = tl.load(a + rows[:, None] * k + inner[None, :])
        right = tl.load(b + inner[:, None] * k + columns[None, :])
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(c + rows[:, None] * k + columns[None, :], total.to(c.dtype.element_ty))


@tegula.jit
def unsupported(x):
    tl.atomic_add(x, 1)
