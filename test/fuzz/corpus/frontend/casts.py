# sig: *i8, *fp8e5, *u16, *i1
import tegula
import tegula.language as tl


@tegula.jit
def k(a, b, c, d):
    i = tl.arange(0, 16)
    x = tl.load(a + i)
    y = tl.load(b + i).to(tl.float32)
    z = x.to(tl.float16, bitcast=False).to(tl.int16, bitcast=True).to(tl.uint16)
    tl.store(c + i, z)
    tl.store(d + i, (y != 0) & (x > 0))
    tl.store(b + i, tl.cast(y, tl.float8e5))
    q = tl.cast(y, tl.float16, fp_downcast_rounding="rtz")
    tl.store(a + i, tl.int8(1) + x.to(tl.int1) + q.to(a.dtype.element_ty))
    p = c.to(tl.pointer_type(tl.int8), bitcast=True)
    tl.store(p + i, p.to(tl.int64).to(tl.int8))
