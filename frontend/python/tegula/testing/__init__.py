# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timing, comparing and reporting; docs/benchmarking.md is the guide.

    ms = tegula.testing.do_bench(lambda: kernel[grid](x, y, n, BLOCK=1024))
    tegula.testing.assert_close(y, expected)
    tegula.testing.device_limits().gbps

Nothing is imported here but the standard library: NumPy is needed to compare
arrays, matplotlib for pictures, pandas for data frames.
"""

from ._compare import allclose, assert_close
from ._limits import (DeviceLimits, device_limits, get_dram_gbps, get_max_simd_tflops,
                      get_max_tensorcore_tflops, nvsmi, set_gpu_clock)
from ._perf import save_for_perf
from ._report import Benchmark, Mark, perf_report
from ._timing import do_bench, do_bench_cudagraph, flush_caches, measure

__all__ = [
    "Benchmark", "DeviceLimits", "Mark", "allclose", "assert_close", "device_limits", "do_bench",
    "do_bench_cudagraph", "flush_caches", "get_dram_gbps", "get_max_simd_tflops",
    "get_max_tensorcore_tflops", "measure", "nvsmi", "perf_report", "save_for_perf",
    "set_gpu_clock",
]
