# sig: *fp32, i64, u32, 3
import tegula
import tegula.language as tl


@tegula.jit
def k(x, n, m, S: tl.constexpr):
    acc = tl.zeros((16,), tl.float32)
    best = 0.0
    for i in tl.range(0, n, 1, num_stages=S, loop_unroll_factor=2):
        v = tl.load(x + i * 16 + tl.arange(0, 16))
        acc, best = acc + v, tl.maximum(best, tl.max(v, 0))
    for j in range(m, 0, -1):
        acc *= 1.5
        while best > 2 and j > 1:
            best -= 1.0
    while tl.condition(best < n):
        best += 1
    tl.store(x + tl.arange(0, 16), acc + best)
