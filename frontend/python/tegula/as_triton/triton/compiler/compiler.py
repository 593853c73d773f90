# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs import from `triton.compiler.compiler`."""

from tegula import CompiledKernel, knobs
from tegula.compiler import (ASTSource, GPUTarget, IRSource, LazyDict, compile, make_backend)

from ..runtime.cache import get_cache_key, get_cache_manager, triton_key
from .errors import CompilationError

__all__ = ["ASTSource", "CompilationError", "CompiledKernel", "GPUTarget",
           "IRSource", "LazyDict", "compile", "get_cache_key", "get_cache_manager", "knobs",
           "make_backend", "max_shared_mem", "triton_key"]


def max_shared_mem(device):
    """Bytes that a program has close by."""
    from tegula.runtime import driver

    return driver.active.utils.get_device_properties(device)["max_shared_mem"]
