# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans."""

import numpy as np
from tegula_bench import Benchmark, arrays

import tegula
import tegula.language as tl


@tegula.jit
def sum_kernel(x, out, n, per_program, BLOCK: tl.constexpr):
    first = tl.program_id(0) * per_program
    last = min(first + per_program, n)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(first, last, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i < last, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(total, axis=0))


@tegula.jit
def column_sum_kernel(x, out, rows, n, BLOCK: tl.constexpr):
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for row in range(rows):
        total += tl.load(x + row * n + column, mask=column < n, other=0.0)
    tl.store(out + column, total, mask=column < n)


@tegula.jit
def cumsum_kernel(x, out, n, BLOCK: tl.constexpr):
    place = tl.program_id(0) * n
    carry = 0.0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        values = tl.load(x + place + i, mask=i < n, other=0.0)
        tl.store(out + place + i, tl.cumsum(values, axis=0) + carry, mask=i < n)
        carry += tl.sum(values, axis=0)


class Sum(Benchmark):
    name, summary, form = "sum", "of all elements", "N"
    sizes = ("1000003", "2^24")
    roundings = 256

    def inputs(self, sizes, dtype, rng):
        return {"x": rng.random(sizes, np.float32)}

    def reference(self, inputs):
        return inputs["x"].astype(np.float64).sum()

    def work(self, sizes, itemsize):
        return sizes[0] * itemsize, sizes[0]

    def tegula(self, inputs):
        x, n = inputs["x"], inputs["x"].size
        per_program = max(4096, tegula.cdiv(n, 64))
        parts = np.empty(tegula.cdiv(n, per_program), np.float32)
        out = np.empty(1, np.float32)

        def run():
            sum_kernel[(parts.size,)](x, parts, n, per_program, BLOCK=256)
            sum_kernel[(1,)](parts, out, parts.size, parts.size, BLOCK=256)
            return out[0]

        return run

    def numpy(self, inputs):
        return lambda: inputs["x"].sum()

    def torch(self, inputs):
        x = arrays.to_torch(inputs["x"])
        return x.sum


class ColumnSum(Benchmark):
    name, summary, form = "column-sum", "of each column", "MxN"
    sizes = ("1823x781", "4096x4096")
    roundings = 256

    def inputs(self, sizes, dtype, rng):
        return {"x": rng.random(sizes, np.float32)}

    def reference(self, inputs):
        return inputs["x"].astype(np.float64).sum(axis=0)

    def work(self, sizes, itemsize):
        return sizes[0] * sizes[1] * itemsize, sizes[0] * sizes[1]

    def tolerance(self, sizes, dtype):
        return super().tolerance(sizes, dtype) + sizes[0] * 2.0**-25

    def tegula(self, inputs):
        x = inputs["x"]
        (rows, n), out = x.shape, np.empty(x.shape[1], np.float32)

        def run():
            column_sum_kernel[(tegula.cdiv(n, 256),)](x, out, rows, n, BLOCK=256)
            return out

        return run

    def numpy(self, inputs):
        return lambda: inputs["x"].sum(axis=0)

    def torch(self, inputs):
        x = arrays.to_torch(inputs["x"])
        return lambda: x.sum(dim=0)


class Cumsum(Benchmark):
    name, summary, form = "cumsum", "along each row", "MxN"
    sizes = ("1823x781", "64x100003")
    roundings = 64

    def inputs(self, sizes, dtype, rng):
        return {"x": rng.random(sizes, np.float32)}

    def reference(self, inputs):
        return inputs["x"].astype(np.float64).cumsum(axis=1)

    def work(self, sizes, itemsize):
        return 2 * sizes[0] * sizes[1] * itemsize, sizes[0] * sizes[1]

    def tolerance(self, sizes, dtype):
        return super().tolerance(sizes, dtype) + sizes[1] * 2.0**-25

    def tegula(self, inputs):
        x = inputs["x"]
        (rows, n), out = x.shape, np.empty_like(x)
        block = min(tegula.next_power_of_2(n), 1024)

        def run():
            cumsum_kernel[(rows,)](x, out, n, BLOCK=block)
            return out

        return run

    def numpy(self, inputs):
        out = np.empty_like(inputs["x"])
        return lambda: np.cumsum(inputs["x"], axis=1, out=out)

    def torch(self, inputs):
        x = arrays.to_torch(inputs["x"])
        return lambda: x.cumsum(dim=1)
