# sig: *fp32,
import tegula


@tegula.jit
def k(x, n):
    pass
