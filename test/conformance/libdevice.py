# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import tegula
import tegula.language as tl
from tegula.language.extra import libdevice


@tegula.jit
def one(F: tl.constexpr, x_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out_ptr + i, F(tl.load(x_ptr + i, i < n)), i < n)


@tegula.jit
def two(F: tl.constexpr, x_ptr, y_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out_ptr + i, F(tl.load(x_ptr + i, i < n), tl.load(y_ptr + i, i < n)), i < n)


@tegula.jit
def three(F: tl.constexpr, x_ptr, y_ptr, z_ptr, out_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, i < n)
    y = tl.load(y_ptr + i, i < n)
    tl.store(out_ptr + i, F(x, y, tl.load(z_ptr + i, i < n)), i < n)


@tegula.jit
def constants(out_ptr):
    tl.store(out_ptr, libdevice.hypot(3.0, 4.0))
    tl.store(out_ptr + 1, libdevice.ldexp(1.5, 4))
    tl.store(out_ptr + 2, tl.math.rsqrt(libdevice.add_ru(3.0, 1.0)))
    tl.store(out_ptr + 3, tl.extra.cuda.libdevice.fdim(3.0, 1.0))


@tegula.jit
def add_rn(x, y):
    return libdevice.add_rn(x, y)


@tegula.jit
def add_rz(x, y):
    return libdevice.add_rz(x, y)


@tegula.jit
def add_rd(x, y):
    return libdevice.add_rd(x, y)


@tegula.jit
def add_ru(x, y):
    return libdevice.add_ru(x, y)


@tegula.jit
def sub_rn(x, y):
    return libdevice.sub_rn(x, y)


@tegula.jit
def sub_rz(x, y):
    return libdevice.sub_rz(x, y)


@tegula.jit
def sub_rd(x, y):
    return libdevice.sub_rd(x, y)


@tegula.jit
def sub_ru(x, y):
    return libdevice.sub_ru(x, y)


@tegula.jit
def mul_rn(x, y):
    return libdevice.mul_rn(x, y)


@tegula.jit
def mul_rz(x, y):
    return libdevice.mul_rz(x, y)


@tegula.jit
def mul_rd(x, y):
    return libdevice.mul_rd(x, y)


@tegula.jit
def mul_ru(x, y):
    return libdevice.mul_ru(x, y)


@tegula.jit
def div_rn(x, y):
    return libdevice.div_rn(x, y)


@tegula.jit
def div_rz(x, y):
    return libdevice.div_rz(x, y)


@tegula.jit
def div_rd(x, y):
    return libdevice.div_rd(x, y)


@tegula.jit
def div_ru(x, y):
    return libdevice.div_ru(x, y)


@tegula.jit
def sqrt_rn(x):
    return libdevice.sqrt_rn(x)


@tegula.jit
def sqrt_rz(x):
    return libdevice.sqrt_rz(x)


@tegula.jit
def sqrt_rd(x):
    return libdevice.sqrt_rd(x)


@tegula.jit
def sqrt_ru(x):
    return libdevice.sqrt_ru(x)


@tegula.jit
def rcp_rn(x):
    return libdevice.rcp_rn(x)


@tegula.jit
def rcp_rz(x):
    return libdevice.rcp_rz(x)


@tegula.jit
def rcp_rd(x):
    return libdevice.rcp_rd(x)


@tegula.jit
def rcp_ru(x):
    return libdevice.rcp_ru(x)


@tegula.jit
def fma_rn(x, y, z):
    return libdevice.fma_rn(x, y, z)


@tegula.jit
def fma_rz(x, y, z):
    return libdevice.fma_rz(x, y, z)


@tegula.jit
def fma_rd(x, y, z):
    return libdevice.fma_rd(x, y, z)


@tegula.jit
def fma_ru(x, y, z):
    return libdevice.fma_ru(x, y, z)


@tegula.jit
def float2int_rn(x):
    return libdevice.float2int_rn(x)


@tegula.jit
def float2int_rz(x):
    return libdevice.float2int_rz(x)


@tegula.jit
def float2int_rd(x):
    return libdevice.float2int_rd(x)


@tegula.jit
def float2int_ru(x):
    return libdevice.float2int_ru(x)


@tegula.jit
def float2uint_rn(x):
    return libdevice.float2uint_rn(x)


@tegula.jit
def float2uint_rz(x):
    return libdevice.float2uint_rz(x)


@tegula.jit
def float2uint_rd(x):
    return libdevice.float2uint_rd(x)


@tegula.jit
def float2uint_ru(x):
    return libdevice.float2uint_ru(x)


@tegula.jit
def float2ll_rn(x):
    return libdevice.float2ll_rn(x)


@tegula.jit
def float2ll_rz(x):
    return libdevice.float2ll_rz(x)


