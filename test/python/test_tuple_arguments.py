# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuples as arguments: named ones, descriptors in them, what is compiled anew."""

import collections

import numpy as np
import pytest
import tegula
import tegula.language as tl

Ends = collections.namedtuple("Ends", "low high")
Turned = collections.namedtuple("Turned", "high low")
Pair = collections.namedtuple("Pair", "ends table")


@tegula.jit
def difference(ends, out):
    tl.store(out, ends.high - ends.low)


def test_named_tuples():
    """Fields go by name, whatever their order."""
    out = np.zeros(1, np.int32)
    for ends in (Ends(3, 10), Turned(10, 3), Ends(low=-5, high=2)):
        difference[(1,)](ends, out)
        assert out[0] == 7


@tegula.jit
def first_between(pair, out, B: tl.constexpr):
    i = tl.arange(0, B)
    inside = (i >= pair.ends.low) & (i < pair.ends.high)
    tl.store(out + i, tl.load(pair.table + i, mask=inside, other=-1))


def test_named_tuples_inside_each_other():
    table, out = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
    first_between[(1,)](Pair(Ends(4, 9), table), out, B=16)
    assert out.tolist() == [i if 4 <= i < 9 else -1 for i in range(16)]


@tegula.jit
def sum_of_all(numbers, out):
    total = 0
    for k in tl.static_range(len(numbers)):
        total += numbers[k]
    tl.store(out, total)


def test_numbers_are_not_compiled_in():
    """As for plain arguments: 1, multiples of 16 and others; and each length."""
    out = np.zeros(1, np.int64)

    def launch(*numbers):
        handle = sum_of_all[(1,)](numbers, out)
        assert out[0] == sum(numbers)
        return handle

    others = launch(3, 5)
    assert all(launch(a, b) is others for a, b in ((7, 9), (-3, 100), (2, 3)))
    assert launch(1, 5) is not others
    assert launch(16, 5) is not others
    assert launch(3, 5, 7) is not others
    assert launch(2**40, 5) is not others
    assert launch(3, 5) is others


@tegula.jit
def copy_block(pair, B: tl.constexpr):
    block = pair[0].load([2, 0])
    i, j = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    tl.store(pair[1] + i * B + j, block)


def test_descriptor_in_a_tuple():
    x, out = np.arange(64, dtype=np.float32).reshape(8, 8), np.full((4, 4), -1, np.float32)
    copy_block[(1,)]((tegula.TensorDescriptor(x, [8, 8], [8, 1], [4, 4]), out), B=4)
    np.testing.assert_array_equal(out, x[2:6, :4])


@tegula.jit(noalias=["pair"])
def add_pair(pair, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(pair[0] + i) + tl.load(pair[1] + i))


def test_promises_hold_for_items():
    x, y, out = np.ones(8, np.float32), np.ones(8, np.float32), np.zeros(8, np.float32)
    add_pair[(1,)]((x, y), out, B=8)
    assert out.tolist() == [2] * 8
    with pytest.raises(tegula.LaunchValueError, match="'pair' and 'out' that share memory"):
        add_pair[(1,)]((x, out), out, B=8)
