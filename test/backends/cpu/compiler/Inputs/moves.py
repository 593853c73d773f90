import tegula
import tegula.language as tl


@tegula.jit
def moves(x_ptr, y_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    j = tl.arange(0, B)
    tl.store(y_ptr + j, tl.load(x_ptr + i) + tl.load(x_ptr + j))


@tegula.jit
def larger(x_ptr, y_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i).to(tl.float32)
    y = tl.load(y_ptr + i).to(tl.float32)
    tl.store(x_ptr + i, tl.maximum(x, y))


@tegula.jit
def one_lane(x_ptr, y_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i).to(tl.int8), mask=i == 2)


@tegula.jit
def columns(x_ptr, y_ptr, n, COLUMNS: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, 4)[:, None]
    j = tl.arange(0, B)[None, :]
    tl.store(y_ptr + i * B + j, tl.load(x_ptr + i * B + j, mask=(i < n) & (j < COLUMNS)))