@tegula.jit
def float2ll_rd(x):
    return libdevice.float2ll_rd(x)


@tegula.jit
def float2ll_ru(x):
    return libdevice.float2ll_ru(x)


@tegula.jit
def float2ull_rn(x):
    return libdevice.float2ull_rn(x)


@tegula.jit
def float2ull_rz(x):
    return libdevice.float2ull_rz(x)


@tegula.jit
def float2ull_rd(x):
    return libdevice.float2ull_rd(x)


@tegula.jit
def float2ull_ru(x):
    return libdevice.float2ull_ru(x)


@tegula.jit
def double2int_rn(x):
    return libdevice.double2int_rn(x)


@tegula.jit
def double2int_rz(x):
    return libdevice.double2int_rz(x)


@tegula.jit
def double2int_rd(x):
    return libdevice.double2int_rd(x)


@tegula.jit
def double2int_ru(x):
    return libdevice.double2int_ru(x)


@tegula.jit
def double2uint_rn(x):
    return libdevice.double2uint_rn(x)


@tegula.jit
def double2uint_rz(x):
    return libdevice.double2uint_rz(x)


@tegula.jit
def double2uint_rd(x):
    return libdevice.double2uint_rd(x)


@tegula.jit
def double2uint_ru(x):
    return libdevice.double2uint_ru(x)


@tegula.jit
def double2ll_rn(x):
    return libdevice.double2ll_rn(x)


@tegula.jit
def double2ll_rz(x):
    return libdevice.double2ll_rz(x)


@tegula.jit
def double2ll_rd(x):
    return libdevice.double2ll_rd(x)


@tegula.jit
def double2ll_ru(x):
    return libdevice.double2ll_ru(x)


@tegula.jit
def double2ull_rn(x):
    return libdevice.double2ull_rn(x)


@tegula.jit
def double2ull_rz(x):
    return libdevice.double2ull_rz(x)


@tegula.jit
def double2ull_rd(x):
    return libdevice.double2ull_rd(x)


@tegula.jit
def double2ull_ru(x):
    return libdevice.double2ull_ru(x)


@tegula.jit
def int2float_rn(x):
    return libdevice.int2float_rn(x)


@tegula.jit
def int2float_rz(x):
    return libdevice.int2float_rz(x)


@tegula.jit
def int2float_rd(x):
    return libdevice.int2float_rd(x)


@tegula.jit
def int2float_ru(x):
    return libdevice.int2float_ru(x)


@tegula.jit
def uint2float_rn(x):
    return libdevice.uint2float_rn(x)


@tegula.jit
def uint2float_rz(x):
    return libdevice.uint2float_rz(x)


@tegula.jit
def uint2float_rd(x):
    return libdevice.uint2float_rd(x)


@tegula.jit
def uint2float_ru(x):
    return libdevice.uint2float_ru(x)


@tegula.jit
def ll2float_rn(x):
    return libdevice.ll2float_rn(x)


@tegula.jit
def ll2float_rz(x):
    return libdevice.ll2float_rz(x)


@tegula.jit
def ll2float_rd(x):
    return libdevice.ll2float_rd(x)


@tegula.jit
def ll2float_ru(x):
    return libdevice.ll2float_ru(x)


@tegula.jit
def ull2float_rn(x):
    return libdevice.ull2float_rn(x)


@tegula.jit
def ull2float_rz(x):
    return libdevice.ull2float_rz(x)


@tegula.jit
def ull2float_rd(x):
    return libdevice.ull2float_rd(x)


@tegula.jit
def ull2float_ru(x):
    return libdevice.ull2float_ru(x)


@tegula.jit
def ll2double_rn(x):
    return libdevice.ll2double_rn(x)


@tegula.jit
def ll2double_rz(x):
    return libdevice.ll2double_rz(x)


@tegula.jit
def ll2double_rd(x):
    return libdevice.ll2double_rd(x)


@tegula.jit
def ll2double_ru(x):
    return libdevice.ll2double_ru(x)


@tegula.jit
def ull2double_rn(x):
    return libdevice.ull2double_rn(x)


@tegula.jit
def ull2double_rz(x):
    return libdevice.ull2double_rz(x)


@tegula.jit
def ull2double_rd(x):
    return libdevice.ull2double_rd(x)


@tegula.jit
def ull2double_ru(x):
    return libdevice.ull2double_ru(x)


@tegula.jit
def int2double_rn(x):
    return libdevice.int2double_rn(x)


@tegula.jit
def uint2double_rn(x):
    return libdevice.uint2double_rn(x)


@tegula.jit
def double2float_rn(x):
    return libdevice.double2float_rn(x)


@tegula.jit
def double2float_rz(x):
    return libdevice.double2float_rz(x)


