# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparison that the checks of published libraries rest on (test/triton/libraries)."""

import pathlib
import sys

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "triton" / "libraries"))
from harness import Case, check, main  # noqa: E402


def squares(x):
    return x * x


def case(run, **options):
    return Case("square", lambda: (torch.randn(5, 7),), run, squares, 4, **options)


def test_right_results_pass():
    assert 0 <= check(case(squares)) <= 1
    assert 0 <= check(case(squares, dtype=torch.bfloat16)) <= 1


def test_wrong_results_fail():
    with pytest.raises(AssertionError, match="result 0: error .* allowed"):
        check(case(lambda x: x * x * 1.001))


def test_wrong_gradients_fail():
    with pytest.raises(AssertionError, match="result 1: error .* allowed"):
        check(case(lambda x: (x * x).detach() + x - x.detach()))


def test_shapes_numbers_and_counts_are_compared():
    with pytest.raises(AssertionError, match=r"expected shape \(5, 7\), got \(35,\)"):
        check(case(lambda x: squares(x).flatten()))
    with pytest.raises(AssertionError, match="result 0 is not finite"):
        check(case(lambda x: squares(x) + float("nan")))
    with pytest.raises(AssertionError, match="expected 2 results, got 3"):
        check(case(lambda x: (squares(x), x)))


def test_exit_status(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ops"])
    assert main([case(squares)], "doc") == 0
    assert main([case(squares), case(lambda x: x)], "doc") == 1
    assert main([], "doc") == 1
    assert "1 passed, 1 failed" in capsys.readouterr().out
