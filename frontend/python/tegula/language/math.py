# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.math`: the mathematical functions of the language."""

from ._members import Member

_FUNCTIONS = ("abs ceil clamp cos div_rn erf exp exp2 fdiv floor fma log log2 maximum minimum "
              "rsqrt sin sqrt sqrt_rn umulhi tanh pow").split()

for _name in _FUNCTIONS:
    globals()[_name] = Member("tl.math." + _name)
del _name
