# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""libdevice: the names of the operations of libdevice_rounding.py."""

import tegula.language as tl


def libdevice_add_rn(x, y):
    """x + y, rounded to nearest."""
    return _add_in_mode(x, y, "rn", "add_rn")


def libdevice_add_rz(x, y):
    """x + y, rounded towards zero."""
    return _add_in_mode(x, y, "rz", "add_rz")


def libdevice_add_rd(x, y):
    """x + y, rounded down."""
    return _add_in_mode(x, y, "rd", "add_rd")


def libdevice_add_ru(x, y):
    """x + y, rounded up."""
    return _add_in_mode(x, y, "ru", "add_ru")


def libdevice_sub_rn(x, y):
    """x - y, rounded to nearest."""
    return _add_in_mode(x, -y, "rn", "sub_rn")


def libdevice_sub_rz(x, y):
    """x - y, rounded towards zero."""
    return _add_in_mode(x, -y, "rz", "sub_rz")


def libdevice_sub_rd(x, y):
    """x - y, rounded down."""
    return _add_in_mode(x, -y, "rd", "sub_rd")


def libdevice_sub_ru(x, y):
    """x - y, rounded up."""
    return _add_in_mode(x, -y, "ru", "sub_ru")


def libdevice_mul_rn(x, y):
    """x * y, rounded to nearest."""
    return _mul(x, y, "rn", "mul_rn")


def libdevice_mul_rz(x, y):
    """x * y, rounded towards zero."""
    return _mul(x, y, "rz", "mul_rz")


def libdevice_mul_rd(x, y):
    """x * y, rounded down."""
    return _mul(x, y, "rd", "mul_rd")


def libdevice_mul_ru(x, y):
    """x * y, rounded up."""
    return _mul(x, y, "ru", "mul_ru")


def libdevice_div_rz(x, y):
    """x / y, rounded towards zero."""
    return _div(x, y, "rz", "div_rz")


def libdevice_div_rd(x, y):
    """x / y, rounded down."""
    return _div(x, y, "rd", "div_rd")


def libdevice_div_ru(x, y):
    """x / y, rounded up."""
    return _div(x, y, "ru", "div_ru")


def libdevice_sqrt_rz(x):
    """Square root, rounded towards zero."""
    return _sqrt(x, "rz", "sqrt_rz")


def libdevice_sqrt_rd(x):
    """Square root, rounded down."""
    return _sqrt(x, "rd", "sqrt_rd")


def libdevice_sqrt_ru(x):
    """Square root, rounded up."""
    return _sqrt(x, "ru", "sqrt_ru")


def libdevice_rcp_rn(x):
    """1 / x, rounded to nearest."""
    return _div(tl.full((), 1, x.dtype), x, "rn", "rcp_rn")


def libdevice_rcp_rz(x):
    """1 / x, rounded towards zero."""
    return _div(tl.full((), 1, x.dtype), x, "rz", "rcp_rz")


def libdevice_rcp_rd(x):
    """1 / x, rounded down."""
    return _div(tl.full((), 1, x.dtype), x, "rd", "rcp_rd")


def libdevice_rcp_ru(x):
    """1 / x, rounded up."""
    return _div(tl.full((), 1, x.dtype), x, "ru", "rcp_ru")


def libdevice_fma_rn(x, y, z):
    """x * y + z, rounded to nearest."""
    return tl.fma(x, y, z)


def libdevice_fma_rz(x, y, z):
    """x * y + z, rounded towards zero."""
    return _fma(x, y, z, "rz", "fma_rz")


def libdevice_fma_rd(x, y, z):
    """x * y + z, rounded down."""
    return _fma(x, y, z, "rd", "fma_rd")


def libdevice_fma_ru(x, y, z):
    """x * y + z, rounded up."""
    return _fma(x, y, z, "ru", "fma_ru")


def libdevice_double2int_rn(x):
    """float64 to int32, rounded to nearest."""
    _check_type(x, tl.float64, "double2int_rn")
    return _to_int(x, tl.int32, "rn")


