# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose compiles have something to tell."""

import tegula
import tegula.language as tl


@tegula.jit
def pick(x, at, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + tl.load(at + i), mask=m), mask=m)


@tegula.jit
def count(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(x + i), 1)


@tegula.jit
def rows(x, out, stride, N: tl.constexpr):
    i = tl.arange(0, N)
    tile = tl.load(x + i[:, None] * 64 + i[None, :] * 2)
    other = tl.load(x + i[:, None] + i[None, :] * stride)
    tl.store(out + i, tl.sum(tile + other, axis=1))


@tegula.jit
def product(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    x = tl.dot(tl.load(a + at), tl.load(b + at))
    tl.store(c + at, tl.trans(x))


@tegula.jit
def broken(x, n):
    tl.store(x, n + valeu)
