# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops whose loads run ahead give the same bits for every number of stages."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from tegula.tools.tensor_descriptor import TensorDescriptor

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TEGULA_BUILD", ROOT / "build"))
PLUGINS = BUILD / "lib/tegula/simt"
pytestmark = pytest.mark.skipif(not (PLUGINS / "libtegula-simt.so").exists(),
                                reason="the simulator is not built")

KERNELS = """
    import tegula
    import tegula.language as tl

    @tegula.jit
    def persistent(a, b, c, M, N, K, programs: tl.constexpr, B: tl.constexpr, BK: tl.constexpr):
        rows = tl.cdiv(M, B)
        for tile in range(tl.program_id(0), rows * tl.cdiv(N, B), programs):
            om = (tile % rows) * B + tl.arange(0, B)
            on = (tile // rows) * B + tl.arange(0, B)
            ok = tl.arange(0, BK)
            acc = tl.zeros((B, B), tl.float32)
            for k in range(0, K, BK):
                x = tl.load(a + om[:, None] * K + (k + ok)[None, :],
                            mask=(om[:, None] < M) & ((k + ok)[None, :] < K))
                y = tl.load(b + (k + ok)[:, None] * N + on[None, :],
                            mask=((k + ok)[:, None] < K) & (on[None, :] < N), other=0.0)
                acc = tl.dot(x, y, acc)
            tl.store(c + om[:, None] * N + on[None, :], acc,
                     mask=(om[:, None] < M) & (on[None, :] < N))

    @tegula.jit
    def trips(a, b, c, lo, hi, step, B: tl.constexpr):
        i = tl.arange(0, B)
        at = i[:, None] * B + i[None, :]
        acc = tl.zeros((B, B), tl.float32)
        for k in range(lo, hi, step):
            acc = tl.dot(tl.load(a + k * B * B + at), tl.load(b + k * B * B + at), acc)
        tl.store(c + at, acc)

    @tegula.jit
    def writes(a, b, c, n, B: tl.constexpr):
        # What the loop stores is what it loads in the next trip.
        i = tl.arange(0, B)
        at = i[:, None] * B + i[None, :]
        for k in range(n):
            x = tl.load(a + k * B * B + at)
            y = tl.load(b + at)
            r = tl.dot(x, y)
            tl.store(a + (k + 1) * B * B + at, (r * 0.125).to(tl.float16), mask=i[:, None] + k > 2)
        tl.store(c + at, tl.load(a + n * B * B + at).to(tl.float32))

    @tegula.jit
    def chain(a, b, c, n, B: tl.constexpr):
        # Tiles that are used beside the product, a product of a product, transposes.
        i = tl.arange(0, B)
        at = i[:, None] * B + i[None, :]
        acc = tl.zeros((B, B), tl.float32)
        seen = tl.zeros((B,), tl.float32)
        for k in range(n):
            x = tl.load(a + k * B * B + at)
            y = tl.load(b + k * B * B + at)
            p = tl.dot(x, tl.trans(y)).to(tl.float16)
            acc = tl.dot(p, y, acc * 0.5)
            if k % 2 == 0:
                seen += tl.sum(x.to(tl.float32), 1)
        tl.store(c + at, acc + seen[:, None])

    @tegula.jit
    def described(a, b, c, n, B: tl.constexpr):
        i = tl.arange(0, B)
        acc = tl.zeros((B, B), tl.float32)
        for k in range(0, n, B):
            acc = tl.dot(a.load([0, k]), b.load([k, 0]), acc)
        tl.store(c + i[:, None] * B + i[None, :], acc)
"""


