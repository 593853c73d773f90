# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for the tests of tegulac."""

import tegula
import tegula.language as tl

SCALE = 3


@tegula.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.exp(tl.load(x + i, mask=m)) + tl.load(y + i, mask=m), mask=m)


@tegula.jit
def matmul(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    x = tl.dot(tl.load(a + at), tl.load(b + at))
    tl.store(c + at, tl.trans(x) * SCALE)


@tegula.jit
def wrong(x, n):
    tl.store(x, n + valeu)


print("code of the file that is no kernel is not run")
