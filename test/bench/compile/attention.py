# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel of 62 lines for tools/dev/bench-compile: attention with masks and more."""

import tegula as triton
import tegula.language as tl


@triton.jit
def attention(q, k, v, bias, sinks, out, lse, scale, heads, queries, keys,
              stride_qb, stride_qh, stride_qm, stride_kb, stride_kh, stride_kn,
              stride_vb, stride_vh, stride_vn, stride_ob, stride_oh, stride_om,
              CAUSAL: tl.constexpr, HAS_BIAS: tl.constexpr, D: tl.constexpr,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, EVEN: tl.constexpr,
              WINDOW: tl.constexpr):
    block = tl.program_id(0)
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, BLOCK_N)
    features = tl.arange(0, D)
    q += batch * stride_qb + head * stride_qh
    k += batch * stride_kb + head * stride_kh
    v += batch * stride_vb + head * stride_vh
    out += batch * stride_ob + head * stride_oh
    q_tile = q + rows[:, None] * stride_qm + features[None, :]
    if EVEN:
        query = tl.load(q_tile)
    else:
        query = tl.load(q_tile, mask=rows[:, None] < queries, other=0.0)
    best = tl.full([BLOCK_M], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, D], tl.float32)
    log2_scale = scale * 1.4426950408889634
    last = tl.minimum((block + 1) * BLOCK_M, keys) if CAUSAL else keys
    first = 0
    if WINDOW > 0:
        first = tl.maximum(block * BLOCK_M - WINDOW, 0) // BLOCK_N * BLOCK_N
    for start in range(first, last, BLOCK_N):
        place = start + columns
        k_tile = k + place[None, :] * stride_kn + features[:, None]
        v_tile = v + place[:, None] * stride_vn + features[None, :]
        if EVEN:
            key = tl.load(k_tile)
        else:
            key = tl.load(k_tile, mask=place[None, :] < keys, other=0.0)
        scores = tl.dot(query, key) * log2_scale
        if HAS_BIAS:
            added = tl.load(bias + place, mask=place < keys, other=0.0)
            scores += added.to(tl.float32)[None, :] * 1.4426950408889634
        scores = tl.where(place[None, :] < keys, scores, float("-inf"))
        if CAUSAL:
            scores = tl.where(rows[:, None] >= place[None, :], scores, float("-inf"))
        if WINDOW > 0:
            scores = tl.where(rows[:, None] - place[None, :] < WINDOW, scores, float("-inf"))
        largest = tl.maximum(best, tl.max(scores, 1))
        weights = tl.math.exp2(scores - largest[:, None])
        decay = tl.math.exp2(best - largest)
        total = total * decay + tl.sum(weights, 1)
        acc = acc * decay[:, None]
        value = tl.load(v_tile, mask=place[:, None] < keys, other=0.0)
        acc += tl.dot(weights.to(value.dtype), value)
        best = largest
    if sinks is not None:
        total += tl.math.exp2(tl.load(sinks + head) * 1.4426950408889634 - best)
    acc = acc / total[:, None]
    inside = rows < queries
    o_tile = out + rows[:, None] * stride_om + features[None, :]
    tl.store(o_tile, acc.to(out.dtype.element_ty), mask=inside[:, None])
    tl.store(lse + tl.program_id(1) * queries + rows, best + tl.math.log2(total), mask=inside)
