# sig: *fp16, *bf16, *fp64, fp32, 16
import tegula
import tegula.language as tl


@tegula.jit
def k(a, b, out, s, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(a + i) / tl.load(b + i).to(tl.float32) * s
    y = tl.where(x == x, x, 0.0) % 2.5
    y /= 1e-3
    z = tl.fma(y, x, 1.0) + tl.fdiv(x, y) + tl.div_rn(x.to(tl.float32), 3.0)
    tl.store(out + i, z.to(tl.float64) if s > 0 else 0.0)
