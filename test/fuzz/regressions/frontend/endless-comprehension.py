# sig: *i32
import tegula
import tegula.language as tl


@tegula.jit
def k(out):
    r = (0,) * 60000
    t = [0 for a in r for b in r for c in r if a > 0]
    tl.store(out, len(t))
