# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between types."""

import tegula
import tegula.language as tl


@tegula.jit
def cast(a_ptr, method_ptr, function_ptr, store_ptr, U: tl.constexpr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    a = tl.load(a_ptr + i, mask)
    tl.static_assert(a.to(U).dtype == U)
    tl.store(method_ptr + i, a.to(U), mask)
    tl.store(function_ptr + i, tl.cast(a, U), mask)
    tl.store(store_ptr + i, a, mask)


@tegula.jit
def scalar_cast(a_ptr, out_ptr, U: tl.constexpr):
    i = tl.program_id(0)
    tl.store(out_ptr + i, tl.load(a_ptr + i).to(U))


@tegula.jit
def rounded_cast(a_ptr, rtne_ptr, rtz_ptr, U: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    tl.store(rtne_ptr + i, a.to(U, fp_downcast_rounding="rtne"))
    tl.store(rtz_ptr + i, tl.cast(a, U, fp_downcast_rounding="rtz"))


@tegula.jit
def bitcast(a_ptr, out_ptr, scalar_ptr, U: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(a_ptr + i).to(U, bitcast=True))
    tl.store(scalar_ptr, tl.cast(tl.load(a_ptr), U, bitcast=True))


@tegula.jit
def chain(a_ptr, out_ptr, U: tl.constexpr, V: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(a_ptr + i).to(U).to(V))


@tegula.jit
def constant_cast(out_ptr, C: tl.constexpr, T: tl.constexpr, U: tl.constexpr):
    tl.store(out_ptr, tl.full((), C, T).to(U))


@tegula.jit
def through_pointers(a_ptr, bits_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    words = a_ptr.to(tl.pointer_type(tl.int32))
    tl.store(bits_ptr + i, tl.load(words + i))
    address = a_ptr.to(tl.int64)
    again = (address + 4).to(tl.pointer_type(tl.float32))
    tl.store(out_ptr + i, tl.load(again + i, i < N - 1, -1.0))
    tiles = (a_ptr + i).to(tl.int64)
    tl.store(out_ptr + N + i, tl.load(tiles.to(tl.pointer_type(tl.float32))))


@tegula.jit
def e4b15(bits_ptr, x_ptr, wide_ptr, narrow_ptr, rtz_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    small = tl.load(bits_ptr + i).to(tl.float8e4b15, bitcast=True)
    tl.static_assert(small.dtype.is_fp8())
    x = tl.load(x_ptr + i)
    tl.store(wide_ptr + i, small.to(tl.float32))
    tl.store(narrow_ptr + i, x.to(tl.float8e4b15).to(tl.uint8, bitcast=True))
    towards_zero = x.to(tl.float8e4b15, fp_downcast_rounding="rtz")
    tl.store(rtz_ptr + i, towards_zero.to(tl.uint8, bitcast=True))
