# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling without a launch, and what comes out."""

from .compiler import (ASTSource, CompiledKernel, IRSource, LazyDict, compile, get_cache_key,
                       make_backend)
from .errors import CompilationError

__all__ = ["ASTSource", "CompilationError", "CompiledKernel", "IRSource", "LazyDict", "compile",
           "get_cache_key", "make_backend"]
