# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for AArch64, run under qemu-user: atomics, scans, sorts, rearrangements.

Nothing here rounds, so that both machines give the same bits.
"""

import numpy as np
import pytest
import tegula
import tegula.language as tl
from aarch64 import assert_same_bits
from test_language import FLOATS, INTEGERS, dtype_of

pytestmark = pytest.mark.filterwarnings("ignore:invalid value")
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.0]


def values(rng, shape, name):
    if name in FLOATS:
        return rng.choice(SPECIAL, shape).astype(dtype_of(name))
    return rng.integers(-100, 100, shape).astype(dtype_of(name))


@tegula.jit
def atomic_kernel(x_ptr, i_ptr, memory_ptr, old_ptr, n, KIND: tl.constexpr, N: tl.constexpr):
    k = tl.arange(0, N)
    mask = k < n
    where = memory_ptr + tl.load(i_ptr + k)
    x = tl.load(x_ptr + k)
    if KIND == 0:
        old = tl.atomic_add(where, x, mask=mask)
    elif KIND == 1:
        old = tl.atomic_max(where, x, mask=mask)
    elif KIND == 2:
        old = tl.atomic_min(where, x, mask=mask)
    elif KIND == 3:
        old = tl.atomic_xchg(where, x, mask=mask)
    else:
        old = tl.atomic_cas(where, x, x + x)
    tl.store(old_ptr + k, old)


@pytest.mark.parametrize("kind", range(5))
@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
def test_atomics(machine, rng, name, kind):
    x, memory = values(rng, 48, name), values(rng, 8, name)
    if kind == 0 and name in FLOATS:
        x, memory = np.abs(np.nan_to_num(x, posinf=3)), np.abs(np.nan_to_num(memory, posinf=3))
        x, memory = x.astype(dtype_of(name)), memory.astype(dtype_of(name))
        x[x > 10], memory[memory > 10] = 4, 5
    i = rng.integers(0, 8, 48).astype(np.int32)
    old = np.zeros(48, x.dtype)
    machine.compare(atomic_kernel, (1,), x, i, memory, old, 40, KIND=kind, N=48)


@tegula.jit
def lock_kernel(lock, total):
    while tl.atomic_cas(lock, 0, 1, sem="acquire") == 1:
        pass
    tl.store(total, tl.load(total) + 1)
    tl.atomic_xchg(lock, 0, sem="release")


def test_a_lock_that_is_free(machine):
    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
    machine.compare(lock_kernel, (20,), lock, total)
    assert total[0] == 20


@tegula.jit
def last(a, b):
    return b


@tegula.jit
def compose(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@tegula.jit
def scan_kernel(x_ptr, y_ptr, sum_ptr, last_ptr, pair_ptr, M: tl.constexpr, N: tl.constexpr,
                AXIS: tl.constexpr, REVERSE: tl.constexpr):
    place = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x, y = tl.load(x_ptr + place), tl.load(y_ptr + place)
    tl.store(sum_ptr + place, tl.associative_scan(x, AXIS, last, reverse=REVERSE))
    first, second = tl.associative_scan((x, y), AXIS, compose, reverse=REVERSE)
    tl.store(last_ptr + place, first)
    tl.store(pair_ptr + place, second)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", INTEGERS)
def test_scans(machine, rng, name, axis, reverse):
    x, y = values(rng, (16, 48), name), values(rng, (16, 48), name)
    outs = [np.zeros_like(x) for _ in range(3)]
    machine.compare(scan_kernel, (1,), x, y, *outs, M=16, N=48, AXIS=axis, REVERSE=reverse)


@tegula.jit
def sort_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, DOWN: tl.constexpr):
    place = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + place, tl.sort(tl.load(x_ptr + place), descending=DOWN))


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
def test_sorts(machine, rng, name, down):
    x = values(rng, (4, 64), name)
    out = np.zeros_like(x)
    machine.compare(sort_kernel, (1,), x, out, M=4, N=64, DOWN=down)
    if name in INTEGERS:
        assert_same_bits(out, np.ascontiguousarray(np.sort(x)[:, ::-1] if down else np.sort(x)))


@tegula.jit
def rearrange_kernel(x_ptr, i_ptr, joined_ptr, halves_ptr, picked_ptr, counts_ptr,
                     N: tl.constexpr):
    k = tl.arange(0, N)
    x = tl.load(x_ptr + k)
    i = tl.load(i_ptr + k)
    two = tl.arange(0, 2)[None, :]
    joined = tl.join(x, tl.flip(x))
    tl.store(joined_ptr + k[:, None] * 2 + two, joined)
    a, b = tl.split(joined)
    tl.store(halves_ptr + tl.arange(0, 2 * N), tl.cat(b, a, can_reorder=True))
    tl.store(picked_ptr + k, tl.gather(x, i, 0))
    tl.store(counts_ptr + k, tl.histogram(i, N))


@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
def test_rearrangements(machine, rng, name):
    x = values(rng, 64, name)
    i = rng.integers(-2, 66, 64).astype(np.int32)
    joined, halves = np.zeros((64, 2), x.dtype), np.zeros(128, x.dtype)
    picked, counts = np.zeros_like(x), np.zeros(64, np.int32)
    machine.compare(rearrange_kernel, (1,), x, i, joined, halves, picked, counts, N=64)
    assert_same_bits(joined, np.stack([x, x[::-1]], -1))
    inside = (i >= 0) & (i < 64)
    assert_same_bits(picked, np.where(inside, x[np.clip(i, 0, 63)], np.zeros((), x.dtype)))
    np.testing.assert_array_equal(counts, np.bincount(i[inside], minlength=64))


@tegula.jit
def checked_kernel(x_ptr, n, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.device_print("x", x)
    tl.device_assert(x < n, "too large")
    tl.store(x_ptr + tl.arange(0, N), x + 1)


def test_prints_and_assertions(machine):
    x = np.arange(16, dtype=np.int32)
    machine.launch(checked_kernel, (1,), x, 16, N=16, debug=True)
    assert x.tolist() == list(range(1, 17))
    with pytest.raises(AssertionError, match="an assertion of the kernel failed"):
        machine.launch(checked_kernel, (1,), x, 16, N=16, debug=True)
