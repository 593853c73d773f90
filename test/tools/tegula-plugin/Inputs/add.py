import triton
import triton.language as tl


@triton.jit
def add(x, y, n):
    i = tl.arange(0, 64)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1.0, mask=i < n)
