# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on tiles and scalars."""

import tegula
import tegula.language as tl


@tegula.jit
def arithmetic(a_ptr, b_ptr, add_ptr, sub_ptr, mul_ptr, neg_ptr, pos_ptr, abs_ptr, n,
               B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    a = tl.load(a_ptr + i, mask)
    b = tl.load(b_ptr + i, mask)
    tl.store(add_ptr + i, a + b, mask)
    tl.store(sub_ptr + i, a - b, mask)
    tl.store(mul_ptr + i, a * b, mask)
    tl.store(neg_ptr + i, -a, mask)
    tl.store(pos_ptr + i, +a, mask)
    tl.store(abs_ptr + i, tl.abs(a), mask)


@tegula.jit
def scalar_arithmetic(a_ptr, b_ptr, add_ptr, sub_ptr, mul_ptr, neg_ptr, abs_ptr):
    i = tl.program_id(0)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(add_ptr + i, a + b)
    tl.store(sub_ptr + i, a - b)
    tl.store(mul_ptr + i, a * b)
    tl.store(neg_ptr + i, -a)
    tl.store(abs_ptr + i, tl.abs(a))


@tegula.jit
def functions(a_ptr, b_ptr, add_ptr, sub_ptr, mul_ptr, and_ptr, or_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(add_ptr + i, tl.add(a, b))
    tl.store(sub_ptr + i, tl.sub(a, b))
    tl.store(mul_ptr + i, tl.mul(a, b))
    tl.store(and_ptr + i, tl.logical_and(a, b))
    tl.store(or_ptr + i, a.logical_or(b))


@tegula.jit
def bitwise(a_ptr, b_ptr, and_ptr, or_ptr, xor_ptr, not_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    a = tl.load(a_ptr + i, mask)
    b = tl.load(b_ptr + i, mask)
    tl.store(and_ptr + i, a & b, mask)
    tl.store(or_ptr + i, a | b, mask)
    tl.store(xor_ptr + i, a ^ b, mask)
    tl.store(not_ptr + i, ~a, mask)


@tegula.jit
def scalar_bitwise(a_ptr, b_ptr, and_ptr, or_ptr, xor_ptr, not_ptr):
    i = tl.program_id(0)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(and_ptr + i, a & b)
    tl.store(or_ptr + i, a | b)
    tl.store(xor_ptr + i, a ^ b)
    tl.store(not_ptr + i, ~a)


@tegula.jit
def shifts(a_ptr, b_ptr, left_ptr, right_ptr, left3_ptr, right3_ptr, right99_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(left_ptr + i, a << b)
    tl.store(right_ptr + i, a >> b)
    tl.store(left3_ptr + i, a << 3)
    tl.store(right3_ptr + i, a >> 3)
    tl.store(right99_ptr + i, a >> 99)


@tegula.jit
def mixed_shifts(a_ptr, b_ptr, left_ptr, right_ptr, R: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.static_assert((a << b).dtype == R)
    tl.static_assert((a >> b).dtype == R)
    tl.store(left_ptr + i, a << b)
    tl.store(right_ptr + i, a >> b)


@tegula.jit
def scalar_shifts(a_ptr, b_ptr, left_ptr, right_ptr):
    i = tl.program_id(0)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(left_ptr + i, a << b)
    tl.store(right_ptr + i, a >> b)


@tegula.jit
def divisions(a_ptr, b_ptr, quotient_ptr, rest_ptr, by7_ptr, rest7_ptr, by8_ptr, true_ptr,
              N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(quotient_ptr + i, a // b)
    tl.store(rest_ptr + i, a % b)
    tl.store(by7_ptr + i, a // 7)
    tl.store(rest7_ptr + i, a % 7)
    tl.store(by8_ptr + i, a // 8)
    tl.static_assert((a / b).dtype == tl.float32)
    tl.store(true_ptr + i, a / b)


@tegula.jit
def scalar_divisions(a_ptr, b_ptr, quotient_ptr, rest_ptr, true_ptr):
    i = tl.program_id(0)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(quotient_ptr + i, a // b)
    tl.store(rest_ptr + i, a % b)
    tl.store(true_ptr + i, a / b)


@tegula.jit
def float_divisions(a_ptr, b_ptr, quotient_ptr, fdiv_ptr, rest_ptr, R: tl.constexpr,
                    N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.static_assert((a / b).dtype == R)
    tl.store(quotient_ptr + i, a / b)
    tl.store(fdiv_ptr + i, tl.fdiv(a, b))
    tl.store(rest_ptr + i, a % b)


@tegula.jit
def comparisons(a_ptr, b_ptr, eq_ptr, ne_ptr, lt_ptr, le_ptr, gt_ptr, ge_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    a = tl.load(a_ptr + i, mask)
    b = tl.load(b_ptr + i, mask)
    tl.static_assert((a == b).dtype == tl.int1)
    tl.store(eq_ptr + i, a == b, mask)
    tl.store(ne_ptr + i, a != b, mask)
    tl.store(lt_ptr + i, a < b, mask)
    tl.store(le_ptr + i, a <= b, mask)
    tl.store(gt_ptr + i, a > b, mask)
    tl.store(ge_ptr + i, a >= b, mask)


@tegula.jit
def scalar_comparisons(a_ptr, b_ptr, eq_ptr, ne_ptr, lt_ptr, le_ptr, gt_ptr, ge_ptr):
    i = tl.program_id(0)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(eq_ptr + i, a == b)
    tl.store(ne_ptr + i, a != b)
    tl.store(lt_ptr + i, a < b)
    tl.store(le_ptr + i, a <= b)
    tl.store(gt_ptr + i, a > b)
    tl.store(ge_ptr + i, a >= b)


@tegula.jit
def mixed(a_ptr, b_ptr, sum_ptr, less_ptr, R: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.static_assert((a + b).dtype == R)
    tl.static_assert((b * a).dtype == R)
    tl.store(sum_ptr + i, a + b)
    tl.store(less_ptr + i, a < b)


@tegula.jit
def mixed_product(a_ptr, b_ptr, out_ptr, R: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.static_assert((a * b).dtype == R)
    tl.static_assert((b - a).dtype == R)
    tl.store(out_ptr + i, a * b)


@tegula.jit
def with_constant(a_ptr, left_ptr, right_ptr, C: tl.constexpr, R: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    tl.static_assert((a - C).dtype == R)
    tl.static_assert((C - a).dtype == R)
    tl.store(left_ptr + i, a - C)
    tl.store(right_ptr + i, C - a)


@tegula.jit
def constant_type(out_ptr, C: tl.constexpr, R: tl.constexpr):
    x = tl.full((1,), C, R)
    y = tl.zeros((1,), tl.int1) + C
    tl.static_assert(y.dtype == R)
    tl.store(out_ptr + tl.arange(0, 1), x + y)


@tegula.jit
def constants(out_ptr, A: tl.constexpr, B: tl.constexpr, N: tl.constexpr):
    values: tl.constexpr = (A + B, A - B, A * B, A // B, A % B, A & B, A | B, A ^ B, ~A, -A, A == B,
                            A != B, A < B, A <= B, A > B, A >= B, A**3, A << 3, A >> 1)
    tl.static_assert(len(values) == N)
    for k in tl.static_range(N):
        tl.store(out_ptr + k, tl.full((), values[k], tl.int64))


@tegula.jit
def float_constants(out_ptr, A: tl.constexpr, B: tl.constexpr, N: tl.constexpr):
    values: tl.constexpr = (A + B, A - B, A * B, A / B, A // B, A % B, -A, +A, A**2)
    tl.static_assert(len(values) == N)
    for k in tl.static_range(N):
        tl.store(out_ptr + k, tl.full((), values[k], tl.float64))


@tegula.jit
def logic(a_ptr, b_ptr, and_ptr, or_ptr, not_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(and_ptr + i, (a != 0) and (b != 0))
    tl.store(or_ptr + i, (a != 0) or (b != 0))
    tl.store(not_ptr + i, not (a != 0))


@tegula.jit
def scalar_logic(a_ptr, b_ptr, and_ptr, or_ptr, not_ptr, choice_ptr):
    i = tl.program_id(0)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(and_ptr + i, a and b)
    tl.store(or_ptr + i, a or b)
    tl.store(not_ptr + i, not a)
    tl.store(choice_ptr + i, a if b else -1.0)


@tegula.jit
def guarded(index_ptr, table_ptr, out_ptr, n):
    # The right side must not be loaded where the left side decides.
    i = tl.program_id(0)
    k = tl.load(index_ptr + i)
    inside = k < n and tl.load(table_ptr + k) > 0
    outside = k >= n or tl.load(table_ptr + k) <= 0
    tl.store(out_ptr + 2 * i, inside)
    tl.store(out_ptr + 2 * i + 1, outside)


@tegula.jit
def chained(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(out_ptr + i, -5 <= a < b)


@tegula.jit
def zero_signs(a_ptr, minus_ptr, plus_ptr, from_ptr, times_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(a_ptr + i)
    tl.store(minus_ptr + i, a - 0.0)
    tl.store(plus_ptr + i, a + 0.0)
    tl.store(from_ptr + i, -0.0 - a)
    tl.store(times_ptr + i, a * 0.0)


@tegula.jit
def broadcasting(a_ptr, b_ptr, c_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    # (A, 1, 1), (B, C) and a scalar.
    i = tl.arange(0, A)[:, None, None]
    j = tl.arange(0, B)[:, None] * C + tl.arange(0, C)[None, :]
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + j)
    c = tl.load(c_ptr)
    tl.store(out_ptr + i * (B * C) + j, a * 100 + b + c)


@tegula.jit
def augmented(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    x += b
    x *= 3
    x -= b
    x ^= 5
    x |= 64
    x &= 0x7FFF
    x //= 2
    x %= 1000
    x <<= 2
    x >>= 1
    tl.store(out_ptr + i, x)
