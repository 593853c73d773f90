# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What benchmark files import; see docs/benchmarking.md."""

from . import arrays
from .benchmark import Benchmark

__all__ = ["Benchmark", "arrays"]
