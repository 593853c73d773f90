# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of a small conformance table."""

import tegula
import tegula.language as tl


@tegula.jit
def add(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.load(x + i) + 1)


@tegula.jit
def total(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y, tl.sum(tl.load(x + i)))
