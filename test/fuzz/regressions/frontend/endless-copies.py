# sig: *i32
import tegula
import tegula.language as tl


@tegula.jit
def k(out):
    r = (0,) * 60000
    for i in tl.static_range(90000):
        t = [*r, i]
    tl.store(out, len(r))