def _import(tmp_path):
    path = tmp_path / "pipelined_kernels.py"
    path.write_text(textwrap.dedent(KERNELS))
    spec = importlib.util.spec_from_file_location("pipelined_kernels", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _random(shape, dtype=np.float16, seed=3):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def _persistent(kernels, stages):
    a, b, c = _random((40, 72)), _random((72, 56), seed=4), np.zeros((40, 56), np.float32)
    kernels.persistent[(2,)](a, b, c, 40, 56, 72, programs=2, B=32, BK=16, num_warps=2,
                             num_stages=stages)
    return c, a.astype(np.float64) @ b.astype(np.float64)


def _trips(bounds):
    def run(kernels, stages):
        a, b, c = _random((6, 16, 16)), _random((6, 16, 16), seed=4), np.ones((16, 16), np.float32)
        kernels.trips[(1,)](a, b, c, *bounds, B=16, num_warps=1, num_stages=stages)
        want = sum((a[k].astype(np.float64) @ b[k].astype(np.float64) for k in range(*bounds)),
                   np.zeros((16, 16)))
        return c, want
    return run


def _writes(kernels, stages):
    a, b, c = _random((6, 16, 16)), _random((16, 16), seed=4), np.zeros((16, 16), np.float32)
    want = a.copy()
    for k in range(5):
        r = want[k].astype(np.float64) @ b.astype(np.float64) * 0.125
        rows = np.arange(16) + k > 2
        want[k + 1][rows] = r.astype(np.float16)[rows]
    kernels.writes[(1,)](a, b, c, 5, B=16, num_warps=1, num_stages=stages)
    return c, want[5]


def _chain(kernels, stages):
    a, b, c = _random((4, 32, 32)), _random((4, 32, 32), seed=4), np.zeros((32, 32), np.float32)
    acc, seen = np.zeros((32, 32)), np.zeros(32)
    for k in range(4):
        x, y = a[k].astype(np.float64), b[k].astype(np.float64)
        acc = acc * 0.5 + (x @ y.T).astype(np.float16).astype(np.float64) @ y
        seen += x.sum(1) if k % 2 == 0 else 0
    kernels.chain[(1,)](a, b, c, 4, B=32, num_warps=2, num_stages=stages)
    return c, acc + seen[:, None]


def _described(kernels, stages):
    a, b, c = _random((24, 72)), _random((72, 40), seed=4), np.zeros((32, 32), np.float32)
    descriptors = [TensorDescriptor.from_tensor(x, [32, 32]) for x in (a, b)]
    kernels.described[(1,)](*descriptors, c, 72, B=32, num_warps=2, num_stages=stages)
    want = np.zeros((32, 32))
    want[:24] = (a.astype(np.float64) @ b.astype(np.float64))[:, :32]
    return c, want


CASES = {
    "persistent": _persistent,
    "chain": _chain,
    "described": _described,
    "writes": _writes,
    "no-trip": _trips((3, 3, 1)),
    "less-than-no-trip": _trips((5, 1, 1)),
    "one-trip": _trips((2, 3, 1)),
    "two-trips": _trips((1, 6, 3)),
    "six-trips": _trips((0, 6, 1)),
}


@pytest.mark.parametrize("order", ["forward", "reverse"])
def test_stages(order, tmp_path):
    """All in one process of its own: the simulator reads its environment once."""
    env = dict(os.environ, TEGULA_TARGET="simt", TEGULA_SIMT_RACES="1", TEGULA_SIMT_ORDER=order,
               TEGULA_PLUGIN_PATH=str(PLUGINS))
    run = subprocess.run([sys.executable, __file__, str(tmp_path)], env=env, capture_output=True,
                         text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.split() == list(CASES), run.stdout


def main(tmp_path):
    kernels = _import(pathlib.Path(tmp_path))
    for name, case in CASES.items():
        first = None
        for stages in range(1, 6):
            got, want = case(kernels, stages)
            np.testing.assert_allclose(got, want, rtol=2e-2, atol=2e-2, err_msg=f"{name} {stages}")
            first = got if first is None else first
            np.testing.assert_array_equal(got.view(np.uint32), first.view(np.uint32),
                                          err_msg=f"{name} {stages}")
        print(name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
