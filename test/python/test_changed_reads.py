# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels are compiled again when anything that they have read has changed."""

import collections
import concurrent.futures
import os
import signal
import threading
import types

import numpy as np
import pytest

import tegula
import tegula.language as tl
from tegula import _building, knobs

LIST, DICT, NESTED = [1, 2], {"a": 1}, ([1], 2)
MODULE = types.ModuleType("settings")
MODULE.N = 1
SPACE = types.SimpleNamespace(n=1)
HOST = CONSTEXPR = N = 1
WRAPPED = tl.constexpr(1)
Pair = collections.namedtuple("Pair", "first second")
PAIR = Pair([1], 2)


class Config:
    N = 1
    SIZES = [1]

    def __init__(self):
        self.n = 1

    @property
    def twice(self):
        return 2 * self.n


OBJECT, SLOT = Config(), Config()
IN_PAIR, IN_LIST, IN_TUPLE = Pair(Config(), 2), [Config()], (Config(), 2)


@tegula.jit
def one():
    return 1


@tegula.jit
def five():
    return 5


MODULE.function = one


@tegula.constexpr_function
def constexpr_function():
    return CONSTEXPR


def inner_host_function():
    return HOST


def host_function():
    return inner_host_function()


@tegula.jit
def of_list(x):
    tl.store(x, LIST[0])


@tegula.jit
def of_dict(x):
    tl.store(x, DICT["a"])


@tegula.jit
def of_nested(x):
    tl.store(x, NESTED[0][0])


@tegula.jit
def of_named_tuple(x):
    tl.store(x, PAIR.first[0])


@tegula.jit
def of_class(x):
    tl.store(x, Config.N)


@tegula.jit
def of_list_in_class(x):
    tl.store(x, Config.SIZES[0])


@tegula.jit
def of_object(x):
    tl.store(x, OBJECT.n)


