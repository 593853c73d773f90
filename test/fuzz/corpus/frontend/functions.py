# sig: *fp32, fp32, i32
import tegula
import tegula.language as tl


SCALE = 2
NAMES = tl.constexpr("abc")


@tegula.jit
def early(x, n):
    if n > 3:
        return x
    if n < 0:
        return -x
    return x * SCALE


@tegula.jit
def outer(x, n=2, *, flag: tl.constexpr = True):
    return early(early(x, n), n + 1) if flag else x


@tegula.jit
def k(out, x, n):
    y = outer(x, flag=False) + outer(x, n) + outer(n=n, x=x)
    tl.store(out, y + len(NAMES))
