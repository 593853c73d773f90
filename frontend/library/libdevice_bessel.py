# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""libdevice: Bessel functions, computed in float64."""

import tegula.language as tl


def _bessel_series(x):
    """J0, J1, Y0, Y1 of 0 < x < 2 by their power series."""
    q = 0.25 * x * x
    log = tl.log(0.5 * x)
    term = tl.zeros_like(x) + 1.0
    j0 = term
    j1 = term
    y0 = tl.zeros_like(x)
    # Harmonic numbers of k and k + 1, both less Euler's constant.
    y1 = term * (1 - 2 * 0.5772156649015329)
    for k in tl.static_range(1, 14):
        harmonic: tl.constexpr = _harmonic(k)
        term = -term * q / (k * k)
        j0 += term
        y0 -= term * harmonic
        j1 += term / (k + 1)
        y1 += term / (k + 1) * (2 * harmonic + 1 / (k + 1) - 2 * 0.5772156649015329)
    j1 = j1 * 0.5 * x
    y0 = 0.6366197723675814 * ((log + 0.5772156649015329) * j0 + y0)
    y1 = 0.6366197723675814 * (log * j1 - 1 / x) - 0.15915494309189535 * x * y1
    return j0, j1, y0, y1


def _harmonic(k: tl.constexpr):
    total = 0.0
    for i in tl.static_range(1, k + 1):
        total: tl.constexpr = total + 1 / i
    return total


def _bessel_down(x):
    """The same for 2 <= x < 25, by the recurrence from order 72 downwards."""
    above = tl.zeros_like(x)
    here = above + 1e-250
    total = above
    y0 = above
    y1 = above
    sign = -1.0
    step = 2 / x
    for m in range(0, 36):
        h = (36 - m).to(tl.float64)
        total += here
        y0 += sign / h * here
        odd = 2 * h * step * here - above
        weight = tl.where(h > 1, sign * (2 * h - 1) / tl.maximum((h - 1) * h, 1.0), 0.0)
        y1 += weight * odd
        below = (2 * h - 1) * step * odd - here
        above = odd
        here = below
        sign = -sign
    scale = 1 / (here + 2 * total)
    j0 = here * scale
    j1 = above * scale
    log = tl.log(0.5 * x) + 0.5772156649015329
    y0 = 0.6366197723675814 * (log * j0 + 2 * scale * y0)
    y1 = 0.6366197723675814 * ((log - 1) * j1 - j0 / x - scale * y1)
    return j0, j1, y0, y1


def _hankel(x, order: tl.constexpr):
    """The two sums of Hankel's expansion for x >= 25."""
    term = tl.zeros_like(x) + 1.0
    p = term
    q = tl.zeros_like(x)
    for k in tl.static_range(1, 24):
        term = term * (4 * order * order - (2 * k - 1) * (2 * k - 1)) / (8.0 * k * x)
        if k % 4 == 0:
            p += term
        elif k % 4 == 1:
            q += term
        elif k % 4 == 2:
            p -= term
        else:
            q -= term
    return p, q


def _bessel_far(x):
    """The same for x >= 25."""
    sine = tl.sin(x)
    cosine = tl.cos(x)
    scale = 0.5641895835477563 / tl.sqrt(x)
    p0, q0 = _hankel(x, 0)
    p1, q1 = _hankel(x, 1)
    plus = (sine + cosine) * scale
    minus = (sine - cosine) * scale
    return (p0 * plus - q0 * minus, p1 * minus + q1 * plus, p0 * minus + q0 * plus,
            q1 * minus - p1 * plus)


def _pick(x, near, middle, far):
    return tl.where(x < 2, near, tl.where(x < 25, middle, far))


def _bessel(x):
    """J0, J1, Y0, Y1 of x >= 0; of infinity 0."""
    large = x == 1e999
    near = _bessel_series(tl.where((x > 0) & (x < 2), x, 1.0))
    middle = _bessel_down(tl.where((x >= 2) & (x < 25), x, 10.0))
    far = _bessel_far(tl.where((x >= 25) & (x < 1e999), x, 100.0))
    j0 = tl.where(x == 0, 1.0, _pick(x, near[0], middle[0], far[0]))
    j1 = tl.where(x == 0, 0.0, _pick(x, near[1], middle[1], far[1]))
    y0 = tl.where(x == 0, -1e999, _pick(x, near[2], middle[2], far[2]))
    y1 = tl.where(x == 0, -1e999, _pick(x, near[3], middle[3], far[3]))
    return (tl.where(large, 0.0, j0), tl.where(large, 0.0, j1), tl.where(large, 0.0, y0),
            tl.where(large, 0.0, y1))


def libdevice_j0(x):
    """The Bessel function of the first kind of order 0."""
    wide = _wide(x, "j0")
    return tl.where(wide != wide, wide, _bessel(tl.abs(wide))[0]).to(x.dtype)


def libdevice_j1(x):
    """The Bessel function of the first kind of order 1."""
    wide = _wide(x, "j1")
    result = _bessel(tl.abs(wide))[1]
    result = tl.where(wide < 0, -result, result)
    return tl.where(wide != wide, wide, result).to(x.dtype)


