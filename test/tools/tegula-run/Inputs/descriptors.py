# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl


@triton.jit
def copy(source, target, R: tl.constexpr, C: tl.constexpr):
    at = [tl.program_id(0) * R, tl.program_id(1) * C]
    target.store(at, source.load(at))


@triton.jit
def pad(source, out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), source.load([0]))


@triton.jit
def of_tuple(xs, out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), xs[0].load([0]) + xs[1])
