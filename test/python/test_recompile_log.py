# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TEGULA_LOG=recompile: which fact made a kernel be compiled again."""

import collections
import importlib.util

import numpy as np
import pytest

import tegula
import tegula.language as tl
from tegula import knobs


@pytest.fixture
def log(monkeypatch, capfd):
    """Lines about recompiles since the last call."""
    monkeypatch.setenv("TEGULA_LOG", "recompile")
    monkeypatch.delenv("TEGULA_DEBUG", raising=False)

    def lines():
        shown = capfd.readouterr().err.splitlines()
        return [line.removeprefix("tegula: recompile: ") for line in shown
                if line.startswith("tegula: recompile: ")]

    return lines


def make():
    @tegula.jit
    def add(x, n, BLOCK: tl.constexpr):
        pass

    return add


F32, F16 = np.zeros(64, np.float32), np.zeros(64, np.float16)
Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize("before, after, text", [
    ((F32, 64, 8), (F32, 63, 8),
     "'n' is no longer divisible by 16 (compiled for i32:16, got i32)"),
    ((F32, 63, 8), (F32, 64, 8), "'n' is divisible by 16 now (compiled for i32, got i32:16)"),
    ((F32, 64, 8), (F32[1:], 64, 8),
     "the address of 'x' is no longer divisible by 16 (compiled for *fp32:16, got *fp32)"),
    ((F32, 63, 8), (F32, 1, 8), "'n' is 1, which is compiled in (compiled for i32, got i32=1)"),
    ((F32, 1, 8), (F32, 63, 8), "'n' is no longer 1 (compiled for i32=1, got i32)"),
    ((F32, 63, 8), (F16, 63, 8), "'x' is float16, was float32"),
    ((F32, 63, 8), (F32, 2**40 + 1, 8), "'n' is int64, was int32"),
    ((F32, 63, 8), (F32, 2**63 + 1, 8), "'n' is uint64, was int32"),
    ((F32, 63, 8), (F32, 0.5, 8), "'n' is float32, was int32"),
    ((F32, 63, 8), (F32, True, 8), "'n' is int1, was int32"),
    ((F32, 63, 8), (None, 63, 8), "'x' is None, was an array of float32"),
    ((None, 63, 8), (F16, 63, 8), "'x' is an array of float16, was None"),
    ((F32, 63, 8), (3, 63, 8), "'x' is int32, was an array of float32"),
    ((F32, 63, 128), (F32, 63, 256), "'BLOCK' is 256, was 128"),
    ((F32, 63, 1), (F32, 63, True), "'BLOCK' is True, was 1"),
    ((F32, 63, 0.0), (F32, 63, -0.0), "'BLOCK' is -0.0, was 0.0"),
    ((F32, 63, tl.float16), (F32, 63, tl.float32),
     "'BLOCK' is tegula.language.float32, was tegula.language.float16"),
    ((F32, (3, 16), 8), (F32, (3, 17), 8),
     "'n[1]' is no longer divisible by 16 (compiled for i32:16, got i32)"),
    ((F32, (3, 17), 8), (F32, (3, 1), 8),
     "'n[1]' is 1, which is compiled in (compiled for i32, got i32=1)"),
    ((F32, (3, F32), 8), (F32, (3, F16), 8), "'n[1]' is float16, was float32"),
    ((F32, (3, 5), 8), (F32, (3, 5, 7), 8), "'n' has 3 items, had 2"),
    ((F32, Point(3, (5, 16)), 8), (F32, Point(3, (5, 17)), 8),
     "'n[1][1]' is no longer divisible by 16 (compiled for i32:16, got i32)"),
    ((F32, 63, 8), (F32, (63,), 8), "'n' is a tuple, was int32"),
    ((F32, 64, 128), (F16, 63, 256),
     "'x' is float16, was float32; 'n' is no longer divisible by 16 (compiled for i32:16, got "
     "i32); 'BLOCK' is 256, was 128"),
])
def test_arguments(log, before, after, text):
    add = make()
    add.warmup(*before)
    add.warmup(*before)
    assert log() == []  # the first compile is no recompile
    add.warmup(*after)
    add.warmup(*after)
    assert log() == [f"add: {text}"]


@pytest.mark.parametrize("before, after, text", [
    ({}, {"num_warps": 8}, "option num_warps is 8, was 4"),
    ({"num_warps": 8}, {}, "option num_warps is 4, was 8"),
    ({}, {"num_stages": 2}, "option num_stages is 2, was 3"),
    ({}, {"debug": True}, "option debug is True, was False"),
    ({}, {"target": "cpu"}, "the target is cpu, was the default"),
])
def test_options(log, before, after, text):
    add = make()
    add.warmup(F32, 63, 8, **before)
    add.warmup(F32, 63, 8, **after)
    assert log() == [f"add: {text}"]


def test_environment(log, monkeypatch):
    add = make()
    add.warmup(F32, 63, 8)
    monkeypatch.setenv("TEGULA_DEBUG", "1")
    add.warmup(F32, 63, 8)
    assert log() == ["add: option debug is True, was False"]


def test_descriptors(log):
    add = make()
    x = np.zeros((32, 32), np.float32)
    add.warmup(tegula.TensorDescriptor.from_tensor(x, [16, 16]), 63, 8)
    add.warmup(tegula.TensorDescriptor.from_tensor(x, [32, 16]), 63, 8)
    assert log() == ["add: 'x' is tensordesc<fp32[32,16]>, was tensordesc<fp32[16,16]>"]


def test_the_nearest_is_named(log):
    add = make()
    for args in ((F16, 64, 8), (F32, 63, 8), (F16, 63, 16)):
        add.warmup(*args)
    log()
    add.warmup(F16, 64, 32)
    assert log() == ["add: 'BLOCK' is 32, was 8"]


def test_globals(log, tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text("import tegula, tegula.language as tl\nN = tl.constexpr(1)\n"
                    "@tegula.jit\ndef inner(x):\n    tl.store(x, 1)\n"
                    "@tegula.jit\ndef kernel(x):\n    tl.store(x, N)\n    inner(x)\n")
    spec = importlib.util.spec_from_file_location("kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.kernel[(1,)](F32)
    module.N = tl.constexpr(2)
    module.kernel[(1,)](F32)
    assert log() == ["kernel: global variable 'N' is constexpr[2], was constexpr[1]"]
    module.inner = tegula.jit(module.inner.fn)
    module.kernel[(1,)](F32)
    assert log() == ["kernel: global 'inner' is another object now"]


def test_dropped(log):
    add = make()
    add.warmup(F32, 63, 8)
    add.device_caches.clear()
    add.warmup(F32, 63, 8)
    assert log() == ["add: its code was dropped from memory"]


def test_only_when_asked(log, monkeypatch):
    monkeypatch.setenv("TEGULA_LOG", "cache")
    add = make()
    add.warmup(F32, 63, 8)
    add.warmup(F32, 64, 8)
    assert log() == []
    with knobs.runtime.scope():
        knobs.runtime.log = ["recompile"]
        add.warmup(F32, 65, 16)
    assert len(log()) == 1
