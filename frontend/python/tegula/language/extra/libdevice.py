# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of NVIDIA's device library, served by the backends' own mathematics."""

from .._members import Member

_FUNCTIONS = "tanh rsqrt erf exp exp2 log log2 log1p pow sin cos sqrt floor ceil".split()

for _name in _FUNCTIONS:
    globals()[_name] = Member("libdevice." + _name)
del _name
