# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block pointers: make_block_ptr, advance, loads with boundary checks, stores."""

import tegula
import tegula.language as tl


@tegula.jit
def load_block(in_ptr, out_ptr, shape, strides, offsets, out_strides, BLOCK: tl.constexpr,
               ORDER: tl.constexpr, CHECK: tl.constexpr, PAD: tl.constexpr, ZERO: tl.constexpr):
    a = tl.make_block_ptr(in_ptr, shape, strides, offsets, BLOCK, ORDER)
    b = tl.make_block_ptr(out_ptr, BLOCK, out_strides, ZERO, BLOCK, ORDER)
    tl.store(b, tl.load(a, boundary_check=CHECK, padding_option=PAD))


@tegula.jit
def store_block(in_ptr, out_ptr, shape, strides, offsets, in_strides, BLOCK: tl.constexpr,
                ORDER: tl.constexpr, CHECK: tl.constexpr, ZERO: tl.constexpr):
    a = tl.make_block_ptr(in_ptr, BLOCK, in_strides, ZERO, BLOCK, ORDER)
    b = tl.make_block_ptr(out_ptr, shape, strides, offsets, BLOCK, ORDER)
    tl.store(b, tl.load(a), boundary_check=CHECK)


@tegula.jit
def copy_advancing(in_ptr, out_ptr, M, N, stride, B: tl.constexpr, C: tl.constexpr):
    row = tl.program_id(0) * B
    a = tl.make_block_ptr(in_ptr, (M, N), (stride, 1), (row, 0), (B, C), (1, 0))
    b = tl.make_block_ptr(out_ptr, (M, N), (stride, 1), (row, 0), (B, C), (1, 0))
    for _ in range(0, tl.cdiv(N, C)):
        tl.store(b, tl.load(a, boundary_check=(0, 1)), boundary_check=(0, 1))
        a = tl.advance(a, (0, C))
        b = b.advance((0, C))


@tegula.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr, A_ORDER: tl.constexpr, B_ORDER: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    a = tl.make_block_ptr(a_ptr, (M, K), (am, ak), (m, 0), (BM, BK), A_ORDER)
    b = tl.make_block_ptr(b_ptr, (K, N), (bk, bn), (0, n), (BK, BN), B_ORDER)
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        x = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(b, boundary_check=(1, 0), padding_option="zero")
        acc += tl.dot(x, y, input_precision="ieee")
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (m, n), (BM, BN), (1, 0))
    tl.store(c, acc.to(c.dtype.element_ty), boundary_check=(0, 1))


@tegula.jit
def paddings(in_ptr, none_ptr, zero_ptr, nan_ptr, n, offset, B: tl.constexpr):
    a = tl.make_block_ptr(in_ptr, (n,), (1,), (offset,), (B,), (0,))
    i = tl.arange(0, B)
    tl.store(none_ptr + i, tl.load(a, boundary_check=(0,)))
    tl.store(zero_ptr + i, tl.load(a, boundary_check=(0,), padding_option="zero"))
    tl.store(nan_ptr + i, tl.load(a, boundary_check=[0], padding_option="nan"))


@tegula.jit
def pick(flag, first, second):
    if flag:
        result = first
    else:
        result = tl.advance(second, (2,))
    return result


