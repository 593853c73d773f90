# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The root of all errors."""

from tegula.errors import Error as TritonError

__all__ = ["TritonError"]
