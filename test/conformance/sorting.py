# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import tegula
import tegula.language as tl


@tegula.jit
def sorts(x_ptr, up_ptr, up_index_ptr, down_ptr, down_index_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    up, up_index = tl.sort(x, return_indices=True)
    tl.store(up_ptr + i, up)
    tl.store(up_index_ptr + i, up_index)
    tl.store(down_ptr + i, x.sort(0, descending=True))
    tl.store(down_index_ptr + i, tl.argsort(x, descending=True))


@tegula.jit
def masked(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i, i < n, other=float("inf"))
    tl.store(out_ptr + i, tl.sort(x), i < n)


@tegula.jit
def along(x_ptr, out_ptr, index_ptr, S: tl.constexpr, DIM: tl.constexpr, DOWN: tl.constexpr):
    i = tl.reshape(tl.arange(0, 128), S)
    values, where = tl.sort(tl.load(x_ptr + i), DIM, DOWN, return_indices=True)
    tl.store(out_ptr + i, values)
    tl.store(index_ptr + i, where)


@tegula.jit
def tops(x_ptr, out_ptr, index_ptr, low_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    x = tl.load(x_ptr + rows * N + tl.arange(0, N)[None, :])
    at = rows * K + tl.arange(0, K)[None, :]
    values, where = tl.topk(x, K, 1, return_indices=True)
    tl.store(out_ptr + at, values)
    tl.store(index_ptr + at, where)
    tl.store(low_ptr + at, tl.topk(x, K, descending=False))


@tegula.jit
def merges(x_ptr, out_ptr, down_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    two = tl.cat(tl.sort(x), tl.sort(x, descending=True))
    tl.store(out_ptr + tl.arange(0, 2 * N), tl.bitonic_merge(two))
    tl.store(down_ptr + tl.arange(0, 2 * N), tl.bitonic_merge(two, descending=True))


@tegula.jit
def counts(x_ptr, mask_ptr, out_ptr, all_ptr, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    bins = tl.arange(0, BINS)
    tl.store(out_ptr + bins, tl.histogram(x, BINS, mask=tl.load(mask_ptr + i)))
    tl.store(all_ptr + bins, x.histogram(BINS))


@tegula.jit
def sizes(x_ptr, sum_ptr, sort_ptr, index_ptr, pair_ptr, flip_ptr, cat_ptr, count_ptr,
          N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(sum_ptr + i, tl.cumsum(x, 0, reverse=True))
    values, where = tl.sort(x, descending=True, return_indices=True)
    tl.store(sort_ptr + i, values)
    tl.store(index_ptr + i, where)
    tl.store(pair_ptr + tl.arange(0, 2 * N), tl.interleave(x, tl.gather(x, where, 0)))
    tl.store(flip_ptr + i, tl.flip(x))
    tl.store(cat_ptr + tl.arange(0, N + 16), tl.cat(x, tl.topk(x, 16)))
    tl.store(count_ptr + tl.arange(0, 48), tl.histogram(x.to(tl.int32), 48))


# A sort in the language itself, as programs have written it.


@tegula.jit
def compare_and_swap(x, ids, flip, i: tl.constexpr, n_dims: tl.constexpr):
    outer: tl.constexpr = x.numel >> n_dims
    shape: tl.constexpr = [outer * 2**i, 2, 2**(n_dims - i - 1)]
    y = tl.core.reshape(x, shape)
    mask = tl.core.arange(0, 2)[None, :, None]
    left = tl.core.broadcast_to(tl.sum(y * (1 - mask), 1)[:, None, :], shape).to(y.dtype)
    right = tl.core.broadcast_to(tl.sum(y * mask, 1)[:, None, :], shape).to(y.dtype)
    left = tl.core.reshape(left, x.shape)
    right = tl.core.reshape(right, x.shape)
    y_ids = tl.core.reshape(ids, shape)
    left_ids = tl.core.broadcast_to(tl.sum(y_ids * (1 - mask), 1)[:, None, :], shape)
    right_ids = tl.core.broadcast_to(tl.sum(y_ids * mask, 1)[:, None, :], shape)
    left_ids = tl.core.reshape(left_ids, x.shape)
    right_ids = tl.core.reshape(right_ids, x.shape)
    integer = tl.core.get_int_dtype(bitwidth=x.dtype.primitive_bitwidth, signed=True)
    bits = x.to(integer, bitcast=True)
    swap = (left > right) ^ flip
    other = left.to(integer, bitcast=True) ^ right.to(integer, bitcast=True)
    result = bits ^ tl.where(swap, other, tl.zeros_like(bits))
    new_ids = ids ^ tl.where(swap, left_ids ^ right_ids, tl.zeros_like(ids))
    return result.to(x.dtype, bitcast=True), new_ids


@tegula.jit
def bitonic_stage(x, ids, stage: tl.constexpr, order: tl.constexpr, n_dims: tl.constexpr):
    outer: tl.constexpr = x.numel >> n_dims
    tl.static_assert(stage <= n_dims)
    if order == 2:
        shape: tl.constexpr = [outer * 2**(n_dims - 1 - stage), 2, 2**stage]
        pattern = tl.core.broadcast_to(tl.core.arange(0, 2)[None, :, None], shape)
        flip = tl.core.reshape(pattern, x.shape)
    else:
        flip = order
    for i in tl.core.static_range(stage):
        x, ids = compare_and_swap(x, ids, flip != 0, i + (n_dims - stage), n_dims)
    return x, ids


@tegula.jit
def bitonic(x, ids, DOWN: tl.constexpr):
    n_dims: tl.constexpr = tl.standard._log2(x.shape[0])
    for i in tl.core.static_range(1, n_dims + 1):
        x, ids = bitonic_stage(x, ids, i, 2 if i < n_dims else DOWN, n_dims)
    return x, ids


@tegula.jit
def own_sort(x_ptr, out_ptr, ids_ptr, N: tl.constexpr, DOWN: tl.constexpr):
    i = tl.arange(0, N)
    x, ids = bitonic(tl.load(x_ptr + i), i, DOWN)
    tl.store(out_ptr + i, x)
    tl.store(ids_ptr + i, ids)


# The same on a tile of rank log2(N) and size 2 in each dimension, where the exclusive or of a
# pair turns each of its elements into the other.


@tegula.jit
def indicator(n_dims: tl.constexpr, axis: tl.constexpr):
    return tl.core.reshape(tl.core.arange(0, 2), [1] * axis + [2] + [1] * (n_dims - axis - 1))


@tegula.jit
def exchange(x, flip, axis: tl.constexpr, n_dims: tl.constexpr):
    integer: tl.constexpr = tl.core.get_int_dtype(x.dtype.primitive_bitwidth, signed=True)
    bits = x.to(integer, bitcast=True)
    other_bits = bits ^ tl.xor_sum(bits, axis, True)
    other = other_bits.to(x.dtype, bitcast=True)
    is_right = indicator(n_dims, axis)
    swap = (x > other) != ((flip ^ is_right) != 0)
    return tl.where(swap & (bits != other_bits), other_bits, bits).to(x.dtype, bitcast=True)


@tegula.jit
def hypercube_sort(x, DOWN: tl.constexpr):
    n_dims: tl.constexpr = tl.core.constexpr(tl.standard._log2(x.numel))
    y = tl.core.reshape(x, [2] * n_dims)
    for stage in tl.core.static_range(1, n_dims + 1):
        if stage < n_dims:
            flip = indicator(n_dims, n_dims - 1 - stage)
        else:
            flip = DOWN
        for step in tl.core.static_range(stage):
            y = exchange(y, flip, n_dims - stage + step, n_dims)
    return tl.core.reshape(y, x.shape)


@tegula.jit
def cube_sort(x_ptr, out_ptr, N: tl.constexpr, DOWN: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, hypercube_sort(tl.load(x_ptr + i), DOWN))
