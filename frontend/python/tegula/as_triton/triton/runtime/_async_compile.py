# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling in the background."""

from tegula._async import AsyncCompileMode, FutureKernel
from tegula._async import _active as active_mode

__all__ = ["AsyncCompileMode", "FutureKernel", "active_mode"]
