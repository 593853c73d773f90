# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for AArch64, run under qemu-user: single operations and moves.

`machine.compare` asks for the bits that this machine computes.
"""

import ml_dtypes
import numpy as np
import pytest
import tegula
import tegula.language as tl
from aarch64 import assert_same_bits
from test_language import FLOATS, INTEGERS, corners, dtype_of, pairs

pytestmark = pytest.mark.filterwarnings("ignore:invalid value")
DTYPES = [*INTEGERS, *FLOATS]
FP8 = {"float8e4nv": "float8_e4m3fn", "float8e5": "float8_e5m2", "float8e4b8": "float8_e4m3fnuz",
       "float8e5b16": "float8_e5m2fnuz"}


def patterns(rng, dtype, count):
    """Random bit patterns, with the corners of the type among them."""
    dtype = np.dtype(dtype)
    raw = rng.integers(0, 256, count * dtype.itemsize, dtype=np.uint8)
    if dtype.kind in "iub":
        special = corners(dtype)
    else:
        exponent, mantissa = {2: (0x7c00, 10), 4: (0x7f800000, 23), 8: (0x7ff << 52, 52)}[
            dtype.itemsize] if dtype != ml_dtypes.bfloat16 else (0x7f80, 7)
        unsigned = f"u{dtype.itemsize}"
        # Denormals, the least normal number, the largest number, signalling and quiet NaNs.
        encoded = [1, 1 << mantissa - 1, (1 << mantissa) - 1, 1 << mantissa, exponent - 1,
                   exponent + 1, exponent + (1 << mantissa - 1)]
        sign = 1 << 8 * dtype.itemsize - 1
        encoded = np.array([*encoded, *(e | sign for e in encoded)], unsigned).view(dtype)
        special = np.concatenate([corners(dtype), encoded])
    values = raw.view(dtype)
    values[:min(count, special.size)] = special[:count]
    return values


# -- one operation per element ------------------------------------------------------


@tegula.jit
def arithmetic_kernel(a_ptr, b_ptr, sum_ptr, difference_ptr, product_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(sum_ptr + i, a + b)
    tl.store(difference_ptr + i, a - b)
    tl.store(product_ptr + i, a * b)


@pytest.mark.parametrize("name", DTYPES)
def test_arithmetic(machine, name):
    dtype = dtype_of(name)
    a, b, size = pairs(corners(dtype))
    out = [np.zeros_like(a) for _ in range(3)]
    machine.compare(arithmetic_kernel, (size // 32,), a, b, *out, N=32)
    with np.errstate(all="ignore"):
        if name in INTEGERS or name in ("float32", "float64"):
            expected = a + b, a - b, a * b
        else:  # both are exact in f64
            wide = a.astype(np.float64), b.astype(np.float64)
            expected = [f(*wide).astype(np.float32).astype(dtype)
                        for f in (np.add, np.subtract, np.multiply)]
    for got, want in zip(out, expected):
        assert_same_bits(got, want)


@tegula.jit
def integer_kernel(a_ptr, b_ptr, q_ptr, r_ptr, l_ptr, s_ptr, x_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(q_ptr + i, a // b)
    tl.store(r_ptr + i, a % b)
    tl.store(l_ptr + i, a << b)
    tl.store(s_ptr + i, a >> b)
    tl.store(x_ptr + i, (a & b) ^ (a | ~b))


@pytest.mark.parametrize("name", INTEGERS)
def test_division_shifts_and_logic(machine, name):
    """Division by zero, INT_MIN // -1 and shifts by the width and more included."""
    info = np.iinfo(name)
    a, b, size = pairs(corners(name))
    out = [np.zeros_like(a) for _ in range(5)]
    machine.compare(integer_kernel, (size // 32,), a, b, *out, N=32)

    def reference(x, y):
        quotient = 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        amount = y % 2**info.bits
        left = x << amount if amount < info.bits else 0
        return quotient, x - quotient * y, left, x >> min(amount, info.bits), (x & y) ^ (x | ~y)

    expected = np.array([reference(int(x), int(y)) for x, y in zip(a, b)], object)
    wrapped = (expected - info.min) % 2**info.bits + info.min
    for got, want in zip(out, wrapped.T):
        assert_same_bits(got, want.astype(name))


@tegula.jit
def cast_kernel(x_ptr, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(i8 + i, x.to(tl.int8))
    tl.store(u8 + i, x.to(tl.uint8))
    tl.store(i16 + i, x.to(tl.int16))
    tl.store(u16 + i, x.to(tl.uint16))
    tl.store(i32 + i, x.to(tl.int32))
    tl.store(u32 + i, x.to(tl.uint32))
    tl.store(i64 + i, x.to(tl.int64))
    tl.store(u64 + i, x.to(tl.uint64))
    tl.store(f16 + i, x.to(tl.float16))
    tl.store(bf16 + i, x.to(tl.bfloat16))
    tl.store(f32 + i, x.to(tl.float32))
    tl.store(f64 + i, x.to(tl.float64))


@pytest.mark.parametrize("name", ["bool", *DTYPES])
def test_casts(machine, rng, name):
    dtype = dtype_of(name)
    x = rng.integers(0, 2, 512).astype(bool) if name == "bool" else patterns(rng, dtype, 512)
    out = [np.zeros(512, dtype_of(to)) for to in DTYPES]
    machine.compare(cast_kernel, (8,), x, *out, N=64)
    for to, got in zip(DTYPES, out):
        if to in INTEGERS and name in FLOATS:  # truncated and saturated; 0 for NaN
            info = np.iinfo(to)
            whole = [0 if np.isnan(v) else info.max if v >= 2.0**64 else info.min if v <= -2.0**64
                     else min(max(int(v), info.min), info.max) for v in x.astype(np.float64)]
            assert_same_bits(got, np.array(whole, object).astype(to), to)
        elif to in INTEGERS or to in ("float32", "float64"):
            with np.errstate(over="ignore", invalid="ignore"):
                assert_same_bits(got, x.astype(to), to)


@tegula.jit
def to_fp8_kernel(x_ptr, out_ptr, TYPE: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(TYPE))


@tegula.jit
def from_fp8_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(tl.float32))


@pytest.mark.parametrize("name", FP8)
def test_fp8(machine, rng, name):
    dtype = np.dtype(getattr(ml_dtypes, FP8[name]))
    codes = np.arange(256, dtype=np.uint8).view(dtype)
    values = np.zeros(256, np.float32)
    machine.compare(from_fp8_kernel, (1,), codes, values, N=256)
    assert_same_bits(values, codes.astype(np.float32))
    # Each value, what lies between two of them, and the largest one for what is larger.
    finite = np.unique(values[np.isfinite(values)])
    middle = (finite[1:] + finite[:-1]) / 2
    x = np.concatenate([finite, middle, np.nextafter(middle, np.float32(np.inf)),
                        np.nextafter(middle, np.float32(-np.inf)), patterns(rng, np.float32, 64)])
    x = np.resize(x, 1024).astype(np.float32)
    out = np.zeros(1024, dtype)
    machine.compare(to_fp8_kernel, (8,), x, out, TYPE=getattr(tl, name), N=128)
    limit = finite.max()
    want = np.clip(x, -limit, limit).astype(dtype)
    assert_same_bits(out, want)


@tegula.jit
def compare_kernel(a_ptr, b_ptr, lt_ptr, le_ptr, eq_ptr, ne_ptr, where_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(lt_ptr + i, a < b)
    tl.store(le_ptr + i, a <= b)
    tl.store(eq_ptr + i, a == b)
    tl.store(ne_ptr + i, a != b)
    tl.store(where_ptr + i, tl.where(a < b, a, b))


@pytest.mark.parametrize("name", DTYPES)
def test_comparisons(machine, name):
    a, b, size = pairs(corners(dtype_of(name)))
    flags = [np.zeros(size, bool) for _ in range(4)]
    chosen = np.zeros_like(a)
    machine.compare(compare_kernel, (size // 16,), a, b, *flags, chosen, N=16)
    for got, want in zip(flags, (a < b, a <= b, a == b, a != b)):
        np.testing.assert_array_equal(got, want)
    assert_same_bits(chosen, np.where(a < b, a, b))


@tegula.jit
def extremes_kernel(a_ptr, b_ptr, max_ptr, min_ptr, above_ptr, below_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(max_ptr + i, tl.maximum(a, b))
    tl.store(min_ptr + i, tl.minimum(a, b))
    tl.store(above_ptr + i, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(below_ptr + i, tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL))


@pytest.mark.parametrize("name", FLOATS)
def test_maximum_and_minimum_of_nan(machine, rng, name):
    """A NaN, also a signalling one, loses against a number unless asked for."""
    dtype = dtype_of(name)
    a, b, size = pairs(patterns(rng, dtype, 64))
    out = [np.zeros_like(a) for _ in range(4)]
    machine.launch(extremes_kernel, (size // 32,), a, b, *out, N=32)
    a, b = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore"):
        for got, f in zip(out, (np.fmax, np.fmin, np.maximum, np.minimum)):
            np.testing.assert_array_equal(got.astype(np.float64), f(a, b))


@tegula.jit
def signs_kernel(x_ptr, negated_ptr, absolute_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(negated_ptr + i, -x)
    tl.store(absolute_ptr + i, tl.abs(x))


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64", *FLOATS])
def test_signs(machine, rng, name):
    x = patterns(rng, dtype_of(name), 128)
    out = [np.zeros_like(x) for _ in range(2)]
    machine.compare(signs_kernel, (1,), x, *out, N=128)
    assert_same_bits(out[0], -x)
    assert_same_bits(out[1], np.abs(x))


# -- moves --------------------------------------------------------------------------


@tegula.jit
def masked_copy_kernel(x_ptr, out_ptr, first, last, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = (i >= first) & (i < last)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask), mask=mask)


@pytest.mark.parametrize("name", ["bool", *DTYPES])
@pytest.mark.parametrize("first, last", [(0, 1), (0, 63), (1, 64), (13, 77), (0, 0)])
def test_masked_copy(machine, rng, name, first, last):
    """The bytes behind the arrays cannot be touched: no page is there."""
    dtype = dtype_of(name)
    count = max(last, 1)
    x = rng.integers(0, 2, count).astype(bool) if name == "bool" else patterns(rng, dtype, count)
    out = np.ones(count, dtype)
    want = out.copy()
    want[first:last] = x[first:last]
    machine.compare(masked_copy_kernel, (3,), x, out, first, last, BLOCK=32)
    assert_same_bits(out, want)


@tegula.jit
def fill_kernel(x_ptr, out_ptr, n, other, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=other))


@pytest.mark.parametrize("name, other", [("int8", -7), ("int64", 2**40), ("float16", 0.5),
                                         ("bfloat16", 0.5), ("float64", float("-inf"))])
def test_masked_load_with_other(machine, rng, name, other):
    x = patterns(rng, dtype_of(name), 37)
    out = np.zeros(64, x.dtype)
    machine.compare(fill_kernel, (1,), x, out, 37, other, BLOCK=64)
    assert_same_bits(out, np.concatenate([x, np.full(27, other).astype(x.dtype)]))


@tegula.jit
def gather_kernel(table_ptr, index_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.load(table_ptr + index, mask=i < n), mask=i < n)


@tegula.jit
def scatter_kernel(x_ptr, index_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    index = tl.load(index_ptr + i, mask=i < n)
    tl.store(out_ptr + index, tl.load(x_ptr + i, mask=i < n), mask=i < n)


@pytest.mark.parametrize("name", DTYPES)
def test_gather_and_scatter(machine, rng, name):
    table = patterns(rng, dtype_of(name), 1000)
    index = rng.permutation(1000)[:77].astype(np.int64 if name == "int8" else np.int32)
    out = np.zeros(77, table.dtype)
    machine.compare(gather_kernel, (3,), table, index, out, 77, BLOCK=32)
    assert_same_bits(out, table[index])
    spread = np.zeros_like(table)
    machine.compare(scatter_kernel, (1,), out, index, spread, 77, BLOCK=128)
    want = np.zeros_like(table)
    want[index] = out
    assert_same_bits(spread, want)


@tegula.jit
def transpose_kernel(x_ptr, out_ptr, rows, columns, x_stride, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (i[:, None] < rows) & (j[None, :] < columns)
    x = tl.load(x_ptr + i[:, None] * x_stride + j[None, :], mask=mask)
    tl.store(out_ptr + j[:, None] * rows + i[None, :], tl.trans(x), mask=tl.trans(mask))


@pytest.mark.parametrize("name", DTYPES)
def test_transpose(machine, rng, name):
    x = patterns(rng, dtype_of(name), 45 * 71).reshape(45, 71)
    out = np.zeros((70, 45), x.dtype)
    machine.compare(transpose_kernel, (2, 5), x, out, 45, 70, 71, BM=32, BN=16)
    assert_same_bits(out, np.ascontiguousarray(x[:, :70].T))


@tegula.jit
def reshape_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    y = tl.permute(tl.reshape(x, (N, 2, M // 2)), (1, 2, 0))
    tl.store(out_ptr + tl.arange(0, M * N), tl.ravel(y))


@pytest.mark.parametrize("name", ["int8", "bfloat16", "float64"])
def test_reshape_and_permute(machine, rng, name):
    x = patterns(rng, dtype_of(name), 8 * 32)
    out = np.zeros_like(x)
    machine.compare(reshape_kernel, (1,), x, out, M=8, N=32)
    assert_same_bits(out, x.reshape(32, 2, 4).transpose(1, 2, 0).ravel())


@tegula.jit
def scalars_kernel(out_ptr, a: tl.int8, b: tl.uint16, c: tl.int64, d: tl.uint64, e: tl.float16,
                   f: tl.bfloat16, g: tl.float32, h: tl.float64, flag: tl.int1):
    tl.store(out_ptr + 0, a.to(tl.float64))
    tl.store(out_ptr + 1, b.to(tl.float64))
    tl.store(out_ptr + 2, c.to(tl.float64))
    tl.store(out_ptr + 3, d.to(tl.float64))
    tl.store(out_ptr + 4, e.to(tl.float64))
    tl.store(out_ptr + 5, f.to(tl.float64))
    tl.store(out_ptr + 6, g.to(tl.float64))
    tl.store(out_ptr + 7, h)
    tl.store(out_ptr + 8, tl.where(flag, 1.0, 2.0).to(tl.float64))


def test_scalar_arguments(machine):
    out = np.zeros(9)
    values = (-128, 65535, -2**62, 2**63 + 2048, -1.5, 2.0**100, 0.5, 1e300, True)
    machine.compare(scalars_kernel, (1,), out, *values)
    np.testing.assert_array_equal(out, [*values[:-1], 1])


@tegula.jit
def programs_kernel(out_ptr):
    x = tl.program_id(0)
    y = tl.program_id(1)
    z = tl.program_id(2)
    number = x + tl.num_programs(0) * (y + tl.num_programs(1) * z)
    tl.store(out_ptr + number, x + 10 * y + 100 * z + 1000 * tl.num_programs(2))


@pytest.mark.parametrize("grid", [(1,), (5, 3), (2, 3, 4), (0,), (3, 0, 2)])
def test_grids(machine, grid):
    out = np.full(24, -1, np.int32)
    want = out.copy()
    x, y, z = [*grid, 1, 1][:3]
    for i in range(x * y * z):
        want[i] = i % x + 10 * (i // x % y) + 100 * (i // (x * y)) + 1000 * z
    machine.compare(programs_kernel, grid, out)
    np.testing.assert_array_equal(out, want)
