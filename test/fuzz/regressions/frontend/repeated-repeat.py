# sig: *i32
import tegula
import tegula.language as tl


@tegula.jit
def k(out):
    s = "ab" * 65536 * 65536
    t = (1,) * 65536 * 65536
    tl.store(out, len(s) + len(t))
