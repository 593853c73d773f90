# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong kernels whose errors programs match by text; run by test_as_triton_errors.py."""

import json
import sys

import numpy as np
import triton
import triton.language as tl


@triton.jit
def signedness(x, p):
    tl.store(x, tl.load(x) % tl.load(x).to(tl.uint32))


@triton.jit
def axis(x, p):
    tl.expand_dims(tl.arange(0, 4), -3)


@triton.jit
def axes(x, p):
    tl.expand_dims(tl.arange(0, 4), (0, -3))


@triton.jit
def program(x, p):
    tl.program_id(20)


@triton.jit
def index(x, p):
    x[10:]


@triton.jit
def constant(x, p: tl.const):
    tl.store(p, 2)


@triton.jit
def bits(x, p):
    tl.store(x, tl.load(x) & 1.5)


@triton.jit
def inner(x):
    return x + tl.arange(0, 4) + tl.arange(0, 8)


@triton.jit
def outer(x, p):
    inner(tl.load(x))


told = {}
for kernel in (signedness, axis, axes, program, index, constant, bits, outer):
    try:
        kernel[(1,)](np.zeros(8, np.int32), np.zeros(8, np.int32))
    except triton.CompilationError as error:
        told[kernel.__name__] = [str(error), str(error.__cause__), error.error_message, error.id]
json.dump(told, sys.stdout)
