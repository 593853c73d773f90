# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole algorithms, as programs use them: operations in combination."""

import tegula
import tegula.language as tl


@tegula.jit
def layer_norm(x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, rstd_ptr, stride, N, eps, B: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * stride
    y_ptr += row * stride
    total = tl.zeros([B], dtype=tl.float32)
    for off in range(0, N, B):
        cols = off + tl.arange(0, B)
        total += tl.load(x_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N
    var = tl.zeros([B], dtype=tl.float32)
    for off in range(0, N, B):
        cols = off + tl.arange(0, B)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.0)
        var += x * x
    rstd = 1 / tl.sqrt(tl.sum(var, axis=0) / N + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for off in range(0, N, B):
        cols = off + tl.arange(0, B)
        mask = cols < N
        w = tl.load(w_ptr + cols, mask=mask)
        b = tl.load(b_ptr + cols, mask=mask)
        x = tl.load(x_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptr + cols, (x - mean) * rstd * w + b, mask=mask)


@tegula.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, scale, L, CAUSAL: tl.constexpr, BM: tl.constexpr,
              BN: tl.constexpr, D: tl.constexpr):
    start = tl.program_id(0) * BM
    head = tl.program_id(1) * L * D
    m = start + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + head + m[:, None] * D + d[None, :], mask=m[:, None] < L, other=0.0)
    largest = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    stop = tl.minimum(start + BM, L) if CAUSAL else L
    for first in range(0, stop, BN):
        n = first + tl.arange(0, BN)
        k = tl.load(k_ptr + head + n[None, :] * D + d[:, None], mask=n[None, :] < L, other=0.0)
        s = tl.dot(q, k, input_precision="ieee") * scale
        allowed = n[None, :] < L
        if CAUSAL:
            allowed = allowed & (m[:, None] >= n[None, :])
        s = tl.where(allowed, s, float("-inf"))
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(largest - new)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + head + n[:, None] * D + d[None, :], mask=n[:, None] < L, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
        largest = new
    acc = acc / total[:, None]
    tl.store(o_ptr + head + m[:, None] * D + d[None, :], acc, mask=m[:, None] < L)


@tegula.jit
def quantize(x_ptr, q_ptr, scale_ptr, back_ptr, N, B: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, B)
    mask = j < N
    x = tl.load(x_ptr + row * N + j, mask, 0.0)
    scale = tl.max(tl.abs(x)) / 127.0
    scale = tl.where(scale > 0, scale, 1.0)
    q = tl.floor(x / scale + 0.5).to(tl.int8)
    tl.store(q_ptr + row * N + j, q, mask)
    tl.store(scale_ptr + row, scale)
    tl.store(back_ptr + row * N + j, q.to(tl.float32) * scale, mask)


