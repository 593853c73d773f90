# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels take over from Python: constants, tuples, calls, names."""

import tegula
import tegula.language as tl

SCALE = tl.constexpr(3)


@tegula.jit
def scaled(x, factor=2, *, offset=0):
    return x * factor + offset


@tegula.jit
def both(x, y):
    return x + y, x - y


@tegula.jit
def twice(f: tl.constexpr, x):
    return f(f(x))


@tegula.jit
def increment(x):
    return x + 1


@tegula.jit
def square(x):
    return x * x


@tegula.jit
def fibonacci(n: tl.constexpr):
    if n < 2:
        return n
    else:
        return fibonacci(n - 1) + fibonacci(n - 2)


@tegula.jit(noinline=True)
def not_inlined(x, y):
    if x > y:
        return x * 2
    return y - x


@tegula.jit
def helpers(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, scaled(x))
    tl.store(out_ptr + N + i, scaled(x, 5))
    tl.store(out_ptr + 2 * N + i, scaled(x, offset=7, factor=SCALE))
    a, b = both(x, 10)
    tl.store(out_ptr + 3 * N + i, a * b)
    arguments = (x, 4)
    tl.store(out_ptr + 4 * N + i, scaled(*arguments))
    c, _ = both(*both(x, 1))
    tl.store(out_ptr + 5 * N + i, c)


@tegula.jit
def functions_as_arguments(x_ptr, out_ptr, F: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, F(x))
    tl.store(out_ptr + N + i, twice(F, x))


@tegula.jit
def recursion(out_ptr, N: tl.constexpr):
    tl.store(out_ptr, fibonacci(N))


@tegula.jit
def noinline(x_ptr, out_ptr):
    i = tl.program_id(0)
    tl.store(out_ptr + i, not_inlined(tl.load(x_ptr + i), i))


@tegula.jit
def constant_branches(x_ptr, out_ptr, MODE: tl.constexpr, FLAG: tl.constexpr, N: tl.constexpr):
    # What a constant rules out is not compiled: it may even be wrong for these types.
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if MODE == "add":
        y = x + 1
    elif MODE == "mul":
        y = x * 3
    else:
        tl.static_assert(False, "never reached")
        y = x.no_such_method()
    if FLAG:
        y += 100
    y = y if not FLAG else y * 2
    tl.store(out_ptr + i, y)


@tegula.jit
def optional(x_ptr, bias_ptr, out_ptr, n, ALPHA: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if bias_ptr is not None:
        x += tl.load(bias_ptr + i)
    if n is None:
        x -= 1
    elif ALPHA is not None:
        x += n * ALPHA
    tl.store(out_ptr + i, x)


@tegula.jit
def tuples(out_ptr, A: tl.constexpr):
    a = (1, 2, 3) + (4,)
    tl.static_assert(len(a) == 4)
    tl.static_assert(a == (1, 2, 3, 4))
    tl.static_assert(a[1:3] == (2, 3))
    tl.static_assert((5,) * 3 == (5, 5, 5))
    total = 0
    for x in tl.static_range(len(a)):
        total += a[x]
    tl.store(out_ptr, total)
    (p, q), r = (7, 8), 9
    p, q = q, p
    tl.store(out_ptr + 1, p * 100 + q * 10 + r)
    tl.store(out_ptr + 2, A[0] + A[-1])
    b = [x * x for x in A if x > 1]
    tl.store(out_ptr + 3, len(b))
    tl.store(out_ptr + 4, b[0])
    x = y = 6
    tl.store(out_ptr + 5, x + y)
    tl.store(out_ptr + 6, (z := 4) + z)
    tl.store(out_ptr + 7, sum([v for v in A]))


@tegula.jit
def constants(out_ptr, N: tl.constexpr, T: tl.constexpr):
    HALF: tl.constexpr = N // 2
    NAME: tl.constexpr = f"n{N}_{HALF:03d}"
    tl.static_assert(NAME == "n16_008")
    tl.static_assert(N == 16 and T == tl.float32, f"expected 16, got {N}")
    tl.static_print("constants", N, HALF, T)
    # A constant given to a plain name becomes a run-time value of its type.
    decayed = N
    decayed += 1
    tl.static_assert(decayed.dtype == tl.int32)
    tl.store(out_ptr, decayed)
    tl.store(out_ptr + 1, HALF * SCALE)
    tl.store(out_ptr + 2, tl.zeros((HALF,), T).shape[0])
    tl.store(out_ptr + 3, T.primitive_bitwidth // 8)
    tl.store(out_ptr + 4, 1 if T.is_floating() else 2)
    tl.store(out_ptr + 5, tl.no_such_name if False else 5)


@tegula.jit
def builtins(x_ptr, out_ptr, A: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, int(x) + int(2.9) + int("12"))
    tl.store(out_ptr + 1, len(A))
    tl.store(out_ptr + 2, min(A) + max(A) * 10)
    tl.store(out_ptr + 3, min(x, 5))
    tl.store(out_ptr + 4, max(3, 4, 2))
    tl.store(out_ptr + 5, 1 if isinstance(x, tl.tensor) and isinstance(N, tl.constexpr) else 0)
    total = 0
    for i, pair in enumerate(zip(A, (10, 20, 30))):
        total += i * pair[0] + pair[1]
    tl.store(out_ptr + 6, total)
    tl.store(out_ptr + 7, abs(-7) + round(2.5) + divmod(17, 5)[1] + pow(2, 5))
    tl.store(out_ptr + 8, 1 if any((0, N)) and all(A) and hasattr(x, "dtype") else 0)
    tl.store(out_ptr + 9, getattr(x, "dtype").primitive_bitwidth)
    tl.store(out_ptr + 10, float(x) * 0.5)
    tl.store(out_ptr + 11, bool(N) + len("four"))


@tegula.jit
def iteration(out_ptr, A: tl.constexpr):
    total = 0
    for x in tl.static_range(3):
        for y in A:
            total = total * 3 + x * y
    for z in reversed(A):
        total += z
    tl.store(out_ptr, total)
