# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tegula.testing: timing, comparing, limits of the device."""

import math
import os
import threading
import time

import numpy as np
import pytest

import tegula
import tegula.language as tl
from tegula import testing
from tegula.testing import _timing


class Counter:
    """A function that counts its calls and takes `ms` milliseconds."""

    def __init__(self, ms=0.0):
        self.calls, self.ms = 0, ms

    def __call__(self):
        self.calls += 1
        time.sleep(self.ms / 1e3)


# -- timing --------------------------------------------------------------------------

@pytest.mark.parametrize("cold", [False, True])
def test_time_is_that_of_the_function(cold):
    times = testing.do_bench(Counter(20), warmup=1, rep=60, return_mode="all", cold=cold)
    assert len(times) >= 1
    assert min(times) >= 20
    assert testing.do_bench(Counter(20), warmup=1, rep=1, return_mode="min", cold=cold) >= 20


def test_rep_bounds_the_runs():
    fn = Counter(5)
    times = testing.do_bench(fn, warmup=0, rep=50, return_mode="all", cold=False)
    assert 1 <= len(times) <= 10
    assert fn.calls == len(times) + 2  # one that compiles, one that warms up


def test_a_slow_flush_leaves_five_runs(monkeypatch):
    monkeypatch.setattr(_timing, "flush_caches", Counter(15))
    times = testing.do_bench(Counter(0.1), warmup=0, rep=30, return_mode="all")
    assert len(times) == 5
    # A function that is slow itself gets no more than rep allows.
    assert len(testing.do_bench(Counter(20), warmup=0, rep=20, return_mode="all")) == 1


def test_flush_comes_ahead_of_each_timed_run(monkeypatch):
    events = []
    monkeypatch.setattr(_timing, "flush_caches", lambda: events.append("flush"))
    clock = iter(range(1000))
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock) / 1000)
    testing.do_bench(lambda: events.append("run"), warmup=1, rep=4)
    # Two flushes make the buffer and tell what one costs.
    timed = events[events.index("flush") + 2:]
    assert timed and timed == ["flush", "run"] * (len(timed) // 2)


def test_warm_runs_flush_nothing(monkeypatch):
    flushes = Counter()
    monkeypatch.setattr(_timing, "flush_caches", flushes)
    testing.do_bench(Counter(), warmup=0, rep=1, cold=False)
    testing.measure(Counter(), warmup=0, rep=1)
    testing.do_bench_cudagraph(Counter(), rep=1)
    assert flushes.calls == 0


def test_return_modes():
    def results():
        times = iter([9.0, 4.0, 1.0, 2.0, 5.0])
        return lambda *args, **kwargs: list(times)

    expected = {"mean": 4.2, "min": 1.0, "max": 9.0, "median": 4.0, "all": [9.0, 4, 1, 2, 5]}
    for mode, value in expected.items():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_timing, "measure", results())
            assert testing.do_bench(Counter(), return_mode=mode) == value


def test_quantiles(monkeypatch):
    monkeypatch.setattr(_timing, "measure", lambda *args, **kwargs: [4.0, 1.0, 3.0, 2.0])
    assert testing.do_bench(Counter(), quantiles=[0.5, 0.2, 1]) == pytest.approx([2.5, 1.6, 4])
    assert testing.do_bench(Counter(), quantiles=[0.5]) == 2.5
    # They win over the mode, as numbers of another library do.
    assert testing.do_bench(Counter(), quantiles=np.array([0.0]), return_mode="all") == 1


def test_gradients_are_dropped_ahead_of_each_call():
    class Tensor:
        grad = 1

    tensor, seen = Tensor(), []

    def fn():
        seen.append(tensor.grad)
        tensor.grad = 1

    for bench in (testing.do_bench, testing.do_bench_cudagraph):
        seen.clear()
        bench(fn, rep=1, grad_to_none=[tensor])
        assert seen and set(seen) == {None}


def test_graph_times_batches():
    fn = Counter(1)
    times = testing.do_bench_cudagraph(fn, rep=50, return_mode="all")
    assert len(times) == 10
    assert min(times) >= 1
    assert len(testing.do_bench_cudagraph(fn, rep=1, quantiles=[0.2, 0.8])) == 2


