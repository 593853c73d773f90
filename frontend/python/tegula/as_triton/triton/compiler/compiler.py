# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs import from `triton.compiler.compiler`."""

from tegula import CompiledKernel

try:
    from tegula.compiler import ASTSource, IRSource, compile, make_backend
except ImportError:
    class ASTSource:
        def __init__(self, fn, signature, constexprs=None, attrs=None):
            self.fn, self.signature, self.constexprs = fn, signature, constexprs or {}

    class IRSource:
        pass

    def compile(src, target=None, options=None):
        raise NotImplementedError("compile")

    def make_backend(target):
        raise NotImplementedError("make_backend")

__all__ = ["ASTSource", "CompiledKernel", "IRSource", "compile", "make_backend"]
