# sig: *fp32, i32
import tegula
import tegula.language as tl


import os


class C:
    value = 1

    def f(self):
        return self.value


@tegula.jit
def k(x, n):
    with open("f") as f:
        pass
    try:
        a = [v for v in (1, 2)]
    except ValueError as error:
        b = {1: 2, **{}}
    finally:
        c = lambda v, *w: v
    d = {n, 1}
    global G
    del d
    yield n
    raise ValueError
    import sys
    y = x.y.z = await n
    match n:
        case 1 | 2:
            return
        case (a, *b) if a > 1:
            pass
        case {"k": v, **rest}:
            pass
        case C(value=1) as q:
            pass
        case _:
            pass
