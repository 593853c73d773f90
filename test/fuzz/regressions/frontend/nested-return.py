# sig: *fp32, i32
import triton.language as tl
@triton.jit
def k(p, n):
    v = tl.load(p)
    if v > 1e400:
        if v > 10:
            x = y = n
            return
        v = v + 1
    a, b = tl.broadcast(w, tl.arange(0, 2)[None, :])
    s = t.shape[0] * u.shape[2] + len(v.shape) + u.numel
    tl.store(out + t, v.T.T + s)
    tl.store(out + a + b, a)
    tl.device_assert(x, tl.reshape(tl.sum(u), (1,)).item())