@tegula.jit
def double2float_rd(x):
    return libdevice.double2float_rd(x)


@tegula.jit
def double2float_ru(x):
    return libdevice.double2float_ru(x)


@tegula.jit
def mulhi(x, y):
    return libdevice.mulhi(x, y)


@tegula.jit
def mul24(x, y):
    return libdevice.mul24(x, y)


@tegula.jit
def hadd(x, y):
    return libdevice.hadd(x, y)


@tegula.jit
def rhadd(x, y):
    return libdevice.rhadd(x, y)


@tegula.jit
def hiloint2double(x, y):
    return libdevice.hiloint2double(x, y)


@tegula.jit
def nextafter(x, y):
    return libdevice.nextafter(x, y)


@tegula.jit
def fdim(x, y):
    return libdevice.fdim(x, y)


@tegula.jit
def remainder(x, y):
    return libdevice.remainder(x, y)


@tegula.jit
def ldexp(x, y):
    return libdevice.ldexp(x, y)


@tegula.jit
def hypot(x, y):
    return libdevice.hypot(x, y)


@tegula.jit
def rhypot(x, y):
    return libdevice.rhypot(x, y)


@tegula.jit
def brev(x):
    return libdevice.brev(x)


@tegula.jit
def int_as_float(x):
    return libdevice.int_as_float(x)


@tegula.jit
def uint_as_float(x):
    return libdevice.uint_as_float(x)


@tegula.jit
def float_as_int(x):
    return libdevice.float_as_int(x)


@tegula.jit
def float_as_uint(x):
    return libdevice.float_as_uint(x)


@tegula.jit
def longlong_as_double(x):
    return libdevice.longlong_as_double(x)


@tegula.jit
def double_as_longlong(x):
    return libdevice.double_as_longlong(x)


@tegula.jit
def double2loint(x):
    return libdevice.double2loint(x)


@tegula.jit
def double2hiint(x):
    return libdevice.double2hiint(x)


@tegula.jit
def saturatef(x):
    return libdevice.saturatef(x)


@tegula.jit
def ilogb(x):
    return libdevice.ilogb(x)


@tegula.jit
def logb(x):
    return libdevice.logb(x)


@tegula.jit
def llrint(x):
    return libdevice.llrint(x)


@tegula.jit
def llround(x):
    return libdevice.llround(x)


@tegula.jit
def sinpi(x):
    return libdevice.sinpi(x)


@tegula.jit
def cospi(x):
    return libdevice.cospi(x)


@tegula.jit
def fast_exp10f(x):
    return libdevice.fast_exp10f(x)


@tegula.jit
def fast_log10f(x):
    return libdevice.fast_log10f(x)


@tegula.jit
def rcbrt(x):
    return libdevice.rcbrt(x)


@tegula.jit
def normcdf(x):
    return libdevice.normcdf(x)


@tegula.jit
def erfcx(x):
    return libdevice.erfcx(x)


@tegula.jit
def erfinv(x):
    return libdevice.erfinv(x)


@tegula.jit
def erfcinv(x):
    return libdevice.erfcinv(x)


@tegula.jit
def normcdfinv(x):
    return libdevice.normcdfinv(x)


@tegula.jit
def tgamma(x):
    return libdevice.tgamma(x)


@tegula.jit
def lgamma(x):
    return libdevice.lgamma(x)


@tegula.jit
def cyl_bessel_i0(x):
    return libdevice.cyl_bessel_i0(x)


@tegula.jit
def cyl_bessel_i1(x):
    return libdevice.cyl_bessel_i1(x)


@tegula.jit
def byte_perm(x, y, z):
    return libdevice.byte_perm(x, y, z)


@tegula.jit
def sad(x, y, z):
    return libdevice.sad(x, y, z)


@tegula.jit
def norm3d(x, y, z):
    return libdevice.norm3d(x, y, z)


@tegula.jit
def j0(x):
    return libdevice.j0(x)


@tegula.jit
def j1(x):
    return libdevice.j1(x)


@tegula.jit
def y0(x):
    return libdevice.y0(x)


@tegula.jit
def y1(x):
    return libdevice.y1(x)


@tegula.jit
def jn(n, x):
    return libdevice.jn(n, x)


@tegula.jit
def yn(n, x):
    return libdevice.yn(n, x)


@tegula.jit
def of_order(order_ptr, x_ptr, out_ptr, n, F: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    order = tl.load(order_ptr + i, mask=i < n, other=0)
    x = tl.load(x_ptr + i, mask=i < n, other=1)
    tl.store(out_ptr + i, F(order, x), mask=i < n)


@tegula.jit
def of_one_order(x_ptr, out_ptr, order, n, F: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=1)
    tl.store(out_ptr + i, F(order, x), mask=i < n)
