# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling without a launch.

    source = tegula.compiler.ASTSource(kernel, {"x": "*fp32", "n": "i32"}, {"BLOCK": 128})
    compiled = tegula.compile(source)
    compiled[(8,)](x, n)
"""

from . import errors
from .compiler import GPUTarget, compile, make_backend
from .errors import (CompilationError, CompileTimeAssertionFailure,
                     UnsupportedLanguageConstruct)
from .sources import ASTSource, AttrsDescriptor, IRSource
from .._compiled import CompiledKernel
from .._hooks import LazyDict

__all__ = ["ASTSource", "AttrsDescriptor", "CompilationError", "CompileTimeAssertionFailure",
           "CompiledKernel", "GPUTarget", "IRSource", "LazyDict", "UnsupportedLanguageConstruct",
           "compile", "errors", "make_backend"]
