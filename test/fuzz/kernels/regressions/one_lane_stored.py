# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A masked store of a truncated tile, of which one element is known to be stored, keeps to it."""

import numpy as np

import tegula
import tegula.language as tl


@tegula.jit
def kernel(x_ptr, bytes_ptr, shorts_ptr, LANE: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i)
    tl.store(bytes_ptr + i, x.to(tl.int8), mask=i == LANE)
    tl.store(shorts_ptr + i, x.to(tl.int16), mask=i == LANE)


def main():
    for block in (4, 8, 16):
        for lane in (0, 1, block - 1):
            x = np.arange(1, block + 1, dtype=np.int32) * 0x01010101
            got = np.zeros(block + 8, np.int8), np.zeros(block + 8, np.int16)
            kernel[(1, )](x, *got, LANE=lane, B=block)
            for array in got:
                expected = np.zeros_like(array)
                expected[lane] = x[lane].astype(array.dtype)
                assert (array == expected).all(), (block, lane, array)


if __name__ == "__main__":
    main()
