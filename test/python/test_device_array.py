# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tegula.Array on the CPU."""

import gc
import weakref

import numpy as np
import pytest
import tegula
import tegula.language as tl
from tegula import Array


@tegula.jit
def double(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64", "float16", "float32",
                                   "float64", "bool"])
def test_round_trip(dtype):
    values = (np.arange(24).reshape(2, 3, 4) % 7).astype(dtype)
    array = Array.from_numpy(values, "cpu")
    assert array.shape == (2, 3, 4) and array.strides == (12, 4, 1) and array.ndim == 3
    assert array.nbytes == values.nbytes and array.device == "cpu" and len(array) == 2
    assert (array.to_numpy() == values).all() and array.to_numpy().dtype == values.dtype
    assert (array.copy().to_numpy() == values).all()


@pytest.mark.parametrize("dtype,value", [("int8", -3), ("uint16", 65535), ("int32", -7),
                                         ("float16", 1.5), ("int64", -1), ("int64", 1 << 40),
                                         ("float64", 0.1), ("bool", True)])
def test_full(dtype, value):
    assert (Array.full((3, 5), value, dtype, "cpu").to_numpy() == value).all()
    assert (Array.zeros((3, 5), dtype, "cpu").to_numpy() == 0).all()


def test_launch():
    x = Array.from_numpy(np.arange(100, dtype=np.float32), "cpu")
    double[(2,)](x, 100, BLOCK=64)
    assert (x.to_numpy() == 2 * np.arange(100)).all()


def test_types_of_the_language():
    bits = np.array([0x3F80, 0x4000], np.uint16)  # 1 and 2
    x = Array.from_numpy(bits, "cpu", tl.bfloat16)
    double[(1,)](x, 2, BLOCK=16)
    assert list(x.to_numpy()) == [0x4000, 0x4080] and x.dtype == tl.bfloat16
    assert Array.zeros(4, tl.float8e5, "cpu").nbytes == 4
    with pytest.raises(BufferError, match="__dlpack__: there is no type float8e5 in DLPack"):
        Array.zeros(4, tl.float8e5, "cpu").__dlpack__()


def test_shares_memory():
    x = Array.zeros((2, 3), "int32", "cpu")
    view, other = np.asarray(x), np.from_dlpack(x)
    view[1, 2] = 5
    assert x.to_numpy()[1, 2] == other[1, 2] == 5
    with pytest.raises(AttributeError, match="__cuda_array_interface__: the array is on cpu"):
        x.__cuda_array_interface__
    with pytest.raises(BufferError, match="__dlpack__: expected the array as it is, got a wish "
                                          "for a copy"):
        x.__dlpack__(copy=True)


def test_memory_lives_as_long_as_its_users():
    x = Array.full(1000, 3, "int32", "cpu")
    dead = weakref.ref(x)
    other = np.from_dlpack(x)
    del x
    gc.collect()
    assert (other == 3).all() and dead() is not None
    del other
    gc.collect()
    assert dead() is None


def test_unused_capsule_is_freed():
    x = Array.zeros(4, "int32", "cpu")
    dead, capsule = weakref.ref(x), x.__dlpack__()
    del x, capsule
    gc.collect()
    assert dead() is None


def test_empty():
    x = Array.zeros((0, 3), "float32", "cpu")
    assert x.to_numpy().shape == (0, 3) and x.size == 0 and len(x) == 0
    assert np.from_dlpack(x).shape == (0, 3)


def test_torch(torch):
    x = Array.full((2, 2), 3, "float32", "cpu")
    tensor = torch.from_dlpack(x)
    tensor[0, 0] = 1
    assert x.to_numpy()[0, 0] == 1 and tensor.sum() == 10


@pytest.mark.parametrize("call,error,text", [
    (lambda: Array(4, "complex64"), tegula.LaunchTypeError,
     "Array: expected a type of elements such as tl.float32 or 'int8', got"),
    (lambda: Array(-1), tegula.LaunchTypeError,
     "Array: expected extents of at least 0 as shape, got -1"),
    (lambda: Array("abc"), tegula.LaunchTypeError, "extents of at least 0"),
    (lambda: Array(4, device="gpu"), tegula.TargetError, "gpu"),
    (lambda: Array(4, device="cpu:x"), tegula.LaunchValueError,
     "Array: expected a device such as 'cpu' or 'cuda:0', got 'cpu:x'"),
    (lambda: Array.full(4, 300, "int8", "cpu"), tegula.LaunchValueError,
     "Array: expected a value of int8, got 300"),
    (lambda: Array.full(4, "a", "int8", "cpu"), tegula.LaunchValueError, "a value of int8"),
    (lambda: Array.full(4, 1, tl.bfloat16, "cpu"), tegula.LaunchTypeError,
     "Array: expected a type of elements that Python has numbers for, got bfloat16"),
    (lambda: Array.from_numpy(np.zeros(2, np.int16), "cpu", "float32"), tegula.LaunchTypeError,
     "Array: expected elements of 4 bytes for float32, got int16"),
    (lambda: Array(4, "int8", "cpu").copy_(Array(5, "int8", "cpu")), tegula.LaunchTypeError,
     "Array: expected an Array of 4 elements of int8 to copy, got one of 5 of int8"),
    (lambda: Array(4, "int8", "cpu").copy_(np.zeros(4)), tegula.LaunchTypeError, "got ndarray"),
    (lambda: Array((), "int8", "cpu").__len__(), TypeError,
     "Array: expected a dimension to take the length of, got none"),
], ids=["dtype", "negative", "text", "kind", "device", "range", "no-number", "no-format", "size",
        "count", "class", "length"])
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_empty_like():
    torch = pytest.importorskip("torch")
    for like, kind in ((np.zeros((2, 3), np.float16), np.ndarray), (torch.zeros(2, 3).half(),
                                                                    torch.Tensor),
                       (Array.zeros((2, 3), "float16", "cpu"), Array)):
        same = tegula.empty_like(like)
        assert type(same) is kind and tuple(same.shape) == (2, 3) and same.dtype == like.dtype
        other = tegula.empty_like(like, (5,), "float32")
        assert type(other) is kind and tuple(other.shape) == (5,)
        assert "float32" in str(other.dtype) or other.dtype == tl.float32
    with pytest.raises(tegula.errors.LaunchTypeError,
                       match="empty_like: expected an array of NumPy, torch or tegula.Array, got "
                             "list"):
        tegula.empty_like([1.0])