def libdevice_y0(x):
    """The Bessel function of the second kind of order 0."""
    wide = _wide(x, "y0")
    result = _bessel(tl.abs(wide))[2]
    return tl.where((wide < 0) | (wide != wide), 1e999 * 0, result).to(x.dtype)


def libdevice_y1(x):
    """The Bessel function of the second kind of order 1."""
    wide = _wide(x, "y1")
    result = _bessel(tl.abs(wide))[3]
    return tl.where((wide < 0) | (wide != wide), 1e999 * 0, result).to(x.dtype)


def _orders(n, x, name: tl.constexpr):
    """n and x in one shape, as int32 and float64."""
    tl.static_assert(n.dtype.is_int(), f"libdevice.{name} needs an integer as order, got {n.dtype}")
    wide = _wide(x, name)
    orders = n.to(tl.int32) + tl.zeros_like(wide).to(tl.int32)
    return orders, wide + tl.zeros_like(orders).to(tl.float64)


def _largest(x):
    if len(x.shape) == 0:
        return x
    else:
        return tl.max(x)


def _upwards(n, x, first, second):
    """What follows orders 0 and 1 up to order n, by the recurrence; -infinity stays."""
    before = first
    here = tl.where(n == 0, first, second)
    for k in range(1, _largest(n)):
        next = 2.0 * k.to(tl.float64) / x * here - before
        next = tl.where(here == -1e999, here, next)
        before = tl.where(k < n, here, before)
        here = tl.where(k < n, next, here)
    return here


def _downwards(n, x):
    """J of orders n > x > 0 by the recurrence from a higher order; else anything."""
    wanted = n > x
    order = tl.where(wanted, n, 0)
    size = order.to(tl.float64)
    start = tl.where(wanted, order + tl.sqrt(200.0 * size).to(tl.int32) + 20, 0)
    step = 2.0 / tl.maximum(x, 1e-8)
    above = tl.zeros_like(x)
    here = above
    total = above
    found = above
    top = _largest(start)
    for j in range(0, top):
        k = top - j
        here = tl.where(k == start, 1e-30, here)
        found = tl.where(k == order, here, found)
        total += tl.where(k % 2 == 0, 2.0 * here, 0.0)
        below = k.to(tl.float64) * step * here - above
        scale = tl.where(tl.abs(below) > 1e200, 1e-200, 1.0)
        above = here * scale
        here = below * scale
        total = total * scale
        found = found * scale
    # Below 1e-8 the first term of the series is all.
    first = tl.zeros_like(x) + 1.0
    for k in range(1, _largest(order) + 1):
        first = tl.where(k <= order, first * (0.5 * x / k.to(tl.float64)), first)
    return tl.where(x < 1e-8, first, found / tl.where(wanted, total + here, 1.0))


def libdevice_jn(n, x):
    """The Bessel function of the first kind of order n; NaN for n < 0."""
    order, wide = _orders(n, x, "jn")
    size = tl.abs(wide)
    j0, j1, y0, y1 = _bessel(size)
    result = tl.where(order > 1, tl.where(order > size, _downwards(order, size),
                                          _upwards(order, size, j0, j1)),
                      tl.where(order == 1, j1, j0))
    result = tl.where((wide < 0) & (order % 2 == 1), -result, result)
    result = tl.where(order < 0, 1e999 * 0, result)
    return tl.where(wide != wide, wide, result).to(x.dtype)


def libdevice_yn(n, x):
    """The Bessel function of the second kind of order n; NaN for n < 0."""
    order, wide = _orders(n, x, "yn")
    size = tl.abs(wide)
    j0, j1, y0, y1 = _bessel(size)
    result = tl.where(wide == 0, -1e999, _upwards(order, size, y0, y1))
    return tl.where((wide < 0) | (wide != wide) | (order < 0), 1e999 * 0, result).to(x.dtype)


def _bessel_i(x, order: tl.constexpr):
    """The modified Bessel function of order 0 or 1 of x >= 0."""
    near = tl.minimum(x, 30.0)
    quarter = near * near * 0.25
    term = tl.zeros_like(x) + 1.0
    total = term
    for k in range(1, 90):
        term = term * quarter / (k * (k + order)).to(tl.float64)
        total += term
    close = total * (near * 0.5 if order == 1 else 1.0)
    far = tl.maximum(x, 30.0)
    step = tl.zeros_like(x) + 1.0
    series = step
    for k in tl.static_range(1, 25):
        step = step * -(4 * order * order - (2 * k - 1) * (2 * k - 1)) / (8.0 * k * far)
        series += step
    grown = tl.exp(far * 0.5)
    distant = grown * (series * 0.3989422804014327 / tl.sqrt(far)) * grown
    return tl.where(x < 30, close, tl.where(x > 720, 1e999, distant))


def libdevice_cyl_bessel_i0(x):
    """The modified Bessel function of order 0."""
    wide = _wide(x, "cyl_bessel_i0")
    return tl.where(wide != wide, wide, _bessel_i(tl.abs(wide), 0)).to(x.dtype)


def libdevice_cyl_bessel_i1(x):
    """The modified Bessel function of order 1."""
    wide = _wide(x, "cyl_bessel_i1")
    size = _bessel_i(tl.abs(wide), 1)
    result = tl.where(wide < 0, -size, size)
    return tl.where(wide != wide, wide, result).to(x.dtype)
