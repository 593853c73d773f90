# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call costs when there is next to nothing to do."""

import numpy as np
from tegula_bench import Benchmark, arrays

import tegula
import tegula.language as tl


@tegula.jit
def few_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@tegula.jit
def many_kernel(x, y, out, p3, p4, i0, i1, i2, i3, i4, i5, i6, i7, n, C0: tl.constexpr,
                C1: tl.constexpr, C2: tl.constexpr, C3: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


class Launch(Benchmark):
    """The time of one call, as a part of a thousand in a row."""

    name, summary, form = "launch", "one call with 5 or 19 arguments", "ARGS"
    sizes = ("5", "19")
    bound = ""
    calls = 1000
    cold = False
    roundings = 1

    def inputs(self, sizes, dtype, rng):
        if sizes[0] not in (5, 19):
            raise ValueError(f"expected 5 or 19 arguments, got {sizes[0]}")
        return {"x": arrays.normal(rng, 16, dtype), "y": arrays.normal(rng, 16, dtype),
                "count": sizes[0]}

    def reference(self, inputs):
        return inputs["x"].astype(np.float64) + inputs["y"]

    def tegula(self, inputs):
        x, y = inputs["x"], inputs["y"]
        out, spare = np.empty_like(x), [np.empty_like(x) for _ in range(2)]
        small = range(3, 11)

        def few():
            few_kernel[(1,)](x, y, out, 16, BLOCK=16)
            return out

        def many():
            many_kernel[(1,)](x, y, out, *spare, *small, 16, 1, 2, 3, 4, BLOCK=16)
            return out

        return few if inputs["count"] == 5 else many

    def numpy(self, inputs):
        out = np.empty_like(inputs["x"])
        return lambda: np.add(inputs["x"], inputs["y"], out=out)

    def torch(self, inputs):
        import torch

        x, y = (arrays.to_torch(inputs[name]) for name in "xy")
        out = torch.empty_like(x)
        return lambda: torch.add(x, y, out=out)