@tegula.jit
def of_property(x):
    tl.store(x, SLOT.twice // 2)


@tegula.jit
def of_object_in_pair(x):
    tl.store(x, IN_PAIR.first.n)


@tegula.jit
def of_object_in_list(x):
    tl.store(x, IN_LIST[0].n)


@tegula.jit
def of_object_in_tuple(x):
    tl.store(x, IN_TUPLE[0].n)


@tegula.jit
def of_space(x):
    tl.store(x, SPACE.n)


@tegula.jit
def of_module(x):
    tl.store(x, MODULE.N)


@tegula.jit
def of_function_in_module(x):
    tl.store(x, MODULE.function())


@tegula.jit
def of_constexpr_function(x):
    tl.store(x, constexpr_function())


@tegula.jit
def of_host_function(x):
    tl.store(x, host_function())


@tegula.jit
def of_called_text(x):
    tl.store(x, called())


@tegula.jit
def called():
    return 1


def launched(kernel, *args):
    x = np.zeros(1, np.int32)
    kernel[(1,)](x, *args)
    return int(x[0])


@pytest.mark.parametrize("kernel, change", [
    (of_list, lambda: LIST.__setitem__(0, 5)),
    (of_dict, lambda: DICT.update(a=5)),
    (of_nested, lambda: NESTED[0].__setitem__(0, 5)),
    (of_named_tuple, lambda: PAIR.first.__setitem__(0, 5)),
    (of_class, lambda: setattr(Config, "N", 5)),
    (of_list_in_class, lambda: Config.SIZES.__setitem__(0, 5)),
    (of_object, lambda: setattr(OBJECT, "n", 5)),
    (of_property, lambda: setattr(SLOT, "n", 5)),
    (of_object_in_pair, lambda: setattr(IN_PAIR.first, "n", 5)),
    (of_object_in_list, lambda: setattr(IN_LIST[0], "n", 5)),
    (of_object_in_tuple, lambda: setattr(IN_TUPLE[0], "n", 5)),
    (of_space, lambda: setattr(SPACE, "n", 5)),
    (of_module, lambda: setattr(MODULE, "N", 5)),
    (of_function_in_module, lambda: setattr(MODULE, "function", five)),
    (of_constexpr_function, lambda: globals().update(CONSTEXPR=5)),
    (of_host_function, lambda: globals().update(HOST=5)),
    (of_called_text, lambda: called._unsafe_update_src("def called():\n    return 5\n")),
], ids=lambda value: getattr(value, "__name__", "").replace("<lambda>", ""))
def test_changes_in_place(kernel, change):
    assert launched(kernel) == 1
    launched(kernel)
    assert len(kernel.device_caches[0][0]) == 1
    change()
    assert launched(kernel) == 5
    count = len(kernel.device_caches[0][0])
    launched(kernel)
    assert len(kernel.device_caches[0][0]) == count == 1


SIZES = [1]


def test_changes_after_a_compile_without_a_launch():
    @tegula.jit
    def kernel(x):
        tl.store(x, SIZES[0])

    for value in (1, 2, 3):
        SIZES[0] = value
        source = tegula.compiler.ASTSource(kernel, {"x": "*i32"})
        assert launched(tegula.compile(source)) == value
        SIZES[0] = 10 * value
        assert launched(kernel) == 10 * value


def test_the_log_names_what_changed(monkeypatch, capfd):
    @tegula.jit
    def kernel(x):
        tl.store(x, SIZES[0] + OBJECT.n)

    monkeypatch.setenv("TEGULA_LOG", "recompile")
    launched(kernel)
    SIZES[0] = 77
    launched(kernel)
    assert "recompile: kernel: global variable 'SIZES' has changed" in capfd.readouterr().err


def test_defaults_are_those_of_the_definition():
    functions = []
    for value in (1, 2):
        @tegula.jit
        def inner(first, n=value, kind: tl.constexpr = tl.int32):
            return first + tl.full((), n, kind)

        functions.append(inner)
    one, two = functions

    @tegula.jit
    def kernel(x):
        tl.store(x, 10 * one(0) + two(0))

    value = 9
    assert launched(kernel) == 12


def test_variables_that_a_host_function_writes_are_no_reason():
    @tegula.jit
    def kernel(x):
        tl.store(x, count())

    first = kernel[(1,)](np.zeros(1, np.int32))
    assert kernel[(1,)](np.zeros(1, np.int32)) is first


CALLS = 0


def count():
    global CALLS
    CALLS += 1
    return CALLS


@tegula.jit
def of_wrapped(x):
    tl.store(x, WRAPPED)


def test_an_equal_constexpr_that_changes_inside():
    global WRAPPED
    assert launched(of_wrapped) == 1
    WRAPPED = tl.constexpr(1)
    assert launched(of_wrapped) == 1
    WRAPPED.value = 5
    assert launched(of_wrapped) == 5


def fresh():
    """A kernel of its own that reads N."""
    def kernel(x, BLOCK: tl.constexpr):
        tl.store(x, N)
    return tegula.jit(kernel)


@pytest.fixture(autouse=True)
def original_n():
    global N
    yield
    N = 1


@pytest.mark.parametrize("step, is_done_first", [("_keep", False), ("_obtain", True)])
def test_a_global_that_changes_while_another_thread_compiles(monkeypatch, step, is_done_first):
    global N
    N = 1
    kernel, original = fresh(), getattr(_building.Building, step)
    arrived, go_on = threading.Event(), threading.Event()

    def held(self, *args):
        made = original(self, *args) if is_done_first else None
        if threading.current_thread() is thread:
            arrived.set()
            assert go_on.wait(30)
        return made or original(self, *args)

    monkeypatch.setattr(_building.Building, step, held)
    thread = threading.Thread(target=lambda: launched(kernel, 16))
    thread.start()
    assert arrived.wait(30)
    N = 2
    assert launched(kernel, 32) == 2
    go_on.set()
    thread.join()
    assert (launched(kernel, 16), launched(kernel, 32)) == (2, 2)


def test_a_global_that_changes_between_preloads(monkeypatch):
    global N
    told = []
    monkeypatch.setattr(knobs.runtime, "jit_cache_hook", lambda compile, **rest: told.append(
        compile["specialization_data"]))
    source = fresh()
    launched(source, 8), launched(source, 16)
    monkeypatch.setattr(knobs.runtime, "jit_cache_hook", None)
    kernel = fresh()
    N = 3
    kernel.preload(told[0])
    N = 4
    kernel.preload(told[1])
    N = 3
    assert (launched(kernel, 8), launched(kernel, 16)) == (3, 3)


def test_a_global_that_changes_while_a_pool_compiles():
    global N
    N, kernel, x = 1, fresh(), np.zeros(1, np.int32)
    with concurrent.futures.ThreadPoolExecutor(1) as pool, tegula.AsyncCompileMode(pool):
        kernel.warmup(x, 8, grid=(1,)).future.result()
        N = 2
        assert launched(kernel, 8) == 2
        kernel.warmup(x, 16, grid=(1,)).result()
        N = 3
        assert launched(kernel, 16) == 3
    assert launched(kernel, 8) == 3


def test_the_end_of_a_mode_waits_for_all_and_raises():
    def wrong(x, BLOCK: tl.constexpr):
        tl.store(x, nothing_of_this_name)  # noqa: F821

    kernel, wrong = fresh(), tegula.jit(wrong)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with pytest.raises(tegula.CompilationError, match="nothing_of_this_name"):
            with tegula.AsyncCompileMode(pool):
                wrong.warmup(np.zeros(1, np.int32), 8, grid=(1,))
                kernel.warmup(np.zeros(1, np.int32), 8, grid=(1,))
    assert len(kernel.device_caches[0][0]) == 1


def test_a_child_does_not_wait_for_a_compile_of_its_parent(monkeypatch):
    kernel, arrived, go_on = fresh(), threading.Event(), threading.Event()

    def hook(**facts):
        if threading.current_thread() is thread:
            arrived.set()
            assert go_on.wait(60)

    monkeypatch.setattr(knobs.runtime, "jit_cache_hook", hook)
    thread = threading.Thread(target=lambda: launched(kernel, 16))
    thread.start()
    assert arrived.wait(30)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # not that of the parent's timer
        signal.alarm(30)
        code = 1
        try:
            code = int(launched(kernel, 16) != 1)
        finally:
            os._exit(code)  # whatever happens: there are two of this process
    _, status = os.waitpid(child, 0)
    go_on.set()
    thread.join()
    assert status == 0


def test_cache_key_follows_a_global():
    global N
    kernel = fresh()
    N = 1
    before = kernel.cache_key
    N = 2
    assert kernel.cache_key != before
    N = 1
    assert kernel.cache_key == before
