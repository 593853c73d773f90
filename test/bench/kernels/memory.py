# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that move data: vector addition, copy, gather."""

import numpy as np
from tegula_bench import Benchmark, arrays

import tegula
import tegula.language as tl


@tegula.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@tegula.jit
def copy_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@tegula.jit
def gather_kernel(x, index, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + tl.load(index + i, mask=i < n), mask=i < n), mask=i < n)


class VectorAdd(Benchmark):
    name, summary, form = "vector-add", "x + y", "N"
    sizes = ("4096", "1000003", "2^24")
    dtypes = ("float32", "float16")
    roundings = 1

    def inputs(self, sizes, dtype, rng):
        return {name: arrays.normal(rng, sizes, dtype) for name in "xy"}

    def reference(self, inputs):
        return inputs["x"].astype(np.float64) + inputs["y"].astype(np.float64)

    def work(self, sizes, itemsize):
        return 3 * sizes[0] * itemsize, sizes[0]

    def tegula(self, inputs):
        x, y, n = inputs["x"], inputs["y"], inputs["x"].size
        out = np.empty_like(x)

        def run():
            add_kernel[(tegula.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
            return out

        return run

    def numpy(self, inputs):
        out = np.empty_like(inputs["x"])
        return lambda: np.add(inputs["x"], inputs["y"], out=out)

    def torch(self, inputs):
        import torch

        x, y = (arrays.to_torch(inputs[name]) for name in "xy")
        out = torch.empty_like(x)
        return lambda: torch.add(x, y, out=out)


class Copy(Benchmark):
    name, summary, form = "copy", "out = x", "N"
    sizes = ("1000003", "2^24")
    roundings = 0

    def inputs(self, sizes, dtype, rng):
        return {"x": arrays.normal(rng, sizes, dtype)}

    def reference(self, inputs):
        return inputs["x"].astype(np.float64)

    def work(self, sizes, itemsize):
        return 2 * sizes[0] * itemsize, 0

    def tegula(self, inputs):
        x, n = inputs["x"], inputs["x"].size
        out = np.empty_like(x)

        def run():
            copy_kernel[(tegula.cdiv(n, 4096),)](x, out, n, BLOCK=4096)
            return out

        return run

    def numpy(self, inputs):
        out = np.empty_like(inputs["x"])

        def run():
            np.copyto(out, inputs["x"])
            return out

        return run

    def torch(self, inputs):
        import torch

        x = arrays.to_torch(inputs["x"])
        out = torch.empty_like(x)
        return lambda: out.copy_(x)


class Gather(Benchmark):
    name, summary, form = "gather", "x[index], random places among N", "N"
    sizes = ("1000003", "2^22")
    roundings = 0

    def inputs(self, sizes, dtype, rng):
        return {"x": arrays.normal(rng, sizes, dtype),
                "index": rng.integers(0, sizes[0], sizes[0], dtype=np.int32)}

    def reference(self, inputs):
        return inputs["x"].astype(np.float64)[inputs["index"]]

    def work(self, sizes, itemsize):
        return (2 * itemsize + 4) * sizes[0], 0

    def tegula(self, inputs):
        x, index, n = inputs["x"], inputs["index"], inputs["x"].size
        out = np.empty_like(x)

        def run():
            gather_kernel[(tegula.cdiv(n, 1024),)](x, index, out, n, BLOCK=1024)
            return out

        return run

    def numpy(self, inputs):
        out = np.empty_like(inputs["x"])
        return lambda: np.take(inputs["x"], inputs["index"], out=out, mode="clip")

    def torch(self, inputs):
        import torch

        x, index = arrays.to_torch(inputs["x"]), arrays.to_torch(inputs["index"])
        out = torch.empty_like(x)
        return lambda: torch.index_select(x, 0, index, out=out)
