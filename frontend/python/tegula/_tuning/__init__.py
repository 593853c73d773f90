# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants that are chosen at launch: `autotune`, `Config` and `heuristics`."""

from .config import Config
from .heuristics import Heuristics, heuristics
from .tuner import Autotuner, autotune

__all__ = ["Autotuner", "Config", "Heuristics", "autotune", "heuristics"]
