# sig: *i32
import tegula
import tegula.language as tl


@tegula.jit
def k(out):
    low: tl.constexpr = -(2**126) * 2
    high: tl.constexpr = 2**126 - 1 + 2**126
    tl.static_print(f"{low:d} {low:x} {low:b} {low:,}", low % high, high % low, low // 3)
    tl.static_print((1, 2, 3)[::high], (1, 2, 3)[1::low], "abc"[high::-1])
    for i in tl.static_range(low, high, high):
        tl.static_print(i)
    tl.store(out, len([i for i in range(low, high)]))
