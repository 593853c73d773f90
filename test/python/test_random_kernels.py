# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random whole kernels against an interpretation in NumPy; docs/fuzzing.md."""

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

FUZZ = Path(__file__).resolve().parents[1] / "fuzz"
sys.path.insert(0, str(FUZZ))

import kernels.run  # noqa: E402
from kernels import exact, ops  # noqa: E402
from kernels.coverage import WANTED, features, missing  # noqa: E402
from kernels.generate import Generator, generate  # noqa: E402
from kernels.ir import Invalid, all_statements  # noqa: E402
from kernels.launch import Failure, Variant, check, descriptor_file  # noqa: E402
from kernels.printing import kernel_text  # noqa: E402
from kernels.reproduce import reproducer  # noqa: E402
from kernels.run import run  # noqa: E402
from kernels.shrink import shrink  # noqa: E402

LONG = bool(os.environ.get("TEGULA_LONG_TESTS"))
REGRESSIONS = sorted((FUZZ / "kernels/regressions").glob("*.py"))
EVERY_PASS = ("canonicalize", "cse", "llvm-optimize", "loop-invariant-code-motion",
              "tile-uniform-advance")


@pytest.fixture(autouse=True)
def keep_target(monkeypatch):
    """Launches set the target; tests after these find the one they had."""
    monkeypatch.setenv("TEGULA_TARGET", os.environ.get("TEGULA_TARGET", ""))


def test_kernels(tmp_path):
    result = run(1, 20000 if LONG else 200, os.cpu_count() or 1, tmp_path, seconds=30,
                 show=lambda text: None, stop_after=3)
    assert not result["failures"], "\n\n".join(result["failures"])
    assert result["tried"] == (20000 if LONG else 200)


@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda p: p.stem)
@pytest.mark.parametrize("variant", [
    Variant(), Variant("x86-64-v2"), Variant("x86-64-v3"), Variant("x86-64-v4"),
    Variant("native", EVERY_PASS), Variant("x86-64-v2", ("canonicalize", )),
    Variant("x86-64-v3", EVERY_PASS)], ids=str)
