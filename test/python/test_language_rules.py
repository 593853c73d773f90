# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that kernels hold: aggregates, tuples, named tuples; arguments of these kinds."""

import collections

import numpy as np
import pytest

import tegula
import tegula.language as tl


def run(kernel, *args, size=8, dtype=np.int32, **constants):
    out = np.full(size, -7, dtype)
    kernel[(1,)](out, *args, **constants)
    return out.tolist()


# -- aggregates ------------------------------------------------------------------


@tegula.aggregate
class Scaled:
    scale: tl.constexpr

    def scaled(self, value):
        return value * self.scale


@tegula.aggregate
class Pair(Scaled):
    first: tl.tensor
    second: tl.tensor = 3

    def __add__(self, other):
        return Pair(self.scale, self.first + other.first, self.second + other.second)

    def __radd__(self, number):
        return tl.aggregate_replace(self, first=self.first + number)

    def __neg__(self):
        return Pair(self.scale, -self.first, -self.second)

    def __lt__(self, other):
        return self.first < other.first

    def __getitem__(self, index):
        return self.second if index == 1 else self.first

    def __call__(self, x):
        return self.first * x + self.second

    def __len__(self):
        return 2

    def __bool__(self):
        return self.first != 0

    @tegula.jit
    def total(self):
        return self.scaled(self.first) + self.second

    @property
    def double(self):
        return self.first * 2

    @staticmethod
    def make(first, second):
        return Pair(2, first, second)

    @classmethod
    def unit(cls):
        return cls(1, 1, second=0)

    @tegula.constexpr_function
    def rows(self, n):
        return sum(range(n)) + 1


@tegula.aggregate
class Counter:
    total: tl.tensor
    count: tl.int64
    wide: tl.constexpr = True

    def __init__(self, total, start):
        self.total = total
        self.count = start
        if start > 5:
            self.count += 100
            return
        self.total += 1


@tegula.jit
def members(out, x):
    p = Pair(10, tl.load(x))
    q = Pair.make(tl.load(x + 1), second=tl.load(x + 2))
    tl.store(out, p.total())
    tl.store(out + 1, q.total())
    tl.store(out + 2, q.double)
    tl.store(out + 3, (p + q).total())
    tl.store(out + 4, (1 + q).first)
    tl.store(out + 5, (-q)[0])
    tl.store(out + 6, q(100))
    tl.store(out + 7, (p < q) + 2 * (q < p))
    tl.store(out + 8, len(q))
    tl.store(out + 9, Pair.unit().total())
    tl.store(out + 10, isinstance(q, Pair) + 2 * isinstance(q, Scaled) + 4 * isinstance(q, Counter))
    if q:
        tl.store(out + 11, 1 if not q else 5)


def test_members():
    x = np.array([5, 6, 7], np.int32)
    assert run(members, x, size=12) == [53, 19, 12, 120, 7, -6, 607, 1, 2, 1, 3, 5]


@tegula.jit
def folded(p, n):
    if n > 2:
        return p + p
    return p


@tegula.jit
def through_control(out, x, n):
    q = Pair.make(tl.load(x), 1)
    r = q
    for i in range(n):
        r = r + q
        if r.first > 20:
            break
    tl.store(out, r.first)
    tl.store(out + 1, r.second)
    s = folded(r, n)
    tl.store(out + 2, s.total())
    t = s if n > 1 else q
    pair = (t, s)
    while pair[0].first < 100:
        pair = (pair[0] + q, pair[1])
    tl.store(out + 3, pair[0].first)


@pytest.mark.parametrize("n", [0, 1, 3, 9])
def test_aggregates_through_control(n):
    first, second = 6, 1
    for _ in range(n):
        first, second = first + 6, second + 1
        if first > 20:
            break
    factor = 2 if n > 2 else 1
    t = first * factor if n > 1 else 6
    while t < 100:
        t += 6
    assert run(through_control, np.array([6], np.int32), n, size=4) == [
        first, second, (2 * first + second) * factor, t]


@tegula.jit
def initialized(out, x, start):
    c = Counter(tl.load(x), start)
    tl.store(out, c.total)
    tl.store(out + 1, c.count)
    tl.static_assert(c.wide)
    tl.static_assert(c.count.dtype == tl.int64)
    d = tl.aggregate_replace(c, count=7, total=0)
    tl.store(out + 2, d.count + d.total)


