# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
Matrix multiplication
=====================

Each program computes one tile of C: it walks along K, multiplies a tile of A
with a tile of B and adds to an accumulator in float32. Programs are numbered so
that neighbours share rows of A and columns of B, which then stay in the cache.
"""

import numpy as np

import tegula
import tegula.language as tl


@tegula.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@tegula.jit
def matmul_kernel(a, b, c, M, N, K, a_row, a_col, b_row, b_col, c_row, c_col,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                  GROUP: tl.constexpr, ACTIVATION: tl.constexpr):
    # Grouped order: GROUP rows of tiles are walked column by column.
    program = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    per_group = GROUP * tiles_n
    first_m = program // per_group * GROUP
    group_size = min(tiles_m - first_m, GROUP)
    tile_m = first_m + program % per_group % group_size
    tile_n = program % per_group // group_size

    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    # Two-dimensional tiles of pointers, by broadcasting a column and a row.
    a_tile = a + rows[:, None] * a_row + depth[None, :] * a_col
    b_tile = b + depth[:, None] * b_row + columns[None, :] * b_col
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        left = K - k
        x = tl.load(a_tile, mask=(rows[:, None] < M) & (depth[None, :] < left), other=0.0)
        y = tl.load(b_tile, mask=(depth[:, None] < left) & (columns[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
        a_tile += BLOCK_K * a_col
        b_tile += BLOCK_K * b_row
    # ACTIVATION is known when compiling: the other branch leaves no trace.
    if ACTIVATION == "leaky_relu":
        acc = leaky_relu(acc)
    c_tile = c + rows[:, None] * c_row + columns[None, :] * c_col
    tl.store(c_tile, acc.to(c.dtype.element_ty), mask=(rows[:, None] < M) & (columns[None, :] < N))


def strides_of(x):
    """In elements; NumPy counts in bytes."""
    return [s // x.itemsize for s in x.strides] if isinstance(x, np.ndarray) else x.stride()


def matmul(a, b, activation=""):
    """a @ b for 2-d arrays of float16, bfloat16 or float32."""
    (M, K), (_, N) = a.shape, b.shape
    c = tegula.empty_like(a, (M, N))
    strides = [s for x in (a, b, c) for s in strides_of(x)]
    BLOCK_M, BLOCK_N, BLOCK_K = 64, 64, 64
    grid = (tegula.cdiv(M, BLOCK_M) * tegula.cdiv(N, BLOCK_N),)
    matmul_kernel[grid](a, b, c, M, N, K, *strides, BLOCK_M, BLOCK_N, BLOCK_K, GROUP=8,
                        ACTIVATION=activation)
    return c


def main():
    """Rows for the table of tutorials: see docs/tutorials/README.md."""
    rng = np.random.default_rng(3)
    dtypes = [np.dtype(np.float32), np.dtype(np.float16)]
    try:
        import ml_dtypes
        dtypes.append(np.dtype(ml_dtypes.bfloat16))
    except ImportError:
        pass
    rows = []
    for dtype in dtypes:
        for M, N, K in ((512, 512, 512), (131, 257, 96)):
            a = (rng.standard_normal((M, K)) / K**0.5).astype(dtype)
            b = rng.standard_normal((K, N)).astype(dtype)
            expected = a.astype(np.float64) @ b.astype(np.float64)
            a_there, b_there = tegula.Array.from_numpy(a), tegula.Array.from_numpy(b)
            # Where NumPy lacks the type, its bits come back, in integers.
            got = matmul(a_there, b_there).to_numpy().view(dtype).astype(np.float64)
            error = float(np.linalg.norm(got - expected) / np.linalg.norm(expected))
            # Sums in float32, one rounding to the result's type. GPUs multiply float32 in their
            # matrix units, rounded to 10 bits (tf32), unless tl.dot gets input_precision="ieee".
            short = 2.0**-23 if a_there.is_cpu else 2.0**-10
            unit = {"float32": short, "float16": 2.0**-11}.get(dtype.name, 2.0**-8)
            a32, b32 = a.astype(np.float32), b.astype(np.float32)
            rows.append({
                "name": f"matmul {dtype.name}", "size": f"{M}x{N}x{K}", "error": error,
                "ok": error <= max(unit, K**0.5 * 2.0**-23),
                "tegula_ms": tegula.testing.do_bench(lambda: matmul(a_there, b_there),
                                                     return_mode="median"),
                # NumPy has no fast float16 product: it is timed in float32.
                "numpy_ms": tegula.testing.do_bench(lambda: a32 @ b32, return_mode="median"),
            })
    return rows


if __name__ == "__main__":
    for row in main():
        print(row)