@tegula.jit
def unpack_int4(packed_ptr, out_ptr, N, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < N
    byte = tl.load(packed_ptr + i // 2, mask, 0)
    nibble = (byte >> ((i % 2) * 4).to(tl.uint8)) & 0xF
    tl.store(out_ptr + i, nibble.to(tl.int32) - 8, mask)


@tegula.jit
def cross_entropy(x_ptr, target_ptr, loss_ptr, grad_ptr, V, ignore, B: tl.constexpr):
    row = tl.program_id(0)
    target = tl.load(target_ptr + row)
    j = tl.arange(0, B)
    if target == ignore:
        for start in range(0, V, B):
            tl.store(grad_ptr + row * V + start + j, 0.0, start + j < V)
        tl.store(loss_ptr + row, 0.0)
        return
    m = float("-inf")
    s = 0.0
    for start in range(0, V, B):
        x = tl.load(x_ptr + row * V + start + j, start + j < V, float("-inf"))
        new = tl.maximum(m, tl.max(x))
        s = s * tl.exp(m - new) + tl.sum(tl.exp(x - new))
        m = new
    for start in range(0, V, B):
        x = tl.load(x_ptr + row * V + start + j, start + j < V, float("-inf"))
        p = tl.exp(x - m) / s
        tl.store(grad_ptr + row * V + start + j, tl.where(start + j == target, p - 1, p),
                 start + j < V)
    tl.store(loss_ptr + row, m + tl.log(s) - tl.load(x_ptr + row * V + target))


@tegula.jit
def rotary(x_ptr, cos_ptr, sin_ptr, H: tl.constexpr, D: tl.constexpr):
    # In place: halves of each row turned by an angle.
    row = tl.program_id(0)
    h = tl.arange(0, H)[:, None]
    d = tl.arange(0, D // 2)[None, :]
    c = tl.load(cos_ptr + row * (D // 2) + d)
    s = tl.load(sin_ptr + row * (D // 2) + d)
    low = x_ptr + (row * H + h) * D + d
    a = tl.load(low)
    b = tl.load(low + D // 2)
    tl.store(low, a * c - b * s)
    tl.store(low + D // 2, b * c + a * s)


@tegula.jit
def segments(x_ptr, starts_ptr, out_ptr, count_ptr, B: tl.constexpr):
    # Sums over ranges whose limits are in memory.
    s = tl.program_id(0)
    first = tl.load(starts_ptr + s)
    last = tl.load(starts_ptr + s + 1)
    acc = tl.zeros((B,), tl.float32)
    trips = 0
    for start in range(first, last, B):
        i = start + tl.arange(0, B)
        acc += tl.load(x_ptr + i, i < last, 0.0)
        trips += 1
    tl.store(out_ptr + s, tl.sum(acc))
    tl.store(count_ptr + s, trips)


@tegula.jit
def embedding(table_ptr, index_ptr, out_ptr, V, D, BD: tl.constexpr):
    row = tl.program_id(0)
    k = tl.load(index_ptr + row).to(tl.int64)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    mask = (d < D) & (k >= 0) & (k < V)
    x = tl.load(table_ptr + k * D + d, mask, other=-1.0)
    tl.store(out_ptr + row * D + d, x, d < D)


@tegula.jit
def stencil(x_ptr, y_ptr, steps, N, B: tl.constexpr):
    # Two arrays that change roles; all in one program.
    i = tl.arange(0, B)
    inside = i < N
    for step in range(steps):
        a = tl.load(x_ptr + i - 1, inside & (i > 0), 0)
        b = tl.load(x_ptr + i, inside, 0)
        c = tl.load(x_ptr + i + 1, i + 1 < N, 0)
        tl.store(y_ptr + i, a ^ (b | c), inside)
        tl.store(x_ptr + i, tl.load(y_ptr + i, inside, 0), inside)


@tegula.jit
def convolution(x_ptr, w_ptr, y_ptr, N, K: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in tl.static_range(K):
        at = i + k - K // 2
        acc += tl.load(x_ptr + at, (at >= 0) & (at < N), 0.0) * tl.load(w_ptr + k)
    tl.store(y_ptr + i, acc, i < N)


@tegula.jit
def escape(re_ptr, im_ptr, out_ptr, limit, B: tl.constexpr):
    # A while loop over a tile: until all have escaped.
    i = tl.program_id(0) * B + tl.arange(0, B)
    cr = tl.load(re_ptr + i)
    ci = tl.load(im_ptr + i)
    zr = cr * 0
    zi = ci * 0
    steps = tl.zeros((B,), tl.int32)
    step = 0
    running = tl.full((B,), 1, tl.int1)
    while step < limit and tl.max(running.to(tl.int32)) > 0:
        r = zr * zr - zi * zi + cr
        zi = 2 * zr * zi + ci
        zr = r
        running = running & (zr * zr + zi * zi < 4)
        steps += running.to(tl.int32)
        step += 1
    tl.store(out_ptr + i, steps)


@tegula.jit
def top2(x_ptr, value_ptr, index_ptr, N: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, N)
    x = tl.load(x_ptr + row * N + j)
    for k in tl.static_range(2):
        best, at = tl.max(x, 0, return_indices=True)
        tl.store(value_ptr + row * 2 + k, best)
        tl.store(index_ptr + row * 2 + k, at)
        x = tl.where(j == at, -1000, x)


@tegula.jit
def bins(x_ptr, out_ptr, n, BINS: tl.constexpr, B: tl.constexpr):
    counts = tl.zeros((BINS,), tl.int32)
    for start in range(0, n, B):
        i = start + tl.arange(0, B)
        x = tl.load(x_ptr + i, i < n, -1)
        counts += tl.sum((x[:, None] == tl.arange(0, BINS)[None, :]).to(tl.int32), 0)
    tl.store(out_ptr + tl.arange(0, BINS), counts)


@tegula.jit
def activation(x, KIND: tl.constexpr):
    if KIND == "relu":
        return tl.maximum(x, 0.0)
    elif KIND == "silu":
        return x * tl.sigmoid(x)
    else:
        return x


@tegula.jit
def linear(a_ptr, w_ptr, bias_ptr, c_ptr, M, N, K, sam, sak, swk, swn, KIND: tl.constexpr,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    # A product with strides, grouped programs, bias and activation.
    rows = tl.cdiv(M, BM)
    columns = tl.cdiv(N, BN)
    pid = tl.program_id(0)
    group = pid // (GROUP * columns)
    first = group * GROUP
    size = min(rows - first, GROUP)
    pm = first + (pid % (GROUP * columns)) % size
    pn = (pid % (GROUP * columns)) // size
    m = (pm * BM + tl.arange(0, BM)) % M
    n = (pn * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a = a_ptr + m[:, None] * sam + k[None, :] * sak
    w = w_ptr + k[:, None] * swk + n[None, :] * swn
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        acc = tl.dot(tl.load(a, mask=k[None, :] < K - start, other=0.0),
                     tl.load(w, mask=k[:, None] < K - start, other=0.0), acc)
        a += BK * sak
        w += BK * swk
    if bias_ptr is not None:
        acc += tl.load(bias_ptr + n)[None, :]
    acc = activation(acc, KIND)
    m = pm * BM + tl.arange(0, BM)
    n = pn * BN + tl.arange(0, BN)
    mask = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(c_ptr.dtype.element_ty), mask=mask)
