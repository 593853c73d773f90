# sig: *i32, *u8, *i64, i32, 16
import tegula
import tegula.language as tl


@tegula.jit
def k(a, b, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(a + i), tl.load(b + i).to(tl.int32)
    z = (x // (y + 1)) % 7 + (x << 2) - (y >> 1) ^ (x & n) | ~x
    z *= -x
    z += +y
    z //= 3
    z %= 5
    z <<= 1
    z >>= n
    z &= 255
    z |= 1
    z ^= x
    z -= 1
    tl.store(out + i, z.to(tl.int64))
