# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/semantics.md: block pointers and tensor descriptors."""

import numpy as np
import pytest

import tegula
import tegula.language as tl
from semantics_cases import FLOATS, FP8, INTEGERS, dtype_of
from test_semantics_memory import at_end_of_page

row = pytest.mark.semantics


@tegula.jit
def load_kernel(x_ptr, block_ptr, desc_ptr, n, offset, PAD: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    b = tl.make_block_ptr(x_ptr, (n,), (1,), (offset,), (N,), (0,))
    tl.store(block_ptr + i, tl.load(b, boundary_check=(0,), padding_option=PAD))
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [N], padding_option=PAD)
    tl.store(desc_ptr + i, d.load([offset]))


def window(x, offset, count, pad):
    """x[offset : offset + count], padded on both sides."""
    places = np.arange(count) + offset
    inside = (places >= 0) & (places < len(x))
    out = np.full(count, pad, x.dtype)
    out[inside] = x[places[inside]]
    return out


@row("block-outside")
@pytest.mark.parametrize("name", ["bool", *INTEGERS, *FLOATS, *FP8])
def test_loads_read_zero_outside(name):
    dtype = dtype_of(name)
    x = at_end_of_page(40, dtype)
    x[:] = np.ones(40, dtype)
    for offset in (0, 1, 30, 39, 40, 1 << 30, -1, -63, -64, -1000):
        block, desc = np.ones(64, dtype), np.ones(64, dtype)
        load_kernel[(1,)](x, block, desc, 40, offset, PAD="zero", N=64)
        expected = window(x, offset, 64, np.array(0).astype(dtype))
        assert block.tobytes() == desc.tobytes() == expected.tobytes()


@row("block-nan")
@pytest.mark.parametrize("name", [*FLOATS, *FP8])
def test_loads_read_nan_outside(name):
    dtype = dtype_of(name)
    x = np.arange(1, 6).astype(dtype)
    block, desc = np.ones(16, dtype), np.ones(16, dtype)
    load_kernel[(1,)](x, block, desc, 5, -3, PAD="nan", N=16)
    for out in (block, desc):
        wide = out.astype(np.float64)
        assert np.isnan(wide[:3]).all() and np.isnan(wide[8:]).all()
        assert (wide[3:8] == [1, 2, 3, 4, 5]).all()


@row("block-nan")
@pytest.mark.parametrize("name", ["bool", *INTEGERS])
def test_types_without_nan_refuse_it(name):
    x = np.zeros(4, dtype_of(name))
    with pytest.raises(tegula.CompilationError, match="has no NaN"):
        load_kernel[(1,)](x, x, x, 4, 0, PAD="nan", N=4)


@tegula.jit
def store_kernel(block_ptr, desc_ptr, n, offset, N: tl.constexpr):
    i = tl.arange(0, N)
    b = tl.make_block_ptr(block_ptr, (n,), (1,), (offset,), (N,), (0,))
    tl.store(b, i + 1, boundary_check=(0,))
    d = tl.make_tensor_descriptor(desc_ptr, [n], [1], [N])
    d.store([offset], i + 1)


@row("block-outside")
@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
def test_stores_write_nothing_outside(name):
    dtype = dtype_of(name)
    for offset in (0, 1, 39, 40, -1, -63, -64):
        block, desc = at_end_of_page(40, dtype), at_end_of_page(40, dtype)
        store_kernel[(1,)](block, desc, 40, offset, N=64)
        expected = np.zeros(40, dtype)
        for i in range(64):
            if 0 <= i + offset < 40:
                expected[i + offset] = i + 1
        assert (block == expected).all() and (desc == expected).all()


@tegula.jit
def unchecked_kernel(x_ptr, out_ptr, m, n, stride, CHECK: tl.constexpr):
    b = tl.make_block_ptr(x_ptr, (m, n), (stride, 1), (1, 2), (4, 8), (1, 0))
    o = tl.make_block_ptr(out_ptr, (4, 8), (8, 1), (0, 0), (4, 8), (1, 0))
    tl.store(o, tl.load(b, boundary_check=CHECK))


@row("block-unchecked")
def test_unchecked_dimensions_have_no_size():
    # The sizes say 2 x 4; the memory behind them is 8 x 16.
    x = np.arange(128, dtype=np.int32).reshape(8, 16)
    whole = x[1:5, 2:10]
    for check in ((), (0,), (1,), (0, 1)):
        out = np.zeros((4, 8), np.int32)
        unchecked_kernel[(1,)](x, out, 2, 4, 16, CHECK=check)
        expected = whole.copy()
        if 0 in check:
            expected[1:] = 0
        if 1 in check:
            expected[:, 2:] = 0
        assert (out == expected).all()


@tegula.jit
def position_kernel(x_ptr, out_ptr, size, offset, N: tl.constexpr):
    b = tl.make_block_ptr(x_ptr, (size,), (0,), (offset,), (N,), (0,))
    tl.store(out_ptr + tl.arange(0, N), tl.load(b, boundary_check=(0,)))


@row("block-position")
@pytest.mark.parametrize("size", [0, 1, 20, -1, -(1 << 63), (1 << 63) - 1, (1 << 32) + 3])
@pytest.mark.parametrize("offset", [0, 15, -15, -16, (1 << 31) - 3, (1 << 32) - 3, (1 << 63) - 9,
                                    (1 << 63) - 1, -(1 << 63), -(1 << 63) + 15])
