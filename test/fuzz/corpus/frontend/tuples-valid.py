# sig: *i32, i32
import tegula
import tegula.language as tl


@tegula.jit
def swap(a, b, *rest, c=3):
    return b, a, (c, *rest)


@tegula.jit
def k(out, n):
    a, (b, c) = 1, (n, 3)
    a, b, rest = swap(a, b, c, 4, c=n)
    first, others = rest[0], rest[1:]
    t = (a, b) + others[:1] + (c,) * 2
    x = t[0] + t[-1] + t[1:3][0] + len(t)
    for v in t:
        x += v
    for i, (p, q) in enumerate(zip(t, reversed(t))):
        x += i * p - q
    ok = len(t) in (1, 2, 3) and isinstance(a, int) or any((n > 1, False)) and all((True, n < 3))
    tl.store(out, x + ok)
