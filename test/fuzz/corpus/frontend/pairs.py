# sig: *fp32, *i32
import tegula
import tegula.language as tl


@tegula.jit
def larger(a, i, b, j):
    better = a > b or (a == b and i < j)
    return tl.where(better, a, b), tl.where(better, i, j)


@tegula.jit
def k(x, out):
    i = tl.arange(0, 64)
    v = tl.load(x + i)
    best, at = tl.reduce((v, i), 0, larger)
    tl.store(out, at)
    tl.store(x, best)
