# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Host-side companions of kernels."""

from . import tensor_descriptor

__all__ = ["tensor_descriptor"]
