# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks of compiles and launches, preload, and compiling in the background."""

import gc
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tegula
import tegula.language as tl
from tegula import knobs


@pytest.fixture(autouse=True)
def unchanged():
    with knobs.runtime.scope(), knobs.compilation.scope():
        yield
    assert not knobs.runtime.launch_enter_hook and not knobs.runtime.launch_exit_hook


@pytest.fixture
def kernel():
    @tegula.jit
    def fill(x, value, BLOCK: tl.constexpr):
        tl.store(x + tl.arange(0, BLOCK), value)

    return fill


def array():
    return np.zeros(16, np.int32)


# -- compiles -----------------------------------------------------------------------

def test_compile_hooks(kernel):
    before, after = [], []
    knobs.runtime.jit_cache_hook = lambda **facts: before.append(facts) and None
    knobs.runtime.jit_post_compile_hook = lambda **facts: after.append(facts)
    x = array()
    kernel[(1,)](x, 3, BLOCK=16)
    kernel[(1,)](x, 3, BLOCK=16)
    kernel.warmup(x, 16, BLOCK=16, num_warps=8)
    assert len(before) == len(after) == 2
    first, second = before
    assert first["fn"].name == kernel.__qualname__ and first["fn"].module == __name__
    assert first["fn"].jit_function is kernel
    assert first["key"] in kernel.device_caches[0][0]
    facts = first["compile"]
    assert facts["signature"] == {"x": "*i32", "value": "i32", "BLOCK": "constexpr"}
    assert facts["constants"] == {(2,): 16} and facts["num_warps"] == 4
    assert facts["configs"] == [{(0,): [["tt.divisibility", 16]]}] and facts["key"] == first["key"]
    assert not first["is_manual_warmup"] and not first["already_compiled"]
    assert second["is_manual_warmup"] and second["compile"]["is_warmup"]
    assert second["compile"]["num_warps"] == 8 and (1,) in second["compile"]["configs"][0]
    assert after[0]["already_compiled"] and after[0]["key"] == first["key"]
    assert "num_warps=8" in second["repr"] and "x: *i32" in second["repr"]


def test_a_hook_that_wants_nothing_compiled(kernel):
    knobs.runtime.jit_cache_hook = lambda **facts: True
    x = array()
    assert kernel[(1,)](x, 3, BLOCK=16) is None and kernel.warmup(x, 3, BLOCK=16) is None
    assert (x == 0).all() and len(kernel.device_caches[0][0]) == 0
    knobs.runtime.jit_cache_hook = None
    kernel[(1,)](x, 3, BLOCK=16)
    assert (x == 3).all()


def test_a_hook_that_raises(kernel):
    def fail(**facts):
        raise ZeroDivisionError("of the hook")

    knobs.runtime.jit_cache_hook = fail
    with pytest.raises(ZeroDivisionError, match="of the hook"):
        kernel[(1,)](array(), 3, BLOCK=16)
    knobs.runtime.jit_cache_hook = None
    kernel[(1,)](array(), 3, BLOCK=16)


def test_listener(kernel):
    seen = []
    knobs.compilation.listener = lambda **facts: seen.append(facts)
    x = array()
    kernel[(1,)](x, 3, BLOCK=16)
    kernel.device_caches.clear()
    kernel[(1,)](x, 3, BLOCK=16)
    compiled = tegula.compile(tegula.compiler.ASTSource(kernel, {"x": "*i32", "value": "i32"},
                                                        {"BLOCK": 16}))
    first, second, third = seen
    assert first["src"].fn is kernel and first["metadata"]["hash"] and first["times"].total > 0
    assert second["cache_hit"] and second["times"].total_lowering == 0
    assert second["metadata"]["hash"] == first["metadata"]["hash"]
    assert third["metadata"]["hash"] == compiled.hash


# -- launches -----------------------------------------------------------------------

def test_launch_hooks():
    @tegula.jit(launch_metadata=lambda grid, metadata, args: {
        "grid": grid, "bytes": args["x"].nbytes, "warps": metadata.num_warps})
    def fill(x, value):
        tl.store(x, value)

    order, seen = [], []

    def enter(metadata):
        seen.append(metadata.get())
        order.append("enter")

    def second(metadata):
        order.append("second")

    def leave(metadata):
        order.append("exit")

    knobs.runtime.launch_enter_hook.add(enter)
    knobs.runtime.launch_enter_hook.add(second)
    knobs.runtime.launch_enter_hook.add(enter)  # once is enough
    knobs.runtime.launch_exit_hook.add(leave)
    knobs.runtime.launch_exit_hook.add(second)
    try:
        x = array()
        fill.warmup(x, 7)
        assert order == []
        fill[(2, 3)](x, 7)
        assert order == ["enter", "second", "second", "exit"]
        assert seen[0]["name"] == "fill" and seen[0]["grid"] == (2, 3, 1)
        assert seen[0]["bytes"] == 64 and seen[0]["warps"] == 4 and seen[0]["stream"] == 0
    finally:
        for hook in (enter, second):
            knobs.runtime.launch_enter_hook.remove(hook)
        for hook in (leave, second):
            knobs.runtime.launch_exit_hook.remove(hook)
    fill[(1,)](x, 7)
    assert len(order) == 4


