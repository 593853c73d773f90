# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import tegula
import tegula.language as tl


@tegula.jit
def tile(ptr, S: tl.constexpr, SIZE: tl.constexpr):
    return tl.load(ptr + tl.reshape(tl.arange(0, SIZE), S))


@tegula.jit
def put(ptr, x, SIZE: tl.constexpr):
    tl.store(ptr + tl.arange(0, SIZE), tl.ravel(x))


@tegula.jit
def joins(a_ptr, b_ptr, join_ptr, left_ptr, right_ptr, turn_ptr, S: tl.constexpr,
          SIZE: tl.constexpr):
    a = tile(a_ptr, S, SIZE)
    b = tile(b_ptr, S, SIZE)
    joined = tl.join(a, b)
    tl.static_assert(joined.shape[len(S)] == 2)
    put(join_ptr, joined, 2 * SIZE)
    left, right = tl.split(joined)
    put(left_ptr, left, SIZE)
    put(right_ptr, right, SIZE)
    put(turn_ptr, tl.interleave(b, a), 2 * SIZE)


@tegula.jit
def join_scalars(a_ptr, out_ptr):
    a = tl.load(a_ptr)
    b = tl.load(a_ptr + 1)
    pair = tl.join(a, b)
    left, right = pair.split()
    tl.store(out_ptr + tl.arange(0, 2), pair)
    tl.store(out_ptr + 2, right)
    tl.store(out_ptr + 3, left)
    tl.store(out_ptr + 4 + tl.arange(0, 2), tl.interleave(a, 7))
    column = tl.load(a_ptr + tl.arange(0, 2))[:, None]
    rows = tl.join(column, tl.load(a_ptr + tl.arange(0, 4))[None, :])
    put(out_ptr + 6, rows, 16)


@tegula.jit
def join_of_joins(out_ptr):
    a = tl.join(tl.full((1,), 1, tl.int32), tl.full((1,), 2, tl.int32))
    b = tl.join(tl.full((1,), 3, tl.int32), tl.full((1,), 4, tl.int32))
    put(out_ptr, tl.reshape(tl.join(a, b), (4,)), 4)


@tegula.jit
def split_last(x_ptr, out_ptr, S: tl.constexpr, SIZE: tl.constexpr):
    even, odd = tl.split(tile(x_ptr, S, SIZE))
    put(out_ptr, even, SIZE // 2)
    put(out_ptr + SIZE // 2, odd, SIZE // 2)


@tegula.jit
def cats(a_ptr, b_ptr, out_ptr, S: tl.constexpr, SIZE: tl.constexpr, DIM: tl.constexpr):
    a = tile(a_ptr, S, SIZE)
    b = tile(b_ptr, S, SIZE)
    put(out_ptr, tl.cat(a, b, dim=DIM), 2 * SIZE)
    put(out_ptr + 2 * SIZE, tl.cat(b, a, can_reorder=True, dim=DIM), 2 * SIZE)


@tegula.jit
def flips(x_ptr, out_ptr, S: tl.constexpr, SIZE: tl.constexpr, DIM: tl.constexpr):
    put(out_ptr, tl.flip(tile(x_ptr, S, SIZE), DIM), SIZE)


@tegula.jit
def gathers(x_ptr, index_ptr, out_ptr, S: tl.constexpr, SIZE: tl.constexpr, I: tl.constexpr,
            COUNT: tl.constexpr, AXIS: tl.constexpr):
    x = tile(x_ptr, S, SIZE)
    put(out_ptr, tl.gather(x, tile(index_ptr, I, COUNT), AXIS), COUNT)


@tegula.jit
def nibbles(packed_ptr, out_ptr, N: tl.constexpr):
    packed = tl.load(packed_ptr + tl.arange(0, N))
    both = tl.interleave(packed & 15, packed >> 4)
    tl.store(out_ptr + tl.arange(0, 2 * N), both.flip())
