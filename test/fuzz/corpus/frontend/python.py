# sig: *i32, 7, 2.5
import tegula
import tegula.language as tl


@tegula.jit
def k(out, A: tl.constexpr, B: tl.constexpr):
    q, r = divmod(A, 3)
    x = int(B) + round(B) + pow(A, 2) + abs(-A) + bool(A) + int("12", 8) + A**2 - A // -2
    y = float(A) + float("inf") - B % 0.7 + A / 2
    z = (A & 3) | (A ^ 1) << 2 >> 1 and not ~A or tl.next_power_of_2(A) or tl.cdiv(A, 2)
    c = 1 < A <= 7 != 8 and callable(k) is False
    tl.store(out, q + r + x + z + (y > 0) + c + (x if c else 0))
    tl.store(out, 0x1F + 0b11 + 0o17 + 1_000 + int(1e3) + True)
