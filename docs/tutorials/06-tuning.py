# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
Tuning a kernel, with a profile
===============================

A kernel that is right is not yet fast, and guessing why is slow work. This lesson
walks once around the loop that tuning is:

1. Measure it.
2. Compare with what the machine can do at most: which of its limits is near?
3. Look at the code, to see what else the time is spent on.
4. Change what that points to, here the sizes of the tiles, and let `autotune` try.
5. Measure again. What was not measured did not get faster.

The kernel multiplies matrices; tutorial 03 explains it. The lesson is about the processor: its
arrays stay in host memory even where there is a GPU.
"""

import re
import sys
import time

import numpy as np

import tegula
import tegula.language as tl
from tegula.testing import device_limits, do_bench, save_for_perf


@tegula.jit
def matmul_kernel(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  BLOCK_K: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        depth = k + tl.arange(0, BLOCK_K)
        x = tl.load(a + row[:, None] * K + depth[None, :],
                    mask=(row[:, None] < M) & (depth[None, :] < K), other=0.0)
        y = tl.load(b + depth[:, None] * N + column[None, :],
                    mask=(depth[:, None] < K) & (column[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + row[:, None] * N + column[None, :], acc,
             mask=(row[:, None] < M) & (column[None, :] < N))


def grid_of(m, n):
    # A grid may be a function: autotune decides the tiles, so only it knows.
    return lambda meta: (tegula.cdiv(m, meta["BLOCK_M"]), tegula.cdiv(n, meta["BLOCK_N"]))


# Step 1: the tiles somebody wrote down first.
FIRST = {"BLOCK_M": 16, "BLOCK_N": 16, "BLOCK_K": 16}


def first_try(a, b, c):
    (m, k), n = a.shape, b.shape[1]
    return matmul_kernel[grid_of(m, n)](a, b, c, m, n, k, **FIRST)


# Step 2: operations and bytes. A product of M x K and K x N takes 2 * M * N * K operations.
# Every element has to come from memory once: that is the least. But a program reads its own
# rows of A and columns of B, so A travels N / BLOCK_N times from some cache, and B
# M / BLOCK_M times. The second figure shrinks as tiles grow.
def work_of(m, n, k):
    return 2 * m * n * k, 4 * (m * k + k * n + m * n)


def traffic_of(m, n, k, meta):
    return 4 * (m * k * tegula.cdiv(n, meta["BLOCK_N"]) + k * n * tegula.cdiv(m, meta["BLOCK_M"])
                + m * n)


def estimate(ms, shape, meta, limits):
    """What the time means, as lines of text."""
    flops, nbytes = work_of(*shape)
    seconds = max(ms, 1e-6) / 1e3
    peak, rate = limits.tflops["float32"] * 1e12, flops / seconds
    at_best = limits.roofline(flops, nbytes)
    # Where the two lines of the roofline meet: less work for each byte, and memory decides.
    balance = peak / (limits.gbps * 1e9)
    bound = "arithmetic" if flops / nbytes > balance else "memory"
    return [
        f"{ms:.3f} ms; the machine's limits allow {at_best:.3f} ms, set by {bound}: "
        f"{flops / nbytes:.0f} operations for each byte, and both limits meet at {balance:.0f}",
        f"{rate / 1e9:.1f} GFLOP/s, {100 * rate / peak:.0f} % of the vector units",
        f"{traffic_of(*shape, meta) / 1e6:.1f} MB from caches, {nbytes / 1e6:.1f} MB from memory",
    ]


# Step 3: the code. `asm` has the stages of a compile; "asm" is the assembly of the target.
# One number says a lot about a product: how many of the instructions are the
# multiply-adds that we came for.
# x86-64: vfmadd231ps %zmm1, ...; AArch64: fmla v0.4s, ...
MULTIPLY_ADD = re.compile(r"^\s+(vfn?m(?:add|sub)\w+p[sd]|fml[as])\s")
INSTRUCTION = re.compile(r"^\s+[a-z]\w*(\s|$)")


def count_instructions(text):
    """(multiply-adds, all instructions) of an assembly text."""
    lines = text.splitlines()
    return (sum(MULTIPLY_ADD.match(line) is not None for line in lines),
            sum(INSTRUCTION.match(line) is not None for line in lines))


def look_at_code(shape, meta):
    """The counts for one choice of tiles."""
    m, n, k = shape
    like = np.empty(1, np.float32)
    compiled = matmul_kernel.warmup(like, like, like, m, n, k, grid=(1,), **meta)
    return count_instructions(compiled.asm["asm"])


# That counts lines, not time. Where the time goes, `perf` knows, line by line of the kernel:
#
#     perf record -o perf.data .venv/bin/python docs/tutorials/06-tuning.py perf
#     perf annotate -i perf.data --symfs perf-symbols --stdio -l -s matmul_kernel
#
# `save_for_perf` leaves the compiled kernel in perf-symbols, where perf is told to look;
# docs/benchmarking.md has more on that. On one processor it said: 44 % of the time in the
# line of tl.dot, 40 % in the two loads and their masks. Half of the work is to fetch tiles,
# for products that are soon over.
def run_for_perf(folder="perf-symbols"):
    rng = np.random.default_rng(6)
    a, b = rng.standard_normal((2, 512, 512), dtype=np.float32)
    c = np.empty_like(a)
    save_for_perf(first_try(a, b, c), folder)
    end = time.monotonic() + 2
    while time.monotonic() < end:
        first_try(a, b, c)


# Step 4: what was found. The tiles are so small that each element that is fetched serves
# sixteen products only. Larger tiles need more of the caches, and fewer programs share the
# work: too large is wrong as well. So the candidates are a few shapes in between, and the
# machine decides.
@tegula.autotune(
    configs=[tegula.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k})
             for m, n, k in ((16, 16, 16), (32, 32, 32), (64, 64, 64), (32, 256, 32),
                             (64, 128, 64), (128, 256, 128))],
    key=["M", "N", "K"], warmup=5, rep=40)
@tegula.jit
def tuned_kernel(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                 BLOCK_K: tl.constexpr):
    matmul_kernel(a, b, c, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K)


def tuned(a, b, c):
    (m, k), n = a.shape, b.shape[1]
    return tuned_kernel[grid_of(m, n)](a, b, c, m, n, k)


def timings():
    """What the last tuning saw, fastest first, as lines of text."""
    seen = tuned_kernel.configs_timings or {}
    return [f"{config.kwargs['BLOCK_M']:4} x {config.kwargs['BLOCK_N']:3} x "
            f"{config.kwargs['BLOCK_K']:3}: {times[0]:.3f} ms [{times[1]:.3f}, {times[2]:.3f}]"
            for config, times in sorted(seen.items(), key=lambda item: item[1][0])]


def show(title, lines):
    print("\n  ".join([title, *lines]))


def main():
    """Rows for the table of tutorials: see docs/tutorials/README.md."""
    limits = device_limits()
    show("limits of this machine", [
        f"{limits.processors} processors at {limits.clock_ghz:.2f} GHz, {limits.gbps:.1f} GB/s, "
        f"{limits.tflops['float32'] * 1e3:.0f} GFLOP/s"])
    rng = np.random.default_rng(6)
    rows = []
    for m, n, k in ((512, 512, 512), (500, 333, 700)):
        shape = f"{m}x{n}x{k}"
        a = (rng.standard_normal((m, k)) / k**0.5).astype(np.float32)
        b = rng.standard_normal((k, n), dtype=np.float32)
        expected = a.astype(np.float64) @ b
        out = np.empty((m, n), np.float32)
        # Cold caches, the default, would time the way from memory: here the matrices have
        # just been computed by somebody, so they are left where they are.
        numpy_ms = do_bench(lambda: np.matmul(a, b, out=out), return_mode="median", cold=False)
        for name, run in (("first tiles", first_try), ("tuned tiles", tuned)):
            c = np.empty((m, n), np.float32)
            run(a, b, c)
            error = float(np.linalg.norm(c - expected) / np.linalg.norm(expected))
            ms = do_bench(lambda: run(a, b, c), return_mode="median", cold=False)
            meta = FIRST if run is first_try else tuned_kernel.best_config.kwargs
            adds, every = look_at_code((m, n, k), meta)
            show(f"{name}, {shape}", estimate(ms, (m, n, k), meta, limits)
                 + [f"{adds} of {every} instructions in the code are multiply-adds"])
            if run is tuned:
                show("what autotune saw", timings())
            rows.append({"name": f"matmul, {name}", "size": shape, "error": error,
                         # Sums in float32; the tiles change only their order.
                         "ok": error <= k**0.5 * 2.0**-23, "tegula_ms": ms, "numpy_ms": numpy_ms})
    return rows


if __name__ == "__main__":
    if sys.argv[1:] == ["perf"]:
        run_for_perf()
        sys.exit()
    # Step 5: both, side by side.
    for row in main():
        print(row)
