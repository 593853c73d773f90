# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches while something changes: globals, settings, hooks, other threads, launches inside
launches."""

import copy
import gc
import pickle
import sys
import threading
import time
import types

import numpy as np
import pytest

import tegula
import tegula.language as tl
from tegula import _tegula

FACTOR = tl.constexpr(3)


@tegula.jit
def scaled(x, N: tl.constexpr = 1):
    tl.store(x, N * FACTOR)


@tegula.jit
def first(x, *values, C: tl.constexpr = 0):
    total = C
    for i in tl.static_range(len(values)):
        total = total * 10 + values[i]
    tl.store(x, total)


@tegula.jit
def store(x, n, N: tl.constexpr = 0):
    tl.store(x, n + N)


@tegula.jit
def ignores(x, n, N: tl.constexpr = 0):
    tl.store(x, n)


def fresh(kernel=store):
    """A kernel of its own, and what it is asked to compile."""
    made = tegula.jit(kernel.fn)
    compile_, seen = made._compile, []
    made._compile = lambda specs, options, *rest: (seen.append(specs),
                                                  compile_(specs, options, *rest))[1]
    return made, seen


def one():
    return np.zeros(4, np.int32)


def test_changed_globals_are_noticed_at_each_launch(monkeypatch):
    kernel, seen = fresh(scaled)
    x, start = one(), kernel[(1,)]
    start(x)
    assert x[0] == 3
    monkeypatch.setitem(globals(), "FACTOR", tl.constexpr(5))
    start(x)  # the bound one too
    assert x[0] == 5
    FACTOR.value = 7  # what is inside
    kernel.run(x, grid=(1,))
    assert x[0] == 7
    start(x)
    assert x[0] == 7 and len(seen) == 3


def test_changed_variables_around_a_kernel():
    size = tl.constexpr(2)

    @tegula.jit
    def inner(x):
        tl.store(x, size)

    x = one()
    inner[1](x)
    size = tl.constexpr(4)
    inner[1](x)
    assert x[0] == 4


def test_settings_are_part_of_what_is_compiled(monkeypatch):
    kernel, seen = fresh()
    monkeypatch.delenv("TEGULA_DEBUG", raising=False)
    x, start = one(), kernel[(1,)]
    plain = start(x, 5)
    monkeypatch.setenv("TEGULA_DEBUG", "1")
    debug = start(x, 5)
    assert debug is not plain
    monkeypatch.setenv("TEGULA_DEBUG", "1")  # again: nothing new
    assert start(x, 5) is debug and len(seen) == 2
    monkeypatch.delenv("TEGULA_DEBUG")
    assert start(x, 5) is plain
    monkeypatch.setenv("TEGULA_TARGET", "cpu")
    start(x, 5)
    assert len(seen) == 3
    monkeypatch.setenv("TEGULA_TARGET", "no such target")
    with pytest.raises(tegula.TargetError):
        start(x, 5)
    monkeypatch.delenv("TEGULA_TARGET")
    assert start(x, 5) is plain and len(seen) == 4


def test_forgotten_kernels_are_compiled_again():
    kernel, seen = fresh()
    x = one()
    for n in (5, 7, 9):
        kernel[1](x, n)
    assert len(seen) == 1 and len(kernel._kernels()) == 1
    kernel._forget()
    assert kernel._kernels() == []
    kernel[1](x, 11)
    assert x[0] == 11 and len(kernel._kernels()) == 1


def test_rest_of_the_arguments():
    x = one()
    for args, kwargs, expected in [((), {}, 0), ((1,), {}, 1), ((1, 2, 3), {}, 123),
                                   ((4, 5), {"C": 6}, 645), ((), {"C": 2}, 2)]:
        first[(1,)](x, *args, **kwargs)
        assert x[0] == expected
        first.run(x, *args, grid=(1,), **kwargs)
        assert x[0] == expected
    seen = {}
    first[lambda args: (seen.update(args), 1)[1]](x, 7, 8)
    assert seen["values"] == (7, 8)
    with pytest.raises(tegula.LaunchTypeError):
        first[1](x, 1, 2, values=(3,))
    with pytest.raises(tegula.LaunchTypeError):
        first[1](x, 1, 2, x=x)


def test_keywords_in_any_number_and_order():
    names = [f"a{i}" for i in range(40)]
    source = f"def wide(x, {', '.join(names)}):\n    tl.store(x, a0 + a39)\n"
    import linecache
    linecache.cache["wide.py"] = len(source), None, source.splitlines(True), "wide.py"
    space = {"tl": tl, "__name__": __name__}
    exec(compile(source, "wide.py", "exec"), space)
    wide, x = tegula.jit(space["wide"]), one()
    values = {name: 3 + 2 * index for index, name in enumerate(names)}
    for _ in range(3):
        wide[1](x, **values)
        wide[1](**dict(reversed([("x", x), *values.items()])))
        assert x[0] == 3 + 81
    many, seen = fresh()
    for _ in range(3):
        many[1](x, n=5, num_warps=2, num_stages=1)
        many[1](x, num_stages=1, n=5, num_warps=2, maxnreg=7)
        many[1](x, **{"".join(["num", "_warps"]): 2, "n": 5, "num_stages": 1})
        many[1](n=5, x=x, **dict(num_stages=1, num_warps=2))
    assert len(seen) == 1
    many[1](x, 5, num_warps=1, num_stages=2)
    assert len(seen) == 2


def test_copies_are_the_kernel():
    assert copy.copy(store) is store and copy.deepcopy([store])[0] is store
    assert pickle.loads(pickle.dumps(store)) is store


def test_kernels_without_users_go_away():
    x = one()
    kernel, _ = fresh()
    kernel[1](x, 5)
    kernel.self = kernel, kernel[(1,)]
    import weakref
    gone = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert gone() is None


# -- hooks -----------------------------------------------------------------------------------


@pytest.fixture
def hooks():
    yield _tegula.set_launch_hooks
    _tegula.set_launch_hooks(None, None)


def test_launch_hooks(hooks):
    x, calls = one(), []
    hooks(lambda *args: calls.append(("enter", x[0], *args)),
          lambda *args: calls.append(("exit", x[0], *args)))
    handle = store[lambda args: (2, 3)](x, 5)
    values = (x, 5, 0)
    assert calls == [("enter", 0, handle, (2, 3, 1), values),
                     ("exit", 5, handle, (2, 3, 1), values)]
    store.warmup(x, 5)
    assert len(calls) == 2
    hooks(None, lambda *args: hooks(None, None))  # removes itself while it runs
    store[1](x, 7)
    store[1](x, 9)
    assert x[0] == 9 and len(calls) == 2


def test_hooks_that_raise(hooks):
    x = one()

    def stop(*args):
        raise OSError("stop")

    hooks(stop, None)
    with pytest.raises(OSError, match="stop"):
        store[1](x, 5)
    assert x[0] == 0
    hooks(None, stop)
    with pytest.raises(OSError, match="stop"):
        store[1](x, 5)
    assert x[0] == 5


def test_hooks_before_a_run():
    kernel, _ = fresh()
    x, calls = one(), []
    start = kernel[(1,)]
    kernel.add_pre_run_hook(lambda *args, **kwargs: calls.append((args, kwargs)))
    start(x, 5, N=2)
    kernel.run(x, 6, grid=(1,))
    kernel.warmup(x, 6)
    assert calls == [((x, 5), {"N": 2}), ((x, 6), {})]


# -- launches in launches --------------------------------------------------------------------


def test_grid_functions_that_launch():
    x, y = one(), one()
    start = store[(1,)]

    def grid(args):
        start(y, args["n"] + 1)
        store[(1,)](y[1:], 11)
        return (1,)

    for _ in range(3):
        store[grid](x, 5)
    assert (x[0], y[0], y[1]) == (5, 6, 11)


def test_compiles_that_launch():
    """A constexpr function that launches the kernel it is called for."""
    x, depth = one(), []

    @tegula.constexpr_function
    def nested(n):
        if n > 0 and len(depth) < 2:
            depth.append(n)
            outer[(1,)](x, N=n)  # the very key that is being compiled
        return n

    @tegula.jit
    def outer(x, N: tl.constexpr):
        tl.store(x, nested(N))

    outer[(1,)](x, N=3)
    outer[(1,)](x, N=3)
    assert x[0] == 3 and depth == [3, 3]
    assert len(outer._kernels()) == 1


# -- threads ---------------------------------------------------------------------------------


def together(*functions):
    """Results, or exceptions, of functions that run at once."""
    results = [None] * len(functions)
    barrier = threading.Barrier(len(functions))

    def work(index):
        barrier.wait()
        try:
            results[index] = functions[index]()
        except BaseException as error:
            results[index] = error

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return results


def slow(kernel, seconds=0.3, fails=()):
    """Makes compiles of a kernel slow, and those of a number in `fails` raise."""
    compile_, seen = kernel._compile, []

    def wait(specs, options, *rest):
        seen.append(threading.get_ident())
        number = len(seen)
        time.sleep(seconds)
        if number in fails:
            raise tegula.CompilationError("no luck", id="internal-error")
        return compile_(specs, options, *rest)

    kernel._compile = wait
    return seen


def test_two_threads_compile_once():
    kernel = tegula.jit(store.fn)
    seen, arrays = slow(kernel), [one() for _ in range(6)]
    ticks = []

    def tick():  # the interpreter is free while they wait
        end = time.monotonic() + 0.25
        while time.monotonic() < end:
            ticks.append(1)
            time.sleep(0.005)

    handles = together(*[lambda x=x: kernel[(1,)](x, 5) for x in arrays], tick)[:-1]
    assert len(seen) == 1 and len(ticks) > 10
    assert all(handle is handles[0] for handle in handles)
    assert [x[0] for x in arrays] == [5] * 6


def test_threads_with_other_keys_do_not_wait():
    kernel = tegula.jit(store.fn)
    seen = slow(kernel)
    start = time.monotonic()
    together(*[lambda n=n: kernel.warmup(one(), 5, N=n) for n in range(8)])
    assert len(seen) == 8 and time.monotonic() - start < 8 * 0.3


def test_waiting_for_a_compile_that_fails():
    kernel = tegula.jit(store.fn)
    seen, x = slow(kernel, 0.1, fails=(1,)), one()
    results = together(*[lambda: kernel[(1,)](x, 5)] * 3)
    failed = [result for result in results if isinstance(result, tegula.CompilationError)]
    assert len(failed) == 1 and len(seen) == 2 and x[0] == 5


def test_kernels_are_forgotten_while_others_launch():
    kernel, _ = fresh()
    stop = threading.Event()

    def launch():
        x = one()
        while not stop.is_set():
            for n in (5, 2**40):
                kernel[(1,)](x, n, N=n % 3)
                assert x[0] == (n + n % 3) % 2**32

    def forget():
        try:
            for _ in range(200):
                kernel._forget()
                gc.collect(0)
                time.sleep(0.001)
        finally:
            stop.set()

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        assert together(launch, launch, launch, forget) == [None] * 4
    finally:
        sys.setswitchinterval(before)


def test_values_whose_comparison_lets_others_run():
    """Python's code in a search of the kernels, while those come and go."""
    kernel, _ = fresh(ignores)

    class Key:
        def __init__(self, value):
            self.value = value

        def __hash__(self):
            return 7  # all in one place

        def __eq__(self, other):
            time.sleep(0)
            if self.value == 3:
                kernel._forget()
            return self.value == other.value

    def launch():
        for _ in range(10):
            for value in range(5):
                kernel.warmup(one(), 5, N=types.SimpleNamespace if value == 4 else Key(value))

    assert together(launch, launch, launch) == [None] * 3


def test_interrupt_while_waiting():
    import _thread
    kernel = tegula.jit(store.fn)
    seen = slow(kernel, 1.0)
    thread = threading.Thread(target=lambda: kernel.warmup(one(), 5))
    thread.start()
    while not seen:
        time.sleep(0.01)
    timer = threading.Timer(0.1, _thread.interrupt_main)
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        kernel.warmup(one(), 5)
    assert time.monotonic() - start < 0.8
    thread.join()
    assert kernel.warmup(one(), 5) is kernel._kernels()[0]
