# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
Layer normalisation, forward and backward
=========================================

Each row of x is shifted and scaled to mean 0 and variance 1, then stretched by a
weight and moved by a bias that all rows share:

    z = (x - mean) * rstd          rstd = 1 / sqrt(variance + eps)
    y = z * weight + bias

Backwards, with g = dy * weight, the chain rule gives for each row

    dx = rstd * (g - average(g) - z * average(g * z))

and, summed over all rows, dweight = sum(dy * z) and dbias = sum(dy). The first is
as local as the forward pass: one row needs one row. The other two are sums down
the columns, to which every program would like to add at the same time. Atomic
additions would allow it, but the order of the additions would be that of the
moment, float sums depend on their order, and two runs on the same data would
differ. Here nobody shares a sum:

1. The rows are cut into a fixed number of groups. One program owns one group, walks
   its rows in order, writes dx, and keeps the sums of its group to itself.
2. A second kernel adds the groups up, again in a fixed order. The end of the first
   launch is the only synchronisation.

The same input then gives the same bits, on any number of threads.
"""

import numpy as np

import tegula
import tegula.language as tl


# One program for each row; the tile holds the whole row. The mean and rstd go to
# memory too: the backward pass would otherwise have to read each row twice.
@tegula.jit
def forward_kernel(x, weight, bias, y, mean, rstd, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < n
    # Sums are made in float32 whatever the arrays hold.
    values = tl.load(x + row * stride + column, mask=inside, other=0.0).to(tl.float32)
    middle = tl.sum(values, axis=0) / n
    # Two passes over the tile, no subtraction of two large sums of squares. The
    # padding is not part of the row and must not count: it would be -middle.
    centred = tl.where(inside, values - middle, 0.0)
    inverse = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + eps)
    w = tl.load(weight + column, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(bias + column, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + row * stride + column, centred * inverse * w + b, mask=inside)
    tl.store(mean + row, middle)
    tl.store(rstd + row, inverse)


# Program k of G owns the rows k * per_group up to (k + 1) * per_group, and row k of
# the two G x n arrays of partial sums.
@tegula.jit
def backward_kernel(dy, x, weight, mean, rstd, dx, part_dweight, part_dbias, stride, rows,
                    per_group, n, BLOCK: tl.constexpr):
    group = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < n
    w = tl.load(weight + column, mask=inside, other=0.0).to(tl.float32)
    dweight = tl.zeros((BLOCK,), dtype=tl.float32)
    dbias = tl.zeros((BLOCK,), dtype=tl.float32)
    first = group * per_group
    for row in range(first, min(first + per_group, rows)):
        place = row * stride + column
        values = tl.load(x + place, mask=inside, other=0.0).to(tl.float32)
        slope = tl.load(dy + place, mask=inside, other=0.0).to(tl.float32)
        inverse = tl.load(rstd + row)
        z = (values - tl.load(mean + row)) * inverse
        # Past the end of the row `slope` is zero, and with it all that follows from it.
        g = slope * w
        average_g = tl.sum(g, axis=0) / n
        average_gz = tl.sum(g * z, axis=0) / n
        tl.store(dx + place, (g - average_g - z * average_gz) * inverse, mask=inside)
        dweight += slope * z
        dbias += slope
    # A group without rows, at the end of the grid, writes its zeros as well.
    tl.store(part_dweight + group * n + column, dweight, mask=inside)
    tl.store(part_dbias + group * n + column, dbias, mask=inside)


# A program owns BLOCK_N columns and adds the groups, a block at a time.
@tegula.jit
def sum_groups_kernel(part_dweight, part_dbias, dweight, dbias, groups, n, BLOCK_G: tl.constexpr,
                      BLOCK_N: tl.constexpr):
    column = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    total_w = tl.zeros((BLOCK_G, BLOCK_N), dtype=tl.float32)
    total_b = tl.zeros((BLOCK_G, BLOCK_N), dtype=tl.float32)
    for start in range(0, groups, BLOCK_G):
        group = start + tl.arange(0, BLOCK_G)
        inside = (group[:, None] < groups) & (column[None, :] < n)
        place = group[:, None] * n + column[None, :]
        total_w += tl.load(part_dweight + place, mask=inside, other=0.0)
        total_b += tl.load(part_dbias + place, mask=inside, other=0.0)
    tl.store(dweight + column, tl.sum(total_w, axis=0), mask=column < n)
    tl.store(dbias + column, tl.sum(total_b, axis=0), mask=column < n)


def forward(x, weight, bias, eps=1e-5):
    """Layer norm along the rows of a 2-d array: the result, and mean and rstd of each row."""
    rows, n = x.shape
    y = tegula.empty_like(x)
    mean, rstd = (tegula.empty_like(x, (rows,), "float32") for _ in range(2))
    forward_kernel[(rows,)](x, weight, bias, y, mean, rstd, n, n, float(eps),
                            BLOCK=tegula.next_power_of_2(n))
    return y, mean, rstd


def backward(dy, x, weight, mean, rstd, groups=64):
    """The gradients of x, weight and bias. `groups` fixes the order of the sums."""
    rows, n = x.shape
    dx, dweight, dbias = (tegula.empty_like(like) for like in (x, weight, weight))
    part_w, part_b = (tegula.empty_like(x, (groups, n), "float32") for _ in range(2))
    backward_kernel[(groups,)](dy, x, weight, mean, rstd, dx, part_w, part_b, n, rows,
                               tegula.cdiv(rows, groups), n, BLOCK=tegula.next_power_of_2(n))
    sum_groups_kernel[(tegula.cdiv(n, 128),)](part_w, part_b, dweight, dbias, groups, n,
                                              BLOCK_G=16, BLOCK_N=128)
    return dx, dweight, dbias


def numpy_forward(x, weight, bias, eps=1e-5):
    """The same in the precision of the arguments."""
    centred = x - x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + eps)
    z = centred * rstd
    return z * weight + bias, z, rstd


def numpy_backward(dy, z, rstd, weight):
    g = dy * weight
    dx = (g - g.mean(axis=1, keepdims=True) - z * (g * z).mean(axis=1, keepdims=True)) * rstd
    return dx, (dy * z).sum(axis=0), dy.sum(axis=0)


def slope_error():
    """How far the formulas are from quotients of differences of the forward pass, in float64."""
    rng = np.random.default_rng(55)
    x, dy = rng.standard_normal((2, 5, 13))
    weight, bias = rng.standard_normal((2, 13))
    _, z, rstd = numpy_forward(x, weight, bias)
    gradients = numpy_backward(dy, z, rstd, weight)
    h, worst = 1e-5, 0.0
    for argument, gradient in zip((x, weight, bias), gradients):
        for place in np.ndindex(argument.shape):
            kept, values = argument[place], []
            for step in (h, -h):
                argument[place] = kept + step
                values.append((numpy_forward(x, weight, bias)[0] * dy).sum())
            argument[place] = kept
            worst = max(worst, abs((values[0] - values[1]) / (2 * h) - gradient[place]))
    return float(worst)


def error_of(got, expected):
    """Largest error, as a share of the largest element of each result."""
    return max(float(np.abs(a.astype(np.float64) - e).max() / np.abs(e).max())
               for a, e in zip(got, expected))


def main():
    """Rows for the table of tutorials: see docs/tutorials/README.md."""
    # Differences of step h are good to about h**2 and to 2**-53 / h.
    formulas_hold = slope_error() <= 1e-8
    rng = np.random.default_rng(5)
    rows = []
    for dtype in (np.dtype(np.float32), np.dtype(np.float16)):
        for shape in ((1151, 1000), (37, 8191)):
            x = (0.5 + 2 * rng.standard_normal(shape)).astype(dtype)
            weight, bias = rng.standard_normal((2, shape[1])).astype(dtype)
            dy = (rng.standard_normal(shape) / 8).astype(dtype)
            wide = [a.astype(np.float64) for a in (x, weight, bias, dy)]
            expected, z, scale = numpy_forward(*wide[:3])
            gradients = numpy_backward(wide[3], z, scale, wide[1])
            there = [tegula.Array.from_numpy(a) for a in (x, weight, bias)]
            dy_there = tegula.Array.from_numpy(dy)
            y, mean, rstd = forward(*there)

            def gradients_there():
                return backward(dy_there, *there[:2], mean, rstd)

            got = [a.to_numpy() for a in gradients_there()]
            # Sums of n terms in float32, by blocks: a few dozen roundings in a row. The
            # result of float16 is rounded once more.
            tolerance = 32 * 2.0**-24 + (2.0**-11 if dtype == np.float16 else 0)
            again = [a.to_numpy() for a in gradients_there()]
            same = all(a.tobytes() == b.tobytes() for a, b in zip(got, again))
            # NumPy has no fast float16: it is timed in float32.
            x32, w32, b32, dy32 = (a.astype(np.float32) for a in (x, weight, bias, dy))
            z32, scale32 = z.astype(np.float32), scale.astype(np.float32)
            error = error_of([y.to_numpy()], [expected])
            size = "x".join(map(str, shape))
            rows.append({
                "name": f"layer norm {dtype.name}", "size": size, "error": error,
                "ok": error <= tolerance,
                "tegula_ms": tegula.testing.do_bench(lambda: forward(*there),
                                                     return_mode="median"),
                "numpy_ms": tegula.testing.do_bench(lambda: numpy_forward(x32, w32, b32),
                                                    return_mode="median"),
            })
            error = error_of(got, gradients)
            rows.append({
                "name": f"layer norm backward {dtype.name}", "size": size, "error": error,
                "ok": error <= tolerance and same and formulas_hold,
                "tegula_ms": tegula.testing.do_bench(gradients_there, return_mode="median"),
                "numpy_ms": tegula.testing.do_bench(
                    lambda: numpy_backward(dy32, z32, scale32, w32), return_mode="median"),
            })
    return rows


if __name__ == "__main__":
    for row in main():
        print(row)
