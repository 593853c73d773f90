# sig: *i32
import tegula
import tegula.language as tl


@tegula.jit
def k(out):
    x = 0
    for i in tl.static_range(90000):
        for j in tl.static_range(90000):
            x = x + (1 + 2 + 3 + 4 + 5 + 6 + 7)
    tl.store(out, x)
