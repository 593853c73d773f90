# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that NVIDIA GPUs have; elsewhere they do nothing or stand for the general ones."""

from ..._members import Member
from . import libdevice

for _name in "num_warps num_threads gdc_wait gdc_launch_dependents globaltimer smid".split():
    globals()[_name] = Member("tl.cuda." + _name)
del _name
