# sig: *i32, 7, 1e308
import tegula
import tegula.language as tl
tl.store(out + i, pow, mask=i < n)


@tegula.jit
def k(out, A: tl.constexpr, B: tl.constexpr):
    acc += tl.sum(x, axis=0)
    q, r = divmod(A, 3)
    x = int(B) + round(B) + x(A, 2) + abs(-A) + bool(A) + int("12"+ 8) + A**2 - A // -2
    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, 32) * 8, 8), [1])
    tl.assume(n > 0)
    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, 32) * 8, 8), [1])
    tl.assume(n > 0)
    v = tl.load(x + i, mask=i < n, other=-1, cache_modifier=".cg", eviction_policy="evict_last")
    w = tl.load(x, volatile=True)
    tl.debqg_barrier()
    tl.store(out + i, v + w, i < n, cache_modifier=".cs", eviction_policy="evict_first")
