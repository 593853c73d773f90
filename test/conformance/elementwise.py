# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import tegula
import tegula.language as tl


@tegula.jit
def collatz(n, limit):
    steps = 0
    while n > 1 and steps < limit:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@tegula.jit
def count_steps(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i, i < n, other=1)
    tl.store(out_ptr + i, tl.map_elementwise(collatz, x, 40), i < n)


@tegula.jit
def order(a, b):
    if a < b:
        return a, b, True
    else:
        return b, a, False


@tegula.jit
def orders(a_ptr, b_ptr, low_ptr, high_ptr, was_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    a = tl.load(a_ptr + rows)
    b = tl.load(b_ptr + tl.arange(0, N))
    low, high, was = tl.map_elementwise(order, a[:, None], b[None, :])
    at = rows[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(low_ptr + at, low)
    tl.store(high_ptr + at, high)
    tl.store(was_ptr + at, was)


@tegula.jit
def swap_pair(a, b, x, y):
    return b, a, x + y, x - y


@tegula.jit
def pairs(a_ptr, x_ptr, out_ptr, sum_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    swapped, sums = tl.map_elementwise(swap_pair, tl.load(a_ptr + i), tl.load(x_ptr + i), pack=2)
    tl.store(out_ptr + i, swapped)
    tl.store(sum_ptr + i, sums)


@tegula.jit
def selu(x, alpha):
    if x > 0:
        return x
    else:
        return alpha * (tl.exp(x) - 1)


@tegula.jit
def selus(x_ptr, out_ptr, S: tl.constexpr):
    i = tl.reshape(tl.arange(0, 64), S)
    tl.store(out_ptr + i, tl.map_elementwise(selu, tl.load(x_ptr + i), 1.5))


@tegula.jit
def find(table_ptr, size, wanted):
    place = -1
    for i in range(size):
        if tl.load(table_ptr + i) == wanted and place < 0:
            place = i
    return place


@tegula.jit
def searches(table_ptr, x_ptr, out_ptr, size, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.map_elementwise(find, table_ptr, size, tl.load(x_ptr + i)))


@tegula.jit
def double(x):
    return x + x


@tegula.jit
def scalars(x_ptr, out_ptr):
    tl.store(out_ptr, tl.map_elementwise(double, tl.load(x_ptr)))


@tegula.jit
def extras(out_ptr):
    tl.extra.cuda.gdc_wait()
    tl.store(out_ptr, tl.extra.cuda.num_warps())
    tl.store(out_ptr + 1, tl.extra.cuda.num_threads())
    tl.extra.cuda.gdc_launch_dependents()
    tl.store(out_ptr + 2, tl.to_tensor(7).to(tl.dtype("int16")))
    tl.store(out_ptr + 3, tl.core.get_int_dtype(16, False).primitive_bitwidth)
    tl.store(out_ptr + 4, tl.standard._log2(64))
    tl.store(out_ptr + 5, tl.expect_zero(tl.load(out_ptr), out_ptr is None))
