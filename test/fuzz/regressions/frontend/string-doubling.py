# sig: *i32
import tegula
import tegula.language as tl


@tegula.jit
def k(out):
    s = "ab"
    for i in tl.static_range(60):
        s = s + s
    for i in tl.static_range(60):
        s = f"{s}{s}" * 2
    tl.store(out, len(s))
