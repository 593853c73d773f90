# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors made in kernels: loads, stores, rows by index, atomics."""

import tegula
import tegula.language as tl


@tegula.jit
def load_block(in_ptr, out_ptr, shape, strides, offsets, out_strides, BLOCK: tl.constexpr,
               PAD: tl.constexpr, ZERO: tl.constexpr):
    a = tl.make_tensor_descriptor(in_ptr, shape, strides, BLOCK, PAD)
    b = tl.make_tensor_descriptor(out_ptr, BLOCK, out_strides, BLOCK)
    b.store(ZERO, a.load(offsets))


@tegula.jit
def store_block(in_ptr, out_ptr, shape, strides, offsets, in_strides, BLOCK: tl.constexpr,
                ZERO: tl.constexpr):
    a = tl.make_tensor_descriptor(in_ptr, BLOCK, in_strides, BLOCK)
    b = tl.make_tensor_descriptor(base=out_ptr, shape=shape, strides=strides, block_shape=BLOCK)
    b.store(offsets, a.load(ZERO))


@tegula.jit
def copy(in_ptr, out_ptr, M, N, stride, B: tl.constexpr, C: tl.constexpr):
    a = tl.make_tensor_descriptor(in_ptr, shape=[M, N], strides=[stride, 1], block_shape=[B, C])
    b = tl.make_tensor_descriptor(out_ptr, [M, N], [stride, 1], [B, C])
    row = tl.program_id(0) * B
    for column in range(0, N, C):
        b.store([row, column], a.load([row, column]))


@tegula.jit
def functions(in_ptr, out_ptr, old_ptr, M, N, B: tl.constexpr, C: tl.constexpr):
    a = tl.make_tensor_descriptor(in_ptr, [M, N], [N, 1], [B, C])
    b = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [B, C])
    o = tl._experimental_make_tensor_descriptor(old_ptr, [M, N], [N, 1], [B, C])
    for row in range(0, M, B):
        x = tl.load_tensor_descriptor(a, [row, 0])
        tl.store_tensor_descriptor(b, [row, 0], x)
        y = tl._experimental_descriptor_load(a, [row, 0], [B, C], in_ptr.dtype.element_ty)
        tl._experimental_descriptor_store(o, y, [row, 0])


@tegula.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc, input_precision="ieee")
    c.store([m, n], acc)


@tegula.jit
def paddings(in_ptr, default_ptr, zero_ptr, nan_ptr, n, offset, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(default_ptr + i, tl.make_tensor_descriptor(in_ptr, [n], [1], [B]).load([offset]))
    a = tl.make_tensor_descriptor(in_ptr, [n], [1], [B], padding_option="zero")
    tl.store(zero_ptr + i, a.load([offset]))
    a = tl.make_tensor_descriptor(in_ptr, [n], [1], [B], padding_option="nan")
    tl.store(nan_ptr + i, a.load([offset]))


@tegula.jit
def gather(in_ptr, index_ptr, out_ptr, M, N, column, PAD: tl.constexpr, ROWS: tl.constexpr,
           C: tl.constexpr):
    a = tl.make_tensor_descriptor(in_ptr, [M, N], [N, 1], [1, C], padding_option=PAD)
    i = tl.arange(0, ROWS)
    x = a.gather(tl.load(index_ptr + i), column)
    tl.store(out_ptr + i[:, None] * C + tl.arange(0, C)[None, :], x)


@tegula.jit
def scatter(in_ptr, index_ptr, out_ptr, M, N, column, ROWS: tl.constexpr, C: tl.constexpr):
    o = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [1, C])
    i = tl.arange(0, ROWS)
    x = tl.load(in_ptr + i[:, None] * C + tl.arange(0, C)[None, :])
    o.scatter(x, tl.load(index_ptr + i), column)


@tegula.jit
def atomics(in_ptr, add_ptr, max_ptr, min_ptr, M, N, row, column, B: tl.constexpr,
            C: tl.constexpr):
    x = tl.make_tensor_descriptor(in_ptr, [B, C], [C, 1], [B, C]).load([0, 0])
    tl.make_tensor_descriptor(add_ptr, [M, N], [N, 1], [B, C]).atomic_add([row, column], x)
    tl.make_tensor_descriptor(max_ptr, [M, N], [N, 1], [B, C]).atomic_max([row, column], x)
    tl.make_tensor_descriptor(min_ptr, [M, N], [N, 1], [B, C]).atomic_min([row, column], x)


