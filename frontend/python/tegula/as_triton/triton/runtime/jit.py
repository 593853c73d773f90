# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs import from `triton.runtime.jit`."""

from tegula._arrays import ReinterpretedArray as TensorWrapper
from tegula._arrays import reinterpret
from tegula.jit import JITFunction, jit
from tegula.utils import constexpr_function

from .._utils import MockTensor, type_canonicalisation_dict
from .._interfaces import JITCallable, KernelInterface, get_jit_fn_file_line

__all__ = ["JITCallable", "JITFunction", "KernelInterface", "MockTensor", "TensorWrapper",
           "constexpr_function", "get_jit_fn_file_line", "jit", "reinterpret",
           "type_canonicalisation_dict"]
