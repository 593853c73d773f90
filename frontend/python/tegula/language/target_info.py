# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.target_info`: questions about the target, answered when a kernel is compiled."""

from ._members import Member

__all__ = ["cuda_capability_geq", "current_target", "is_cuda", "is_hip"]

for _name in __all__:
    globals()[_name] = Member("tl.target_info." + _name)
del _name
