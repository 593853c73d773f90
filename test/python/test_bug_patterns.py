# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports about other compilers that are no rows of the conformance table."""

import importlib.util
import linecache
import sys

import numpy as np
import pytest
import tegula
import tegula.language as tl

STEP = tl.constexpr(5)


@tegula.jit
def count_up(out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, i + STEP)


def test_replaced_global():
    """A constant of the module that is replaced is seen by the next launch."""
    for step in (5, 1000, 5, 7):
        globals()["STEP"] = tl.constexpr(step)
        out = np.zeros(8, np.int32)
        count_up[(1,)](out, B=8)
        assert out.tolist() == [i + step for i in range(8)]


EDITED = """
import tegula
import tegula.language as tl

LEVEL = tl.constexpr({level})
{extra}

@tegula.jit
def twice():
    return LEVEL * 2


@tegula.jit
def kernel(out):
    tl.store(out, LEVEL)
    tl.store(out + 1, twice())
"""


def test_edited_file(tmp_path, monkeypatch):
    """A file that was edited and imported again means what it says now."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "edited.py"
    for turn, (level, extra) in enumerate([(3, ""), (40, ""), (3, ""), (8, "# one line more")]):
        path.write_text(EDITED.format(level=level, extra=extra))
        linecache.checkcache(str(path))
        spec = importlib.util.spec_from_file_location(f"edited_{turn}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        out = np.zeros(2, np.int32)
        module.kernel[(1,)](out)
        assert out.tolist() == [level, 2 * level]


def add_size(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=0) + n)


SIZES = (1, 3, 8, 16, 32, 1, 7, 48)


@pytest.mark.parametrize("options, expected", [
    ({}, 3), ({"do_not_specialize": ["n"]}, 1), ({"do_not_specialize_on_alignment": ["n"]}, 2)])
def test_compilations_by_size(options, expected):
    """1, multiples of 16 and other sizes are a compilation each, unless asked not to be."""
    kernel = tegula.jit(add_size, **options)
    x = np.arange(64, dtype=np.int32)
    handles = []
    for n in SIZES:
        out = np.zeros(64, np.int32)
        handles.append(kernel[(1,)](x, out, n, B=64))
        assert out.tolist() == [(i if i < n else 0) + n for i in range(64)]
    assert len({id(handle) for handle in handles}) == expected


@tegula.jit
def many_arguments(out, a0, a1, a2, a3, a4, a5, a6, a7, f0, f1, C0: tl.constexpr,
                   C1: tl.constexpr, C2: tl.constexpr):
    tl.store(out, a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + C0 + C1 + C2 + (f0 + f1).to(tl.int32))


def test_second_launch_compiles_nothing(monkeypatch):
    """A launch with known facts neither compiles nor reads the source again."""
    numbers = (3, 5, 7, 11, 13, 17, 19, 23)
    out = np.zeros(1, np.int32)
    many_arguments[(1,)](out, *numbers, 0.5, 1.5, 1, 2, 3)
    assert out[0] == sum(numbers) + 8

    def refuse(*args, **kwargs):
        raise AssertionError("compiled again")

    monkeypatch.setattr(type(many_arguments), "_compile", refuse)
    monkeypatch.setattr(type(many_arguments), "_read_source", refuse)
    for step in range(100):
        many_arguments[(1,)](out, *(n + 2 * step for n in numbers), 0.5 + step, 1.5, 1, 2, 3)
        assert out[0] == sum(numbers) + 8 + 17 * step


def configs(pre_hook=None):
    return [tegula.Config({"B": b}, num_warps=w, pre_hook=pre_hook)
            for b, w in ((16, 1), (32, 2), (64, 4), (128, 4))]


def clear(arguments):
    arguments["total"][:] = 0


def add_all(x, total, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(total, tl.sum(tl.load(x + i, mask=i < n, other=0), axis=0))


@pytest.mark.parametrize("start", [0, 7])
@pytest.mark.parametrize("name", ["reset_to_zero", "restore_value", "pre_hook"])
def test_first_tuned_call(name, start):
    """Trying configurations leaves no trace in what the first call gives."""
    options = {} if name == "pre_hook" else {name: ["total"]}
    tune = tegula.autotune(configs(clear if name == "pre_hook" else None), key=["n"], **options)
    kernel = tune(tegula.jit(add_all))
    kept = start if name == "restore_value" else 0
    for n in (120, 1000):
        x = np.arange(n, dtype=np.int32)
        for _ in range(2):
            total = np.full(1, start, np.int32)
            kernel[lambda meta: (tegula.cdiv(meta["n"], meta["B"]),)](x, total, n)
            kept_now = kept if name != "reset_to_zero" else total[0] - x.sum()
            assert total[0] == x.sum() + kept_now
            assert name != "reset_to_zero" or kept_now in (0, start)
