# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timings of autotune on disk: what is found again, and what must not be."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import BUILD

import tegula
import tegula.language as tl
from tegula import _tegula
from tegula._tuning import bench, store


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty store, and nothing in the environment that speaks of it."""
    monkeypatch.setenv("TEGULA_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    for name in ("TEGULA_CACHE", "TEGULA_AUTOTUNE_CACHE", "TEGULA_ALWAYS_COMPILE", "TEGULA_LOG",
                 "TEGULA_PRINT_AUTOTUNING", "TRITON_CACHE_AUTOTUNING"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def timed(monkeypatch):
    """Blocks of the configurations that the built-in timer is asked to time, in order."""
    blocks = []

    def measure(run, before, after, warmup, rep, best):
        before()
        run()
        after()
        blocks.append(run.__closure__ and next(
            cell.cell_contents["BLOCK"] for cell in run.__closure__
            if isinstance(cell.cell_contents, dict) and "BLOCK" in cell.cell_contents))
        return [2.0 ** len(blocks)] * 3  # the first is by far the best

    monkeypatch.setattr(bench, "measure", measure)
    return blocks


def add_one(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


KERNEL = tegula.jit(add_one)
BLOCKS = (16, 32, 64)


def grid(meta):
    return (tegula.cdiv(meta["n"], meta["BLOCK"]),)


def tuned(blocks=BLOCKS, kernel=KERNEL, key=("n",), hook=None, **options):
    """A tuner as a new process has it: nothing in memory."""
    configs = [tegula.Config({"BLOCK": block}, pre_hook=hook) for block in blocks]
    return tegula.autotune(configs, list(key), **options)(kernel)


def launch(kernel, n=100, dtype=np.float32):
    x = np.zeros(n, dtype)
    kernel[grid](x, n)
    return x


def test_a_known_key_is_not_timed(timed):
    first = tuned()
    launch(first)
    assert timed == [16, 32, 64]
    second = tuned()
    np.testing.assert_array_equal(launch(second), 1)
    assert timed == [16, 32, 64]
    assert second.configs_timings == first.configs_timings
    assert second.best_config == first.best_config == first.configs[0]


def test_only_an_added_configuration_is_timed(timed):
    launch(tuned())
    launch(tuned((16, 128, 64, 8)))
    assert timed == [16, 32, 64, 128, 8]
    launch(tuned((64, 8)))
    assert len(timed) == 5


def test_values_and_element_types_of_the_key_are_told_apart(timed):
    launch(tuned())
    launch(tuned(), 112)
    launch(tuned(), 100, np.float64)
    assert len(timed) == 9
    launch(tuned(key=()))
    assert len(timed) == 12  # another key, another question
    launch(tuned(key=()))
    launch(tuned())
    assert len(timed) == 12


def test_the_order_of_arguments_by_name_does_not_matter(timed):
    x = np.zeros(100, np.float32)
    tuned()[grid](x=x, n=100)
    tuned()[grid](n=100, x=x)
    launch(tuned())
    assert len(timed) == 3


def test_a_changed_kernel_is_timed(timed):
    def other(x, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + i, tl.load(x + i, mask=i < n) + 2, mask=i < n)

    launch(tuned())
    launch(tuned(kernel=tegula.jit(other)))
    assert len(timed) == 6


@pytest.mark.parametrize("fact", ["processor", "cores", "version", "target"])
def test_another_machine_or_version_is_timed(timed, monkeypatch, fact):
    launch(tuned())
    if fact == "processor":
        monkeypatch.setattr(store, "_processor", lambda: "another")
    elif fact == "cores":
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(99)))
    elif fact == "version":
        monkeypatch.setattr(store._tegula, "version", "99.0")
    else:
        monkeypatch.setattr(store, "target_of", lambda option: ["cpu", "cpu", "x", "threads: 1"])
    launch(tuned())
    assert len(timed) == 6
    monkeypatch.undo()


def test_bench_settings_are_part_of_the_question(timed):
    launch(tuned())
    launch(tuned(warmup=bench.WARMUP, rep=bench.REP))  # the default by name
    assert len(timed) == 3
    launch(tuned(rep=7))
    launch(tuned(warmup=7))
    assert len(timed) == 9


def test_arguments_that_no_constant_sees_are_told_apart(timed):
    """A configuration may give a plain argument, of which the compiled kernel knows nothing."""
    def repeat(x, n, BLOCK: tl.constexpr, times):
        for _ in range(times):
            tl.store(x, BLOCK)

    kernel = tegula.jit(repeat)
    for times in ((6, 10), (10, 18)):
        configs = [tegula.Config({"BLOCK": 4, "times": t}) for t in times]
        tegula.autotune(configs, ["n"])(kernel)[(1,)](np.zeros(4, np.int32), 4)
    assert len(timed) == 3


def test_variables_turn_it_off(timed, monkeypatch):
    monkeypatch.setenv("TEGULA_AUTOTUNE_CACHE", "off")
    launch(tuned())
    launch(tuned())
    assert len(timed) == 6
    monkeypatch.setenv("TEGULA_AUTOTUNE_CACHE", "on")
    launch(tuned())
    assert len(timed) == 9  # what was timed while it was off was not kept
    launch(tuned())
    assert len(timed) == 9


def test_the_knob_turns_it_off(timed):
    with tegula.knobs.autotuning.scope():
        tegula.knobs.autotuning.cache = False
        launch(tuned())
        launch(tuned())
        assert len(timed) == 6
        tegula.knobs.autotuning.cache = True
        launch(tuned())
        launch(tuned())
    assert len(timed) == 9


def test_the_listener_hears_what_came_from_disk(timed, monkeypatch):
    told = []
    monkeypatch.setattr(tegula.knobs.autotuning, "listener",
                        lambda **facts: told.append((facts["cache_hit"], facts["duration"])))
    kernel = tuned()
    launch(kernel)
    kernel.cache.clear()
    launch(kernel)
    launch(tuned((16, 128)))
    assert [hit for hit, _ in told] == [False, True, False]
    assert told[0][1] > 0 and told[1][1] is None and told[2][1] > 0


def counting(calls):
    def bench_(fn, quantiles):
        fn()
        calls.append(1)
        return [float(len(calls))] * 3

    return bench_


def test_a_timer_of_ones_own_is_not_kept():
    calls = []
    launch(tuned(do_bench=counting(calls)))
    launch(tuned(do_bench=counting(calls)))
    assert len(calls) == 6


def test_a_timer_of_ones_own_is_kept_on_request():
    calls = []
    timer = counting(calls)
    launch(tuned(do_bench=timer, cache_results=True))
    second = tuned(do_bench=timer, cache_results=True)
    launch(second)
    assert len(calls) == 3 and list(second.configs_timings.values()) == [[i] * 3 for i in (1, 2, 3)]
    launch(tuned())  # the built-in one answers another question
    assert len(calls) == 3


@pytest.mark.parametrize("option", ["pre_hook", "post_hook"])
def test_hooks_make_results_private(timed, option):
    options = {option: lambda *args, **kwargs: None}
    launch(tuned(**options))
    launch(tuned(**options))
    assert len(timed) == 6
    launch(tuned(cache_results=True, **options))
    launch(tuned(cache_results=True, **options))
    assert len(timed) == 9


def test_never_on_request(timed):
    launch(tuned(cache_results=False))
    launch(tuned(cache_results=False))
    assert len(timed) == 6


def touch(args):
    args["x"].base if hasattr(args["x"], "base") else None


def touch_twice(args):
    touch(args)
    touch(args)


def test_hooks_of_configurations_count_by_their_code(timed):
    launch(tuned(hook=touch))
    launch(tuned(hook=touch))
    assert len(timed) == 3
    launch(tuned(hook=touch_twice))
    assert len(timed) == 6
    value = 1
    for _ in range(2):
        launch(tuned(hook=lambda args: value))  # a closure: what it does is not known
    assert len(timed) == 12


def test_what_is_no_timing_is_timed_anew(timed, monkeypatch):
    launch(tuned())
    for data in (b"", b"{", b"[]", b'{"timing": "fast"}', b'{"timing": []}', b'{"timing": [NaN]}',
                 b'{"timing": [1, null]}', b"\xff\xfe"):
        monkeypatch.setattr(store, "_cache_get", lambda kind, name, data=data: data)
        timed.clear()
        launch(tuned())
        assert timed == [16, 32, 64]


class Opaque:
    """A value whose text says where it lies in memory."""


def test_values_without_a_lasting_text_are_not_kept(timed, monkeypatch):
    names = []
    monkeypatch.setattr(store, "put", lambda name, timing: names.append(name))

    def kernel(x, n, mode: tl.constexpr, BLOCK: tl.constexpr):
        tl.store(x, BLOCK)

    jitted = tegula.jit(kernel)
    for mode, kept in (("text", 2), ((1, "a", None, 2.5), 2), (KERNEL, None), (tl.float16, 2)):
        names.clear()
        configs = [tegula.Config({"BLOCK": b}) for b in (2, 4)]
        tegula.autotune(configs, ["mode"])(jitted)[(1,)](np.zeros(4, np.int32), 4, mode=mode)
        assert kept is None or len(names) == kept
    assert store._text(Opaque()) is None and store._text((1, Opaque())) is None


def test_timings_that_cannot_be_kept(monkeypatch):
    kept = []
    monkeypatch.setattr(store, "_cache_put", lambda kind, name, data: kept.append(data))
    for timing in (float("inf"), [1.0, float("nan")], [], "1", [True], None):
        store.put("0" * 64, timing)
    assert kept == []
    store.put("0" * 64, (1, 2.5))
    assert json.loads(kept[0]) == {"timing": [1, 2.5]}


def test_a_configuration_that_fails_is_not_kept(timed):
    for _ in range(2):
        kernel = tuned((16, 3))
        launch(kernel)
        assert list(kernel.configs_failures) == [kernel.configs[1]]
    assert timed == [16]


@pytest.mark.parametrize("option, first", [("reset_to_zero", 1), ("restore_value", 8)])
def test_the_first_launch_is_the_same_with_and_without_the_store(timed, option, first):
    for _ in range(2):
        x = np.full(100, 7, np.int32)
        kernel = tuned(**{option: ["x"]})
        kernel[grid](x, 100)
        np.testing.assert_array_equal(x, first)
        kernel[grid](x, 100)
        np.testing.assert_array_equal(x, first + 1)
    assert len(timed) == 3


def test_an_interrupted_tuning_goes_on_where_it_was(timed, monkeypatch):
    measure = bench.measure

    def interrupted(*args):
        if len(timed) == 2:
            raise KeyboardInterrupt
        return measure(*args)

    monkeypatch.setattr(bench, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        launch(tuned())
    monkeypatch.setattr(bench, "measure", measure)
    launch(tuned())
    assert timed == [16, 32, 64]


SCRIPT = '''
import json, sys
sys.path.insert(0, {path!r})
import numpy as np, tegula, tegula.language as tl
from tegula._tuning import bench
timed = []


def measure(run, before, after, warmup, rep, best):
    run()
    timed.append(1)
    return [float(len(timed))] * 3


bench.measure = measure

@tegula.autotune([tegula.Config({{"BLOCK": b}}) for b in {blocks}], ["n"], warmup=1, rep=1)
@tegula.jit
def k(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, {value}, mask=i < n)

x = np.zeros(8, np.int32)
k[(1,)](x, 8)
assert (x == {value}).all()
print(len(timed), k.best_config)
'''


def run_script(folder, blocks=(8, 16), value=3, **env):
    file = folder / "script.py"
    file.write_text(SCRIPT.format(path=str(BUILD / "python"), blocks=blocks, value=value))
    done = subprocess.run([sys.executable, str(file)], env=dict(os.environ, **env), text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    count, best = done.stdout.split(" ", 1)
    return int(count), best, done.stderr


def test_a_new_process_times_nothing(folder):
    count, best, _ = run_script(folder)
    assert count == 2
    assert run_script(folder)[:2] == (0, best)
    assert run_script(folder, (8, 16, 32))[0] == 1
    assert run_script(folder, value=4)[0] == 2
    assert run_script(folder, TEGULA_AUTOTUNE_CACHE="off")[0] == 2


def test_a_line_for_each_tuning(folder):
    _, _, first = run_script(folder, TEGULA_PRINT_AUTOTUNING="1")
    assert "tegula: autotune: k: 2 configurations in " in first
    assert ", 0 from disk; best for (8, 'int32'): BLOCK: " in first
    _, best, second = run_script(folder, TEGULA_PRINT_AUTOTUNING="1")
    assert ", 2 from disk; best" in second and best.strip() in second
    assert len(second.splitlines()) == 1
    assert run_script(folder, TEGULA_PRINT_AUTOTUNING="0")[2] == ""


def test_a_line_for_each_configuration(folder):
    lines = run_script(folder, (8, 3, 16), TEGULA_LOG="autotune,other")[2].splitlines()
    assert len(lines) == 3 and all(line.startswith("tegula: autotune: k: BLOCK: ")
                                   for line in lines)
    assert ": failed: CompilationError: " in lines[1] and " ms (" in lines[0]
    lines = run_script(folder, (8, 3, 16), TEGULA_LOG="autotune")[2].splitlines()
    assert lines[0].endswith(", from disk") and ": failed: " in lines[1]
    assert run_script(folder, (8, 3, 16))[2] == ""


def test_the_store_itself():
    name = "ab" * 32
    assert store.get(name) is None
    store.put(name, [1.5, 1.0, 2.0])
    assert store.get(name) == [1.5, 1.0, 2.0]
    assert isinstance(_tegula.cache_get("timing", name), bytes)