def libdevice_double2int_rz(x):
    """float64 to int32, rounded towards zero."""
    _check_type(x, tl.float64, "double2int_rz")
    return _to_int(x, tl.int32, "rz")


def libdevice_double2int_rd(x):
    """float64 to int32, rounded down."""
    _check_type(x, tl.float64, "double2int_rd")
    return _to_int(x, tl.int32, "rd")


def libdevice_double2int_ru(x):
    """float64 to int32, rounded up."""
    _check_type(x, tl.float64, "double2int_ru")
    return _to_int(x, tl.int32, "ru")


def libdevice_double2uint_rn(x):
    """float64 to uint32, rounded to nearest."""
    _check_type(x, tl.float64, "double2uint_rn")
    return _to_int(x, tl.uint32, "rn")


def libdevice_double2uint_rz(x):
    """float64 to uint32, rounded towards zero."""
    _check_type(x, tl.float64, "double2uint_rz")
    return _to_int(x, tl.uint32, "rz")


def libdevice_double2uint_rd(x):
    """float64 to uint32, rounded down."""
    _check_type(x, tl.float64, "double2uint_rd")
    return _to_int(x, tl.uint32, "rd")


def libdevice_double2uint_ru(x):
    """float64 to uint32, rounded up."""
    _check_type(x, tl.float64, "double2uint_ru")
    return _to_int(x, tl.uint32, "ru")


def libdevice_double2ll_rn(x):
    """float64 to int64, rounded to nearest."""
    _check_type(x, tl.float64, "double2ll_rn")
    return _to_int(x, tl.int64, "rn")


def libdevice_double2ll_rz(x):
    """float64 to int64, rounded towards zero."""
    _check_type(x, tl.float64, "double2ll_rz")
    return _to_int(x, tl.int64, "rz")


def libdevice_double2ll_rd(x):
    """float64 to int64, rounded down."""
    _check_type(x, tl.float64, "double2ll_rd")
    return _to_int(x, tl.int64, "rd")


def libdevice_double2ll_ru(x):
    """float64 to int64, rounded up."""
    _check_type(x, tl.float64, "double2ll_ru")
    return _to_int(x, tl.int64, "ru")


def libdevice_double2ull_rn(x):
    """float64 to uint64, rounded to nearest."""
    _check_type(x, tl.float64, "double2ull_rn")
    return _to_int(x, tl.uint64, "rn")


def libdevice_double2ull_rz(x):
    """float64 to uint64, rounded towards zero."""
    _check_type(x, tl.float64, "double2ull_rz")
    return _to_int(x, tl.uint64, "rz")


def libdevice_double2ull_rd(x):
    """float64 to uint64, rounded down."""
    _check_type(x, tl.float64, "double2ull_rd")
    return _to_int(x, tl.uint64, "rd")


def libdevice_double2ull_ru(x):
    """float64 to uint64, rounded up."""
    _check_type(x, tl.float64, "double2ull_ru")
    return _to_int(x, tl.uint64, "ru")


def libdevice_float2int_rn(x):
    """float32 to int32, rounded to nearest."""
    _check_type(x, tl.float32, "float2int_rn")
    return _to_int(x, tl.int32, "rn")


def libdevice_float2int_rz(x):
    """float32 to int32, rounded towards zero."""
    _check_type(x, tl.float32, "float2int_rz")
    return _to_int(x, tl.int32, "rz")


def libdevice_float2int_rd(x):
    """float32 to int32, rounded down."""
    _check_type(x, tl.float32, "float2int_rd")
    return _to_int(x, tl.int32, "rd")


def libdevice_float2int_ru(x):
    """float32 to int32, rounded up."""
    _check_type(x, tl.float32, "float2int_ru")
    return _to_int(x, tl.int32, "ru")


def libdevice_float2uint_rn(x):
    """float32 to uint32, rounded to nearest."""
    _check_type(x, tl.float32, "float2uint_rn")
    return _to_int(x, tl.uint32, "rn")


