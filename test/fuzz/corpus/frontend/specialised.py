# sig: *fp32:16, i32=1, i32:16, None, True, -1, 1.5
import tegula
import tegula.language as tl


@tegula.jit
def k(x, stride, n, bias, FLAG: tl.constexpr, D: tl.constexpr, E, opt=None):
    i = tl.arange(0, 8) * stride
    v = tl.load(x + i, mask=i < n)
    if bias is not None:
        v += tl.load(bias + i)
    if FLAG:
        v *= E
    if opt is None:
        v -= D
    tl.store(x + i, v)
