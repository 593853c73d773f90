# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers."""

import tegula
import tegula.language as tl


@tegula.jit
def integers(one_ptr, four_ptr, seed, start, ROUNDS: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    offset = start + i
    tl.store(one_ptr + i, tl.randint(seed, offset, ROUNDS))
    a, b, c, d = tl.randint4x(seed, offset, n_rounds=ROUNDS)
    tl.store(four_ptr + i, a)
    tl.store(four_ptr + N + i, b)
    tl.store(four_ptr + 2 * N + i, c)
    tl.store(four_ptr + 3 * N + i, d)


@tegula.jit
def floats(one_ptr, four_ptr, seed, start, N: tl.constexpr):
    i = tl.arange(0, N)
    offset = start + i
    tl.store(one_ptr + i, tl.rand(seed, offset))
    a, b, c, d = tl.rand4x(seed, offset)
    tl.store(four_ptr + i, a)
    tl.store(four_ptr + N + i, b)
    tl.store(four_ptr + 2 * N + i, c)
    tl.store(four_ptr + 3 * N + i, d)


@tegula.jit
def normals(one_ptr, four_ptr, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(one_ptr + i, tl.randn(seed, i))
    a, b, c, d = tl.randn4x(seed, i)
    tl.store(four_ptr + i, a)
    tl.store(four_ptr + N + i, b)
    tl.store(four_ptr + 2 * N + i, c)
    tl.store(four_ptr + 3 * N + i, d)


@tegula.jit
def scalars(out_ptr, seed):
    i = tl.program_id(0)
    tl.store(out_ptr + i, tl.randint(seed, i))


@tegula.jit
def philox(in_ptr, out_ptr, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    c0 = tl.load(in_ptr + i)
    c1 = tl.load(in_ptr + N + i)
    c2 = tl.load(in_ptr + 2 * N + i)
    c3 = tl.load(in_ptr + 3 * N + i)
    r0, r1, r2, r3 = tl.philox(seed, c0, c1, c2, c3)
    tl.store(out_ptr + i, r0)
    tl.store(out_ptr + N + i, r1)
    tl.store(out_ptr + 2 * N + i, r2)
    tl.store(out_ptr + 3 * N + i, r3)


@tegula.jit
def philox_impl(in_ptr, out_ptr, ROUNDS: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    c0 = tl.load(in_ptr + i)
    c1 = tl.load(in_ptr + N + i)
    c2 = tl.load(in_ptr + 2 * N + i)
    c3 = tl.load(in_ptr + 3 * N + i)
    k0 = tl.load(in_ptr + 4 * N + i)
    k1 = tl.load(in_ptr + 5 * N + i)
    r0, r1, r2, r3 = tl.philox_impl(c0, c1, c2, c3, k0, k1, ROUNDS)
    tl.store(out_ptr + i, r0)
    tl.store(out_ptr + N + i, r1)
    tl.store(out_ptr + 2 * N + i, r2)
    tl.store(out_ptr + 3 * N + i, r3)


@tegula.jit
def uniform(in_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.uint_to_uniform_float(tl.load(in_ptr + i))
    tl.static_assert(x.dtype == tl.float32)
    tl.store(out_ptr + i, x)


@tegula.jit
def box_muller(u_ptr, v_ptr, a_ptr, b_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.pair_uniform_to_normal(tl.load(u_ptr + i), tl.load(v_ptr + i))
    tl.store(a_ptr + i, a)
    tl.store(b_ptr + i, b)


@tegula.jit
def dropout(x_ptr, y_ptr, n, p, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    keep = tl.rand(seed, i) > p
    tl.store(y_ptr + i, tl.where(keep, x * 2, 0.0), mask=mask)
