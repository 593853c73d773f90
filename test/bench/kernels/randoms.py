# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers and dropout; no two providers have the same stream."""

import numpy as np
from tegula_bench import Benchmark, arrays

import tegula
import tegula.language as tl

P = 0.3


@tegula.jit
def random_kernel(out, n, seed, BLOCK: tl.constexpr):
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first = tl.program_id(0) * 4 * BLOCK + tl.arange(0, BLOCK)
    words = tl.rand4x(seed, lane)
    for part in tl.static_range(4):
        i = first + part * BLOCK
        tl.store(out + i, words[part], mask=i < n)


@tegula.jit
def dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first = tl.program_id(0) * 4 * BLOCK + tl.arange(0, BLOCK)
    scale = 1 / (1 - p)
    words = tl.rand4x(seed, lane)
    for part in tl.static_range(4):
        i = first + part * BLOCK
        values = tl.load(x + i, mask=i < n)
        tl.store(out + i, tl.where(words[part] >= p, values * scale, 0.0), mask=i < n)


def deviation(count, n, p):
    """How many standard deviations a count of n trials is away from n * p."""
    return abs(count - n * p) / max(n * p * (1 - p), 1) ** 0.5


class Random(Benchmark):
    name, summary, form = "random", "uniform numbers in [0, 1)", "N"
    sizes = ("1000003", "2^22")

    def inputs(self, sizes, dtype, rng):
        return {"n": sizes[0]}

    def reference(self, inputs):
        return None

    def error(self, inputs, result, expected):
        """0 for numbers in [0, 1) whose halves are equally full."""
        n = inputs["n"]
        good = result.shape == (n,) and (result >= 0).all() and (result < 1).all()
        return 0.0 if good and deviation((result < 0.5).sum(), n, 0.5) < 6 else float("inf")

    def work(self, sizes, itemsize):
        return sizes[0] * itemsize, 0

    def tegula(self, inputs):
        n = inputs["n"]
        out = np.empty(n, np.float32)

        def run():
            random_kernel[(tegula.cdiv(n, 4096),)](out, n, 7, BLOCK=1024)
            return out

        return run

    def numpy(self, inputs):
        rng, out = np.random.default_rng(7), np.empty(inputs["n"], np.float32)
        return lambda: rng.random(dtype=np.float32, out=out)

    def torch(self, inputs):
        import torch

        out = torch.empty(inputs["n"])
        return out.uniform_


class Dropout(Benchmark):
    name, summary, form = "dropout", "of a share of 0.3, seeded", "N"
    sizes = ("1000003", "2^22")
    roundings = 4

    def inputs(self, sizes, dtype, rng):
        x = arrays.normal(rng, sizes, dtype)
        x[x == 0] = 1
        return {"x": x}

    def reference(self, inputs):
        return inputs["x"].astype(np.float64) / (1 - P)

    def error(self, inputs, result, expected):
        """That of the elements that are kept; infinite if their share is impossible."""
        kept = result != 0
        if result.shape != expected.shape or deviation(kept.sum(), kept.size, 1 - P) > 6:
            return float("inf")
        return float((np.abs(result - expected)[kept] / np.abs(expected).max()).max(initial=0))

    def work(self, sizes, itemsize):
        return 2 * sizes[0] * itemsize, 0

    def tegula(self, inputs):
        x, n = inputs["x"], inputs["x"].size
        out = np.empty_like(x)

        def run():
            dropout_kernel[(tegula.cdiv(n, 4096),)](x, out, n, P, 7, BLOCK=1024)
            return out

        return run

    def numpy(self, inputs):
        rng, x = np.random.default_rng(7), inputs["x"]
        scale = np.float32(1 / (1 - P))
        return lambda: x * ((rng.random(x.size, np.float32) >= np.float32(P)) * scale)

    def torch(self, inputs):
        import torch

        x = arrays.to_torch(inputs["x"])
        return lambda: torch.nn.functional.dropout(x, P)
