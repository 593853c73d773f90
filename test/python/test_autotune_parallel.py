# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""autotune compiles its configurations side by side, and times them alone."""

import math
import os
import signal
import threading
import time

import numpy as np
import pytest

import tegula
import tegula.language as tl
from tegula._tuning import bench, pool, settings


class Watch:
    """Which compiles and timings were under way at the same time."""

    def __init__(self):
        self.lock = threading.Lock()
        self.compiling = self.most = self.count = 0
        self.beside_timing = False
        self.timing = False
        self.pause = 0.1
        self.threads = set()

    def compile(self):
        with self.lock:
            self.compiling += 1
            self.count += 1
            self.most = max(self.most, self.compiling)
            self.beside_timing |= self.timing
            self.threads.add(threading.current_thread().name)
        time.sleep(self.pause)
        with self.lock:
            self.compiling -= 1

    def bench(self, fn, quantiles):
        self.timing = True
        self.beside_timing |= self.compiling > 0
        fn()
        self.timing = False
        return [1.0] * 3


watch = Watch()


@tegula.constexpr_function
def compiling(value):
    watch.compile()
    return value


def watched(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, compiling(BLOCK), mask=i < n)


BLOCKS = (1, 2, 4, 8, 16, 32)


def tuned(blocks=BLOCKS, fn=watched, **options):
    global watch
    watch = Watch()
    configs = [tegula.Config({"BLOCK": block}) for block in blocks]
    return tegula.autotune(configs, ["n"], **({"do_bench": watch.bench} | options))(tegula.jit(fn))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_compiles_run_side_by_side(monkeypatch, threads):
    monkeypatch.setenv("TEGULA_COMPILE_THREADS", str(threads))
    kernel = tuned()
    x = np.zeros(40, np.int32)
    kernel[(1,)](x, 40)
    assert watch.most == threads and watch.count == len(BLOCKS)
    assert not watch.beside_timing
    assert all(name.startswith("tegula-compile") for name in watch.threads)
    assert x[0] == kernel.best_config.kwargs["BLOCK"]


def test_no_more_threads_than_configurations(monkeypatch):
    monkeypatch.setenv("TEGULA_COMPILE_THREADS", "64")
    tuned(BLOCKS[:3])[(1,)](np.zeros(4, np.int32), 4)
    assert watch.most == 3 and len(watch.threads) <= 3


def test_default_is_the_cores_of_the_process(monkeypatch):
    monkeypatch.delenv("TEGULA_COMPILE_THREADS", raising=False)
    assert 1 <= settings.compile_threads() <= len(os.sched_getaffinity(0))
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(12)))
    monkeypatch.setattr(settings, "_quotas", lambda: [8.5, 2.2])
    assert settings.compile_threads() == 3
    monkeypatch.setattr(settings, "_quotas", lambda: [0.1])
    assert settings.compile_threads() == 1
    monkeypatch.setattr(settings, "_quotas", lambda: [])
    assert settings.compile_threads() == 12


