# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""assert_close and allclose."""

import numpy as np
import pytest

from tegula.testing import allclose, assert_close


def complaint(*args, **kwargs):
    with pytest.raises(AssertionError) as error:
        assert_close(*args, **kwargs)
    assert not allclose(*args, **{k: v for k, v in kwargs.items() if k != "err_msg"})
    return str(error.value)


def test_message_names_the_worst_element():
    x = np.array([[1.0, 2.0], [3.0, 4.5]], np.float32)
    y = np.array([[1.0, 2.25], [3.0, 4.0]], np.float32)
    assert complaint(x, y, atol=0.1, rtol=0) == (
        "2 of 4 elements differ by more than atol=0.1 + rtol=0 * |y|; worst at [1, 1]: 4.5 and "
        "4.0 differ by 0.5, allowed is 0.1")
    assert complaint(x, y, 0.1, 0, err_msg="softmax").startswith("softmax: 2 of 4 elements")


def test_worst_counts_what_is_allowed():
    # The difference at 1 is larger, but so is what is allowed there.
    text = complaint(np.array([1.5, 1150.0]), np.array([1.0, 1000.0]), atol=0, rtol=0.1)
    assert "2 of 2" in text and "worst at [1]" in text
    text = complaint(np.array([1.5, 1100.1]), np.array([1.0, 1000.0]), atol=0, rtol=0.1)
    assert "worst at [0]: 1.5 and 1.0 differ by 0.5, allowed is 0.1" in text


def test_numbers():
    assert_close(1.0, 1.005)
    assert_close(np.float32(3), 3)
    assert complaint(1.0, 1.5) == (
        "1 of 1 elements differ by more than atol=0.01 + rtol=9.09495e-13 * |y|; worst: 1.0 and "
        "1.5 differ by 0.5, allowed is 0.01")
    # One number for all elements, and lists.
    assert_close(np.ones(5), 1)
    assert_close([1, 2, 3], np.array([1, 2, 3]))
    assert "worst at [2]: 3 and 1" in complaint([1, 1, 3], 1)


def test_shapes():
    assert complaint(np.ones((2, 3)), np.ones((3, 2))) == (
        "expected equal shapes, got [2, 3] and [3, 2]")
    assert complaint(np.ones((1, 3)), np.ones(3)) == "expected equal shapes, got [1, 3] and [3]"
    assert_close(np.ones((0, 3)), np.ones((0, 3)))


def test_nan_and_infinity():
    nan, inf = float("nan"), float("inf")
    assert_close(np.array([nan, inf, -inf, 1]), np.array([nan, inf, -inf, 1]))
    for a, b in ((nan, 1), (1, nan), (inf, -inf), (inf, 1), (1, inf), (nan, inf)):
        text = complaint(np.array([0, float(a)]), np.array([0, float(b)]), atol=1e30, rtol=1)
        assert "1 of 2 elements" in text
        assert f"worst at [1]: {float(a)} and {float(b)} differ, allowed is" in text


def test_integers_are_exact():
    big = 2**63 - 1
    assert_close(np.array([big]), np.array([big]))
    text = complaint(np.array([big, 1]), np.array([big - 1, 1]))
    assert f"worst at [0]: {big} and {big - 1} differ by 1, allowed is 0" in text
    # No overflow, in either direction and between signs.
    assert complaint(np.array([0], np.uint8), np.array([255], np.uint8)).count("255") == 2
    assert "differ by 1.84467e+19" in complaint(np.array([2**64 - 1], np.uint64),
                                                np.array([-1], np.int64))
    assert_close(np.array([True]), np.array([1]))
    assert_close(np.array([10]), np.array([12]), atol=2)


def test_complex():
    assert_close(np.array([1 + 1j]), np.array([1 + 1.001j]))
    assert "worst at [0]" in complaint(np.array([1 + 1j]), np.array([1 - 1j]))


@pytest.mark.parametrize("dtype, right, wrong", [
    (np.float32, 1e5 * (1 + 2**-20), 1e5 * (1 + 2**-17)),
    (np.float64, 1e12 * (1 + 2**-41), 1e12 * (1 + 2**-38)),
    (np.float16, 1000 * (1 + 2**-10), 1000 * (1 + 2**-7)),
])
def test_tolerance_follows_the_type(dtype, right, wrong):
    base = {np.float32: 1e5, np.float64: 1e12, np.float16: 1000}[dtype]
    assert allclose(np.array([right], dtype), np.array([base], dtype))
    assert not allclose(np.array([wrong], dtype), np.array([base], dtype))
    # The coarser of two types decides.
    assert allclose(np.array([right], dtype), np.array([base], np.float64))


def test_tolerance_may_be_a_function_of_the_type():
    seen = []

    def tolerance(dtype):
        seen.append(dtype)
        return 1.0

    assert_close(np.ones(2, np.float32), np.zeros(2), atol=tolerance)
    assert seen == [np.dtype(np.float32)]


def test_bfloat16_of_numpy():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([100.0, 1.0], ml_dtypes.bfloat16)
    assert_close(x, np.array([100.5, 1.0], np.float32))
    assert "worst at [0]: 100.0 and 110.0" in complaint(x, np.array([110.0, 1]))


def test_torch(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert_close(x, torch.tensor([1.0, 2.001]))
    assert_close(x, np.array([1.0, 2.0]))
    assert_close(torch.ones(3, dtype=torch.bfloat16), 1)
    assert_close(torch.tensor([0.5]).to(torch.float8_e5m2), [0.5])
    seen = []
    assert_close(x, x, rtol=lambda dtype: seen.append(dtype) or 0)
    assert seen == [torch.float32]
    assert "worst at [1]: 2.0 and 3.0 differ by 1" in complaint(x, torch.tensor([1.0, 3.0]))


def test_wrong_arguments():
    with pytest.raises(TypeError) as error:
        assert_close(np.array(["a"]), 1)
    assert "argument 'x' of assert_close: expected numbers, got " in str(error.value)
    with pytest.raises(TypeError) as error:
        assert_close(1, [[1], [1, 2]])
    assert "argument 'y' of assert_close: expected an array or a number, got [[1], [1, 2]]" in str(
        error.value)
    with pytest.raises(ValueError) as error:
        assert_close(1, 1, atol=-1)
    assert "argument 'atol' of assert_close: expected a number of at least 0, got -1" in str(
        error.value)
    with pytest.raises(TypeError, match="'rtol' of allclose"):
        allclose(1, 1, rtol="1e-3")


def test_numpy_may_be_missing(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(ImportError) as error:
        assert_close(1, 1)
    assert str(error.value) == (
        "assert_close: expected the package 'numpy' to compare arrays, got an error: import of "
        "numpy halted; None in sys.modules; 'pip install numpy' installs it")
