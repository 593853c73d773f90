# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels on the simulated GPU, and loops with every number of stages; docs/fuzzing.md."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

FUZZ = Path(__file__).resolve().parents[1] / "fuzz"
sys.path.insert(0, str(FUZZ))

from kernels import interpret, launch  # noqa: E402
from kernels.coverage import features  # noqa: E402
from kernels.ir import Assign, For, If, all_statements, walk  # noqa: E402
from kernels.launch import Variant, check, variants_of, variants_of_stages  # noqa: E402
from kernels.pipelines import Pipelines  # noqa: E402
from kernels.run import What, run  # noqa: E402

LONG = bool(os.environ.get("TEGULA_LONG_TESTS"))
BUILD = Path(os.environ.get("TEGULA_BUILD", FUZZ.parents[1] / "build"))
SIMT = BUILD / "lib/tegula/simt"
needs_simt = pytest.mark.skipif(not (SIMT / "libtegula-simt.so").exists(),
                                reason="the simulator is not built")


@pytest.fixture(autouse=True)
def keep_environment(monkeypatch):
    """Launches set these; tests after these find what they had."""
    for name in ("TEGULA_TARGET", "TEGULA_SIMT_ORDER", "TEGULA_SIMT_RACES"):
        monkeypatch.setenv(name, os.environ.get(name, ""))


def all_pass(what, count, tmp_path):
    result = run(1, count, os.cpu_count() or 1, tmp_path, seconds=30, show=lambda text: None,
                 stop_after=3, what=what)
    assert not result["failures"], "\n\n".join(result["failures"])
    assert result["tried"] == count


@needs_simt
def test_kernels(tmp_path, monkeypatch):
    monkeypatch.setenv("TEGULA_PLUGIN_PATH", str(SIMT))
    all_pass(What("simt"), 4000 if LONG else 24, tmp_path)


@needs_simt
def test_pipelines(tmp_path, monkeypatch):
    monkeypatch.setenv("TEGULA_PLUGIN_PATH", str(SIMT))
    all_pass(What("simt", pipelines=True), 2000 if LONG else 6, tmp_path)


def test_pipelines_on_cpu(tmp_path):
    all_pass(What("cpu", pipelines=True), 500 if LONG else 6, tmp_path)


def test_variants():
    """Each launch option of the simulator occurs, and all numbers of stages do for one kernel."""
    found = {variant for seed in range(40) for variant in variants_of(seed, target="simt")}
    assert {v.num_warps for v in found} == {1, 2, 4, 8}
    assert {v.arch for v in found} == {"simt-32", "simt-64"}
    assert {v.order for v in found} == {"forward", "reverse"}
    staged = variants_of_stages(3, "cuda")
    assert [v.options()["num_stages"] for v in staged] == [1, 2, 3, 4, 5]
    assert len({v.num_warps for v in staged}) == 1 and "backend: nvidia" in staged[0].descriptor()


def loops_of(kernel):
    return [s for s in all_statements(kernel) if isinstance(s, For)]


def has(loop, *ops):
    inside = {s.op for s in walk(loop.body) if isinstance(s, Assign)}
    return set(ops) <= inside


def test_what_pipelines_contain():
    kernels = [Pipelines(seed * 100).make() for seed in range(80)]
    loops = [loop for kernel in kernels for loop in loops_of(kernel)]
    assert sum(has(loop, "dot", "store") for loop in loops) > 20
    assert sum(has(loop, "dot", "load") and any(isinstance(s, If) for s in walk(loop.body))
               for loop in loops) > 10
    assert sum(any(isinstance(s, For) for s in loop.body) for loop in loops) > 5  # nested
    assert any(loop.kind == "tl.range|num_stages=4" for loop in loops)
    wanted = {f"dot {name}" for name in ("float16", "bfloat16", "float32", "int8")}
    dots = {f"dot {kernel.types[s.args[0]].dtype}" for kernel in kernels
            for s in all_statements(kernel) if isinstance(s, Assign) and s.op == "dot"}
    assert wanted <= dots, wanted - dots
    assert any(features(kernel) for kernel in kernels)


def planted_early_loads(monkeypatch):
    """Loads of a loop see memory as the trip before found it."""
    real_trip, real_load = interpret.Machine.trip, interpret.Machine.load

    def trip(machine, body):
        seen = getattr(machine, "seen", [])
        machine.seen = [*seen[-1:], machine.arena.bytes.copy()]
        return real_trip(machine, body)

    def load(machine, *args):
        seen = getattr(machine, "seen", [])
        if len(seen) < 2:
            return real_load(machine, *args)
        now, machine.arena.bytes = machine.arena.bytes, seen[0]
        try:
            return real_load(machine, *args)
        finally:
            machine.arena.bytes = now
    monkeypatch.setattr(interpret.Machine, "trip", trip)
    monkeypatch.setattr(interpret.Machine, "load", load)


def planted_late_conditions(monkeypatch):
    """What stands under a condition of a loop follows the condition of the trip before."""
    real = interpret.Machine.statement

    def statement(machine, s):
        if not isinstance(s, If) or not isinstance(s.condition, str):
            return real(machine, s)
        key = "late" + s.condition
        taken = machine.env.get(key, machine.value(s.condition, "bool"))
        machine.env[key] = machine.value(s.condition, "bool")
        machine.block(s.then if taken else s.other)
    monkeypatch.setattr(interpret.Machine, "statement", statement)


def planted_lost_trip(monkeypatch):
    """Loops of more than two trips lose the product of the last one."""
    real = interpret.Machine.trip

    def trip(machine, body):
        acc = {s.args[2] for s in body if isinstance(s, Assign) and s.op == "dot"} - {None}
        kept = {name: machine.env[name] for name in acc}
        count = machine.counts = getattr(machine, "counts", 0) + 1
        going = real(machine, body)
        if count % 3 == 0:
            machine.env.update(kept)
        return going
    monkeypatch.setattr(interpret.Machine, "trip", trip)


@pytest.mark.parametrize("plant", [planted_early_loads, planted_late_conditions,
                                   planted_lost_trip], ids=lambda p: p.__name__)
def test_wrong_pipelines_are_found(plant, monkeypatch):
    plant(monkeypatch)
    what = What(pipelines=True)
    for seed in range(1, 60):
        kernel, arenas = what.generate(seed)
        failure = check(kernel, arenas, [Variant()])
        if failure:
            assert failure.kind == "mismatch" and failure.places
            return
    raise AssertionError("the planted fault was not found")


def test_other_bits_with_more_stages_are_found(monkeypatch):
    """Also where the expected value has a tolerance."""
    what = What(pipelines=True)
    real = launch.launch

    def wrong(kernel, config, first, variant, function):
        memory = real(kernel, config, first, variant, function)
        start = first.starts[[r.fill for r in kernel.regions].index("sums")]
        if variant.num_stages == 4:
            view = memory[start:start + 4].view(np.uint32)
            view ^= 1
        return memory
    seed = next(seed for seed in range(1, 100) if any(
        r.fill == "sums" for r in what.generate(seed)[0].regions))
    kernel, arenas = what.generate(seed)
    assert check(kernel, arenas, what.variants(seed)) is None
    monkeypatch.setattr(launch, "launch", wrong)
    failure = check(kernel, arenas, what.variants(seed))
    assert failure.variant.num_stages == 4 and failure.text == "not as with num_stages=1"
