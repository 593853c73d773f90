# sig: *fp32, i32, 4, None
import tegula
import tegula.language as tl


@tegula.jit
def k(out, n, N: tl.constexpr, OTHER: tl.constexpr):
    if OTHER is None:
        x = tl.full((N,), 1.5, tl.float32)
    elif OTHER is not None and N in (1, 2):
        x = OTHER
    else:
        x = tl.zeros([N], tl.float32)
    if n > 3:
        x = x + 1
        y = 2
    elif n < -3 or not n:
        x = x * 2
        y = 3
    else:
        y = 4
    if N > 2 and N < 5:
        x += y
    pass
    tl.store(out + tl.arange(0, N), x)