def test_init():
    x = np.array([5], np.int32)
    assert run(initialized, x, 3, size=3) == [6, 3, 7]
    assert run(initialized, x, 9, size=3) == [5, 109, 7]


@tegula.jit
def equal(out, x, y):
    p, q = Counter(x, 0), Counter(y, 0)
    tl.store(out, p == q)
    tl.store(out + 1, p != q)
    tl.store(out + 2, (x, 1) == (y, 1))
    tl.store(out + 3, (x, 1) == (x, 2))


def test_equality_of_fields():
    assert run(equal, 4, 4, size=4) == [1, 0, 1, 0]
    assert run(equal, 4, 5, size=4) == [0, 1, 0, 0]


ORIGIN = Pair(4, 5)


@tegula.jit
def from_outside(out, P: tl.constexpr):
    tl.store(out, ORIGIN.total())
    tl.store(out + 1, P.total())
    tl.static_assert(P.rows(4) == 7)


def test_objects_of_the_host():
    """Instances made in Python have fields known when compiling."""
    assert ORIGIN.second == 3 and ORIGIN.scale == 4
    assert run(from_outside, Pair(2, 3, second=10), size=2) == [23, 16]


def test_wrong_objects_of_the_host():
    for arguments, named, text in [
            ((1, 2, 3, 4), {}, "'Pair' has 3 fields, got 4 values"),
            ((1, 2), {"third": 3}, "'Pair' has no field 'third' left to give a value"),
            ((1, 2), {"first": 3}, "'Pair' has no field 'first' left to give a value"),
            ((1,), {}, "missing value of field 'first' of 'Pair'")]:
        with pytest.raises(TypeError) as caught:
            Pair(*arguments, **named)
        assert str(caught.value) == text
    assert tegula.aggregate_replace(ORIGIN, first=9).first == 9
    with pytest.raises(TypeError, match="'Pair' has no field 'third'"):
        tegula.aggregate_replace(ORIGIN, third=9)


# -- tuples as arguments -----------------------------------------------------------

Point = collections.namedtuple("Point", ["x", "y"])
Box = collections.namedtuple("Box", ["low", "high", "name"], defaults=["box"])


@tegula.jit
def double(x):
    return x * 2


@tegula.jit
def mixed_tuple(out, t, factor):
    x, (n, c), function, dtype, none, *rest = t
    tl.static_assert(none is None)
    tl.static_assert(c == 4)
    tl.store(out, (function(tl.load(x) + n + c) * factor).to(dtype))
    tl.store(out + 1, len(rest))
    tl.store(out + 2, rest[0] + rest[1][0])


@pytest.mark.parametrize("n", [0, 1, 16, 2**31 - 1])
@pytest.mark.parametrize("last", [(3,), [9, 8]])
def test_tuple_argument(n, last):
    x = np.array([5], np.int32)
    t = (x, (n, tl.constexpr(4)), double, tl.int16, None, 2.0, tuple(last))
    value = (2 * (5 + n + 4) * 3 + 2**15) % 2**16 - 2**15
    assert run(mixed_tuple, t, 3, size=3) == [value, 2, int(2 + last[0])]


@tegula.jit
def points(out, p, box: tl.constexpr):
    tl.store(out, p.x + p.y)
    q = Point(p.y, y=100)
    tl.store(out + 1, q.x)
    q = q._replace(x=7)
    tl.store(out + 2, q.x + q.y)
    b = Box(p, q)
    tl.static_assert(b.name == "box")
    tl.store(out + 3, b.high.x + b.low.x)
    tl.store(out + 4, box.low.x)
    for i in range(3):
        q = Point(q.x + i, q.y)
    tl.store(out + 5, q.x)
    tl.store(out + 6, isinstance(q, Point) + 2 * isinstance(q, Box) + 4 * isinstance(q, tuple))


def test_named_tuples():
    assert run(points, Point(3, 4), Box(Point(1, 2), None), size=7) == [7, 4, 107, 10, 1, 10, 5]


@tegula.jit
def swapped(out, arrays, swap: tl.constexpr):
    a, b = arrays
    if swap:
        a, b = b, a
    i = tl.arange(0, 4)
    tl.store(out + i, tl.load(a + i) - tl.load(b + i))


