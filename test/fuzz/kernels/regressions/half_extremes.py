# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The larger of two float16 tiles widened to float32, and the largest element."""

import numpy as np

import tegula
import tegula.language as tl


@tegula.jit
def kernel(x_ptr, y_ptr, larger_ptr, least_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(larger_ptr + i, tl.maximum(x.to(tl.float32), y.to(tl.float32)))
    tl.store(least_ptr, tl.min(x, axis=0))


def main():
    rng = np.random.default_rng(1)
    x, y = (rng.standard_normal(64).astype(np.float16) for _ in range(2))
    larger, least = np.zeros(64, np.float16), np.zeros(1, np.float16)
    kernel[(1, )](x, y, larger, least, B=64)
    assert (larger == np.maximum(x, y)).all() and least[0] == x.min()


if __name__ == "__main__":
    main()
