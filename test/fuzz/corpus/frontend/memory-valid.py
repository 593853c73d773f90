# sig: *kfp32, *fp32, i32
import tegula
import tegula.language as tl


@tegula.jit
def k(x, out, n):
    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, 32) * 8, 8), [1])
    tl.assume(n > 0)
    v = tl.load(x + i, mask=i < n, other=-1, cache_modifier=".cg", eviction_policy="evict_last")
    w = tl.load(x, volatile=True)
    tl.debug_barrier()
    tl.store(out + i, v + w, i < n, cache_modifier=".cs", eviction_policy="evict_first")
    tl.store(out, tl.load(out + n) if n else 0.0)
    tl.device_assert(n > 0, "n")
