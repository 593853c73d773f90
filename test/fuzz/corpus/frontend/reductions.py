# sig: *fp32, *i32, *fp32, 8, 16
import tegula
import tegula.language as tl


@tegula.jit
def add(a, b):
    return a + b


@tegula.jit
def k(x, y, out, M: tl.constexpr, N: tl.constexpr):
    t = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    s = tl.sum(t, axis=1) + tl.max(t, 1) - tl.min(t, axis=1) + tl.reduce(t, 1, add)
    j = tl.argmax(t, axis=0) + tl.argmin(t, axis=0, keep_dims=False)
    v, w = tl.max(t, axis=0, return_indices=True)
    tl.store(out + tl.arange(0, M), s)
    tl.store(y + tl.arange(0, N), j + w)
    tl.store(out, tl.sum(t) + t.sum() + tl.sum(t, axis=0, keep_dims=True).sum() + tl.sum(v))
    tl.store(y, tl.xor_sum(j, axis=0))
