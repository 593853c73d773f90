# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints and assertions of kernels at run time."""

import os
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import tegula
import tegula.language as tl


@tegula.jit
def print_tile(x_ptr, N: tl.constexpr, HEX: tl.constexpr):
    tl.device_print("x", tl.load(x_ptr + tl.arange(0, N)), hex=HEX)


@tegula.jit
def print_many(n):
    pid = tl.program_id(0)
    tl.device_print("values: ", pid, n)
    tl.device_print("reached")
    tl.device_print("", 2.5)


@tegula.jit
def print_rows():
    tl.device_print("row", tl.arange(0, 2)[:, None] * 10 + tl.arange(0, 2)[None, :])


@tegula.jit
def python_print(x_ptr, n, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    print("n", n, "of", 16, x)
    print("done", N)
    print()


def printed(capfd, kernel, grid, *args, **constants):
    """The lines that a launch prints, sorted: programs run in any order."""
    capfd.readouterr()
    kernel[grid](*args, **constants)
    return sorted(capfd.readouterr().out.splitlines())


@pytest.mark.parametrize("values, texts", [
    (np.array([-3, 100], np.int8), ["-3", "100"]),
    (np.array([253, 100], np.uint8), ["253", "100"]),
    (np.array([-2**63, 5], np.int64), [str(-2**63), "5"]),
    (np.array([2**64 - 1, 5], np.uint64), [str(2**64 - 1), "5"]),
    (np.array([True, False]), ["1", "0"]),
    (np.array([1.5, -np.inf], np.float32), ["1.500000", "-inf"]),
    (np.array([0.25, np.nan], np.float64), ["0.250000", "nan"]),
    (np.array([1.5, -2], np.float16), ["1.500000", "-2.000000"]),
    (np.array([1.5, -2], ml_dtypes.bfloat16), ["1.500000", "-2.000000"]),
    (np.array([1.5, -2], ml_dtypes.float8_e4m3fn), ["1.500000", "-2.000000"]),
], ids=lambda v: v.dtype.name if isinstance(v, np.ndarray) else "")
def test_types(capfd, values, texts):
    lines = printed(capfd, print_tile, (1,), values, N=2, HEX=False)
    assert lines == [f"pid (0, 0, 0) idx ({i}) x: {text}" for i, text in enumerate(texts)]


def test_hexadecimal(capfd):
    lines = printed(capfd, print_tile, (1,), np.array([-1, 258], np.int16), N=2, HEX=True)
    assert lines == ["pid (0, 0, 0) idx (0) x: 0xffff", "pid (0, 0, 0) idx (1) x: 0x0102"]


def test_scalars_of_every_program(capfd):
    lines = printed(capfd, print_many, (2,), 7)
    assert lines == sorted(
        line for pid in range(2) for line in (
            f"pid ({pid}, 0, 0) idx () values: (operand 0) {pid}",
            f"pid ({pid}, 0, 0) idx () values: (operand 1) 7",
            f"pid ({pid}, 0, 0) reached",
            f"pid ({pid}, 0, 0) idx (): 2.500000"))


def test_rows(capfd):
    assert printed(capfd, print_rows, (1,)) == [
        "pid (0, 0, 0) idx (0, 0) row: 0", "pid (0, 0, 0) idx (0, 1) row: 1",
        "pid (0, 0, 0) idx (1, 0) row: 10", "pid (0, 0, 0) idx (1, 1) row: 11"]


def test_python_print(capfd):
    lines = printed(capfd, python_print, (1,), np.array([4, 5], np.int32), 3, N=2)
    assert lines == sorted(["pid (0, 0, 0) idx () n: 3", "pid (0, 0, 0) idx (0) of 16: 4",
                            "pid (0, 0, 0) idx (1) of 16: 5", "pid (0, 0, 0) done 2",
                            "pid (0, 0, 0)"])


@tegula.jit
def check_tile(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tl.device_assert(x < 10, "x is too large", mask=i < n)
    tl.store(out_ptr + i, x)


@tegula.jit
def check_scalar(out_ptr, n):
    assert n > 5, f"n is too small for {4}"
    tl.store(out_ptr, n)


@tegula.jit
def check_constants(out_ptr, N: tl.constexpr):
    tl.device_assert(N > 0)
    if N > 100:
        tl.device_assert(False, "never")
    tl.device_assert(1, "one", mask=out_ptr is None)
    tl.store(out_ptr, N)


@tegula.jit
def check_zero(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.expect_zero(tl.load(x_ptr + i), i < n))


def test_assertions_that_hold():
    x = np.arange(16, dtype=np.int32)
    out = np.zeros(16, np.int32)
    check_tile[(1,)](x, out, 10, N=16, debug=True)
    assert out.tolist() == x.tolist()
    check_scalar[(1,)](out, 6, debug=True)
    assert out[0] == 6
    check_constants[(1,)](out, N=16, debug=True)
    assert out[0] == 16
    x = np.array([0, 0, 3, 4], np.float32)
    check_zero[(1,)](x, np.zeros(4, np.float32), 2, N=4, debug=True)


def test_a_tile_that_does_not_hold():
    x = np.arange(16, dtype=np.int32)
    out = np.zeros(16, np.int32)
    with pytest.raises(tegula.LaunchError, match="x is too large") as caught:
        check_tile[(3,)](x, out, 11, N=16, debug=True)
    assert caught.value.id == "device-assert"
    assert "program (0, 0, 0)" in str(caught.value) and "at element (10)" in str(caught.value)
    assert "test_debug.py" in str(caught.value)
    assert out.tolist() == [0] * 16
    check_tile[(1,)](x, out, 11, N=16)
    assert out.tolist() == x.tolist()


def test_a_scalar_that_does_not_hold():
    with pytest.raises(tegula.LaunchError, match="n is too small for 4"):
        check_scalar[(1,)](np.zeros(1, np.int32), 5, debug=True)


def test_a_constant_that_does_not_hold():
    out = np.zeros(1, np.int32)
    with pytest.raises(tegula.LaunchError, match="never"):
        check_constants[(1,)](out, N=128, debug=True)
    with pytest.raises(tegula.LaunchError):
        check_constants[(1,)](out, N=0, debug=True)


def test_expected_zeros():
    with pytest.raises(tegula.LaunchError, match="expected 0 where the mask is true"):
        check_zero[(1,)](np.ones(4, np.float32), np.zeros(4, np.float32), 2, N=4, debug=True)


def test_debug_of_the_decorator():
    kernel = tegula.jit(check_scalar.fn, debug=True)
    with pytest.raises(tegula.LaunchError, match="n is too small"):
        kernel[(1,)](np.zeros(1, np.int32), 5)
    kernel[(1,)](np.zeros(1, np.int32), 5, debug=False)


def test_debug_of_the_environment(monkeypatch):
    out = np.zeros(1, np.int32)
    for value, checks in (("1", True), ("0", False), ("true", True), ("", False)):
        monkeypatch.setenv("TEGULA_DEBUG", value)
        if checks:
            with pytest.raises(tegula.LaunchError, match="n is too small"):
                check_scalar[(1,)](out, 5)
        else:
            check_scalar[(1,)](out, 5)
    monkeypatch.setenv("TEGULA_DEBUG", "1")
    tegula.jit(check_scalar.fn, debug=False)[(1,)](out, 5)


def test_output_reaches_a_pipe():
    script = ("import numpy as np, test_debug as t\n"
              "t.print_tile[(1,)](np.arange(2, dtype=np.int32), N=2, HEX=False)\n")
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.pathsep.join([here, *sys.path])
    done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": path},
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["pid (0, 0, 0) idx (0) x: 0", "pid (0, 0, 0) idx (1) x: 1"]