def test_what_the_function_raises_goes_through():
    with pytest.raises(ZeroDivisionError):
        testing.do_bench(lambda: 1 / 0)


def test_flushing_reads_as_much_as_the_caches_hold():
    testing.flush_caches()
    sizes = sorted(_timing.cache_sizes().items())[-2:]
    wanted = min(sum(size for _, size in sizes) or 64 << 20, 512 << 20)
    assert 0 <= wanted - _timing._flusher.size < 4096
    threads = [threading.Thread(target=testing.flush_caches) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_cache_sizes_of_this_machine():
    for level, size in _timing.cache_sizes().items():
        assert 1 <= level <= 5 and size >= 1024
    assert [_timing._size(text) for text in ("48K", "2M", "512", "", "big")] == [
        49152, 2 << 20, 512, 0, 0]


WRONG_TIMING = {
    "fn": (dict(fn=3), "argument 'fn' of do_bench: expected a function, got 3"),
    "mode": (dict(fn=print, return_mode="meen"), "argument 'return_mode' of do_bench: expected one "
             "of mean, min, max, median, all, got 'meen'; did you mean 'mean'?"),
    "mode type": (dict(fn=print, return_mode=3), "argument 'return_mode' of do_bench: expected one "
                  "of mean, min, max, median, all, got 3"),
    "rep": (dict(fn=print, rep=-1), "argument 'rep' of do_bench: expected a number of at least 0, "
            "got -1"),
    "nan": (dict(fn=print, warmup=math.nan), "argument 'warmup' of do_bench: expected a number of "
            "at least 0, got nan"),
    "text": (dict(fn=print, rep="100"), "argument 'rep' of do_bench: expected a number of at least "
             "0, got '100'"),
    "list": (dict(fn=print, rep=[1]), "argument 'rep' of do_bench: expected a number of at least "
             "0, got [1]"),
    "fraction": (dict(fn=print, quantiles=[20]), "argument 'quantiles' of do_bench: expected a "
                 "list of fractions from 0 to 1, got [20]"),
    "no fraction": (dict(fn=print, quantiles=[]), "argument 'quantiles' of do_bench: expected a "
                    "list of fractions from 0 to 1, got []"),
    "number": (dict(fn=print, quantiles=0.5), "argument 'quantiles' of do_bench: expected a list "
               "of fractions from 0 to 1, got 0.5"),
    "gradient": (dict(fn=print, grad_to_none=3), "argument 'grad_to_none' of do_bench: expected a "
                 "list of tensors, got 3"),
}


@pytest.mark.parametrize("name", WRONG_TIMING)
def test_wrong_arguments(name):
    arguments, text = WRONG_TIMING[name]
    with pytest.raises(tegula.LaunchError) as error:
        testing.do_bench(**arguments)
    assert str(error.value) == f"{text} [invalid-option]"
    arguments.pop("warmup", None)
    if len(arguments) > 1 or name == "fn":
        with pytest.raises(tegula.LaunchError) as error:
            testing.do_bench_cudagraph(**arguments)
        assert str(error.value) == f"{text} [invalid-option]".replace("do_bench",
                                                                      "do_bench_cudagraph")


def test_kinds_of_mistakes():
    with pytest.raises(TypeError):
        testing.do_bench(3)
    with pytest.raises(ValueError):
        testing.do_bench(print, return_mode="average")


# -- limits --------------------------------------------------------------------------

def test_limits_are_measured_once():
    limits = testing.device_limits()
    assert testing.device_limits("cpu") is limits
    assert limits.kind == "cpu" and limits.processors == len(os.sched_getaffinity(0))
    assert 0.05 < limits.clock_ghz < 20
    assert 0.1 < limits.gbps < 10000
    assert set(limits.tflops) == {"float32", "float64"}
    assert all(1e-4 < rate < 1000 for rate in limits.tflops.values())
    assert testing.get_dram_gbps() == testing.get_dram_gbps(0) == limits.gbps


FIXED = testing.DeviceLimits("a processor", "cpu", 2, 2.0, {2: 1 << 20}, 10.0,
                             {"float32": 0.1, "float64": 0.05})


def test_roofline():
    assert FIXED.roofline(2e9, 0) == pytest.approx(20)
    assert FIXED.roofline(2e9, 0, np.float64) == pytest.approx(40)
    assert FIXED.roofline(2e9, 1e9, tegula.language.float16) == pytest.approx(100)
    assert FIXED.roofline(0, 0) == 0


def test_estimates(monkeypatch):
    limits = tegula.testing._limits
    count = len(os.sched_getaffinity(0))
    monkeypatch.setattr(limits, "device_limits", lambda: FIXED)
    for flags, vendor, family, operations in (
            ({"avx512f", "fma"}, "GenuineIntel", "6", 64), ({"avx512f"}, "AuthenticAMD", "25", 32),
            ({"avx512f"}, "AuthenticAMD", "26", 64), ({"fma", "avx"}, "x", "6", 32),
            ({"avx"}, "x", "6", 16), ({"asimd"}, "", "", 16), (set(), "", "", 8)):
        monkeypatch.setattr(limits, "_cpu_info", lambda: ("name", flags, vendor, family))
        single = testing.get_max_simd_tflops("fp32", 1e6)
        assert single == pytest.approx(count * operations * 1e-3)
        assert testing.get_max_simd_tflops(np.float64, 1e6) == pytest.approx(single / 2)
        assert testing.get_max_tensorcore_tflops(np.dtype("float16"), 1e6, "cpu") == single
        assert testing.get_max_simd_tflops(tegula.language.bfloat16) == pytest.approx(2 * single)


def test_clocks_are_left_alone(monkeypatch):
    monkeypatch.setattr(tegula.testing._limits, "device_limits", lambda: FIXED)
    with testing.set_gpu_clock() as (tflops, gbps):
        assert (tflops, gbps) == (0.1, 10.0)


def test_wrong_limits():
    with pytest.raises(ValueError) as error:
        testing.device_limits("cuda:0")
    assert str(error.value) == ("argument 'device' of device_limits: expected 'cpu', 0 or None, "
                                "got 'cuda:0' [invalid-option]")
    with pytest.raises(ValueError) as error:
        testing.get_max_simd_tflops("float33", 1e6)
    assert "argument 'dtype' of get_max_simd_tflops: expected a type among float32, tf32, " in str(
        error.value)
    assert str(error.value).endswith("got 'float33'; did you mean 'float32'? [invalid-option]")
    with pytest.raises(tegula.LaunchValueError, match="'clock_rate' of get_max_tensorcore_tflops"):
        testing.get_max_tensorcore_tflops("fp32", -1)


def test_nvsmi(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(tegula.TargetError) as error:
        testing.nvsmi(["clocks.current.sm"])
    assert str(error.value) == ("nvsmi: expected the program 'nvidia-smi', which comes with "
                                "NVIDIA's driver, on the PATH, got none [no-such-device]")
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho '1980, 2619'\n")
    program.chmod(0o755)
    assert testing.nvsmi(["clocks.current.sm", "clocks.current.memory"]) == [1980, 2619]
    program.write_text("#!/bin/sh\necho no device >&2\n")
    with pytest.raises(tegula.TargetError) as error:
        testing.nvsmi(["a", "b"])
    assert "nvsmi: expected numbers for a, b, got 'no device'" in str(error.value)


# -- perf ----------------------------------------------------------------------------

def test_kernels_for_perf(tmp_path):
    @tegula.jit
    def fill(x):
        tl.store(x, 1.0)

    path = testing.save_for_perf(fill[(1,)](np.zeros(1, np.float32)), tmp_path / "new")
    assert path == str(tmp_path / "new" / "memfd:tegula-kernel (deleted)")
    with open(path, "rb") as file:
        library = file.read()
    assert library[:4] == b"\x7fELF" and b"fill" in library
    with pytest.raises(TypeError) as error:
        testing.save_for_perf(fill, tmp_path)
    assert str(error.value) == ("argument 'compiled' of save_for_perf: expected a compiled kernel, "
                                "as a launch returns it, got JITFunction [invalid-option]")