def test_regression(path, variant, monkeypatch):
    monkeypatch.setenv("TEGULA_TARGET", descriptor_file(variant))
    spec = importlib.util.spec_from_file_location(f"regression_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main()


def test_seeds_are_deterministic():
    first, second = generate(11), generate(11)
    assert kernel_text(first[0]) == kernel_text(second[0])
    assert all((a.bytes == b.bytes).all() for a, b in zip(first[1], second[1]))
    assert kernel_text(first[0]) != kernel_text(generate(12)[0])


def test_everything_is_generated():
    """Each feature of the table occurs within some seeds; no compiler is needed for that."""
    found = set()
    for seed in range(800):
        kernel = Generator(seed * 100).make()
        found |= features(kernel)
    assert not missing(found), f"never generated: {', '.join(missing(found))}"
    assert len(WANTED) > 150


def failing_seed(seeds=range(1, 400)):
    """(kernel, failure) of the first seed that fails."""
    for seed in seeds:
        kernel, arenas = generate(seed)
        failure = check(kernel, arenas, [Variant()])
        if failure:
            return kernel, failure
    raise AssertionError("the planted fault was not found")


def shrunk(kernel, failure):
    return shrink(kernel, failure, lambda k, arenas: check(k, arenas, [failure.variant]), 12)


def planted_xor(monkeypatch):
    real = exact._int_binary
    monkeypatch.setattr(exact, "_int_binary", lambda op, x, y, name: real(
        "|" if op == "^" else op, x, y, name))


def planted_mask(monkeypatch):
    """Stores ignore the last element that a mask lets through."""
    real = ops.Store.run

    def run(m, s):
        if s.args[2] is None:
            return real(m, s)
        dtype = m.types[s.args[0]].element
        pointer = np.broadcast_to(m.value(s.args[0]), np.shape(m.value(s.args[2])))
        mask = np.array(m.value(s.args[2], "bool"))
        on = np.flatnonzero(mask)
        if on.size:
            mask.reshape(-1)[on[-1]] = False
        m.store(pointer, m.value(s.args[1], dtype), mask, dtype)
    monkeypatch.setattr(ops.Store, "run", run)


def planted_cast(monkeypatch):
    real = exact._float_to_int
    monkeypatch.setattr(exact, "_float_to_int", lambda x, target: real(np.rint(x), target))


@pytest.mark.parametrize("plant", [planted_xor, planted_mask, planted_cast])
def test_planted_faults_are_found(plant, monkeypatch, tmp_path):
    """A fault on either side is a mismatch, and little of the kernel is left of it."""
    plant(monkeypatch)
    kernel, failure = failing_seed()
    assert failure.kind == "mismatch" and failure.places
    before = sum(1 for _ in all_statements(kernel))
    small, last = shrunk(kernel, failure)
    after = sum(1 for _ in all_statements(small))
    assert last.kind == "mismatch" and after <= 25 and after < before
    text = reproducer(small, [failure.variant], "planted")
    path = tmp_path / "reproducer.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("reproducer", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(AssertionError, match="expected"):
        module.main()


def test_refused_kernels_are_findings(monkeypatch):
    monkeypatch.setattr(ops.Unary, "text", lambda k, s, a: f"tl.no_such({a[0]})")
    kernel, failure = failing_seed()
    assert failure.kind == "refused" and "no_such" in failure.text
    small, _ = shrunk(kernel, failure)
    assert sum(1 for _ in all_statements(small)) <= 8


def test_crashes_are_findings(monkeypatch, tmp_path):
    """A worker that dies on a seed is reported, and the next seed is tried."""
    def start(first, step, count, folder, seconds, what):
        crash = "os.kill(os.getpid(), 9)" if first == 3 else (
            f"print(json.dumps({{'done': {first}, 'features': []}}), flush=True)")
        code = (f"import json, os; print(json.dumps({{'start': {first}}}), flush=True); {crash}")
        return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    monkeypatch.setattr(kernels.run, "start_worker", start)
    monkeypatch.setattr(kernels.run, "report", lambda seed, kernel, failure, folder, seconds, what:
                        f"seed {seed}: {failure.text}")
    result = run(2, 4, 1, tmp_path, show=lambda text: None)
    assert result["failures"] == ["seed 3: worker ended with -9"] and result["tried"] == 3


def test_a_build_under_way_ends_the_run(monkeypatch, tmp_path):
    """Plugins of another build refuse everything: that says nothing about kernels."""
    def start(first, step, count, folder, seconds, what):
        code = "import json; print(json.dumps({'stop': 'other headers [E142]'}), flush=True)"
        return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    monkeypatch.setattr(kernels.run, "start_worker", start)
    result = run(2, 400, 1, tmp_path, show=lambda text: None)
    assert result["failures"] == ["other headers [E142]"] and result["tried"] == 0
    monkeypatch.setattr(kernels.run, "check", lambda *args: Failure(
        "refused", Variant(), 0, "other headers [E142]", []))
    with pytest.raises(kernels.run.OtherBuild):
        kernels.run.try_seed(1)


def test_isolated_checks_outlive_crashes(monkeypatch):
    kernel, arenas = generate(2)
    monkeypatch.setattr(kernels.run, "check", lambda *args: os.kill(os.getpid(), 9))
    failure = kernels.run.isolated_check(kernel, arenas, [Variant()])
    assert failure.kind == "crash" and failure.text == "signal 9"
    monkeypatch.setattr(kernels.run, "check", lambda *args: None)
    assert kernels.run.isolated_check(kernel, arenas, [Variant()]) is None


def test_kernels_without_a_result_are_dropped(monkeypatch):
    """Programs that meet in memory have no defined result."""
    kernel, _ = generate(1)
    for seed in range(1, 50):
        kernel, _ = generate(seed)
        if len(kernel.configs[0].grid) == 1 and kernel.configs[0].grid[0] > 1:
            break
    for statement in kernel.body:
        if getattr(statement, "targets", None) == ["pid"]:
            statement.args = [0]
    from kernels.interpret import interpret
    with pytest.raises(Invalid):
        interpret(kernel, kernel.configs[0])


def test_speed():
    """One kernel takes a fraction of a second, compiles apart."""
    start = time.process_time()
    for seed in range(20):
        generate(seed)
    assert time.process_time() - start < 10
