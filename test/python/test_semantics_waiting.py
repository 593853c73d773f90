# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that wait for each other, and what assertions leave behind."""

import numpy as np
import pytest

import tegula
import tegula.language as tl


@tegula.jit
def locked_add(lock, total, order, N: tl.constexpr):
    i = tl.arange(0, N)
    while tl.atomic_cas(lock, 0, 1, sem="acquire") == 1:
        pass
    before = tl.load(total + i)
    tl.store(total + i, before + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0, sem="release")
    tl.store(order + tl.program_id(0) * N + i, before)  # read while the lock was held


@pytest.mark.semantics("wait-lock")
def test_a_lock_guards_plain_memory():
    programs, size = 500, 48
    lock, total = np.zeros(1, np.int32), np.zeros(size, np.int32)
    order = np.zeros((programs, size), np.int32)
    locked_add[(programs,)](lock, total, order, N=size)
    assert total.tolist() == [programs] * size and lock[0] == 0
    assert (order == order[:, :1]).all()
    assert sorted(order[:, 0].tolist()) == list(range(programs))


@tegula.jit
def chain(turn, out):
    pid = tl.program_id(0)
    while tl.atomic_add(turn, 0) < pid:
        pass
    tl.store(out + pid, tl.load(turn))
    tl.atomic_add(turn, 1)


@pytest.mark.semantics("wait-earlier")
def test_a_program_waits_for_those_before_it():
    turn, out = np.zeros(1, np.int32), np.zeros(3000, np.int32)
    chain[(3000,)](turn, out)
    assert out.tolist() == list(range(3000))


@tegula.jit
def polled_chain(flags):
    pid = tl.program_id(0)
    if pid > 0:
        while tl.load(flags + pid - 1, volatile=True) == 0:
            pass
    tl.store(flags + pid, tl.load(flags + pid - 1, mask=pid > 0, other=0) + 1)


@pytest.mark.semantics("wait-earlier")
def test_a_volatile_load_sees_what_others_store():
    flags = np.zeros(1000, np.int32)
    polled_chain[(1000,)](flags)
    assert flags.tolist() == list(range(1, 1001))


@tegula.jit
def guarded(x, out, n, N: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, N)
    value = tl.load(x + pid)
    tl.device_assert(value < n, "index")
    tl.store(out + value * N + i, i)


@pytest.mark.semantics("assert-ends")
def test_nothing_runs_behind_a_failed_assertion():
    x = np.array([0, 1, 2, 10**8, 3, 10**8], np.int32)
    out = np.full((4, 16), -1, np.int32)
    for _ in range(10):
        with pytest.raises(tegula.DeviceAssertionError, match="index") as caught:
            guarded[(6,)](x, out, 4, N=16, debug=True)
        assert caught.value.id == "device-assert"
        assert "program (3, 0, 0)" in str(caught.value)
    assert out[:3].tolist() == [list(range(16))] * 3
    x[x > 3] = 3
    guarded[(6,)](x, out, 4, N=16, debug=True)  # the process lives
    assert out.tolist() == [list(range(16))] * 4


@tegula.jit
def print_pid(x):
    tl.device_print("x", tl.load(x + tl.arange(0, 16)) + tl.program_id(0))


@pytest.mark.semantics("print-lines")
def test_lines_are_whole_and_there_when_the_launch_ends(capfd):
    x = np.arange(16, dtype=np.int32)
    print_pid[(300,)](x)
    lines = capfd.readouterr().out.splitlines()
    want = [f"pid ({pid}, 0, 0) idx ({i:2}) x: {pid + i}" for pid in range(300) for i in range(16)]
    assert sorted(lines) == sorted(want)
    # Those of one print come together.
    starts = [line.split(" idx")[0] for line in lines]
    assert all(len(set(starts[i:i + 16])) == 1 for i in range(0, len(starts), 16))
