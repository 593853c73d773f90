# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tegula: kernels in the tile language, for CPUs and GPUs.

    import tegula
    import tegula.language as tl

    @tegula.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)

    add[(tegula.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)

Arguments are NumPy arrays, torch tensors, `tegula.Array`, or anything with
`data_ptr()`, the buffer protocol, an array interface or DLPack; where they are, the
kernel runs.
"""

from . import _tegula
from .errors import (CompilationError, CompileTimeAssertionFailure, DeviceAssertionError, Error,
                     InternalError, KnobError, LaunchError, LaunchOverflowError, LaunchTypeError,
                     LaunchValueError, OutOfResources, PluginError, TargetError,
                     UnsupportedLanguageConstruct, raise_status)

_tegula.initialize(raise_status)

from . import cache, knobs, language, runtime, testing, tools  # noqa: E402
from ._arrays import ReinterpretedArray as TensorWrapper  # noqa: E402
from ._arrays import reinterpret  # noqa: E402
from ._device_array import Array, empty_like  # noqa: E402
from ._async import AsyncCompileMode, FutureKernel  # noqa: E402
from ._tuning import Autotuner, Config, Heuristics, autotune, heuristics  # noqa: E402
from .jit import CompiledKernel, JITFunction, MockTensor, jit, must_use_result  # noqa: E402
from . import compiler  # noqa: E402
from .compiler import compile  # noqa: E402
from ._aggregate import aggregate, aggregate_replace  # noqa: E402
from .language import constexpr  # noqa: E402
from .tools.tensor_descriptor import TensorDescriptor  # noqa: E402
from .utils import (cdiv, constexpr_function, next_power_of_2,  # noqa: E402
                    set_allocator)

if knobs.runtime.gpu_faults:
    _tegula.devices("cuda")  # its driver must be asked before a program uses a GPU

__version__ = _tegula.version

__all__ = [
    "Array", "AsyncCompileMode", "Autotuner", "CompilationError",
    "CompileTimeAssertionFailure",
    "CompiledKernel", "Config", "DeviceAssertionError", "Error", "FutureKernel", "Heuristics",
    "InternalError", "JITFunction", "KnobError", "LaunchError", "LaunchOverflowError",
    "LaunchTypeError", "LaunchValueError", "MockTensor", "OutOfResources", "PluginError",
    "TargetError", "TensorDescriptor", "TensorWrapper", "UnsupportedLanguageConstruct", "aggregate",
    "aggregate_replace", "autotune", "cache", "cdiv", "compile", "compiler", "constexpr",
    "constexpr_function", "empty_like", "heuristics", "jit", "knobs", "language", "must_use_result",
    "next_power_of_2", "reinterpret", "runtime", "set_allocator", "testing", "tools",
]
