# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package that programs find as `triton`."""

from tegula import *  # noqa: F403
from tegula import language, runtime, testing, tools  # noqa: F401
from tegula.as_triton import VERSION as __version__  # noqa: F401
