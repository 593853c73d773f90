# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A benchmark whose providers do what a test wants to see."""

import numpy as np
from tegula_bench import Benchmark
from tegula_bench.errors import UnavailableError


class Good(Benchmark):
    name, summary, form = "good", "x * 2", "N"
    sizes = ("3", "2^4")

    def inputs(self, sizes, dtype, rng):
        return {"x": rng.random(sizes)}

    def reference(self, inputs):
        return inputs["x"] * 2

    def work(self, sizes, itemsize):
        return 2 * sizes[0] * itemsize, sizes[0]

    def tegula(self, inputs):
        return lambda: inputs["x"] * 2

    numpy = tegula


class Wrong(Good):
    name, summary = "wrong", "Tegula's result is off"
    bound = "compute"

    def tegula(self, inputs):
        return lambda: inputs["x"] * 3


class Failing(Good):
    name, summary = "failing", "NumPy's second call raises"
    dtypes = ("float32", "float64")

    def numpy(self, inputs):
        calls = iter([inputs["x"] * 2])
        return lambda: next(calls)


class Shape(Good):
    name, summary = "shape", "another shape, and an error ahead of the first call"

    def tegula(self, inputs):
        return lambda: np.zeros(2)

    def numpy(self, inputs):
        raise ValueError("first line\nsecond line")


class Missing(Good):
    name, summary, form = "missing", "what the inputs need is not there", "NxM"
    sizes = ("2x2",)

    def inputs(self, sizes, dtype, rng):
        raise UnavailableError("no such package", "no-such-device")