def libdevice_float2uint_rz(x):
    """float32 to uint32, rounded towards zero."""
    _check_type(x, tl.float32, "float2uint_rz")
    return _to_int(x, tl.uint32, "rz")


def libdevice_float2uint_rd(x):
    """float32 to uint32, rounded down."""
    _check_type(x, tl.float32, "float2uint_rd")
    return _to_int(x, tl.uint32, "rd")


def libdevice_float2uint_ru(x):
    """float32 to uint32, rounded up."""
    _check_type(x, tl.float32, "float2uint_ru")
    return _to_int(x, tl.uint32, "ru")


def libdevice_float2ll_rn(x):
    """float32 to int64, rounded to nearest."""
    _check_type(x, tl.float32, "float2ll_rn")
    return _to_int(x, tl.int64, "rn")


def libdevice_float2ll_rz(x):
    """float32 to int64, rounded towards zero."""
    _check_type(x, tl.float32, "float2ll_rz")
    return _to_int(x, tl.int64, "rz")


def libdevice_float2ll_rd(x):
    """float32 to int64, rounded down."""
    _check_type(x, tl.float32, "float2ll_rd")
    return _to_int(x, tl.int64, "rd")


def libdevice_float2ll_ru(x):
    """float32 to int64, rounded up."""
    _check_type(x, tl.float32, "float2ll_ru")
    return _to_int(x, tl.int64, "ru")


def libdevice_float2ull_rn(x):
    """float32 to uint64, rounded to nearest."""
    _check_type(x, tl.float32, "float2ull_rn")
    return _to_int(x, tl.uint64, "rn")


def libdevice_float2ull_rz(x):
    """float32 to uint64, rounded towards zero."""
    _check_type(x, tl.float32, "float2ull_rz")
    return _to_int(x, tl.uint64, "rz")


def libdevice_float2ull_rd(x):
    """float32 to uint64, rounded down."""
    _check_type(x, tl.float32, "float2ull_rd")
    return _to_int(x, tl.uint64, "rd")


def libdevice_float2ull_ru(x):
    """float32 to uint64, rounded up."""
    _check_type(x, tl.float32, "float2ull_ru")
    return _to_int(x, tl.uint64, "ru")


def libdevice_int2float_rn(x):
    """int32 to float32, rounded to nearest."""
    _check_type(x, tl.int32, "int2float_rn")
    return _to_float(x, tl.float32, "rn")


def libdevice_int2float_rz(x):
    """int32 to float32, rounded towards zero."""
    _check_type(x, tl.int32, "int2float_rz")
    return _to_float(x, tl.float32, "rz")


def libdevice_int2float_rd(x):
    """int32 to float32, rounded down."""
    _check_type(x, tl.int32, "int2float_rd")
    return _to_float(x, tl.float32, "rd")


def libdevice_int2float_ru(x):
    """int32 to float32, rounded up."""
    _check_type(x, tl.int32, "int2float_ru")
    return _to_float(x, tl.float32, "ru")


def libdevice_int2double_rn(x):
    """int32 to float64, rounded to nearest."""
    _check_type(x, tl.int32, "int2double_rn")
    return _to_float(x, tl.float64, "rn")


def libdevice_uint2float_rn(x):
    """uint32 to float32, rounded to nearest."""
    _check_type(x, tl.uint32, "uint2float_rn")
    return _to_float(x, tl.float32, "rn")


def libdevice_uint2float_rz(x):
    """uint32 to float32, rounded towards zero."""
    _check_type(x, tl.uint32, "uint2float_rz")
    return _to_float(x, tl.float32, "rz")


def libdevice_uint2float_rd(x):
    """uint32 to float32, rounded down."""
    _check_type(x, tl.uint32, "uint2float_rd")
    return _to_float(x, tl.float32, "rd")


def libdevice_uint2float_ru(x):
    """uint32 to float32, rounded up."""
    _check_type(x, tl.uint32, "uint2float_ru")
    return _to_float(x, tl.float32, "ru")


