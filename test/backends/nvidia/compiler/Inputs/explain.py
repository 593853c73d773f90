import tegula
import tegula.language as tl


@tegula.jit
def wide(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n))


@tegula.jit
def gathered(x, at, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + tl.load(at + i), tl.load(x + 3 * i))


@tegula.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           HOW: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for at in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + (at + k)[None, :])
        right = tl.load(b + (at + k)[:, None] * N + n[None, :])
        acc = tl.dot(left, right, acc, input_precision=HOW)
    tl.store(c + m[:, None] * N + n[None, :], acc)


@tegula.jit
def transpose(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + i[None, :])
    tl.store(out + i[:, None] * B + i[None, :], tl.trans(v))


@tegula.jit
def flipped(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.flip(tl.load(x + i), 0))