def test_arrays_in_a_tuple():
    a, b = np.arange(4, dtype=np.int32), np.full(4, 10, np.int32)
    assert run(swapped, (a, b), False, size=4) == [-10, -9, -8, -7]
    assert run(swapped, tl.tuple((a, b)), True, size=4) == [10, 9, 8, 7]
    assert tl.tuple((1, 2)) + (3,) == (1, 2, 3) and tl.tuple((1, 2, 3))[1:] == (2, 3)


@tegula.jit
def rest_of(out, *values, SCALE: tl.constexpr = 1):
    total = 0
    for i in tl.static_range(len(values)):
        total += values[i]
    tl.store(out, total * SCALE)
    tl.store(out + 1, len(values))


@tegula.jit
def rest_of_helper(out, n, *arrays):
    tl.store(out, summed(n, *arrays))


@tegula.jit
def summed(n, *arrays):
    return sum([tl.load(a) for a in arrays if n is not None])


def test_varargs():
    assert run(rest_of, 1, 2, 3, SCALE=10, size=2) == [60, 3]
    assert run(rest_of, size=2) == [0, 0]
    assert run(rest_of, 16, size=2) == [16, 1]
    a, b = np.array([5], np.int32), np.array([6], np.int32)
    assert run(rest_of_helper, 1, a, b, a, size=1) == [16]
    assert run(rest_of_helper, None, a, b, size=1) == [0]


@tegula.jit
def functions(out, f, dtype):
    tl.store(out, f(2.75).to(dtype))


@tegula.jit
def negate(x):
    return -x


def test_functions_and_types_as_arguments():
    assert run(functions, double, tl.int32, size=1) == [5]
    assert run(functions, negate, tl.int32, size=1) == [-2]
    assert run(functions, negate, tl.float32, size=1, dtype=np.float32) == [-2.75]


# -- statements ----------------------------------------------------------------------


@tegula.jit
def targets(out, n):
    a = b = c = n
    first, *middle, last = (1, n, 3, 4)
    *head, tail = (5,)
    d, (e, f) = n + 1, [6, 7]
    a += 1
    tl.store(out, a + b + c)
    tl.store(out + 1, first + last + middle[0] + middle[1])
    tl.store(out + 2, len(middle) * 10 + len(head))
    tl.store(out + 3, tail + d + e + f)
    tl.store(out + 4, (m := n * 2) + m)


def test_targets():
    assert run(targets, 10, size=5) == [31, 18, 20, 29, 40]


@tegula.aggregate
class Scope:
    pointer: tl.tensor
    value: tl.tensor

    def __enter__(self):
        tl.store(self.pointer, self.value)
        return self.value + 1

    def __exit__(self, kind, error, traceback):
        tl.store(self.pointer + 1, self.value)


@tegula.jit
def scopes(out, n):
    for i in range(3):
        with Scope(out, i) as a, Scope(out + 2, i + 10):
            if i == n:
                tl.store(out + 4, a)
                break
            tl.store(out + 5, a)
    tl.store(out + 6, 1)


def test_with():
    assert run(scopes, 1, size=7) == [1, 1, 11, 11, 2, 1, 1]
    assert run(scopes, 5, size=7) == [2, 2, 12, 12, -7, 3, 1]


@tegula.must_use_result
@tegula.jit
def important(x):
    return x + 1


@tegula.jit
def uses(out):
    tl.store(out, important(1))


@tegula.jit
def drops(out):
    important(1)


def test_must_use_result():
    assert run(uses, size=1) == [2]
    with pytest.raises(tegula.CompilationError, match="result of 'important' to be used"):
        run(drops)


@tegula.constexpr_function
def table(n, *, scale=1):
    return tuple(scale * i * i for i in {*range(n)})


@tegula.jit
def constant_functions(out, N: tl.constexpr):
    squares: tl.constexpr = table(N, scale=3)
    total = 0
    for s in squares:
        total += s
    tl.store(out, total)


def test_constexpr_function():
    assert run(constant_functions, N=5, size=1) == [90]
    assert table(tl.constexpr(3)) == (0, 1, 4)


@tegula.jit
def rebound(out, n, x):
    """A pointer parameter becomes a value, a number a tile, a constant a variable."""
    n = tl.load(n)
    x = x.to(tl.int64) + tl.arange(0, 4)
    for i in range(n):
        x += i
    tl.store(out + tl.arange(0, 4), x)


def test_parameters_are_variables():
    n = np.array([3], np.int32)
    assert run(rebound, n, 1, size=4) == [4, 5, 6, 7]
    assert run(rebound, n, 16, size=4) == [19, 20, 21, 22]


