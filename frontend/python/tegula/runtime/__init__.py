# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels run on, as programs ask for it to choose grids and constants."""

from . import driver

__all__ = ["driver"]
