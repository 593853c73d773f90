# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of the sample. They are put into a bundle once, where the compiler is:

tegulac kernels.py -k add -s '*fp32:16, *fp32:16, *fp32:16, i32, 256' \
    -t cpu/x86-64 -t cpu/x86-64-v3 --emit=bundle -o kernels.tgb
"""

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def empty():
    pass
