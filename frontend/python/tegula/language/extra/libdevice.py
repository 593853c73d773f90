# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of NVIDIA's device library, served by the backends' own mathematics."""

from .._members import Member

_FUNCTIONS = """
abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz copysign cos cosh div_rn erf erfc exp exp10
exp2 expm1 fabs fast_cosf fast_dividef fast_expf fast_log2f fast_logf fast_powf fast_sinf fast_tanf
fast_tanhf ffs finitef floor fma fmax fmin fmod isfinited isinf isnan log log10 log1p log2 nearbyint
popc pow rint round rsqrt rsqrt_rn signbit sin sinh sqrt sqrt_rn tan tanh trunc
""".split()

for _name in _FUNCTIONS:
    globals()[_name] = Member("libdevice." + _name)
del _name

__all__ = [*_FUNCTIONS]
