# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same as `tl.extra.libdevice`."""

from ..libdevice import *  # noqa: F403
