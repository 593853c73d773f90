# sig: *i32, i32
import tegula
import tegula.language as tl


@tegula.jit
def fact(n: tl.constexpr):
    return 1 if n <= 1 else n * fact(n - 1)


@tegula.jit
def k(out, n):
    tl.store(out, fact(6) + n)
