# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The way from `kernel[grid](...)` to the kernel: what it costs, which kernel it finds."""

import collections
import copy
import ctypes
import enum
import gc
import pickle
import sys
import tracemalloc

import numpy as np
import pytest

import tegula
import tegula.language as tl
from tegula import _tegula


@tegula.jit
def many(x, y, n, scale, BLOCK: tl.constexpr, MODE: tl.constexpr = "sum", FLAG: tl.constexpr = None,
         PAIR: tl.constexpr = (1, 2.0)):
    tl.store(x, tl.load(y) * scale + n + BLOCK)


@tegula.jit
def empty(x, C: tl.constexpr):
    pass


@tegula.jit
def rest(x, *values, C: tl.constexpr = 0):
    total = C
    for i in tl.static_range(len(values)):
        total = total * 10 + values[i]
    tl.store(x, total)


def count_compiles(kernel):
    """A list that grows with each compile of a fresh copy of the kernel; and the copy."""
    made = tegula.jit(kernel.fn)
    compile_, seen = made._compile, []
    made._compile = lambda specs, options, *rest: (seen.append(specs),
                                                  compile_(specs, options, *rest))[1]
    return made, seen


def callers():
    """Launches in all usual forms, of NumPy arrays."""
    x, y = np.zeros(16, np.float32), np.ones(16, np.float32)
    options = {"BLOCK": 3, "num_warps": 2, "MODE": "max", "n": 9, "scale": 1.5}
    bound = many[(1,)]
    return [lambda: many[(1,)](x, y, 7, 2.5, 64), lambda: many[1, 1](x, y, 7, 2.5, BLOCK=64),
            lambda: many[(1,)](x, y, n=3, scale=0.5, BLOCK=32, FLAG=True, PAIR=(1, 2.5)),
            lambda: many[[1]](x, y, **options), lambda: bound(x, y, 7, 2.5, 64),
            lambda: many[(len(x) // 16,)](x, y, np.int32(5), np.float32(2), 64, num_warps=4)]


def test_no_python_runs():
    """Once compiled, a launch enters no function of Python's."""
    for call in callers():
        for _ in range(3):
            call()
        entered = []
        sys.setprofile(lambda frame, event, arg: entered.append(frame.f_code.co_qualname)
                       if event == "call" else None)
        try:
            call()
        finally:
            sys.setprofile(None)
        assert [name for name in entered if "<lambda>" not in name] == []


class _MallInfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
        "fordblks", "keepcost")]


def bytes_in_use():
    info = ctypes.CDLL(None).mallinfo2
    info.restype = _MallInfo
    result = info()
    return result.uordblks + result.hblkhd


def run(calls, times):
    for _ in range(times):
        for call in calls:
            call()


def growth(calls, times, measure):
    """What a measure grows by in some rounds. The interpreter's lists of free objects fill
    in one of them; what leaks shows in all."""
    grown = []
    for _ in range(4):
        gc.collect()
        before = measure()
        run(calls, times)
        gc.collect()
        grown.append(measure() - before)
    return grown


def test_steady_state_keeps_nothing():
    calls = callers()
    run(calls, 50)
    tracemalloc.start()
    try:
        grown = growth(calls, 1000, lambda: tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert min(grown) < 1000, grown  # bytes: far less than one a launch
    grown = growth(calls, 6000, bytes_in_use)
    assert min(grown) < 4096, grown


def test_references():
    x, y = np.zeros(16, np.float32), np.ones(16, np.float32)
    number, constant, mode, grid = 123456789, 987654321, "".join(["mo", "de"]), (1,)
    pair, held, names = (1, 2), [5, 6], {"BLOCK": constant}
    objects = [x, y, number, constant, mode, grid, pair, held, names, many]

    def each():
        many[grid](x, y, number, 2.5, constant, mode, pair, held)
        many[grid](x, y, number, 2.5, MODE=mode, FLAG=pair, PAIR=held, num_warps=4, **names)
        many.run(x, y, number, 2.5, constant, mode, grid=grid)
        many.warmup(x, y, number, 2.5, constant, mode, grid=grid)
        many[lambda args: (args["FLAG"][0],)](x, y, number, 2.5, constant, FLAG=pair)
        rest[grid](x, number, 5, 6, C=3)
        for wrong in (lambda: many[grid](x, y, number), lambda: many[(x,)](x, y, number, 1, mode),
                      lambda: many[grid](x, y, number, 1, constant, n=number),
                      lambda: many[grid](x, y, number, 1, constant, {mode: x}),
                      lambda: many[grid](x, y, held, 1, constant)):
            with pytest.raises(tegula.LaunchError):
                wrong()

    run([each], 5)
    gc.collect()
    before = [sys.getrefcount(item) for item in objects]
    run([each], 50)
    gc.collect()
    after = [sys.getrefcount(item) for item in objects]
    assert after == before


def test_what_is_launched_holds_no_grid_function():
    class Token:
        pass

    import weakref
    token = Token()
    x = np.zeros(16, np.float32)
    empty[lambda args, token=token: (1,)](x, 1)
    gone = weakref.ref(token)
    del token
    assert gone() is None


def test_values_are_told_apart():
    kernel, seen = count_compiles(empty)
    x = np.zeros(16, np.float32)

    class Number(enum.IntEnum):
        ONE = 1

    class Text(str):
        pass

    Point = collections.namedtuple("Point", "a b")
    Other = collections.namedtuple("Other", "a b")
    values = [1, 1.0, True, 0, 0.0, -0.0, False, None, "1", "", 2**70, 2**70 + 1, -1, 2**63 - 1,
              Number.ONE, Text("1"), np.int64(1), np.float64(1), (1,), (1.0,), (True,), ((1,),),
              (1, 2), (1, (2,)), [1, 2], [1], (), [], Point(1, 2), Point(1, 2.0), Other(1, 2),
              (0.0,), (-0.0,), tl.float32, tl.int32, "a", ("a", None), float("inf"), (None,)]
    handles = {}
    for index, value in enumerate(values):
        try:
            handles[index] = kernel.warmup(x, value)
        except tegula.Error as error:
            pytest.fail(f"{value!r}: {error}")
    compiled = len(seen)
    assert compiled == len(values)
    for _ in range(2):
        for index, value in enumerate(values):
            again = copy.copy(value) if not isinstance(value, (tuple, str)) else value
            assert kernel.warmup(x, again) is handles[index], value
    # Equal, but another object: text put together anew, tuples, large integers.
    same = {"a": "".join(["", "a"]), 2**70: int("1180591620717411303424"), (1, 2): tuple([1, 2])}
    for value, other in same.items():
        index = next(i for i, known in enumerate(values) if type(known) is type(value)
                     and known == value and repr(known) == repr(value))
        assert kernel.warmup(x, other) is handles[index]
    assert len(seen) == compiled
    assert len(kernel._kernels()) == compiled


def test_not_a_number_is_one_value():
    kernel, seen = count_compiles(empty)
    for _ in range(3):
        kernel.warmup(np.zeros(16, np.float32), float("nan"))
    assert len(seen) == 1


def test_changed_values_of_a_list():
    kernel, seen = count_compiles(empty)
    x, held = np.zeros(16, np.float32), [1, 2]
    first = kernel.warmup(x, held)
    held.append(3)
    assert kernel.warmup(x, held) is not first
    held.pop()
    assert kernel.warmup(x, held) is first
    assert len(seen) == 2


class Mutable:
    """Hashable and equal by what is in it now."""

    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return hash(self.value)

    def __eq__(self, other):
        return self.value == other.value


def test_changed_objects():
    kernel, seen = count_compiles(empty)
    x, value = np.zeros(16, np.float32), Mutable(1)
    kernel.warmup(x, value)
    kernel.warmup(x, Mutable(1))
    assert len(seen) == 1
    value.value = 2
    kernel.warmup(x, value)
    assert len(seen) == 2
