# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masked loads of several registers, for one of which the mask is known to be false."""

import numpy as np

import tegula
import tegula.language as tl


@tegula.jit
def kernel(x_ptr, out_ptr, n, COLUMNS: tl.constexpr, A: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, A)[:, None]
    j = tl.arange(0, B)[None, :]
    x = tl.load(x_ptr + i * B + j, mask=(i < n) & (j < COLUMNS))
    tl.store(out_ptr + i * B + j, x)


@tegula.jit
def block_kernel(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr):
    block = tl.make_block_ptr(x_ptr, (3, 3), (B, 1), (-1, 0), (A, B), (1, 0))
    x = tl.load(block, boundary_check=(0, 1), padding_option="zero")
    out = tl.make_block_ptr(out_ptr, (A, B), (B, 1), (0, 0), (A, B), (1, 0))
    tl.store(out, x)


def main():
    for dtype in (np.float32, np.float64):
        for width in (16, 64):
            x = np.arange(1, 4 * width + 1).astype(dtype).reshape(4, width)
            for columns in (4, 8, 24):
                for n in (1, 3):
                    out = np.zeros_like(x)
                    kernel[(1, )](x, out, n, COLUMNS=columns, A=4, B=width)
                    expected = x.copy()
                    expected[n:] = 0
                    expected[:, columns:] = 0
                    assert (out == expected).all(), (width, columns, n)
        x = np.arange(1, 65).astype(dtype).reshape(4, 16)
        out = np.zeros((2, 16), dtype)
        block_kernel[(1, )](x, out, A=2, B=16)
        expected = np.zeros((2, 16), dtype)
        expected[1, :3] = x[0, :3]
        assert (out == expected).all(), out


if __name__ == "__main__":
    main()
