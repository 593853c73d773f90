# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether two results are equal but for roundings."""

import math

from ._errors import need, number, wrong

# The absolute tolerance of programs that give none. Together with the relative one,
# a few roundings of the element type, a comparison is never stricter than it is
# with an absolute tolerance alone, and large elements may differ in their last bits.
_ATOL = 1e-2
_RTOL = {
    "float64": 2.0**-40, "float32": 2.0**-19, "tf32": 2.0**-9, "float16": 2.0**-9,
    "bfloat16": 2.0**-6, "float8_e4m3fn": 2.0**-2, "float8_e4m3fnuz": 2.0**-2,
    "float8_e4m3b11fnuz": 2.0**-2, "float8_e5m2": 2.0**-1, "float8_e5m2fnuz": 2.0**-1,
}


def _plain(np, owner, argument, value):
    """The elements in a type that NumPy computes with, and their type as it was."""
    if hasattr(value, "detach"):  # torch
        dtype, name = value.dtype, str(value.dtype).rpartition(".")[2]
        value = value.detach().cpu()
        if name == "bfloat16" or name.startswith("float8"):
            value = value.float()
        value = value.numpy()
    else:
        try:
            value = np.asarray(value)
        except (TypeError, ValueError):
            raise wrong(owner, argument, "an array or a number", value) from None
        dtype = value.dtype
    if value.dtype.kind not in "biufc":
        try:  # types that other packages bring, such as bfloat16
            value = value.astype(np.float64)
        except (TypeError, ValueError):
            raise wrong(owner, argument, "numbers", value.dtype) from None
    return value, dtype


def _rough(dtype):
    return _RTOL.get(str(dtype).rpartition(".")[2], 0.0)


def _tolerance(owner, argument, given, dtype, default):
    if given is None:
        return default
    return number(owner, argument, given(dtype) if callable(given) else given)


def _difference(np, x, y):
    """|x - y| as float64: 0 for equal infinities and two NaN, infinity for one NaN."""
    if x.dtype.kind in "biu" and y.dtype.kind in "biu":
        different = np.asarray(x != y)
        result = np.zeros(different.shape)
        # As Python's integers, which do not overflow.
        result[different] = [abs(int(a) - int(b)) for a, b in zip(x[different], y[different])]
        return result
    wide = np.complex128 if "c" in x.dtype.kind + y.dtype.kind else np.float64
    a, b = x.astype(wide), y.astype(wide)
    with np.errstate(all="ignore"):
        result = np.abs(a - b)
    # NaN now stands for one NaN or two, and for infinities of one sign, which are equal.
    result = np.where(np.isnan(result), np.inf, result)
    return np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, result)


def _complaint(owner, x, y, atol, rtol):
    """What is wrong, or None."""
    np = need(owner, "numpy", "to compare arrays")
    x, x_type = _plain(np, owner, "x", x)
    y, y_type = _plain(np, owner, "y", y)
    if x.shape != y.shape and x.ndim and y.ndim:
        return f"expected equal shapes, got {list(x.shape)} and {list(y.shape)}"
    rough = max(_rough(x_type), _rough(y_type))
    exact = x.dtype.kind in "biu" and y.dtype.kind in "biu"
    atol = _tolerance(owner, "atol", atol, x_type, 0.0 if exact else _ATOL)
    rtol = _tolerance(owner, "rtol", rtol, x_type, rough)
    x, y = np.broadcast_arrays(x, y)
    difference = _difference(np, x, y)
    size = np.abs(y.astype(np.complex128 if y.dtype.kind == "c" else np.float64))
    # An infinite expectation allows nothing but itself.
    allowed = atol + rtol * np.where(np.isfinite(size), size, 0.0)
    bad = difference > allowed
    if not bad.any():
        return None
    with np.errstate(all="ignore"):
        excess = np.where(bad, difference - allowed, -1.0)
    at = np.unravel_index(int(np.argmax(excess)), bad.shape) if bad.ndim else ()
    place = f" at {[int(i) for i in at]}" if at else ""
    off = difference[at]
    amount = f"differ by {off:.6g}" if math.isfinite(off) else "differ"
    return (f"{int(bad.sum())} of {bad.size} elements differ by more than atol={atol:g} + "
            f"rtol={rtol:g} * |y|; worst{place}: {x[at]} and {y[at]} {amount}, allowed is "
            f"{allowed[at]:.6g}")


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raises AssertionError unless |x - y| <= atol + rtol * |y| for all elements.

    x, y: arrays of one shape, of any library, or numbers, in any combination; a number
    is compared with every element. NaN equals NaN, infinities equal themselves. y is
    what is expected.

    atol, rtol: numbers, or functions of the element type of x. Without them atol is 0
    for integers and 0.01 for others, and rtol a few roundings of the coarser of the
    two types (2**-19 for float32, 2**-9 for float16, 2**-6 for bfloat16): enough for
    a first look. State both where exactness matters.

    err_msg: what the message starts with. It names the number of wrong elements, and
    place, values, difference and tolerance of the worst.
    """
    complaint = _complaint("assert_close", x, y, atol, rtol)
    if complaint is not None:
        raise AssertionError(f"{err_msg}: {complaint}" if err_msg else complaint)


def allclose(x, y, atol=None, rtol=None):
    """Whether `assert_close` with the same arguments is content."""
    return _complaint("allclose", x, y, atol, rtol) is None
