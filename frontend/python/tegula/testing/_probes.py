# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that measure what the processor can do at most.

Each function returns a rate, the best of a few runs: noise only ever takes away.
"""

import time

from .. import language as tl
from ..jit import jit
from ..utils import cdiv


@jit
def _read(x, sums, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    total = tl.zeros((256,), tl.float32)
    for at in range(first, min(first + BLOCK, n), 256):
        total += tl.load(x + at + tl.arange(0, 256))
    tl.store(sums + tl.program_id(0), tl.sum(total, axis=0))


@jit
def _copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


# Short chains of multiply-adds, many of them independent: what fills the vector
# units, with one load and one store for each chain.
@jit
def _multiply_add(x, y, rounds, CHAIN: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for _ in range(rounds):
        value = tl.load(x + i)
        for _ in tl.static_range(CHAIN):
            value = value * 0.5 + 0.25
        tl.store(y + i, value)


# Six operations of one cycle each, every one waiting for the one before.
@jit
def _spin(x, rounds):
    value = tl.load(x)
    for _ in range(rounds):
        value ^= value << 13
        value ^= value >> 7
        value ^= value << 17
    tl.store(x, value)


def _best(run, count):
    run()
    best = float("inf")
    for _ in range(count):
        begin = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - begin)
    return best


def _array(size, kind):
    """`size` bytes as an array; every page has been written."""
    return memoryview(bytearray(b"\1") * size).cast(kind)


def bandwidth(size):
    """Bytes a second from and to memory; `size` bytes are more than the caches hold."""
    x = _array(size, "f")
    half = len(x) // 2
    sums = _array(4 * cdiv(len(x), 65536), "f")
    read = _best(lambda: _read[(cdiv(len(x), 65536),)](x, sums, len(x), BLOCK=65536), 3)
    parts = x[:half], x[half:2 * half]
    copied = _best(lambda: _copy[(cdiv(half, 4096),)](*parts, half, BLOCK=4096), 3)
    return max(size / read, 8 * half / copied)


def multiply_adds(processors, kind):
    """Operations a second on all processors; kind: 'f' for float32, 'd' for float64."""
    best, programs = 0.0, 4 * processors
    for block, chain in ((256, 8), (512, 12), (1024, 8)):
        rounds = 200000 // block
        x, y = (_array(programs * block * (4 if kind == "f" else 8), kind) for _ in range(2))
        taken = _best(lambda: _multiply_add[(programs,)](x, y, rounds, CHAIN=chain,
                                                         BLOCK=block), 5)
        best = max(best, 2 * programs * block * rounds * chain / taken)
    return best


def clock():
    """Cycles a second of one processor while it computes."""
    rounds = 200000
    state = _array(8, "Q")
    return 6 * rounds / _best(lambda: _spin[(1,)](state, rounds), 5)
