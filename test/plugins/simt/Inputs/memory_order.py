# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses of one program whose order across threads matters, against NumPy.

Run with TEGULA_TARGET=simt; TEGULA_SIMT_ORDER and TEGULA_SIMT_RACES make wrong orders show.
"""

import numpy as np
import tegula
import tegula.language as tl


@tegula.jit
def shift(x, B: tl.constexpr):
    o = tl.arange(0, B)
    v = tl.load(x + o)
    tl.store(x + o + 1, v)
    w = tl.load(x + o)
    tl.store(x + B - 1 - o, w)


@tegula.jit
def rows(x, v, stride, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    tl.store(x + i * stride + j, tl.load(v + i * C + j))


@tegula.jit
def moving(x, out, n, B: tl.constexpr):
    o = tl.arange(0, B)
    for k in range(0, n):
        a = tl.load(x + k + o)
        tl.store(x + k + 1 + o, a + 1)
        b = tl.load(x + k + (B - 1 - o))
        tl.store(out + k * B + o, b)


@tegula.jit
def locked(lock, data, B: tl.constexpr):
    o = tl.arange(0, B)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    v = tl.load(data + o)
    tl.store(data + (B - 1 - o), v + 1)
    tl.atomic_xchg(lock, 0)


@tegula.jit
def slots(counter, out, B: tl.constexpr):
    o = tl.arange(0, B)
    old = tl.atomic_add(counter + o * 0, 1)
    tl.store(out + old, o)
    first = tl.atomic_add(counter + 1, 1)
    tl.store(out + B + first + o, old)


def check_shift(B):
    x = np.arange(B + 1, dtype=np.int32)
    expected = x.copy()
    expected[1:] = x[:-1]
    expected[:B] = expected[:B][::-1].copy()
    shift[(1,)](x, B)
    np.testing.assert_array_equal(x, expected)


def check_rows(R, C, stride):
    x = np.zeros(8192, np.int32)
    expected = x.copy()
    v = np.arange(R * C, dtype=np.int32).reshape(R, C)
    for i in range(R):
        start = 4096 + i * stride
        expected[start:start + C] = v[i]
    rows[(1,)](x[4096:], v, stride, R, C)
    np.testing.assert_array_equal(x, expected)


def check_moving(B, n=5):
    x = np.arange(B + n + 1, dtype=np.int32)
    expected, seen = x.copy(), np.zeros((n, B), np.int32)
    for k in range(n):
        expected[k + 1:k + 1 + B] = expected[k:k + B] + 1
        seen[k] = expected[k:k + B][::-1]
    out = np.zeros((n, B), np.int32)
    moving[(1,)](x, out, n, B)
    np.testing.assert_array_equal(x, expected)
    np.testing.assert_array_equal(out, seen)


def check_locked(B):
    lock, data = np.zeros(1, np.int32), np.arange(B, dtype=np.int32)
    locked[(4,)](lock, data, B)
    np.testing.assert_array_equal(data, np.arange(B) + 4)
    assert lock[0] == 0


def check_slots(B):
    counter, out = np.zeros(2, np.int32), np.full(2 * B, -1, np.int32)
    slots[(1,)](counter, out, B)
    np.testing.assert_array_equal(np.sort(out[:B]), np.arange(B))
    np.testing.assert_array_equal(out[B + out[:B]], np.arange(B))
    np.testing.assert_array_equal(counter, [B, 1])


for size in (16, 256):
    check_shift(size)
    check_moving(size)
    check_locked(size)
    check_slots(size)
for stride in (0, 1, 16, 32, 35, -1, -32, -31):
    check_rows(16, 32, stride)
print("all in order")