def libdevice_uint2double_rn(x):
    """uint32 to float64, rounded to nearest."""
    _check_type(x, tl.uint32, "uint2double_rn")
    return _to_float(x, tl.float64, "rn")


def libdevice_ll2float_rn(x):
    """int64 to float32, rounded to nearest."""
    _check_type(x, tl.int64, "ll2float_rn")
    return _to_float(x, tl.float32, "rn")


def libdevice_ll2float_rz(x):
    """int64 to float32, rounded towards zero."""
    _check_type(x, tl.int64, "ll2float_rz")
    return _to_float(x, tl.float32, "rz")


def libdevice_ll2float_rd(x):
    """int64 to float32, rounded down."""
    _check_type(x, tl.int64, "ll2float_rd")
    return _to_float(x, tl.float32, "rd")


def libdevice_ll2float_ru(x):
    """int64 to float32, rounded up."""
    _check_type(x, tl.int64, "ll2float_ru")
    return _to_float(x, tl.float32, "ru")


def libdevice_ll2double_rn(x):
    """int64 to float64, rounded to nearest."""
    _check_type(x, tl.int64, "ll2double_rn")
    return _to_float(x, tl.float64, "rn")


def libdevice_ll2double_rz(x):
    """int64 to float64, rounded towards zero."""
    _check_type(x, tl.int64, "ll2double_rz")
    return _to_float(x, tl.float64, "rz")


def libdevice_ll2double_rd(x):
    """int64 to float64, rounded down."""
    _check_type(x, tl.int64, "ll2double_rd")
    return _to_float(x, tl.float64, "rd")


def libdevice_ll2double_ru(x):
    """int64 to float64, rounded up."""
    _check_type(x, tl.int64, "ll2double_ru")
    return _to_float(x, tl.float64, "ru")


def libdevice_ull2float_rn(x):
    """uint64 to float32, rounded to nearest."""
    _check_type(x, tl.uint64, "ull2float_rn")
    return _to_float(x, tl.float32, "rn")


def libdevice_ull2float_rz(x):
    """uint64 to float32, rounded towards zero."""
    _check_type(x, tl.uint64, "ull2float_rz")
    return _to_float(x, tl.float32, "rz")


def libdevice_ull2float_rd(x):
    """uint64 to float32, rounded down."""
    _check_type(x, tl.uint64, "ull2float_rd")
    return _to_float(x, tl.float32, "rd")


def libdevice_ull2float_ru(x):
    """uint64 to float32, rounded up."""
    _check_type(x, tl.uint64, "ull2float_ru")
    return _to_float(x, tl.float32, "ru")


def libdevice_ull2double_rn(x):
    """uint64 to float64, rounded to nearest."""
    _check_type(x, tl.uint64, "ull2double_rn")
    return _to_float(x, tl.float64, "rn")


def libdevice_ull2double_rz(x):
    """uint64 to float64, rounded towards zero."""
    _check_type(x, tl.uint64, "ull2double_rz")
    return _to_float(x, tl.float64, "rz")


def libdevice_ull2double_rd(x):
    """uint64 to float64, rounded down."""
    _check_type(x, tl.uint64, "ull2double_rd")
    return _to_float(x, tl.float64, "rd")


def libdevice_ull2double_ru(x):
    """uint64 to float64, rounded up."""
    _check_type(x, tl.uint64, "ull2double_ru")
    return _to_float(x, tl.float64, "ru")


def libdevice_double2float_rn(x):
    """float64 to float32, rounded to nearest."""
    _check_type(x, tl.float64, "double2float_rn")
    return _narrow(x, "rn")


def libdevice_double2float_rz(x):
    """float64 to float32, rounded towards zero."""
    _check_type(x, tl.float64, "double2float_rz")
    return _narrow(x, "rz")


def libdevice_double2float_rd(x):
    """float64 to float32, rounded down."""
    _check_type(x, tl.float64, "double2float_rd")
    return _narrow(x, "rd")


def libdevice_double2float_ru(x):
    """float64 to float32, rounded up."""
    _check_type(x, tl.float64, "double2float_ru")
    return _narrow(x, "ru")
