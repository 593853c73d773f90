# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that work on the rows of a matrix, one row in one tile."""

import numpy as np
from tegula_bench import Benchmark, arrays

import tegula
import tegula.language as tl

EPS = 1e-5


@tegula.jit
def softmax_kernel(x, out, rows, n, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        values = tl.load(x + row * n + column, mask=column < n,
                         other=-float("inf")).to(tl.float32)
        shifted = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * n + column, shifted / tl.sum(shifted, axis=0), mask=column < n)


@tegula.jit
def layer_norm_kernel(x, weight, bias, out, n, eps, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    inside = column < n
    place = tl.program_id(0) * n + column
    values = tl.load(x + place, mask=inside, other=0.0).to(tl.float32)
    centred = tl.where(inside, values - tl.sum(values, axis=0) / n, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + eps)
    w = tl.load(weight + column, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(bias + column, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + place, centred * scale * w + b, mask=inside)


@tegula.jit
def rms_norm_kernel(x, weight, out, n, eps, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    inside = column < n
    place = tl.program_id(0) * n + column
    values = tl.load(x + place, mask=inside, other=0.0).to(tl.float32)
    scale = 1 / tl.sqrt(tl.sum(values * values, axis=0) / n + eps)
    w = tl.load(weight + column, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + place, values * scale * w, mask=inside)


@tegula.jit
def cross_entropy_kernel(x, target, loss, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + column, mask=column < n, other=-float("inf")).to(tl.float32)
    largest = tl.max(values, axis=0)
    total = tl.sum(tl.exp(values - largest), axis=0)
    right = tl.load(x + row * n + tl.load(target + row)).to(tl.float32)
    tl.store(loss + row, largest + tl.log(total) - right)


class Rows(Benchmark):
    """What they share: one matrix of M rows."""

    form = "MxN"
    sizes = ("1823x781", "4096x4096", "64x50257")

    def inputs(self, sizes, dtype, rng):
        return {"x": arrays.normal(rng, sizes, dtype)}

    def work(self, sizes, itemsize):
        return 2 * sizes[0] * sizes[1] * itemsize, 5 * sizes[0] * sizes[1]


class Softmax(Rows):
    name, summary = "softmax", "of each row"
    dtypes = ("float32", "float16")
    roundings = 32

    def reference(self, inputs):
        x = inputs["x"].astype(np.float64)
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def tegula(self, inputs):
        x = inputs["x"]
        (rows, n), out = x.shape, np.empty_like(x)

        def run():
            softmax_kernel[(min(rows, 64),)](x, out, rows, n, BLOCK=tegula.next_power_of_2(n))
            return out

        return run

    def numpy(self, inputs):
        # NumPy's half precision is slow and rounds every step: it gets float32.
        x = inputs["x"].astype(np.float32)

        def run():
            e = np.exp(x - x.max(axis=1, keepdims=True))
            e /= e.sum(axis=1, keepdims=True)
            return e

        return run

    def torch(self, inputs):
        import torch

        x = arrays.to_torch(inputs["x"])
        return lambda: torch.softmax(x, dim=1)


class LayerNorm(Rows):
    name, summary = "layer-norm", "of each row, with weight and bias"
    roundings = 32

    def inputs(self, sizes, dtype, rng):
        return {"x": arrays.normal(rng, sizes, dtype),
                "weight": arrays.normal(rng, sizes[1], dtype),
                "bias": arrays.normal(rng, sizes[1], dtype)}

    def reference(self, inputs):
        x, w, b = (inputs[name].astype(np.float64) for name in ("x", "weight", "bias"))
        return self._formula(x, w, b)

    @staticmethod
    def _formula(x, w, b):
        centred = x - x.mean(axis=1, keepdims=True)
        variance = (centred * centred).mean(axis=1, keepdims=True)
        return centred / np.sqrt(variance + x.dtype.type(EPS)) * w + b

    def tolerance(self, sizes, dtype):
        # A row of one or two elements may have hardly any variance: rstd magnifies.
        return super().tolerance(sizes, dtype) * (1 if sizes[1] > 8 else 1 / EPS)

    def tegula(self, inputs):
        x, w, b = inputs["x"], inputs["weight"], inputs["bias"]
        (rows, n), out = x.shape, np.empty_like(x)

        def run():
            layer_norm_kernel[(rows,)](x, w, b, out, n, EPS, BLOCK=tegula.next_power_of_2(n))
            return out

        return run

    def numpy(self, inputs):
        return lambda: self._formula(inputs["x"], inputs["weight"], inputs["bias"])

    def torch(self, inputs):
        import torch

        x, w, b = (arrays.to_torch(inputs[name]) for name in ("x", "weight", "bias"))
        return lambda: torch.nn.functional.layer_norm(x, w.shape, w, b, EPS)


class RmsNorm(Rows):
    name, summary = "rms-norm", "of each row, with a weight"
    roundings = 32

    def inputs(self, sizes, dtype, rng):
        return {"x": arrays.normal(rng, sizes, dtype),
                "weight": arrays.normal(rng, sizes[1], dtype)}

    @staticmethod
    def _formula(x, w):
        square = (x * x).mean(axis=1, keepdims=True)
        return x / np.sqrt(square + x.dtype.type(EPS)) * w

    def reference(self, inputs):
        return self._formula(inputs["x"].astype(np.float64), inputs["weight"].astype(np.float64))

    def tegula(self, inputs):
        x, w = inputs["x"], inputs["weight"]
        (rows, n), out = x.shape, np.empty_like(x)

        def run():
            rms_norm_kernel[(rows,)](x, w, out, n, EPS, BLOCK=tegula.next_power_of_2(n))
            return out

        return run

    def numpy(self, inputs):
        return lambda: self._formula(inputs["x"], inputs["weight"])

    def torch(self, inputs):
        import torch

        x, w = (arrays.to_torch(inputs[name]) for name in ("x", "weight"))
        return lambda: torch.nn.functional.rms_norm(x, w.shape, w, EPS)


class CrossEntropy(Rows):
    name, summary = "cross-entropy", "loss of each row, a class among N"
    sizes = ("1823x781", "64x50257")
    roundings = 32

    def inputs(self, sizes, dtype, rng):
        return {"x": arrays.normal(rng, sizes, dtype),
                "target": rng.integers(0, sizes[1], sizes[0])}

    def reference(self, inputs):
        return self._formula(inputs["x"].astype(np.float64), inputs["target"])

    @staticmethod
    def _formula(x, target):
        largest = x.max(axis=1)
        total = np.exp(x - largest[:, None]).sum(axis=1)
        return largest + np.log(total) - x[np.arange(len(x)), target]

    def work(self, sizes, itemsize):
        return sizes[0] * sizes[1] * itemsize + 12 * sizes[0], 4 * sizes[0] * sizes[1]

    def tegula(self, inputs):
        x, target = inputs["x"], inputs["target"]
        (rows, n), loss = x.shape, np.empty(len(x), np.float32)

        def run():
            cross_entropy_kernel[(rows,)](x, target, loss, n, BLOCK=tegula.next_power_of_2(n))
            return loss

        return run

    def numpy(self, inputs):
        return lambda: self._formula(inputs["x"], inputs["target"])

    def torch(self, inputs):
        import torch

        x, target = arrays.to_torch(inputs["x"]), arrays.to_torch(inputs["target"])
        return lambda: torch.nn.functional.cross_entropy(x, target, reduction="none")
