# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import tegula
import tegula.language as tl


@tegula.jit
def load(ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    return tl.load(ptr + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :])


@tegula.jit
def product(a_ptr, sa_ptr, b_ptr, sb_ptr, acc_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr,
            M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr):
    a = load(a_ptr, M, K // 2 if A == "e2m1" else K)
    b = load(b_ptr, K // 2 if B == "e2m1" else K, N)
    if sa_ptr is not None:
        sa = load(sa_ptr, M, K // GROUP)
    else:
        sa = None
    if sb_ptr is not None:
        sb = load(sb_ptr, N, K // GROUP)
    else:
        sb = None
    acc = load(acc_ptr, M, N)
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.dot_scaled(a, sa, A, b, sb, B, acc))


@tegula.jit
def packed_outside(a_ptr, sa_ptr, b_ptr, sb_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr,
                   K: tl.constexpr):
    a = load(a_ptr, M // 2, K)
    b = load(b_ptr, K, N // 2)
    c = tl.dot_scaled(a, load(sa_ptr, M, K // 32), "e2m1", b, load(sb_ptr, N, K // 32), "e2m1",
                      fast_math=True, lhs_k_pack=False, rhs_k_pack=False, out_dtype=tl.float32)
    tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], c)


@tegula.jit
def bits(a_ptr, b_ptr, sb_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = load(a_ptr, M, K).to(tl.uint16, bitcast=True)
    b = load(b_ptr, K, N).to(tl.uint8, bitcast=True)
    c = tl.dot_scaled(a, None, "bf16", b, load(sb_ptr, N, K // 32), "e5m2")
    tl.store(out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], c)


@tegula.jit
def load_batch(ptr, COUNT: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    at = tl.arange(0, COUNT)[:, None, None] * (ROWS * COLUMNS)
    at += tl.arange(0, ROWS)[None, :, None] * COLUMNS + tl.arange(0, COLUMNS)[None, None, :]
    return tl.load(ptr + at)


@tegula.jit
def batched(a_ptr, sa_ptr, b_ptr, sb_ptr, acc_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr,
            COUNT: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = load_batch(a_ptr, COUNT, M, K // 2 if A == "e2m1" else K)
    b = load_batch(b_ptr, COUNT, K // 2 if B == "e2m1" else K, N)
    sa = load_batch(sa_ptr, COUNT, M, K // 32)
    sb = load_batch(sb_ptr, COUNT, N, K // 32)
    acc = load_batch(acc_ptr, COUNT, M, N)
    at = tl.arange(0, COUNT)[:, None, None] * (M * N)
    at += tl.arange(0, M)[None, :, None] * N + tl.arange(0, N)[None, None, :]
    tl.store(out_ptr + at, tl.dot_scaled(a, sa, A, b, sb, B, acc))
