# sig: *fp16, *fp16, *fp32, 16
import tegula
import tegula.language as tl


@tegula.jit
def k(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    x, y = tl.load(a + at), tl.load(b + at)
    acc = tl.zeros((N, N), dtype=tl.float32)
    for _ in range(0, 4):
        acc = tl.dot(x, y.T, acc)
    acc += tl.dot(x, tl.trans(y), input_precision="ieee", out_dtype=tl.float32)
    tl.store(c + at, acc)
