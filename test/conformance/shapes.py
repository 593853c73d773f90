# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Creation and shapes of tiles."""

import tegula
import tegula.language as tl


@tegula.jit
def creation(range_ptr, zeros_ptr, like_ptr, full_ptr, value_ptr, in_ptr, S: tl.constexpr,
             E: tl.constexpr, C: tl.constexpr, T: tl.constexpr):
    N: tl.constexpr = E - S
    i = tl.arange(0, N)
    numbers = tl.arange(S, E)
    tl.static_assert(numbers.dtype == tl.int32)
    tl.store(range_ptr + i, numbers)
    tl.store(zeros_ptr + i, tl.zeros((N,), T))
    tl.store(like_ptr + i, tl.zeros_like(tl.load(in_ptr + i)))
    tl.store(full_ptr + i, tl.full((N,), C, T))
    # Of a value that is not known when compiling.
    tl.store(value_ptr + i, tl.full([N], tl.load(in_ptr), dtype=T))


@tegula.jit
def reshape(in_ptr, out_ptr, view_ptr, method_ptr, ravel_ptr, M: tl.constexpr, N: tl.constexpr,
            P: tl.constexpr, Q: tl.constexpr):
    x = tl.load(in_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    o = tl.arange(0, P)[:, None] * Q + tl.arange(0, Q)[None, :]
    tl.store(out_ptr + o, tl.reshape(x, (P, Q)))
    tl.store(view_ptr + o, tl.view(x, [P, Q]))
    tl.store(method_ptr + o, x.reshape(P, Q))
    tl.store(ravel_ptr + tl.arange(0, M * N), tl.ravel(x))


@tegula.jit
def reshape_high(in_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr,
                 D: tl.constexpr):
    N: tl.constexpr = A * B * C * D
    x = tl.load(in_ptr + tl.arange(0, N))
    y = tl.reshape(x, (A, B, C, D))
    z = tl.permute(y, (3, 1, 0, 2))
    tl.static_assert(z.shape == (D, B, A, C))
    tl.store(out_ptr + tl.arange(0, N), z.reshape(N))


@tegula.jit
def transposed(in_ptr, trans_ptr, t_ptr, permute_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(in_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    o = tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :]
    tl.static_assert(x.T.shape == (N, M))
    tl.store(trans_ptr + o, tl.trans(x))
    tl.store(t_ptr + o, x.T)
    tl.store(permute_ptr + o, x.permute(1, 0))


@tegula.jit
def permute3(in_ptr, out_ptr, last_ptr, I: tl.constexpr, J: tl.constexpr, K: tl.constexpr,
             A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    i = tl.arange(0, A)[:, None, None]
    j = tl.arange(0, B)[None, :, None]
    k = tl.arange(0, C)[None, None, :]
    x = tl.load(in_ptr + (i * B + j) * C + k)
    tl.store(out_ptr + tl.arange(0, A * B * C), tl.ravel(tl.permute(x, (I, J, K))))
    # The last two by default.
    tl.store(last_ptr + tl.arange(0, A * B * C), tl.trans(x).reshape((A * B * C,)))


@tegula.jit
def expanded(in_ptr, out_ptr, many_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(in_ptr + i)
    a = tl.expand_dims(x, 0)
    b = x.expand_dims(-1)
    tl.static_assert(a.shape == (1, N))
    tl.static_assert(b.shape == (N, 1))
    tl.static_assert(tl.expand_dims(x, (0, 2)).shape == (1, N, 1))
    tl.static_assert(x[None, :, None].shape == (1, N, 1))
    tl.store(out_ptr + i[:, None] * N + i[None, :], a * 100 + b)
    c = tl.unsqueeze(x, 1)
    tl.static_assert(c.shape == (N, 1))
    d = tl.squeeze(c, 1)
    tl.static_assert(d.shape == (N,))
    tl.store(many_ptr + i, d + tl.squeeze(a, 0))


@tegula.jit
def broadcasts(in_ptr, out_ptr, pair_ptr, scalar_ptr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    row = tl.load(in_ptr + j)
    column = tl.load(in_ptr + i)
    tl.store(out_ptr + i * N + j, tl.broadcast_to(row, (M, N)))
    a, b = tl.broadcast(row, column)
    tl.static_assert(a.shape == (M, N))
    tl.store(pair_ptr + i * N + j, a * 10 + b)
    tl.store(scalar_ptr + i * N + j, tl.broadcast_to(tl.load(in_ptr), [M, N]))


@tegula.jit
def items(in_ptr, out_ptr):
    x = tl.load(in_ptr + tl.arange(0, 1))
    tl.static_assert(x.item().shape == ())
    tl.store(out_ptr, x.item() + 1)


@tegula.jit
def expanded_scalars(in_ptr, out_ptr):
    tl.static_assert(in_ptr[None, :].shape == (1,))
    tl.static_assert(in_ptr[None, None, :].shape == (1, 1))
    x = tl.load(in_ptr[:, None, ..., None])
    tl.store(out_ptr[None, None, :], x + tl.load(in_ptr)[None, :])


@tegula.jit
def attributes(out_ptr, in_ptr, M: tl.constexpr, N: tl.constexpr, T: tl.constexpr):
    x = tl.load(in_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.static_assert(x.dtype == T)
    tl.static_assert(x.dtype == in_ptr.dtype.element_ty)
    tl.static_assert(x.type.scalar == T)
    tl.static_assert(x.type.is_block())
    tl.static_assert(len(x.shape) == 2)
    tl.store(out_ptr, x.shape[0])
    tl.store(out_ptr + 1, x.shape[1])
    tl.store(out_ptr + 2, x.numel)
    tl.store(out_ptr + 3, len(x.shape))


@tegula.jit
def dtype_facts(out_ptr, T: tl.constexpr):
    tl.store(out_ptr, T.primitive_bitwidth)
    tl.store(out_ptr + 1, T.is_floating())
    tl.store(out_ptr + 2, T.is_int())
    tl.store(out_ptr + 3, T.is_int_signed())
    tl.store(out_ptr + 4, T.is_int_unsigned())
    tl.store(out_ptr + 5, T.is_fp8())
    tl.store(out_ptr + 6, T.is_bf16())
    tl.store(out_ptr + 7, T.is_fp16())
    tl.store(out_ptr + 8, T.is_fp32())
    tl.store(out_ptr + 9, T.is_fp64())
    tl.store(out_ptr + 10, T.is_int1())
    tl.store(out_ptr + 11, T.int_bitwidth if T.is_int() else 0)
    tl.store(out_ptr + 12, T.fp_mantissa_width if T.is_floating() else 0)
    tl.store(out_ptr + 13, T.is_int32())
    tl.store(out_ptr + 14, T.is_uint8())
    tl.store(out_ptr + 15, tl.pointer_type(T).is_ptr())


@tegula.jit
def rank5(in_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr,
          E: tl.constexpr):
    N: tl.constexpr = A * B * C * D * E
    x = tl.load(in_ptr + tl.arange(0, N)).reshape(A, B, C, D, E)
    y = x.permute(4, 2, 0, 3, 1)
    tl.store(out_ptr + tl.arange(0, N), y.ravel())
