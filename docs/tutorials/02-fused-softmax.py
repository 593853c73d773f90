# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
Fused softmax
=============

Written with array operations, softmax passes over memory five times. A kernel
reads each row once, keeps it close to the processor, and writes the result once.
Rows longer than a tile need a second form, which carries a running maximum and a
running sum from block to block.
"""

import numpy as np

import tegula
import tegula.language as tl


# One row per step: the tile holds the whole row, padded to a power of two with
# minus infinity, which adds nothing to the maximum or the sum.
@tegula.jit
def softmax_kernel(out, x, out_stride, x_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    inside = column < n_cols
    # A program takes every num_programs-th row, so the grid can stay small.
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        values = tl.load(x + row * x_stride + column, mask=inside, other=-float("inf"))
        shifted = tl.exp(values - tl.max(values, axis=0))
        result = shifted / tl.sum(shifted, axis=0)
        tl.store(out + row * out_stride + column, result, mask=inside)


# Rows of any length, a block at a time. When a block raises the maximum, the sum
# so far shrinks by exp(old maximum - new maximum).
@tegula.jit
def long_softmax_kernel(out, x, out_stride, x_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * x_stride
    out += row * out_stride
    largest = -float("inf")
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        column = start + tl.arange(0, BLOCK)
        values = tl.load(x + column, mask=column < n_cols, other=-float("inf"))
        new_largest = tl.maximum(largest, tl.max(values, axis=0))
        total = total * tl.exp(largest - new_largest) + tl.sum(tl.exp(values - new_largest), axis=0)
        largest = new_largest
    for start in range(0, n_cols, BLOCK):
        column = start + tl.arange(0, BLOCK)
        values = tl.load(x + column, mask=column < n_cols, other=-float("inf"))
        tl.store(out + column, tl.exp(values - largest) / total, mask=column < n_cols)


def row_stride(x):
    """From one row to the next, in elements; NumPy counts in bytes."""
    return x.strides[0] // x.itemsize if isinstance(x, np.ndarray) else x.stride(0)


def softmax(x, longest_tile=65536):
    """Softmax along the rows of a 2-d array."""
    rows, columns = x.shape
    out = tegula.empty_like(x)
    strides = row_stride(out), row_stride(x)
    if columns <= longest_tile:
        softmax_kernel[(min(rows, 64),)](out, x, *strides, rows, columns,
                                         BLOCK=tegula.next_power_of_2(columns))
    else:
        long_softmax_kernel[(rows,)](out, x, *strides, columns, BLOCK=4096)
    return out


def reference(x):
    x = x.astype(np.float64)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def numpy_softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def main():
    """Rows for the table of tutorials: see docs/tutorials/README.md."""
    rng = np.random.default_rng(2)
    rows = []
    for shape in ((1823, 781), (64, 70001)):
        x = rng.standard_normal(shape, dtype=np.float32)
        expected = reference(x)
        there = tegula.Array.from_numpy(x)  # on a GPU, if there is one
        # Relative: exp and the division are good to a few units in the last
        # place, the sum of n terms to about log2(n) more.
        error = float((np.abs(softmax(there).to_numpy() - expected) / expected).max())
        rows.append({
            "name": "softmax f32", "size": "x".join(map(str, shape)), "error": error,
            "ok": error <= 2e-6,
            "tegula_ms": tegula.testing.do_bench(lambda: softmax(there), return_mode="median"),
            "numpy_ms": tegula.testing.do_bench(lambda: numpy_softmax(x), return_mode="median"),
        })
    return rows


if __name__ == "__main__":
    for row in main():
        print(row)
