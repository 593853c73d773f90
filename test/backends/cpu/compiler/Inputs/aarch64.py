# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import tegula
import tegula.language as tl


@tegula.jit
def scale(x, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(x + i, tl.maximum(tl.load(x + i, mask=m) * factor, 0.0), mask=m)


@tegula.jit
def larger(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.maximum(tl.load(x + i), tl.load(y + i)))
