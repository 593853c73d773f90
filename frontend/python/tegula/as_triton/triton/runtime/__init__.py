# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels run on, launching and tuning, as programs import it."""

from tegula import Autotuner, Config, Heuristics, JITFunction, autotune, heuristics, reinterpret
from tegula.runtime import driver

from .cache import RedisRemoteCacheBackend, RemoteCacheBackend
from .errors import InterpreterError, OutOfResources
from .jit import KernelInterface, MockTensor, TensorWrapper

__all__ = ["Autotuner", "Config", "Heuristics", "InterpreterError", "JITFunction",
           "KernelInterface", "MockTensor", "OutOfResources", "RedisRemoteCacheBackend",
           "RemoteCacheBackend", "TensorWrapper", "autotune", "driver", "heuristics",
           "reinterpret"]
