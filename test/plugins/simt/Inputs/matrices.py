# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what matrices.mlir wrote: fragments as the PTX ISA has them."""

import sys

import numpy as np

what, folder = sys.argv[1:]
load = lambda name: np.load(f"{folder}/{name}.npy")
lane = np.arange(32)[:, None]
if what == "mma":
    a, b, out = load("a").reshape(32, 8), load("b").reshape(32, 4), load("out").reshape(32, 4)
    r = np.arange(8)[None]
    wide_a = np.zeros((16, 16))
    wide_a[lane // 4 + 8 * (r // 2 % 2), lane % 4 * 2 + r % 2 + 8 * (r // 4)] = a
    r = np.arange(4)[None]
    wide_b = np.zeros((16, 8))
    wide_b[lane % 4 * 2 + r % 2 + 8 * (r // 2), lane // 4 + 0 * r] = b
    product = wide_a @ wide_b
    expected = product[lane // 4 + 8 * (r // 2), lane % 4 * 2 + r % 2].astype(np.float32)
    assert np.abs(product).max() > 1
    assert np.array_equal(out, expected), (out, expected)
else:
    # Row r of matrix i is row 8 i + r of 32 x 8 numbers.
    out = load("out").reshape(2, 32, 8)
    rows = np.arange(256).reshape(4, 8, 8)
    r = np.arange(8)[None]
    row, column = lane // 4 + 0 * r, lane % 4 * 2 + r % 2
    assert np.array_equal(out[0], rows[r // 2, row, column]), out
    assert np.array_equal(out[1], rows[r // 2, column, row]), out
