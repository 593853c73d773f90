# sig: *i32, 3, "add", (1, 2), tl.float16
import tegula
import tegula.language as tl


@tegula.jit
def k(out, N: tl.constexpr, OP: tl.constexpr, PAIR: tl.constexpr, T: tl.constexpr):
    tl.static_assert(N == 3, "N")
    tl.static_print("N", N, OP, sep="-")
    total: tl.constexpr = N * 2 + PAIR[0]
    acc = 0
    for i in tl.static_range(N):
        for j in tl.static_range(0, 4, 2):
            acc += i * j
    assert N > 2, "too small"
    if OP == "add":
        acc += total
    if T == tl.float16:
        acc += T.primitive_bitwidth
    tl.store(out, acc + len(OP) + sum(PAIR) + min(PAIR) + max(1, N))
