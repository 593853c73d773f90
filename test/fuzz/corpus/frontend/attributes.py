# sig: *fp16, i64
import tegula
import tegula.language as tl


@tegula.jit
def k(x, n):
    t = tl.load(x + tl.arange(0, 8))
    tl.static_assert(t.dtype == tl.float16 and t.dtype.is_floating() and not t.dtype.is_int())
    tl.static_assert(x.dtype.element_ty.primitive_bitwidth == 16 and x.dtype.is_ptr())
    s = t.type.shape[0] + t.dtype.itemsize if hasattr(t.dtype, "itemsize") else 0
    v = getattr(t, "shape")[0] + t.to(tl.float32).sum().to(tl.int32)
    tl.store(x, (s + v + n).to(tl.float16))
    tl.store(x, t.dtype.name == "fp16" and isinstance(t, tl.tensor) and type(n) == type(v))
