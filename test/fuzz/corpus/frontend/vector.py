# sig: *fp32:16, *fp32:16, *fp32, i32, 128
import tegula
import tegula.language as tl


@tegula.jit
def k(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m, other=0.0) + tl.load(y + i, mask=m), mask=m)