def test_metadata_is_made_on_demand(kernel):
    asked = []

    @tegula.jit(launch_metadata=lambda grid, metadata, args: asked.append(1) or {})
    def store(x):
        tl.store(x, 1)

    hook = lambda metadata: None  # noqa: E731
    knobs.runtime.launch_enter_hook.add(hook)
    try:
        store[(1,)](array())
    finally:
        knobs.runtime.launch_enter_hook.remove(hook)
    assert not asked


def test_a_launch_hook_that_raises(kernel):
    def fail(metadata):
        raise ZeroDivisionError("of the hook")

    x = array()
    knobs.runtime.launch_enter_hook.add(fail)
    try:
        with pytest.raises(ZeroDivisionError, match="of the hook"):
            kernel[(1,)](x, 3, BLOCK=16)
    finally:
        knobs.runtime.launch_enter_hook.remove(fail)
    assert (x == 0).all()
    with pytest.raises(knobs.KnobError, match="hook: expected a function, got int"):
        knobs.runtime.launch_enter_hook.add(3)


def test_load_hooks(kernel):
    seen = []

    def start(module, function, name, metadata_group, hash):
        seen.append(("start", module, name, hash))

    def end(module, function, name, metadata_group, hash):
        seen.append(("end", module is not None and function is not None, name, hash))

    knobs.runtime.kernel_load_start_hook.add(start)
    knobs.runtime.kernel_load_end_hook.add(end)
    try:
        compiled = kernel.warmup(array(), 3, BLOCK=16)
        assert seen == []
        kernel[(1,)](array(), 3, BLOCK=16)
        kernel[(1,)](array(), 3, BLOCK=16)
    finally:
        knobs.runtime.kernel_load_start_hook.remove(start)
        knobs.runtime.kernel_load_end_hook.remove(end)
    assert seen == [("start", None, "fill", compiled.hash), ("end", True, "fill", compiled.hash)]


def test_unload_hook(kernel):
    seen = []

    def unload(module, function, name, metadata_group, hash):
        seen.append((name, hash))

    compiled = kernel[(1,)](array(), 3, BLOCK=16)
    facts = (compiled.name, compiled.hash)
    kernel.warmup(array(), 3, BLOCK=8)  # never loaded
    gc.collect()
    knobs.runtime.kernel_unload_hook.add(unload)
    try:
        kernel.device_caches.clear()
        gc.collect()
        assert seen == []
        del compiled
        gc.collect()
        assert seen == [facts]
    finally:
        knobs.runtime.kernel_unload_hook.remove(unload)


def test_pre_run_hooks(kernel):
    seen = []
    kernel.add_pre_run_hook(lambda *args, **kwargs: seen.append((len(args), kwargs)))
    x = array()
    kernel[(1,)](x, 3, BLOCK=16)
    kernel.run(x, 4, grid=(1,), warmup=False, BLOCK=16)
    kernel.warmup(x, 3, BLOCK=16)
    assert seen == [(2, {"BLOCK": 16})] * 2 and (x == 4).all()
    with pytest.raises(tegula.LaunchTypeError, match="add_pre_run_hook: expected a function"):
        kernel.add_pre_run_hook("no")


# -- preload ------------------------------------------------------------------------

def data_of(kernel, *args, **kwargs):
    seen = []
    knobs.runtime.jit_cache_hook = lambda **facts: seen.append(
        facts["compile"]["specialization_data"]) and None
    compiled = kernel.warmup(*args, **kwargs)
    knobs.runtime.jit_cache_hook = None
    return seen[0], compiled


@pytest.mark.parametrize("items", [(1, 2), [1, 2], (float("nan"), 2)], ids=repr)
def test_preload(items):
    def make():
        @tegula.jit
        def constants(x, n, t, f: tl.constexpr, kind: tl.constexpr, items: tl.constexpr):
            tl.store(x + tl.arange(0, 16), tl.full((16,), n, kind) + items[1])

        return constants

    args = (array(), 3, (1, 2), -0.0, tl.int16, items)
    first, again = make(), make()
    data, compiled = data_of(first, *args)
    loaded = again.preload(data)
    assert loaded.hash == compiled.hash and len(again.device_caches[0][0]) == 1
    counted = []
    knobs.runtime.jit_cache_hook = lambda **facts: counted.append(1) and None
    assert again[(1,)](*args) is loaded and again.preload(data) is loaded
    assert not counted and len(again.device_caches[0][0]) == 1


