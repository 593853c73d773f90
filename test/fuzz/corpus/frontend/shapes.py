# sig: *i32, *i32
import tegula
import tegula.language as tl


@tegula.jit
def k(x, out):
    t = tl.arange(0, 64).reshape(4, 16)
    u = tl.reshape(t, (2, 2, 16)).permute(2, 0, 1)
    v = tl.trans(tl.view(t, [16, 4])) + tl.broadcast_to(tl.arange(0, 16)[None, :], (4, 16))
    w = tl.expand_dims(tl.ravel(v), 0)
    w = tl.squeeze(w, 0).unsqueeze(1)
    a, b = tl.broadcast(w, tl.arange(0, 2)[None, :])
    s = t.shape[0] * u.shape[2] + len(v.shape) + u.numel
    tl.store(out + t, v.T.T + s)
    tl.store(out + a + b, a)
    tl.store(x, tl.reshape(tl.sum(u), (1,)).item())
