# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bfloat16 numbers that only move keep denormal values, whatever vectors they pass through."""

import ml_dtypes
import numpy as np

import tegula
import tegula.language as tl


@tegula.jit
def kernel(x_ptr, y_ptr, n, B: tl.constexpr):
    pid = tl.program_id(0)
    one = tl.load(x_ptr + (pid & 7))
    same = tl.zeros((1, B), tl.int32)
    tl.store(y_ptr + 1 + same, tl.load(x_ptr + 1 + same))
    total = tl.zeros((), tl.float32)
    for _ in range(n):
        total = tl.load(x_ptr + 2).to(tl.float32)
    tl.store(y_ptr + 2, total)
    tl.store(y_ptr, one)


def main():
    x = np.array([9.183549615799121e-41, -1.8e-40, 2.7e-40] + [0.0] * 5, ml_dtypes.bfloat16)
    y = np.zeros(3, ml_dtypes.bfloat16)
    kernel[(1, )](x, y, 2, B=32)
    assert y.tobytes() == x[:3].tobytes(), y


if __name__ == "__main__":
    main()
