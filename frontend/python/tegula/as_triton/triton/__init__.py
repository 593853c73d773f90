# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package that programs find as `triton`."""

from tegula import *  # noqa: F403
from tegula import knobs, language, testing, tools  # noqa: F401
from tegula.as_triton import VERSION as __version__  # noqa: F401

from . import runtime  # noqa: F401
from .compiler import CompilationError, compile  # noqa: F401
from .errors import TritonError  # noqa: F401
from .runtime import InterpreterError, KernelInterface, MockTensor, TensorWrapper  # noqa: F401
from .runtime._async_compile import AsyncCompileMode, FutureKernel  # noqa: F401


def __getattr__(name):
    from tegula.as_triton._finder import submodules

    if name in submodules("triton"):  # triton.backends, say, that nothing has imported yet
        import importlib

        return importlib.import_module(f"triton.{name}")
    raise AttributeError(f"module 'triton' has no attribute '{name}' (Tegula runs this program's "
                         f"Triton, with the names of version {__version__})")
