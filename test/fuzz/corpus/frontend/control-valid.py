# sig: *i32, i32, i32
import tegula
import tegula.language as tl


@tegula.jit
def k(out, n, m):
    acc = 0
    for i in range(n):
        if i != m and i % 2 != 0:
            acc += i
        for j in range(0, i, 2):
            acc -= j
    while acc > 10 and acc != m:
        acc //= 2
    if acc == m:
        return
    for i in range(10, -1, -3):
        acc += i
    tl.store(out, acc if n > m else -acc)
