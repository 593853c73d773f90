# sig: *fp32, *fp32, 32
import tegula
import tegula.language as tl


@tegula.jit
def k(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    v = tl.exp(v) + tl.exp2(v) + tl.log(v) + tl.log2(v) + tl.sin(v) + tl.cos(v)
    v = tl.sqrt(v) + tl.sqrt_rn(v) + tl.rsqrt(v) + tl.erf(v) + tl.floor(v) + tl.ceil(v)
    v = tl.abs(v) + abs(v) + tl.sigmoid(v) + tl.clamp(v, -1.0, 1.0) + tl.maximum(v, 2.0)
    v = v.exp() + tl.math.tanh(v) + tl.math.pow(v, 2.0) + tl.minimum(v, 3, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out + i, v)
