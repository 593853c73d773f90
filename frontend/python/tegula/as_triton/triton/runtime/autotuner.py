# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs import from `triton.runtime.autotuner`."""

from tegula import Autotuner, Config, Heuristics, autotune, heuristics, knobs
from tegula.runtime import driver

from .errors import AutotunerError, OutOfResources, PTXASError
from .jit import JITFunction, KernelInterface

__all__ = ["Autotuner", "AutotunerError", "Config", "Heuristics", "JITFunction", "KernelInterface",
           "OutOfResources", "PTXASError", "autotune", "driver", "heuristics", "knobs"]