@tegula.jit
def bit_atomics(in_ptr, and_ptr, or_ptr, xor_ptr, M, N, row, column, B: tl.constexpr,
                C: tl.constexpr):
    x = tl.make_tensor_descriptor(in_ptr, [B, C], [C, 1], [B, C]).load([0, 0])
    tl.make_tensor_descriptor(and_ptr, [M, N], [N, 1], [B, C]).atomic_and([row, column], x)
    tl.make_tensor_descriptor(or_ptr, [M, N], [N, 1], [B, C]).atomic_or([row, column], x)
    tl.make_tensor_descriptor(xor_ptr, [M, N], [N, 1], [B, C]).atomic_xor([row, column], x)


@tegula.jit
def shared_sums(in_ptr, out_ptr, N, B: tl.constexpr):
    # All programs add to one block.
    a = tl.make_tensor_descriptor(in_ptr, [N], [1], [B])
    o = tl.make_tensor_descriptor(out_ptr, [B], [1], [B])
    o.atomic_add([0], a.load([tl.program_id(0) * B]))


@tegula.jit
def as_descriptor(x, n, B: tl.constexpr):
    if isinstance(x, tl.tensor_descriptor):
        return x
    else:
        return tl.make_tensor_descriptor(x, [n], [1], [B])


@tegula.jit
def carried(in_ptr, out_ptr, n, flag, COUNT: tl.constexpr, B: tl.constexpr):
    # Through branches, calls, tuples and loops of both kinds, swapped on the way.
    a = as_descriptor(as_descriptor(in_ptr, n, B), n, B)
    b = tl.make_tensor_descriptor(in_ptr + 1, [n - 1], [1], [B])
    o = tl.make_tensor_descriptor(out_ptr, [COUNT * B], [1], [B])
    pair = (a, b)
    if flag:
        pair = (b, a)
    k = 0
    while k < COUNT // 2:
        o.store([k * B], pair[0].load([k]))
        pair = (pair[1], pair[0])
        k += 1
    for j in range(0, COUNT // 2):
        if j % 2 == 0:
            chosen = pair[0]
        else:
            chosen = pair[1]
        o.store([(k + j) * B], chosen.load([j]))


@tegula.jit
def fields(in_ptr, out_ptr, flags_ptr, M, N, stride, B: tl.constexpr, C: tl.constexpr):
    a = tl.make_tensor_descriptor(in_ptr, [M, N], [stride, 1], [B, C])
    tl.store(out_ptr, a.shape[0])
    tl.store(out_ptr + 1, a.shape[1])
    tl.store(out_ptr + 2, a.strides[0])
    tl.store(out_ptr + 3, a.strides[1])
    tl.store(out_ptr + 4, a.block_shape[0] * a.block_shape[1])
    tl.store(flags_ptr, a.dtype == in_ptr.dtype.element_ty)
    tl.store(flags_ptr + 1, isinstance(a, tl.tensor_descriptor) and not isinstance(a, tl.tensor))
    tl.store(flags_ptr + 2, a.block_type == a.load([0, 0]).type)
    tl.store(flags_ptr + 3, a.shape[0].dtype == tl.int32)
    tl.store(flags_ptr + 4, a.strides[0].dtype == tl.int64)
    tl.store(flags_ptr + 5, len(a.shape) == 2 and len(a.block_shape) == 2)


@tegula.jit
def store_values(out_ptr, row_ptr, n, B: tl.constexpr):
    # Numbers and lower ranks are repeated, values are cast to the elements' type.
    o = tl.make_tensor_descriptor(out_ptr, [n, n], [n, 1], [B, B])
    o.store([0, 0], 3)
    row = tl.load(row_ptr + tl.arange(0, B))
    o.store([B, 0], row)
    o.store([0, B], row[:, None])


@tegula.jit
def offset_types(in_ptr, a_ptr, b_ptr, out_ptr, B: tl.constexpr):
    a = tl.make_tensor_descriptor(in_ptr, [64], [1], [B])
    i = tl.arange(0, B)
    tl.store(out_ptr + i, a.load([tl.load(a_ptr)]))
    tl.store(out_ptr + B + i, a.load(tl.load(b_ptr)))
    tl.store(out_ptr + 2 * B + i, a.load([7]))
