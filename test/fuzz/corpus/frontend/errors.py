# sig: *fp32, i32
import tegula
import tegula.language as tl


@tegula.jit
def k(x, n):
    for i in range(n, step=2):
        y = x[i]
    t = tl.load(x + tl.arange(0, 3))
    z = undefined_name + t
    tl.store(x, tl.zeros((2, 3), tl.float32), mask=n)
    return tl.no_such_function(z)
