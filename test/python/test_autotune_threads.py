# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One autotuned kernel in many threads: nothing of a call is shared."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import tegula
import tegula.language as tl

CONFIGS = [tegula.Config({"BLOCK": block}) for block in (16, 64)]


@tegula.jit
def add_one(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


def grid(meta):
    return (tegula.cdiv(meta["n"], meta["BLOCK"]),)


def in_threads(functions):
    """Runs functions at the same time; the exceptions that they raise."""
    errors = []

    def guarded(function):
        try:
            function()
        except BaseException as error:  # pylint: disable=broad-except
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return errors


class Bench:
    """A timer that takes a while and knows whether two timings overlapped."""

    def __init__(self, pause=0.01):
        self.pause, self.now, self.count, self.overlap = pause, 0, 0, False
        self.lock = threading.Lock()

    def __call__(self, fn, quantiles):
        with self.lock:
            self.now += 1
            self.count += 1
            self.overlap |= self.now > 1
        fn()
        time.sleep(self.pause)
        with self.lock:
            self.now -= 1
        return 1.0


def tuned(bench, **options):
    return tegula.autotune(CONFIGS, ["n"], do_bench=bench, restore_value=["x"], **options)(add_one)


def test_threads_with_different_keys_tune_one_after_the_other():
    bench = Bench()
    kernel = tuned(bench)
    arrays = [np.full(100 + i, i, np.int32) for i in range(6)]
    assert in_threads([lambda a=a: kernel[grid](a, a.size) for a in arrays]) == []
    assert bench.count == 12 and not bench.overlap and len(kernel.cache) == 6
    for i, array in enumerate(arrays):
        np.testing.assert_array_equal(array, i + 1)


def test_different_kernels_are_not_timed_at_the_same_time():
    bench = Bench()
    kernels = [tuned(bench) for _ in range(4)]
    assert in_threads([lambda k=k: k[grid](np.zeros(9, np.int32), 9) for k in kernels]) == []
    assert bench.count == 8 and not bench.overlap


def test_a_known_key_does_not_wait_for_a_tuning():
    entered, leave = threading.Event(), threading.Event()

    def bench(fn, quantiles):
        fn()
        if tuning:
            entered.set()
            assert leave.wait(30)
        return 1.0

    tuning = False
    kernel = tuned(bench)
    x = np.zeros(50, np.int32)
    kernel[grid](x, 50)
    tuning = True
    thread = threading.Thread(target=lambda: kernel[grid](np.zeros(51, np.int32), 51))
    thread.start()
    assert entered.wait(30)
    kernel[grid](x, 50)
    kernel[grid](n=50, x=x)  # the same key in a call of another form
    assert thread.is_alive()
    leave.set()
    thread.join(30)
    np.testing.assert_array_equal(x, 3)


def test_threads_that_share_a_key_tune_it_once():
    bench = Bench()
    kernel = tuned(bench)
    arrays = [np.zeros(77, np.int32) for _ in range(8)]
    assert in_threads([lambda a=a: kernel[grid](a, 77) for a in arrays]) == []
    assert bench.count == 2
    assert all((array == 1).all() for array in arrays)


def test_arguments_by_name_belong_to_their_thread():
    seen, barrier = [], threading.Barrier(2, timeout=30)

    def prune(configs, named, **kwargs):
        seen.append((named["n"], kernel.nargs["n"], named["x"].size))
        return configs[:1]

    kernel = tegula.autotune(CONFIGS, ["n"], prune_configs_by={"early_config_prune": prune})(
        add_one)

    def launch(n):
        assert kernel.nargs is None
        barrier.wait()
        kernel[grid](np.zeros(n, np.int32), n)
        assert kernel.nargs is None

    assert in_threads([lambda n=n: launch(n) for n in (5, 6)]) == []
    assert sorted(seen) == [(5, 5, 5), (6, 6, 6)]


def test_one_that_fails_lets_the_others_tune():
    kernel = tuned(Bench())
    wrong = in_threads([lambda: kernel[grid]("text", 9), lambda: kernel[grid](None, 9),
                        lambda: kernel[grid](np.zeros(9, np.int32), 9)])
    assert len(wrong) == 2 and all(isinstance(error, tegula.Error) for error in wrong)
    assert len(kernel.cache) == 1


def test_a_timer_may_tune_another_kernel():
    inner = tuned(Bench())

    def bench(fn, quantiles):
        inner[grid](np.zeros(9, np.int32), 9)
        fn()
        return 1.0

    x = np.zeros(9, np.int32)
    tuned(bench)[grid](x, 9)
    np.testing.assert_array_equal(x, 1)
    assert len(inner.cache) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_of_a_process_that_tunes():
    entered, leave = threading.Event(), threading.Event()

    def bench(fn, quantiles):
        if parent == os.getpid():
            entered.set()
            leave.wait(30)
        fn()
        return 1.0

    parent = os.getpid()
    kernel = tuned(bench)
    add_one.warmup(np.zeros(9, np.int32), 9, BLOCK=16)
    thread = threading.Thread(target=lambda: kernel[grid](np.zeros(9, np.int32), 9))
    thread.start()
    assert entered.wait(30)
    child = os.fork()
    if child == 0:  # the lock of the tuning thread is not here, nor are its threads
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # not that of the parent's timer
        signal.alarm(30)
        code = 1
        try:
            from tegula._tuning import tuning
            code = 0 if tuning.alone().acquire(timeout=5) else 1
        finally:
            os._exit(code)  # whatever happens: there are two of this process
    leave.set()
    thread.join(30)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_many_launches_of_many_keys():
    kernel = tegula.autotune(CONFIGS, ["n"], do_bench=lambda fn, quantiles: fn() or 1.0,
                             restore_value=["x"])(add_one)
    sizes = [3, 17, 64, 65]

    def work(seed):
        rng = np.random.default_rng(seed)
        arrays = {n: np.zeros(n, np.int64) for n in sizes}
        counts = dict.fromkeys(sizes, 0)
        for n in rng.choice(sizes, 200):
            kernel[grid](arrays[n], int(n))
            counts[n] += 1
        for n in sizes:
            np.testing.assert_array_equal(arrays[n], counts[n])

    assert in_threads([lambda s=s: work(s) for s in range(4)]) == []
    assert len(kernel.cache) == len(sizes)
