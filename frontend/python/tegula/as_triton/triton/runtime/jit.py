# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs import from `triton.runtime.jit`."""

from tegula import JITFunction, constexpr_function, jit, knobs, reinterpret
from tegula._arrays import ReinterpretedArray as TensorWrapper
from tegula._function import ConstexprFunction
from tegula._function import SourceFunction as JITCallable
from tegula._mock import MockTensor
from tegula.runtime import driver

from .._interfaces import KernelInterface, get_jit_fn_file_line
from .._utils import type_canonicalisation_dict

__all__ = ["ConstexprFunction", "JITCallable", "JITFunction", "KernelInterface", "MockTensor",
           "TensorWrapper", "constexpr_function", "driver", "get_jit_fn_file_line", "jit", "knobs",
           "reinterpret", "type_canonicalisation_dict"]
