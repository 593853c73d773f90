# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/semantics.md: integers that leave their type in debug builds."""

import numpy as np
import pytest

import tegula
import tegula.language as tl

row = pytest.mark.semantics


@tegula.jit
def compute(x_ptr, y_ptr, out_ptr, OP: tl.constexpr):
    i = tl.arange(0, 4)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    if OP == "+":
        r = x + y
    elif OP == "-":
        r = x - y
    else:
        r = x * y
    tl.store(out_ptr + i, r)


OVERFLOWS = [("int32", 2**31 - 1, 1, "+"), ("int32", -2**31, -1, "+"), ("int32", -2**31, 1, "-"),
             ("int32", -2**31, -1, "*"), ("int32", 65536, 32768, "*"),
             ("uint32", 2**32 - 1, 1, "+"), ("uint32", 0, 1, "-"),
             ("uint32", 2**32 - 1, 2**32 - 1, "*"), ("int8", 100, 28, "+"),
             ("uint16", 256, 256, "*"), ("int16", -32768, 1, "-")]
EXACT = [("int32", 2**31 - 2, 1, "+"), ("int32", -2**31, 0, "-"), ("int32", -65536, 32768, "*"),
         ("uint32", 2**32 - 2, 1, "+"), ("uint32", 1, 1, "-"), ("uint32", 65535, 65537, "*"),
         ("int8", 100, 27, "+"), ("int64", 2**63 - 1, 1, "+"), ("uint64", 0, 1, "-")]


def computed(dtype, x, y, op, **options):
    x, y = np.full(4, x, dtype), np.full(4, y, dtype)
    out = np.zeros(4, dtype)
    compute[(1,)](x, y, out, op, **options)
    return out


@row("debug-overflow")
@pytest.mark.parametrize("dtype, x, y, op", OVERFLOWS)
def test_overflow(dtype, x, y, op):
    bits = np.dtype(dtype).itemsize * 8
    exact = {"+": x + y, "-": x - y, "*": x * y}[op] % 2**bits
    for options in ({}, {"debug": True, "sanitize_overflow": False}):
        assert computed(dtype, x, y, op, **options).astype(object)[3] % 2**bits == exact
    with pytest.raises(tegula.LaunchError) as caught:
        computed(dtype, x, y, op, debug=True)
    assert caught.value.id == "device-assert"
    assert f"{dtype} overflow in '{op}'" in str(caught.value)


@row("debug-overflow")
@pytest.mark.parametrize("dtype, x, y, op", EXACT)
def test_no_overflow(dtype, x, y, op):
    assert (computed(dtype, x, y, op, debug=True) == computed(dtype, x, y, op)).all()


@tegula.jit
def library_wraps(out_ptr):
    i = tl.arange(0, 16)
    tl.store(out_ptr + i, tl.randint(2**31 - 1, i))


@row("debug-overflow")
def test_the_library_wraps_in_debug_builds():
    out, plain = np.zeros((2, 16), np.uint32)
    library_wraps[(1,)](out, debug=True)
    library_wraps[(1,)](plain)
    assert (out == plain).all()


@tegula.jit
def add_in_order(a, b):
    return a + b


@tegula.jit
def reduce_wraps(x_ptr, out_ptr):
    tl.store(out_ptr, tl.reduce(tl.load(x_ptr + tl.arange(0, 4)), 0, add_in_order))


@row("debug-overflow")
def test_combiners_wrap_in_debug_builds():
    out = np.zeros(1, np.int32)
    reduce_wraps[(1,)](np.full(4, 2**30, np.int32), out, debug=True)
    assert out[0] == 0
