# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that AMD GPUs have, served by the backends' own mathematics."""

from . import libdevice
