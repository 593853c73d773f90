# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package that programs find as `triton`."""

from tegula import *  # noqa: F403
from tegula import language, testing, tools  # noqa: F401
from tegula.as_triton import VERSION as __version__  # noqa: F401

from . import knobs, runtime  # noqa: F401
from .compiler import CompilationError, compile  # noqa: F401
from .errors import TritonError  # noqa: F401
from .runtime import InterpreterError, KernelInterface, MockTensor, TensorWrapper  # noqa: F401