# -- sizes -----------------------------------------------------------------------------


@tegula.jit
def elementwise(x, y, out, N: tl.constexpr, M: tl.constexpr):
    places = tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :]
    tl.store(out + places, tl.load(x + places) + tl.load(y + places) * 2)


@tegula.jit
def reduced(x, o0, o1, o2, N: tl.constexpr, M: tl.constexpr):
    rows, columns = tl.arange(0, N), tl.arange(0, M)
    a = tl.load(x + rows[:, None] * M + columns[None, :])
    tl.store(o0 + columns, tl.sum(a, 0).to(tl.float32))
    tl.store(o1 + rows, tl.max(a, 1).to(tl.float32))
    tl.store(o2, tl.sum(a).to(tl.float32))


@tegula.jit
def product(x, y, out, N: tl.constexpr, K: tl.constexpr, M: tl.constexpr):
    n, k, m = tl.arange(0, N), tl.arange(0, K), tl.arange(0, M)
    a = tl.load(x + n[:, None] * K + k[None, :])
    b = tl.load(y + k[:, None] * M + m[None, :])
    tl.store(out + n[:, None] * M + m[None, :], tl.dot(a, b))


@tegula.jit
def reshaped(x, out, N: tl.constexpr, M: tl.constexpr):
    a = tl.load(x + tl.arange(0, N)[:, None] * M + tl.arange(0, M)[None, :])
    b = tl.where(a > 0, tl.zeros((N, M), tl.float32) + 1, a)
    tl.store(out + tl.arange(0, N * M), tl.reshape(tl.trans(b), (N * M,)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8])
@pytest.mark.parametrize("n,m", [(48, 80), (112, 16), (176, 48), (1, 48), (48, 1), (64, 112),
                                 (2, 80)])
def test_tiles_of_multiples_of_16(dtype, n, m, rng):
    x, y = rng.integers(-4, 5, (2, n, m)).astype(dtype)
    out = np.zeros((n, m), dtype)
    elementwise[(1,)](x, y, out, N=n, M=m)
    np.testing.assert_array_equal(out, x + y * 2)
    o0, o1, o2 = np.zeros(m, np.float32), np.zeros(n, np.float32), np.zeros(1, np.float32)
    reduced[(1,)](x, o0, o1, o2, N=n, M=m)
    np.testing.assert_array_equal(o0, x.astype(np.float32).sum(0))
    np.testing.assert_array_equal(o1, x.max(1))
    assert o2[0] == x.astype(np.float32).sum()
    flat = np.zeros(n * m, np.float32)
    reshaped[(1,)](x, flat, N=n, M=m)
    np.testing.assert_array_equal(flat, np.where(x > 0, 1, x).T.ravel())


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8])
@pytest.mark.parametrize("n,k,m", [(48, 80, 112), (16, 48, 16), (176, 16, 48), (64, 32, 80),
                                   (80, 64, 64), (112, 112, 176)])
def test_products_of_multiples_of_16(dtype, n, k, m, rng):
    x = rng.integers(-4, 5, (n, k)).astype(dtype)
    y = rng.integers(-4, 5, (k, m)).astype(dtype)
    out = np.zeros((n, m), np.int32 if dtype == np.int8 else np.float32)
    product[(1,)](x, y, out, N=n, K=k, M=m)
    np.testing.assert_array_equal(out, x.astype(np.int64) @ y.astype(np.int64))


@tegula.jit
def types_of_constants(p, one, number, size: tl.constexpr, pair):
    tl.static_assert(isinstance(one.type, tl.constexpr_type))
    tl.static_assert(isinstance(pair[1].type, tl.constexpr_type))
    tl.static_assert(isinstance(size.type, tl.constexpr_type))
    tl.static_assert(not isinstance(number.type, tl.constexpr_type))
    tl.static_assert(not isinstance(pair[0].type, tl.constexpr_type))
    variable = one
    tl.static_assert(not isinstance(variable.type, tl.constexpr_type))
    tl.static_assert(variable.type == tl.int32 and one.dtype == tl.int32)
    tl.store(p, one + size + pair[1])


def test_types_of_arguments_that_are_constants():
    out = np.zeros(1, np.int32)
    types_of_constants[(1,)](out, 1, 5, 16, (3, 1))
    assert out[0] == 18