def test_quotas_of_control_groups(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    group = tmp_path / "self"
    group.write_text("1:cpu:/old\n0::/a/b\n")
    (inner / "cpu.max").write_text("max 100000\n")
    assert settings._quotas(str(tmp_path), str(group)) == []
    (tmp_path / "a" / "cpu.max").write_text("250000 100000\n")
    (inner / "cpu.max").write_text("50000 100000\n")
    assert settings._quotas(str(tmp_path), str(group)) == [2.5, 0.5]
    old = tmp_path / "cpu"
    old.mkdir()
    (old / "cpu.cfs_quota_us").write_text("-1\n")
    (old / "cpu.cfs_period_us").write_text("100000\n")
    assert settings._quotas(str(tmp_path), str(tmp_path / "none")) == []
    (old / "cpu.cfs_quota_us").write_text("150000\n")
    assert settings._quotas(str(tmp_path), str(tmp_path / "none")) == [1.5]


@pytest.mark.parametrize("text", ["0", "-2", "two", "1.5"])
def test_wrong_number_of_threads(monkeypatch, text):
    monkeypatch.setenv("TEGULA_COMPILE_THREADS", text)
    with pytest.raises(tegula.LaunchValueError,
                       match="TEGULA_COMPILE_THREADS: expected an integer from 1, got") as caught:
        tuned()[(1,)](np.zeros(4, np.int32), 4)
    assert caught.value.id == "invalid-option"


def test_warmup_compiles_side_by_side(monkeypatch):
    monkeypatch.setenv("TEGULA_COMPILE_THREADS", "2")
    kernel = tuned()
    assert len(kernel.warmup(np.zeros(4, np.int32), 4)) == len(BLOCKS)
    assert watch.most == 2
    kernel[(1,)](np.zeros(4, np.int32), 4)
    assert watch.count == len(BLOCKS)  # the tuning found them all compiled


def test_heuristics_below_are_computed_for_each_configuration():
    threads = []

    def double(args):
        threads.append(threading.current_thread())
        return args["BLOCK"] * 2

    def kernel(x, n, BLOCK: tl.constexpr, TWICE: tl.constexpr):
        tl.store(x, compiling(TWICE))

    global watch
    watch = Watch()
    configs = [tegula.Config({"BLOCK": block}) for block in BLOCKS]
    inner = tegula.heuristics({"TWICE": double})(tegula.jit(kernel))
    outer = tegula.autotune(configs, ["n"], do_bench=watch.bench)(inner)
    x = np.zeros(4, np.int32)
    outer[(1,)](x, 4)
    assert x[0] == 2 * outer.best_config.kwargs["BLOCK"]
    assert watch.count == len(BLOCKS) and not watch.beside_timing
    # The program's functions run on the thread that launches.
    assert set(threads) == {threading.main_thread()}


def test_a_hook_that_sets_a_block_is_called_ahead_of_the_compile():
    def copy_block(source, target, n, BLOCK: tl.constexpr):
        target.store([0], source.load([0]) + compiling(0))

    def set_blocks(args):
        args["source"].block_shape = args["target"].block_shape = [args["BLOCK"]]

    global watch
    watch = Watch()
    configs = [tegula.Config({"BLOCK": block}, pre_hook=set_blocks) for block in (8, 16, 32)]
    kernel = tegula.autotune(configs, ["n"], do_bench=watch.bench)(tegula.jit(copy_block))
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    source, target = (tegula.TensorDescriptor(a, [64], [1], [1]) for a in (x, y))
    kernel[(1,)](source, target, 64)
    block = kernel.best_config.kwargs["BLOCK"]
    np.testing.assert_array_equal(y[:block], x[:block])
    assert kernel.configs_failures == {}
    # Each block was compiled once, in the parallel part: not again while it was timed.
    assert watch.count == 3 and not watch.beside_timing
    assert all(name.startswith("tegula-compile") for name in watch.threads)


def test_a_hook_is_not_called_for_compiling_where_it_cannot_matter():
    calls = []
    configs = [tegula.Config({"BLOCK": b}, pre_hook=lambda args: calls.append(args["BLOCK"]))
               for b in (1, 2)]
    kernel = tegula.autotune(configs, ["n"], do_bench=lambda fn, quantiles: fn() or 1.0)(
        tegula.jit(watched))
    kernel[(1,)](np.zeros(4, np.int32), 4)
    assert calls == [1, 2, 1]  # one run each, and the launch


def test_interrupt_while_compiling(monkeypatch):
    monkeypatch.setenv("TEGULA_COMPILE_THREADS", "2")
    kernel = tuned(restore_value=["x"])
    watch.pause = 0.2
    x = np.full(40, 7, np.int32)

    def interrupt():
        for _ in range(1000):
            if watch.count:
                break
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        kernel[(1,)](x, 40)
    thread.join()
    begun = watch.count
    assert begun < len(BLOCKS) and kernel.cache == {} and (x == 7).all()
    assert kernel.nargs is None
    kernel[(1,)](x, 40)  # it is usable, and times nothing beside what is left behind
    assert x[0] == kernel.best_config.kwargs["BLOCK"]
    assert not watch.beside_timing and pool._left_behind == []


def test_interrupt_while_timing():
    runs = []

    def bench(fn, quantiles):
        fn()
        runs.append(1)
        if len(runs) == 3:
            raise KeyboardInterrupt
        return 1.0

    def count(x, n, BLOCK: tl.constexpr):
        tl.store(x, tl.load(x) + 1)

    kernel = tuned(fn=count, do_bench=bench, restore_value=["x"])
    x = np.full(4, 5, np.int32)
    with pytest.raises(KeyboardInterrupt):
        kernel[(1,)](x, 4)
    assert x.tolist() == [5] * 4 and kernel.cache == {} and kernel.best_config is None
    kernel[(1,)](x, 4)
    assert x.tolist() == [6, 5, 5, 5] and len(kernel.cache) == 1


class Clock:
    """Time that passes only where a test says so."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        self.runs = 0
        monkeypatch.setattr(bench, "time", self)

    def perf_counter(self):
        return self.now

    def measure(self, milliseconds, warmup, rep, best=math.inf, around=0.0):
        """How many runs of this length there are, and the timing."""
        self.runs = 0

        def wait(length):
            self.now += length / 1e3

        def run():
            self.runs += 1
            wait(milliseconds)

        return bench.measure(run, lambda: wait(around), lambda: wait(around), warmup, rep, best)


def test_what_is_hopeless_is_timed_for_less_long(monkeypatch):
    clock = Clock(monkeypatch)
    assert clock.measure(1, 5, 100) == pytest.approx([1, 1, 1])
    assert abs(clock.runs - (1 + 5 + 100)) <= 1
    assert clock.measure(1, 5, 100, best=0.45) == pytest.approx([1, 1, 1])
    assert abs(clock.runs - (1 + 5)) <= 1
    clock.measure(1, 5, 100, best=0.55)
    assert abs(clock.runs - (1 + 5 + 100)) <= 1


@pytest.mark.parametrize("milliseconds, runs", [(0.1, 50), (0.5, 50), (3.99, 6), (10, 5), (30, 3),
                                                (400, 1)])
def test_slow_kernels_are_run_several_times(monkeypatch, milliseconds, runs):
    clock = Clock(monkeypatch)
    clock.measure(milliseconds, 0, 25)
    assert abs(clock.runs - 2 - runs) <= 1


def test_what_goes_on_around_a_run_is_not_timed_but_limited(monkeypatch):
    clock = Clock(monkeypatch)
    assert clock.measure(1, 0, 110, around=5) == pytest.approx([1, 1, 1])
    assert abs(clock.runs - 2 - 10) <= 1


def test_the_best_and_what_is_close_is_timed_twice(monkeypatch):
    times = {1: [[3, 2, 9], [4, 4, 4]], 2: [[5, 1, 9], [2, 2, 3]], 4: [[9, 8, 9]]}

    def measure(run, before, after, warmup, rep, best):
        before()
        run()
        after()
        return times[x[0]].pop(0)

    monkeypatch.setattr(bench, "measure", measure)
    kernel = tuned((1, 2, 4), do_bench=None, cache_results=False)
    x = np.zeros(4, np.int32)
    kernel[(1,)](x, 4)
    assert list(kernel.configs_timings.values()) == [[3, 2, 9], [2, 2, 3], [9, 8, 9]]
    assert x[0] == 2 and times == {1: [], 2: [], 4: []}
