# sig: *i32
import tegula
import tegula.language as tl


@tegula.jit
def k(out):
    t = (1,)
    for i in tl.static_range(99999):
        t = (t,)
    tl.static_print(t)
    tl.store(out, len(t))
