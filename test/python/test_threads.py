# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many threads compile and launch at once."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import tegula
import tegula.language as tl


@tegula.jit
def row_sum_kernel(x, out, n, SCALE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + i, mask=i < n, other=0)
    tl.store(out + row, tl.sum(values, axis=0) * SCALE)


def work(seed):
    rng = np.random.default_rng(seed)
    for step in range(20):
        n = int(rng.integers(1, 500))
        x = rng.integers(-1000, 1000, (37, n)).astype(np.int32)
        out = np.zeros(37, np.int32)
        scale = step % 5 + 1  # several keys, met first by different threads
        row_sum_kernel[(37,)](x, out, n, SCALE=scale, BLOCK=512)
        np.testing.assert_array_equal(out, x.sum(axis=1, dtype=np.int32) * scale)
    return True


def test_threads():
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))


@tegula.jit
def wrong_kernel(x):
    tl.store(x, undefined_name)  # noqa: F821


def test_errors_beside_right_compiles():
    def fail(_):
        try:
            wrong_kernel[(1,)](np.zeros(1, np.float32))
        except tegula.CompilationError as error:
            return "undefined_name" in str(error)
        return False

    with ThreadPoolExecutor(4) as pool:
        failures = [pool.submit(fail, i) for i in range(10)]
        results = [pool.submit(work, i) for i in range(4)]
        assert all(f.result() for f in failures) and all(r.result() for r in results)
