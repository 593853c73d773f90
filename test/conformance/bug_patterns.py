# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of kinds that compilers of tile languages were reported to get wrong."""

import tegula
import tegula.language as tl


@tegula.jit
def shared_accumulator(a, b, c, d, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                       BK: tl.constexpr, SEPARATE: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    col = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    both = tl.zeros([BM, BN], tl.float32)
    apart = tl.zeros([BM, BN], tl.float32)
    for start in range(0, K, BK):
        left = row * K + start + tl.arange(0, BK)[None, :]
        right = (start + tl.arange(0, BK)[:, None]) * N + col
        keep_left = (row < M) & (start + tl.arange(0, BK)[None, :] < K)
        keep_right = (start + tl.arange(0, BK)[:, None] < K) & (col < N)
        both = tl.dot(tl.load(a + left, mask=keep_left, other=0),
                      tl.load(b + right, mask=keep_right, other=0), both, input_precision="ieee")
        second_left = tl.load(c + left, mask=keep_left, other=0)
        second_right = tl.load(d + right, mask=keep_right, other=0)
        if SEPARATE:
            apart += tl.dot(second_left, second_right, input_precision="ieee")
        else:
            both = tl.dot(second_left, second_right, both, input_precision="ieee")
    tl.store(out + row * N + col, both + apart, mask=(row < M) & (col < N))


@tegula.jit
def dot_of_dot(q, k, v, scores, out, S: tl.constexpr, D: tl.constexpr):
    row, col = tl.arange(0, S), tl.arange(0, D)
    tile = row[:, None] * D + col[None, :]
    product = tl.dot(tl.load(q + tile), tl.load(k + tile).T).to(tl.float16)
    tl.store(scores + row[:, None] * S + row[None, :], product)
    tl.store(out + tile, tl.dot(product, tl.load(v + tile)))


@tegula.jit
def keep_non_negative(x, kept, rank, count, n, B: tl.constexpr):
    i = tl.arange(0, B)
    value = tl.load(x + i, mask=i < n, other=-1)
    place = tl.cumsum(value >= 0, axis=0) - 1
    tl.store(kept + place, value, mask=value >= 0)
    tl.store(rank + i, place, mask=i < n)
    tl.store(count, tl.sum(value >= 0, axis=0))


@tegula.jit
def compose(factor, value, next_factor, next_value):
    return factor * next_factor, value * next_factor + next_value


@tegula.jit
def halving_sum(x, out, R: tl.constexpr, C: tl.constexpr):
    tile = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    factors = tl.full([R, C], 0.5, tl.float32)
    _, sums = tl.associative_scan((factors, tl.load(x + tile)), 0, compose)
    tl.store(out + tile, sums)


@tegula.jit
def places_of_extremes(x, out, n, B: tl.constexpr, LEFT: tl.constexpr):
    i = tl.arange(0, B)
    high = tl.load(x + i, mask=i < n, other=float("-inf"))
    low = tl.load(x + i, mask=i < n, other=float("inf"))
    _, place = tl.max(high, axis=0, return_indices=True, return_indices_tie_break_left=LEFT)
    tl.store(out, tl.argmax(high, axis=0, tie_break_left=LEFT))
    tl.store(out + 1, tl.argmin(low, axis=0, tie_break_left=LEFT))
    tl.store(out + 2, place)


@tegula.jit
def largest_in_turn(x, values, places, COUNT: tl.constexpr, B: tl.constexpr,
                    MULTIPLY: tl.constexpr):
    i = tl.arange(0, B)
    rest = tl.load(x + i)
    for turn in range(COUNT):
        place = tl.argmax(rest, axis=0)
        tl.store(values + turn, tl.max(rest, axis=0))
        tl.store(places + turn, place)
        if MULTIPLY:
            rest *= (i != place).to(tl.float32)  # infinity times 0 is NaN, which never wins
        else:
            rest = tl.where(i == place, float("-inf"), rest)


@tegula.jit
def nan_beside_number(x, y, larger, smaller, larger_all, smaller_all, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(larger + i, tl.maximum(a, b))
    tl.store(smaller + i, tl.minimum(a, b, propagate_nan=tl.PropagateNan.NONE))
    tl.store(larger_all + i, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(smaller_all + i, tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL))


@tegula.jit
def negative_quotients(x, y, quotient, rest, rounded_up, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a, b = tl.load(x + i, mask=i < n, other=0), tl.load(y + i, mask=i < n, other=1)
    tl.store(quotient + i, a // b, mask=i < n)
    tl.store(rest + i, a % b, mask=i < n)
    tl.store(rounded_up + i, tl.cdiv(a, b), mask=i < n)


@tegula.jit
def sum_of_few(x, out, n, B: tl.constexpr, OTHER: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=OTHER), axis=0))


@tegula.jit
def padded_block(x, out, n, B: tl.constexpr, PADDING: tl.constexpr):
    block = tl.make_block_ptr(x, shape=(n,), strides=(1,), offsets=(0,), block_shape=(B,),
                              order=(0,))
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(block, boundary_check=(0,), padding_option=PADDING))


@tegula.jit
def odd_rows_product(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    left = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    right = tl.make_tensor_descriptor(b, shape=[K, N], strides=[N, 1], block_shape=[BK, BN])
    row, col = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(left.load([row, k]), right.load([k, col]), total)
    i, j = row + tl.arange(0, BM)[:, None], col + tl.arange(0, BN)[None, :]
    tl.store(out + i * N + j, total, mask=(i < M) & (j < N))


@tegula.jit
def to_five_bits_of_exponent(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(tl.float8e5))


@tegula.jit
def transposed(x, out, M: tl.constexpr, N: tl.constexpr, FORM: tl.constexpr):
    tile = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    if FORM == "trans":
        turned = tl.trans(tile)
    elif FORM == "attribute":
        turned = tile.T
    else:
        turned = tl.permute(tile, (1, 0))
    tl.store(out + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :], turned)


@tegula.jit
def store_where_index_says(index, x, out, n, STAGES: tl.constexpr):
    for i in tl.range(0, n, num_stages=STAGES):
        place = tl.load(index + i)
        if place >= 0:
            tl.store(out + place, tl.load(x + place) + 1)


@tegula.jit
def sums_and_products(a, b, sums, products, n, D: tl.constexpr, B: tl.constexpr,
                      SUM_FIRST: tl.constexpr, STAGES: tl.constexpr):
    d = tl.arange(0, D)
    total = tl.zeros([D], tl.float32)
    gram = tl.zeros([D, D], tl.float32)
    for start in tl.range(0, n, B, num_stages=STAGES):
        row = start + tl.arange(0, B)[:, None]
        x = tl.load(a + row * D + d[None, :], mask=row < n, other=0)
        y = tl.load(b + row * D + d[None, :], mask=row < n, other=0)
        if SUM_FIRST:
            total += tl.sum(x.to(tl.float32), axis=0)
        gram = tl.dot(x.T, y, gram)
        if not SUM_FIRST:
            total += tl.sum(x.to(tl.float32), axis=0)
    tl.store(sums + d, total)
    tl.store(products + d[:, None] * D + d[None, :], gram)


@tegula.jit
def method_of_a_number(x, out, factor):
    tl.store(out, tl.load(x) * factor.to(tl.int64))
    tl.store(out + 1, (factor + 1).to(tl.int64) * 3)


@tegula.jit
def bools_over_rows(x, some, every, odd, n, B: tl.constexpr):
    i = tl.arange(0, B)
    any_row = tl.full([B], 0, tl.int1)
    all_rows = tl.full([B], 1, tl.int1)
    odd_rows = tl.full([B], 0, tl.int1)
    for row in range(n):
        bit = tl.load(x + row * B + i)
        tl.static_assert(bit.dtype == tl.int1)
        any_row |= bit
        all_rows &= bit
        odd_rows ^= bit
    tl.store(some + i, any_row)
    tl.store(every + i, all_rows)
    tl.store(odd + i, odd_rows)


@tegula.jit
def loop_variable_moved(x, out, n, shift, B: tl.constexpr):
    lane = tl.arange(0, B)
    total = tl.zeros([B], tl.int32)
    for i in range(0, n, B):
        i = i + shift
        i += lane
        total += tl.load(x + i, mask=i < n + shift, other=0)
    tl.store(out + lane, total)


@tegula.jit
def bound_in_a_loop_of_one(out):
    for _ in range(0, 1):
        value = 7
    tl.store(out, value)


@tegula.jit
def bound_in_a_run_time_loop(out, n):
    for _ in range(n):
        value = 7
    tl.store(out, value)


@tegula.jit
def constants_of_each_turn(x, out, TURNS: tl.constexpr):
    base = 0
    for turn in tl.static_range(TURNS):
        width: tl.constexpr = 4 << turn
        lane = tl.arange(0, width)
        value = tl.load(x + base + lane)
        tl.store(out + base + lane, tl.where(lane < width // 2, value, -value))
        base += width


@tegula.jit
def wide_literals(x, added, masked, turned, compared, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(added + i, v + 0x80000000)
    tl.store(masked + i, v & 0xFFFF0000)
    tl.store(turned + i, v ^ 0xFFFFFFFF)
    tl.store(compared + i, v >= 0x80000000)


@tegula.jit
def unsigned_by_literals(x, rest, quotient, shifted, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(rest + i, v % 7)
    tl.store(quotient + i, v // 2)
    tl.store(shifted + i, v >> 1)


@tegula.jit
def large_index(out, block, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, (block * 65536 + i).to(tl.int64))
    tl.store(out + B + i, block.to(tl.int64) * 65536 + i)


@tegula.jit
def count_in_bins(x, out, n, B: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, B)
    value = tl.load(x + i, mask=i < n, other=-1)
    tl.store(out + tl.arange(0, BINS), tl.histogram(value, BINS))


@tegula.jit
def joined_pairs(x, out):
    a, b, c, d = tl.load(x), tl.load(x + 1), tl.load(x + 2), tl.load(x + 3)
    all_four = tl.join(tl.join(a, b), tl.join(c, d))
    tl.store(out + tl.arange(0, 4), tl.reshape(all_four, [4]))


@tegula.jit
def plus(a, b):
    return a + b


@tegula.jit
def tuples_of_one(x, rows, total, prefix, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    tile = tl.load(x + i[:, None] * N + tl.arange(0, N)[None, :])
    row_sums, = tl.reduce((tile,), 1, plus)
    everything = tl.reduce((row_sums,), 0, plus)
    up_to, = tl.associative_scan((row_sums,), 0, plus)
    tl.store(rows + i, row_sums)
    tl.store(total, everything[0])
    tl.store(prefix + i, up_to)


@tegula.jit
def wrapped_pointers(x, out, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    source = x + (i % M)[:, None] * stride + (j % N)[None, :]
    width = tl.num_programs(1) * BN
    tl.store(out + i[:, None] * width + j[None, :], tl.load(source))


@tegula.jit
def matrix_times_vector(a, b, out, N, M, BN: tl.constexpr, BM: tl.constexpr):
    row = tl.program_id(0) * BN + tl.arange(0, BN)[:, None]
    col = tl.arange(0, BM)[None, :]
    left, right = a + row * M + col, b + col
    total = tl.zeros([BN, BM], tl.float32)
    for start in range(0, M, BM):
        inside = start + col < M
        total += (tl.load(left, mask=(row < N) & inside, other=0) *
                  tl.load(right, mask=inside, other=0))
        left += BM
        right += BM
    tl.store(out + row, tl.sum(total, axis=1)[:, None], mask=row < N)


@tegula.jit
def grouped_product(a, b, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                    GROUP: tl.constexpr):
    rows, cols = tl.cdiv(M, BM), tl.cdiv(N, BN)
    i, j = tl.swizzle2d(tl.program_id(0) // cols, tl.program_id(0) % cols, rows, cols, GROUP)
    row, col, k = i * BM + tl.arange(0, BM), j * BN + tl.arange(0, BN), tl.arange(0, BK)
    left = a + (row % M)[:, None] * K + k[None, :]
    right = b + k[:, None] * N + (col % N)[None, :]
    total = tl.zeros([BM, BN], tl.float32)
    for step in range(tl.cdiv(K, BK)):
        rest = K - step * BK
        total = tl.dot(tl.load(left, mask=k[None, :] < rest, other=0),
                       tl.load(right, mask=k[:, None] < rest, other=0), total,
                       input_precision="ieee")
        left += BK
        right += BK * N
    tl.store(out + row[:, None] * N + col[None, :], total,
             mask=(row[:, None] < M) & (col[None, :] < N))


@tegula.jit
def counted_while(out, n):
    i = 0
    while i < n:
        i += 1
    tl.store(out, i)


@tegula.jit
def wide_rows(a, b, c, out, n, R: tl.constexpr, C: tl.constexpr):
    row, col = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    place = row * n + col
    v = (tl.load(a + place, mask=col < n, other=0) * tl.load(b + place, mask=col < n, other=0) +
         tl.load(c + place, mask=col < n, other=0))
    tl.store(out + place, v - tl.max(v, axis=1)[:, None], mask=col < n)
