# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tutorials run and every row they report is right."""

import pathlib
import runpy

import pytest

import tegula

TUTORIALS = sorted((pathlib.Path(__file__).resolve().parents[2] / "docs/tutorials").glob("*.py"))


def test_there_are_tutorials():
    assert [path.name[:2] for path in TUTORIALS] == ["01", "02", "03"]


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_tutorial(path, monkeypatch):
    # Only the results matter here: a timed call runs once.
    monkeypatch.setattr(tegula.testing, "do_bench", lambda fn, **_: (fn(), 0.0)[1])
    rows = runpy.run_path(str(path))["main"]()
    assert rows
    for row in rows:
        assert row["ok"], row


def test_matmul_with_activation(rng):
    tutorial = runpy.run_path(str(TUTORIALS[2]))
    a = rng.standard_normal((70, 33)).astype("float32")
    b = rng.standard_normal((33, 90)).astype("float32")
    got = tutorial["matmul"](a, b, "leaky_relu")
    expected = a.astype("float64") @ b.astype("float64")
    expected[expected < 0] *= 0.01
    assert abs(got - expected).max() <= 33 * 2.0**-22