def test_preload_of_something_else(kernel):
    @tegula.jit
    def other(x):
        tl.store(x, 1)

    data, _ = data_of(kernel, array(), 3, BLOCK=16)
    with pytest.raises(RuntimeError, match="Specialization data is for .*fill, expected .*other"):
        other.preload(data)
    for wrong in ("", "{}", "[1]", None, "not json"):
        with pytest.raises(tegula.LaunchValueError, match="expected the specialization_data of a"):
            kernel.preload(wrong)
    for change in ({"specs": 5}, {"specs": [["x"]]}, {"options": [1]}, {"specs": [
            *json.loads(data)["specs"][:2], ["BLOCK", None, True, {"float": "x"}]]}):
        with pytest.raises(tegula.LaunchValueError, match="expected the specialization_data of a"):
            kernel.preload(json.dumps({**json.loads(data), **change}))
    changed = json.loads(data)
    changed["specs"].pop()
    with pytest.raises(tegula.LaunchValueError, match="expected the parameters x, value, BLOCK"):
        kernel.preload(json.dumps(changed))


def test_hooks_in_a_scope(kernel):
    called = []
    with knobs.runtime.scope():
        knobs.runtime.launch_enter_hook.add(called.append)
        kernel[(1,)](array(), 3, BLOCK=16)
    kernel[(1,)](array(), 3, BLOCK=16)
    assert len(called) == 1
    with knobs.runtime.scope():
        knobs.runtime.launch_enter_hook = knobs.HookChain()
        knobs.runtime.launch_enter_hook.add(called.append)
        kernel[(1,)](array(), 3, BLOCK=16)
        assert len(called) == 2
        del knobs.runtime.launch_enter_hook
        kernel[(1,)](array(), 3, BLOCK=16)
    kernel[(1,)](array(), 3, BLOCK=16)
    assert len(called) == 2


@pytest.mark.parametrize("group, name, value, expected", [
    ("runtime", "launch_enter_hook", print, "expected a HookChain; add.fn. adds to the one there"),
    ("runtime", "kernel_load_end_hook", None, "expected a HookChain"),
    ("runtime", "jit_cache_hook", 5, "'runtime.jit_cache_hook': expected a function or None, got"),
    ("compilation", "listener", "x", "expected a function or None, got str"),
])
def test_what_is_no_hook(group, name, value, expected):
    with pytest.raises(knobs.KnobError, match=expected):
        setattr(getattr(knobs, group), name, value)


def test_preload_of_values_without_a_text(kernel):
    class Setting:
        number = 16

    @tegula.jit
    def takes(x, setting: tl.constexpr):
        tl.store(x, setting.number)

    data, _ = data_of(takes, array(), Setting)
    with pytest.raises(tegula.LaunchValueError, match="parameter 'setting', got object type"):
        takes.preload(data)


# -- in the background ----------------------------------------------------------------

def test_background(kernel):
    x = array()
    with ThreadPoolExecutor(2) as pool, tegula.AsyncCompileMode(pool):
        futures = [kernel.warmup(x, n, BLOCK=block) for block in (8, 16) for n in (2, 16, 2)]
        assert isinstance(futures[0], tegula.FutureKernel) and futures[0] is futures[2]
        assert len({id(f) for f in futures}) == 4
        kernel[(1,)](x, 2, BLOCK=16)
        assert (x == 2).all()
    assert len(kernel.device_caches[0][0]) == 4
    assert futures[0].result() is kernel.warmup(x, 2, BLOCK=8)
    assert futures[0].name == "fill" and futures[0].metadata.num_warps == 4


def test_background_errors():
    @tegula.jit
    def wrong(x, N: tl.constexpr):
        tl.static_assert(N == 1)

    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(tegula.CompileTimeAssertionFailure), tegula.AsyncCompileMode(pool):
            wrong.warmup(array(), 2)
        with tegula.AsyncCompileMode(pool, ignore_errors=True):
            future = wrong.warmup(array(), 3)
        with pytest.raises(tegula.CompileTimeAssertionFailure):
            future.result()
        with pytest.raises(tegula.LaunchTypeError, match="expected to be outside of another one"):
            with tegula.AsyncCompileMode(pool), tegula.AsyncCompileMode(pool):
                pass
    with pytest.raises(tegula.LaunchTypeError, match="expected a pool such as .* got int"):
        tegula.AsyncCompileMode(3)


def test_threads_compile_once(kernel):
    counted, barrier = [], threading.Barrier(6)

    def hook(**facts):
        counted.append(facts["key"])
        time.sleep(0.05)

    knobs.runtime.jit_cache_hook = hook
    x = array()

    def work(n):
        barrier.wait()
        return kernel.warmup(x, 3, BLOCK=16 if n % 2 else 8)

    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(work, range(6)))
    assert len(counted) == 2 and len({id(handle) for handle in made}) == 2
