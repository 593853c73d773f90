# sig: *fp32, *i32
import tegula
import tegula.language as tl


@tegula.jit
def k(x, y):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    tl.store(x + i, tl.softmax(v) + tl.zeros_like(v) + tl.sigmoid(v))
    a = tl.load(y + i)
    tl.store(y + i, tl.umulhi(a, a) + tl.logical_and(a > 0, a < 9).to(tl.int32) + tl.cdiv(a, 3))
    tl.store(y + i, tl.add(a, 1) - tl.mul(a, 2) + tl.sub(a, 3))
