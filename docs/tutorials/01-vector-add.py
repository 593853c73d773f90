# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
Vector addition
===============

A kernel is written for one *program*. A launch starts many programs, which run
in any order and at the same time; each asks for its number and works on its own
part of the data. Here every program adds BLOCK consecutive elements.
"""

import numpy as np

import tegula
import tegula.language as tl


# `x`, `y` and `out` arrive as pointers to the first element of an array, `n` as
# a 32-bit integer. BLOCK is part of the compiled code: tiles have fixed shapes.
@tegula.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    # A tile of BLOCK consecutive numbers: the elements this program owns.
    index = first + tl.arange(0, BLOCK)
    # The last program may reach past the end. Where `inside` is false nothing is
    # read or written.
    inside = index < n
    total = tl.load(x + index, mask=inside) + tl.load(y + index, mask=inside)
    tl.store(out + index, total, mask=inside)


def add(x, y):
    """x + y for arrays of one shape and dtype, of NumPy, torch or `tegula.Array`."""
    out = tegula.empty_like(x)
    n = x.size
    # The grid: how many programs to start.
    add_kernel[(tegula.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    return out


def main():
    """Rows for the table of tutorials: see docs/tutorials/README.md."""
    rng = np.random.default_rng(1)
    rows = []
    for n in (98432, 1 << 24):
        x = rng.standard_normal(n, dtype=np.float32)
        y = rng.standard_normal(n, dtype=np.float32)
        expected = x.astype(np.float64) + y
        # Copies on the best device of this machine: a GPU, if it has one that Tegula runs on.
        a, b = tegula.Array.from_numpy(x), tegula.Array.from_numpy(y)
        error = float(np.abs(add(a, b).to_numpy() - expected).max())
        c, out = tegula.empty_like(a), np.empty_like(x)
        grid = (tegula.cdiv(n, 1024),)
        rows.append({
            "name": "vector add f32", "size": str(n), "error": error,
            # One rounding of a sum below 16: half a unit in the last place.
            "ok": error <= 2.0**-21,
            "tegula_ms": tegula.testing.do_bench(
                lambda: add_kernel[grid](a, b, c, n, BLOCK=1024), return_mode="median"),
            "numpy_ms": tegula.testing.do_bench(lambda: np.add(x, y, out=out),
                                                return_mode="median"),
        })
    return rows


if __name__ == "__main__":
    for row in main():
        print(row)
