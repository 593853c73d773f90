# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/semantics.md: memory and programs."""

import ctypes
import mmap

import numpy as np
import pytest

import tegula
import tegula.language as tl
from semantics_cases import FLOATS, FP8, INTEGERS, dtype_of

row = pytest.mark.semantics
POISON = 77


def at_end_of_page(count, dtype):
    """An array whose last element is followed by memory that must not be touched."""
    dtype = np.dtype(dtype)
    block = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(block))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(address + mmap.PAGESIZE),
                         ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    start = mmap.PAGESIZE - count * dtype.itemsize
    return np.frombuffer(block, dtype, count, start)


@tegula.jit
def masked_kernel(x_ptr, out_ptr, n, OTHER: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    if OTHER is None:
        x = tl.load(x_ptr + i, mask=i < n)
    else:
        x = tl.load(x_ptr + i, mask=i < n, other=OTHER)
    tl.store(out_ptr + i, x)


@row("mask-load", "mask-other")
@pytest.mark.parametrize("name", ["bool", *INTEGERS, *FLOATS, *FP8])
@pytest.mark.parametrize("other", [None, 0, 1, 0.0, 2.5, -3])
def test_masked_loads(name, other):
    dtype = dtype_of(name)
    if isinstance(other, float) and name in ("bool", *INTEGERS) and other != 0:
        expected = np.array([other]).astype(dtype)[0]
    elif other is None:
        expected = dtype.type(0)
    else:
        expected = np.array([other]).astype(np.float64 if name in FP8 else np.asarray(other).dtype)
        expected = expected.astype(dtype)[0]
    for n in (0, 1, 5, 63, 64):
        x = np.ones(64, dtype)
        out = np.zeros(64, dtype)
        masked_kernel[(1,)](x, out, n, OTHER=other, N=64)
        assert (out[:n] == x[:n]).all() and (out[n:] == expected).all()


@row("mask-load", "mask-store")
@pytest.mark.parametrize("name", ["bool", "int8", "float16", "float32", "int64", "float8e5"])
@pytest.mark.parametrize("count", [0, 1, 7, 33])
def test_masked_off_memory_is_not_touched(name, count):
    x = at_end_of_page(count, dtype_of(name))
    out = at_end_of_page(count, dtype_of(name))
    if count:
        x[:] = 1
    copy_kernel[(1,)](x, out, count, N=64)
    assert (out == x).all()


@tegula.jit
def copy_kernel(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


@tegula.jit
def wild_kernel(x_ptr, out_ptr, flag, N: tl.constexpr):
    i = tl.arange(0, N)
    wild = x_ptr + i.to(tl.int64) * (1 << 50) - (1 << 55)
    tl.store(out_ptr + i, tl.load(wild, mask=i < 0, other=5.0))
    tl.store(wild, 1.0, mask=i < 0)
    tl.store(out_ptr + N, tl.load(x_ptr + (1 << 50), mask=flag, other=6.0))
    tl.store(x_ptr + (1 << 50), 1.0, mask=flag)


@row("mask-load", "mask-store")
def test_wild_pointers_behind_masks():
    out = np.zeros(17, np.float32)
    wild_kernel[(1,)](out, out, False, N=16)
    assert out.tolist() == [5.0] * 16 + [6.0]


@tegula.jit
def masked_sum_kernel(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr, tl.sum(x, axis=0))
    z = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.store(out_ptr + 1, tl.sum(tl.where(z == 0, 1.0, 0.0), axis=0))


@row("mask-other")
def test_zero_is_a_value():
    x = np.full(256, 15.0, np.float32)
    out = np.zeros(2, np.float32)
    masked_sum_kernel[(1,)](x, out, 16, N=256)
    assert out.tolist() == [240.0, 240.0]


@tegula.jit
def masked_store_kernel(out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, i, mask=(i >= n) & (i % 3 != 0))


@row("mask-store")
@pytest.mark.parametrize("name", ["bool", *INTEGERS, *FLOATS])
def test_masked_stores(name):
    for n in (0, 1, 40, 64):
        out = np.zeros(96, dtype_of(name))
        masked_store_kernel[(1,)](out, n, N=64)
        i = np.arange(96)
        inside = (i >= n) & (i % 3 != 0) & (i < 64)
        assert (out == np.where(inside, i, 0).astype(out.dtype)).all()


@tegula.jit
def stored_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x)
    tl.store(out_ptr + N + i, x.to(out_ptr.dtype.element_ty))
    tl.store(out_ptr + 2 * N, tl.load(x_ptr + 5))


@row("store-cast")
@pytest.mark.parametrize("source", ["float32", "int64", "uint8"])
@pytest.mark.parametrize("to", ["bool", "int8", "uint16", "int32", "float16", "bfloat16",
                                "float8e5", "float64"])
def test_stores_convert(source, to):
    x = np.zeros(16, source)
    numbers = [0, 1, 2.5, 255, 256, 1e9, 7]
    if source == "float32":
        numbers += [-1, -300.5, np.inf, -np.inf, np.nan]
    with np.errstate(all="ignore"):
        x[:len(numbers)] = np.array(numbers).astype(source)
    out = np.zeros(33, dtype_of(to))
    stored_kernel[(1,)](x, out, N=16)
    assert out[:16].tobytes() == out[16:32].tobytes()
    assert out[32].tobytes() == out[5].tobytes()
    if to == "bool":
        np.testing.assert_array_equal(out[:16], x != 0)
    elif to == "int8" and source == "float32":
        assert out[:12].tolist() == [0, 1, 2, 127, 127, 127, 7, -1, -128, 127, -128, 0]


@tegula.jit
def scatter_kernel(index_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + tl.load(index_ptr + i), i)


@tegula.jit
def scatter_rows_kernel(out_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    tl.store(out_ptr + (i * N + j) % 5, i * N + j)
    tl.store(out_ptr + 5 + i * 0 + j * 0, i * N + j)
    tl.store(out_ptr + 6 + j + i * 0, i * N + j, mask=(i * N + j) % 3 == 0)


@row("store-duplicates")
@pytest.mark.parametrize("size", [4, 64, 1024])
def test_equal_addresses(rng, size):
    for span in (1, 3, size):
        index = rng.integers(0, span, size).astype(np.int32)
        out = np.full(span, -1, np.int32)
        scatter_kernel[(1,)](index, out, N=size)
        expected = np.full(span, -1)
        for place, value in zip(index, range(size)):
            expected[place] = value
        np.testing.assert_array_equal(out, expected)


@row("store-duplicates")
def test_equal_addresses_in_rows():
    M, N = 16, 32
    out = np.full(6 + N, -1, np.int32)
    scatter_rows_kernel[(1,)](out, M=M, N=N)
    expected = np.full(6 + N, -1)
    numbers = np.arange(M * N)
    for n in numbers:
        expected[n % 5] = n
        expected[5] = n
        if n % 3 == 0:
            expected[6 + n % N] = n
    np.testing.assert_array_equal(out, expected)


@tegula.jit
def order_kernel(x_ptr, out_ptr, shift, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x_ptr + i, i)
    first = tl.load(x_ptr + (N - 1 - i))
    tl.store(x_ptr + i + shift, first * 10)
    second = tl.load(x_ptr + i)
    tl.store(x_ptr + 3, -1)
    third = tl.load(x_ptr + i)
    tl.store(out_ptr + i, first)
    tl.store(out_ptr + N + i, second)
    tl.store(out_ptr + 2 * N + i, third)
    tl.store(out_ptr + 3 * N, tl.load(x_ptr + 3))


@row("store-order")
@pytest.mark.parametrize("shift", [0, 1, 7, 64])
@pytest.mark.parametrize("name", ["int32", "float32", "int64"])
def test_a_program_sees_its_stores(shift, name):
    N = 64
    x = np.zeros(2 * N, name)
    out = np.zeros(3 * N + 1, name)
    order_kernel[(1,)](x, out, shift, N=N)
    want = np.zeros(2 * N)
    want[:N] = np.arange(N)
    first = want[:N][::-1].copy()
    want[shift:shift + N] = first * 10
    second = want[:N].copy()
    want[3] = -1
    np.testing.assert_array_equal(out, np.concatenate([first, second, want[:N], [-1]]))
    np.testing.assert_array_equal(x, want)


@tegula.jit
def shift_kernel(x_ptr, shift, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x_ptr + i + shift, tl.load(x_ptr + i) + 1)


@tegula.jit
def swap_kernel(x_ptr, y_ptr, M: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, M)[None, :]
    tl.store(y_ptr + j * M + i, tl.load(x_ptr + i * M + j))


@row("load-first")
@pytest.mark.parametrize("shift", [0, 1, 3, 16, 100, 4096])
def test_loads_come_first(shift):
    x = np.arange(8192 + 4096, dtype=np.float32)
    expected = x.copy()
    expected[shift:shift + 4096] = x[:4096] + 1
    shift_kernel[(1,)](x, shift, N=4096)
    np.testing.assert_array_equal(x, expected)


@row("load-first")
@pytest.mark.parametrize("back", [1, 5, 64])
def test_loads_come_first_downwards(back):
    x = np.arange(2048, dtype=np.float32)
    expected = x.copy()
    expected[1000 - back:2024 - back] = x[1000:2024] + 1
    shift_kernel[(1,)](x[1000:], -back, N=1024)
    np.testing.assert_array_equal(x, expected)


@row("load-first")
@pytest.mark.parametrize("size", [4, 16, 64])
def test_transposing_in_place(size):
    x = np.arange(size * size, dtype=np.float32).reshape(size, size)
    expected = x.T.copy()
    swap_kernel[(1,)](x, x, M=size)
    np.testing.assert_array_equal(x, expected)


@tegula.jit
def bytes_kernel(a_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    tl.static_assert(a.dtype == tl.int1)
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + N + i, ~a)
    tl.store(out_ptr + 2 * N + i, i)


@row("bool-memory")
def test_bools_are_bytes():
    a = np.arange(256, dtype=np.uint8)
    out = np.full(3 * 256, 9, np.uint8)
    bytes_kernel[(1,)](a.view(bool), out.view(bool), N=256)
    assert out[:256].tolist() == [0] + [1] * 255
    assert out[256:512].tolist() == [1] + [0] * 255
    assert out[512:].tolist() == [0] + [1] * 255


@tegula.jit
def any_kernel(a_ptr, out_ptr, n, N: tl.constexpr):
    found = tl.full((N,), 0, tl.int1)
    for start in range(0, n, N):
        found |= tl.load(a_ptr + start + tl.arange(0, N))
        tl.static_assert(found.dtype == tl.int1)
    tl.store(out_ptr + tl.arange(0, N), found)


@row("bool-memory")
def test_bools_through_a_loop(rng):
    a = rng.random(160) < 0.2
    out = np.zeros(16, bool)
    any_kernel[(1,)](a, out, 160, N=16)
    np.testing.assert_array_equal(out, a.reshape(10, 16).any(axis=0))


@tegula.jit
def offsets_kernel(x_ptr, index_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    index = tl.load(index_ptr + i)
    tl.store(out_ptr + i, tl.load(x_ptr + index))
    tl.store(out_ptr + N, tl.load(x_ptr + tl.load(index_ptr + 1)))


@row("offset-64")
@pytest.mark.parametrize("name", INTEGERS)
def test_types_of_offsets(name):
    """Read as signed or unsigned by their own type, whatever their width."""
    info = np.iinfo(name)
    low, high = max(info.min, -1000), min(info.max, 1000)
    index = np.resize(np.array([low, high, 0, 1, high - 1, low + 1], name), 16)
    x = np.arange(2001, dtype=np.int32)
    out = np.zeros(17, np.int32)
    offsets_kernel[(1,)](x[1000:], index, out, N=16)
    assert out.tolist() == [*(index.astype(int) + 1000), int(index[1]) + 1000]


def huge(elements, dtype):
    """Zeros of address space, of which little is ever touched."""
    size = elements * np.dtype(dtype).itemsize
    try:
        block = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
                          | getattr(mmap, "MAP_NORESERVE", 0))
    except (OSError, ValueError) as error:
        pytest.skip(f"no {size >> 30} GiB of address space: {error}")
    return np.frombuffer(block, dtype)


@tegula.jit
def far_kernel(x_ptr, out_ptr, start, step, WIDE: tl.constexpr):
    i = tl.arange(0, 4)
    offsets = start + i * step
    if WIDE:
        offsets = start.to(tl.int64) + i.to(tl.int64) * step
    tl.store(x_ptr + offsets, (i + 1).to(tl.int8))
    tl.store(out_ptr + i, tl.load(x_ptr + offsets))


@row("offset-64", "offset-wrap")
def test_offsets_beyond_32_bits():
    x = huge(2**33, np.int8)
    out = np.zeros(4, np.int8)
    far_kernel[(1,)](x, out, 2**31 - 2, 1, WIDE=True)
    assert out.tolist() == [1, 2, 3, 4] == x[2**31 - 2:2**31 + 2].tolist()
    far_kernel[(1,)](x, out, 5, 2**31 - 5, WIDE=True)
    assert x[[5, 2**31, 2**32 - 5, 3 * 2**31 - 10]].tolist() == [1, 2, 3, 4]
    far_kernel[(1,)](x, out, 2**32 + 7, 1000, WIDE=False)
    assert x[2**32 + 7:2**32 + 3008:1000].tolist() == [1, 2, 3, 4]


@tegula.jit
def wrapped_kernel(x_ptr, out_ptr, row, stride, WIDE: tl.constexpr):
    if WIDE:
        offset = row.to(tl.int64) * stride
    else:
        offset = row * stride
        tl.static_assert(offset.dtype == tl.int32)
    tl.store(out_ptr, offset)
    tl.store(out_ptr + 1, tl.load(x_ptr + offset))


@row("offset-wrap")
@pytest.mark.parametrize("rows, stride", [(65536, 65536), (65537, 65536), (3, 2**30), (-3, 2**30)])
def test_32_bit_products_wrap(rows, stride):
    product = rows * stride
    short = (product + 2**31) % 2**32 - 2**31
    x = huge(2**34 + 16, np.int8)
    base = 2**33
    x[base + short] = 11
    out = np.zeros(2, np.int64)
    wrapped_kernel[(1,)](x[base:], out, rows, stride, WIDE=False)
    assert out.tolist() == [short, 11]
    x[base + product] = 22
    wrapped_kernel[(1,)](x[base:], out, rows, stride, WIDE=True)
    assert out.tolist() == [product, 22]


@tegula.jit
def periodic_kernel(x_ptr, out_ptr, stride, M: tl.constexpr, N: tl.constexpr):
    i = (tl.program_id(0) * M + tl.arange(0, M))[:, None]
    j = tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + (i % 48) * stride + (j % 24))
    tl.store(out_ptr + i * N + j, x)


@row("offset-wrap")
def test_remainders_in_addresses():
    """Rows and columns that start again in the middle of a tile."""
    x = np.arange(48 * 24, dtype=np.int32).reshape(48, 24)
    out = np.zeros((128, 64), np.int32)
    periodic_kernel[(4,)](x, out, 24, M=32, N=64)
    rows, columns = np.arange(128) % 48, np.arange(64) % 24
    np.testing.assert_array_equal(out, x[rows][:, columns])


@tegula.jit
def matrix_vector_kernel(a_ptr, b_ptr, c_ptr, rows, columns, BN: tl.constexpr, BM: tl.constexpr):
    i = (tl.program_id(0) * BN + tl.arange(0, BN))[:, None]
    j = tl.arange(0, BM)[None, :]
    a_tile = a_ptr + i * columns
    total = tl.zeros((BN, BM), dtype=tl.float32)
    for start in range(0, columns, BM):
        inside = (i < rows) & (start + j < columns)
        a = tl.load(a_tile + (start + j), mask=inside, other=0.0)
        b = tl.load(b_ptr + (start + j), mask=start + j < columns, other=0.0)
        total += a * b
    tl.store(c_ptr + i, tl.sum(total, axis=1)[:, None], mask=i < rows)


@row("offset-wrap")
def test_columns_and_rows_of_pointers(rng):
    a = rng.integers(-9, 10, (300, 77)).astype(np.float32)
    b = rng.integers(-9, 10, 77).astype(np.float32)
    c = np.full(320, POISON, np.float32)
    matrix_vector_kernel[(5,)](a, b, c, 300, 77, BN=64, BM=32)
    np.testing.assert_array_equal(c[:300], a @ b)
    assert (c[300:] == POISON).all()


@tegula.jit
def around_kernel(x_ptr, out_ptr, far):
    tl.store(out_ptr, tl.load(x_ptr + far + far + far + far + 3))
    tl.store(out_ptr + 1, tl.load((x_ptr + far) - (far - 2)))
    i = tl.arange(0, 4)
    tl.store(out_ptr + 2 + i, tl.load(x_ptr + far + i - far))
    tl.store(out_ptr + 6, x_ptr + far + far + far + far == x_ptr)
    tl.store(out_ptr + 7, x_ptr + 1 > x_ptr)


@row("pointer-wrap")
def test_addresses_wrap():
    x = np.arange(8, dtype=np.float32)
    out = np.zeros(8, np.float32)
    around_kernel[(1,)](x, out, 2**60)
    assert out.tolist() == [3, 2, 0, 1, 2, 3, 1, 1]


@tegula.jit
def trans_kernel(x_ptr, out_ptr, row, column, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    x = tl.load(x_ptr + i[:, None] * N + j[None, :])
    tl.store(out_ptr + j[:, None] * row + i[None, :] * column, tl.trans(x))
    tl.store(out_ptr + M * N + j[:, None] * M + i[None, :], tl.permute(x, (1, 0)))


@row("trans-order")
@pytest.mark.parametrize("shape", [(4, 4), (1, 4), (16, 8), (64, 64)])
@pytest.mark.parametrize("name", ["float32", "int8", "float64"])
def test_transposed_stores(shape, name):
    M, N = shape
    x = np.arange(M * N).reshape(M, N).astype(name)
    out = np.zeros((2, M * N), name)
    trans_kernel[(1,)](x, out, M, 1, M=M, N=N)
    np.testing.assert_array_equal(out, [x.T.ravel()] * 2)
    # With the strides of a transposed array the elements are where they were.
    trans_kernel[(1,)](x, out, 1, N, M=M, N=N)
    np.testing.assert_array_equal(out[0], x.ravel())


# -- programs -------------------------------------------------------------------


@tegula.jit
def count_kernel(out_ptr):
    place = (tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(2)
    tl.store(out_ptr + place + tl.program_id(2), place + tl.program_id(2) + 1)


@row("grid-empty")
@pytest.mark.parametrize("grid", [(0,), (0, 3), (3, 0), (2, 0, 2), (0, 0, 0)])
def test_empty_grids(grid):
    out = np.full(16, POISON, np.int32)
    count_kernel[grid](out)
    assert (out == POISON).all()


@row("program-order")
@pytest.mark.parametrize("grid", [(1000,), (7, 11), (3, 5, 7)])
def test_programs_that_share_nothing(grid):
    for _ in range(3):
        out = np.zeros(int(np.prod(grid)), np.int32)
        count_kernel[grid](out)
        np.testing.assert_array_equal(out, np.arange(1, out.size + 1))
