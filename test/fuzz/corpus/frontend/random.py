# sig: *fp32, *i32, i32
import tegula
import tegula.language as tl


@tegula.jit
def k(x, y, seed):
    i = tl.arange(0, 16)
    tl.store(x + i, tl.rand(seed, i) + tl.randn(seed, i))
    a, b, c, d = tl.randint4x(seed, i)
    tl.store(y + i, a ^ b ^ c ^ d ^ tl.randint(seed, i))
