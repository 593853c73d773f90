# sig: *fp32, *fp32, *i32
import tegula
import tegula.language as tl


from tegula.language.extra import libdevice


@tegula.jit
def k(x, out, bits):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    v = libdevice.acos(v) + libdevice.atan2(v, v) + libdevice.exp10(v) + libdevice.pow(v, 0.5)
    v += libdevice.log1p(v) + libdevice.copysign(v, -1.0) + libdevice.fmod(v, 3.0)
    n = libdevice.isnan(v) | libdevice.isinf(v)
    tl.store(out + i, tl.where(n, 0.0, v))
    b = tl.load(bits + i)
    tl.store(bits + i, libdevice.clz(b) + libdevice.popc(b))