def test_positions_are_exact(size, offset):
    out = np.zeros(16, np.int32)
    position_kernel[(1,)](np.full(1, 7, np.int32), out, size, offset, N=16)
    assert out.tolist() == [7 if 0 <= offset + i < size else 0 for i in range(16)]


@tegula.jit
def stride_kernel(x_ptr, out_ptr, s0, s1, N: tl.constexpr):
    b = tl.make_block_ptr(x_ptr, (N, N), (s0, s1), (0, 0), (N, N), (1, 0))
    o = tl.make_block_ptr(out_ptr, (N, N), (N, 1), (0, 0), (N, N), (1, 0))
    tl.store(o, tl.load(b))
    tl.store(b, tl.load(o) + 1000)


@row("block-strides")
@pytest.mark.parametrize("s0,s1", [(8, 1), (1, 8), (0, 1), (1, 0), (0, 0), (-8, 1), (8, -1),
                                   (-8, -1), (3, 5), (-1, 0)])
def test_strides_of_any_sign(s0, s1):
    memory = np.arange(256, dtype=np.int32)
    middle = memory[128:]
    out = np.zeros((8, 8), np.int32)
    expected_memory = memory.copy()
    expected = np.zeros((8, 8), np.int32)
    for i in range(8):
        for j in range(8):
            expected[i, j] = memory[128 + i * s0 + j * s1]
    for i in range(8):
        for j in range(8):
            expected_memory[128 + i * s0 + j * s1] = expected[i, j] + 1000
    stride_kernel[(1,)](middle, out, s0, s1, N=8)
    assert (out == expected).all()
    assert (memory == expected_memory).all()


@tegula.jit
def last_stride_kernel(x_ptr, out_ptr, n, stride, N: tl.constexpr):
    d = tl.make_tensor_descriptor(x_ptr, [n], [stride], [N])
    tl.store(out_ptr + tl.arange(0, N), d.load([0]))


@row("descriptor-stride")
def test_a_last_stride_of_run_time_is_taken_as_it_is():
    x = np.arange(64, dtype=np.int32)
    for stride in (1, 2, 3):
        out = np.zeros(16, np.int32)
        last_stride_kernel[(1,)](x, out, 10, stride, N=16)
        assert (out[:10] == x[::stride][:10]).all() and (out[10:] == 0).all()


@tegula.jit
def constant_stride_kernel(x_ptr, STRIDE: tl.constexpr):
    d = tl.make_tensor_descriptor(x_ptr, [16], [STRIDE], [16])
    d.store([0], d.load([0]))


@row("descriptor-stride")
def test_a_constant_last_stride_must_be_1():
    x = np.zeros(64, np.int32)
    constant_stride_kernel[(1,)](x, STRIDE=1)
    with pytest.raises(tegula.CompilationError, match="expected 1 as the last stride, got 2"):
        constant_stride_kernel[(1,)](x, STRIDE=2)


@tegula.jit
def size_kernel(x_ptr, out_ptr, size_ptr, n, N: tl.constexpr):
    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [N])
    tl.store(out_ptr + tl.arange(0, N), d.load([0]))
    tl.store(size_ptr, d.shape[0])


@row("descriptor-size")
def test_sizes_of_descriptors_are_int32():
    x = np.ones(16, np.int32)
    for n in (5, (1 << 32) + 5, -(1 << 32) + 5, 1 << 31, 1 << 32):
        out, size = np.zeros(16, np.int32), np.zeros(1, np.int64)
        size_kernel[(1,)](x, out, size, n, N=16)
        expected = (n + (1 << 31)) % (1 << 32) - (1 << 31)
        assert size[0] == expected
        assert out.sum() == max(expected, 0)


@tegula.jit
def rows_kernel(x_ptr, index_ptr, out_ptr, back_ptr, m, n, column, R: tl.constexpr,
                N: tl.constexpr):
    rows = tl.load(index_ptr + tl.arange(0, R))
    x = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [1, N]).gather(rows, column)
    i = tl.arange(0, R)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + i, x)
    tl.make_tensor_descriptor(back_ptr, [m, n], [n, 1], [1, N]).scatter(i, rows, column)


@row("block-rows")
@pytest.mark.parametrize("index", [np.int16, np.int32, np.int64])
@pytest.mark.parametrize("column", [0, 3, -2, 9, -20])
def test_rows_by_index(index, column):
    rng = np.random.default_rng(0)
    x = rng.integers(1, 100, (6, 7)).astype(np.int32)
    limits = np.iinfo(index)
    rows = np.array([0, 5, 6, -1, 3, 3, limits.min, limits.max], index)
    out, back = np.full((8, 4), -1, np.int32), np.zeros((6, 7), np.int32)
    rows_kernel[(1,)](x, rows, out, back, 6, 7, column, R=8, N=4)
    expected_back = np.zeros((6, 7), np.int32)
    for i, r in enumerate(rows.tolist()):
        for j in range(4):
            inside = 0 <= r < 6 and 0 <= column + j < 7
            assert out[i, j] == (x[r, column + j] if inside else 0)
            if inside:
                expected_back[r, column + j] = i * 4 + j
    assert (back == expected_back).all()
