# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Barriers of a whole grid, which CPUs allow (docs/kernel-abi.md)."""

import numpy as np
import pytest

import tegula
import tegula.language as tl


@tegula.jit
def sum_all(x, arrived, sums, N: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, N)
    tl.store(x + pid * N + i, pid + i)
    programs = tl.num_programs(0)
    tl.atomic_add(arrived, 1)
    while tl.atomic_add(arrived, 0) < programs:
        pass
    neighbour = (pid + 1) % programs
    tl.store(sums + pid, tl.sum(tl.load(x + neighbour * N + i)))


@pytest.mark.parametrize("programs", [1, 2, 64, 200])
def test_a_barrier_of_the_whole_grid(programs):
    x, arrived = np.full((programs, 16), -1, np.int32), np.zeros(1, np.int32)
    sums = np.zeros(programs, np.int32)
    sum_all[(programs,)](x, arrived, sums, N=16)
    want = [16 * ((pid + 1) % programs) + 120 for pid in range(programs)]
    assert sums.tolist() == want
