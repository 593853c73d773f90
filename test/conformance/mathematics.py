# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mathematical functions of tl, tl.math and libdevice."""

import tegula
import tegula.language as tl
from tegula.language.extra import libdevice


@tegula.jit
def unary(x_ptr, y_ptr, F: tl.constexpr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, F(tl.load(x_ptr + i, i < n)), i < n)


@tegula.jit
def unary_scalar(x_ptr, y_ptr, F: tl.constexpr):
    i = tl.program_id(0)
    tl.store(y_ptr + i, F(tl.load(x_ptr + i)))


@tegula.jit
def binary(x_ptr, y_ptr, out_ptr, F: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, F(tl.load(x_ptr + i), tl.load(y_ptr + i)))


@tegula.jit
def ternary(x_ptr, y_ptr, z_ptr, out_ptr, method_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    z = tl.load(z_ptr + i)
    tl.store(out_ptr + i, tl.fma(x, y, z))
    tl.store(method_ptr + i, x.fma(y, z))


@tegula.jit
def integer_pair(x_ptr, y_ptr, high_ptr, method_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(high_ptr + i, tl.umulhi(x, y))
    tl.store(method_ptr + i, x.umulhi(y))


@tegula.jit
def integer_bits(x_ptr, clz_ptr, popc_ptr, ffs_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(clz_ptr + i, libdevice.clz(x))
    tl.store(popc_ptr + i, libdevice.popc(x))
    tl.store(ffs_ptr + i, libdevice.ffs(x))


@tegula.jit
def classes(x_ptr, nan_ptr, inf_ptr, finite_ptr, sign_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(nan_ptr + i, libdevice.isnan(x))
    tl.store(inf_ptr + i, libdevice.isinf(x))
    tl.store(finite_ptr + i, libdevice.finitef(x) & libdevice.isfinited(x))
    tl.store(sign_ptr + i, libdevice.signbit(x))


@tegula.jit
def cdiv(x_ptr, y_ptr, out_ptr, constant_ptr, C: tl.constexpr, D: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.cdiv(tl.load(x_ptr + i), tl.load(y_ptr + i)))
    blocks: tl.constexpr = tl.cdiv(C, D)
    tl.store(constant_ptr + tl.arange(0, 1), tl.full((1,), blocks, tl.int32))
    tl.store(constant_ptr + 1, tl.cdiv(tl.load(x_ptr), D))
    tl.store(constant_ptr + 2, tl.next_power_of_2(C))


@tegula.jit
def swizzle(i_ptr, j_ptr, M: tl.constexpr, N: tl.constexpr, G):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    a, b = tl.swizzle2d(i, j, M, N, G)
    tl.store(i_ptr + i * N + j, a)
    tl.store(j_ptr + i * N + j, b)


@tegula.jit
def softmax(x_ptr, y_ptr, K: tl.constexpr, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + i)
    y = tl.softmax(x, dim=D) if K else x.softmax(D)
    tl.store(y_ptr + i, y)


@tegula.jit
def f_exp(x):
    return tl.exp(x)


@tegula.jit
def f_exp2(x):
    return tl.math.exp2(x)


@tegula.jit
def f_log(x):
    return x.log()


@tegula.jit
def f_log2(x):
    return tl.log2(x)


@tegula.jit
def f_sin(x):
    return tl.sin(x)


@tegula.jit
def f_cos(x):
    return tl.math.cos(x)


@tegula.jit
def f_sqrt(x):
    return tl.sqrt(x)


@tegula.jit
def f_sqrt_rn(x):
    return tl.math.sqrt_rn(x)


@tegula.jit
def f_rsqrt(x):
    return tl.rsqrt(x)


@tegula.jit
def f_erf(x):
    return tl.erf(x)


@tegula.jit
def f_floor(x):
    return tl.floor(x)


@tegula.jit
def f_ceil(x):
    return x.ceil()


@tegula.jit
def f_sigmoid(x):
    return tl.sigmoid(x)


@tegula.jit
def f_tan(x):
    return libdevice.tan(x)


@tegula.jit
def f_asin(x):
    return libdevice.asin(x)


@tegula.jit
def f_acos(x):
    return libdevice.acos(x)


@tegula.jit
def f_atan(x):
    return libdevice.atan(x)


@tegula.jit
def f_sinh(x):
    return libdevice.sinh(x)


@tegula.jit
def f_cosh(x):
    return libdevice.cosh(x)


@tegula.jit
def f_tanh(x):
    return libdevice.tanh(x)


@tegula.jit
def f_asinh(x):
    return libdevice.asinh(x)


@tegula.jit
def f_acosh(x):
    return libdevice.acosh(x)


@tegula.jit
def f_atanh(x):
    return libdevice.atanh(x)


@tegula.jit
def f_exp10(x):
    return libdevice.exp10(x)


@tegula.jit
def f_expm1(x):
    return libdevice.expm1(x)


@tegula.jit
def f_log10(x):
    return libdevice.log10(x)


@tegula.jit
def f_log1p(x):
    return libdevice.log1p(x)


@tegula.jit
def f_cbrt(x):
    return libdevice.cbrt(x)


@tegula.jit
def f_erfc(x):
    return libdevice.erfc(x)


@tegula.jit
def f_trunc(x):
    return libdevice.trunc(x)


@tegula.jit
def f_round(x):
    return libdevice.round(x)


@tegula.jit
def f_rint(x):
    return libdevice.rint(x)


@tegula.jit
def f_nearbyint(x):
    return libdevice.nearbyint(x)


@tegula.jit
def f_fabs(x):
    return libdevice.fabs(x)


@tegula.jit
def f_lib_exp2(x):
    return libdevice.exp2(x)


@tegula.jit
def f_atan2(x, y):
    return libdevice.atan2(x, y)


@tegula.jit
def f_copysign(x, y):
    return libdevice.copysign(x, y)


@tegula.jit
def f_fmax(x, y):
    return libdevice.fmax(x, y)


@tegula.jit
def f_fmin(x, y):
    return libdevice.fmin(x, y)


@tegula.jit
def f_fmod(x, y):
    return libdevice.fmod(x, y)


@tegula.jit
def f_pow(x, y):
    return libdevice.pow(x, y)


@tegula.jit
def f_div_rn(x, y):
    return tl.div_rn(x, y)


@tegula.jit
def f_fdiv(x, y):
    return tl.fdiv(x, y, ieee_rounding=True)