@tegula.jit
def carried(in_ptr, out_ptr, n, flag, N: tl.constexpr, B: tl.constexpr):
    # Through branches, calls, tuples and loops of both kinds, swapped on the way.
    a = tl.make_block_ptr(in_ptr, (n,), (1,), (0,), (B,), (0,))
    b = tl.make_block_ptr(in_ptr + 1, (n - 1,), (2,), (0,), (B,), (0,))
    o = tl.make_block_ptr(out_ptr, (N * B,), (1,), (0,), (B,), (0,))
    pair = (pick(flag, a, b), pick(flag != 0, b, a))
    k = 0
    while k < N // 2:
        tl.store(o, tl.load(pair[0], boundary_check=(0,)), boundary_check=(0,))
        pair = (tl.advance(pair[1], (k,)), pair[0])
        o = tl.advance(o, (B,))
        k += 1
    for j in range(0, N // 2):
        if j % 2 == 0:
            tl.store(o, tl.load(pair[0], boundary_check=(0,)))
        else:
            pair = (pair[0], tl.advance(pair[1], (j,)))
            tl.store(o, tl.load(pair[1], boundary_check=(0,)))
        o = tl.advance(o, (B,))


@tegula.jit
def attributes(in_ptr, out_ptr, flags_ptr, n, B: tl.constexpr):
    a = tl.make_block_ptr(in_ptr, (n, n), (n, 1), (0, 0), (B, B), (1, 0))
    x = tl.load(a, boundary_check=(0, 1))
    o = tl.make_block_ptr(out_ptr, (n, n), (n, 1), (0, 0), (B, B), (1, 0))
    o.store((x.to(tl.float32) + 1).to(o.dtype.element_ty), boundary_check=(0, 1))
    tl.store(flags_ptr, a.type.element_ty.element_ty == in_ptr.dtype.element_ty)
    tl.store(flags_ptr + 1, a.dtype.element_ty == x.type)
    tl.store(flags_ptr + 2, a.dtype.is_ptr() and not a.dtype.is_block())
    tl.store(flags_ptr + 3, len(a.shape) == 0)
    tl.store(flags_ptr + 4, a.dtype.element_ty.shape[1] == B)


@tegula.jit
def hints(in_ptr, out_ptr, n, B: tl.constexpr):
    a = tl.make_block_ptr(in_ptr, (n,), (1,), (0,), (B,), (0,))
    o = tl.make_block_ptr(out_ptr, (n,), (1,), (0,), (B,), (0,))
    for _ in tl.static_range(3):
        x = tl.load(a, boundary_check=(0,), cache_modifier=".cg", eviction_policy="evict_first",
                    volatile=True)
        tl.store(o, x, boundary_check=(0,), cache_modifier=".wt", eviction_policy="evict_last")
        a = tl.advance(a, [B])
        o = tl.advance(o, B)


@tegula.jit
def far(in_ptr, out_ptr, size, offset, back, B: tl.constexpr):
    # Offsets that leave the numbers of 32 bits on the way, and come back.
    a = tl.make_block_ptr(in_ptr, (size,), (1,), (offset,), (B,), (0,))
    i = tl.arange(0, B)
    tl.store(out_ptr + i, tl.load(a, boundary_check=(0,)))
    a = tl.advance(a, (back,))
    tl.store(out_ptr + B + i, tl.load(a, boundary_check=(0,)))


@tegula.jit
def edge(in_ptr, out_ptr, size, offset, stride, B: tl.constexpr):
    a = tl.make_block_ptr(in_ptr, (size,), (stride,), (offset,), (B,), (0,))
    tl.store(out_ptr + tl.arange(0, B), tl.load(a, boundary_check=(0,)))


@tegula.jit
def pointers(table_ptr, out_ptr, n, B: tl.constexpr):
    t = tl.make_block_ptr(table_ptr.to(tl.pointer_type(tl.pointer_type(tl.float32))), (n,), (1,),
                          (1,), (B,), (0,))
    p = tl.load(t, boundary_check=(0,))
    tl.store(out_ptr + tl.arange(0, B), p.to(tl.int64))
    o = tl.make_block_ptr(out_ptr.to(tl.pointer_type(tl.pointer_type(tl.float32))), (2 * B,), (1,),
                          (B,), (B,), (0,))
    tl.store(o, p)


@tegula.jit
def store_values(out_ptr, row_ptr, n, B: tl.constexpr):
    # Numbers and lower ranks are repeated, values are cast to the elements' type.
    o = tl.make_block_ptr(out_ptr, (n, n), (n, 1), (0, 0), (B, B), (1, 0))
    tl.store(o, 3, boundary_check=(0, 1))
    row = tl.load(row_ptr + tl.arange(0, B))
    tl.store(tl.advance(o, (B, 0)), row, boundary_check=(0, 1))
    tl.store(tl.advance(o, (0, B)), row[:, None], boundary_check=(0, 1))
