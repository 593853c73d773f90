# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What counts as an array: one test per protocol."""

import array

import numpy as np
import pytest

import tegula
import tegula.language as tl


@tegula.jit
def double_kernel(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


class OnlyDLPack:
    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **kwargs):
        return self._array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class OnlyInterface:
    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__
        self.dtype = array.dtype


class OnlyDataPtr:
    def __init__(self, array):
        self.dtype, self._address = array.dtype, array.ctypes.data

    def data_ptr(self):
        return self._address


@pytest.mark.parametrize("wrap", [lambda a: a, memoryview, OnlyDLPack, OnlyInterface, OnlyDataPtr])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "float16", "float32",
                                   "float64"])
def test_protocols(wrap, dtype):
    x = np.arange(10).astype(dtype)
    double_kernel[(1,)](wrap(x), 9, BLOCK=16)
    np.testing.assert_array_equal(x, np.array([0, 2, 4, 6, 8, 10, 12, 14, 16, 9], dtype))


def test_array_module():
    x = array.array("f", [1.5, 2.5, 3.5])
    double_kernel[(1,)](x, 2, BLOCK=2)
    assert list(x) == [3.0, 5.0, 3.5]


def test_numpy_scalars_are_numbers():
    x = np.ones(8, np.int32)
    double_kernel[(1,)](x, np.int64(3), BLOCK=8)
    np.testing.assert_array_equal(x, [2, 2, 2, 1, 1, 1, 1, 1])


def test_dlpack_of_a_type_that_no_kernel_has():
    with pytest.raises(TypeError, match="argument 'x' of kernel .*, got complex128 "):
        double_kernel[(1,)](OnlyDLPack(np.ones(3, np.complex128)), 3, BLOCK=4)


@tegula.jit
def copy_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


def test_bytes_can_be_read():
    """They cannot be changed, so no kernel that writes to them gets their address."""
    y = np.zeros(8, np.uint8)
    copy_kernel[(1,)](b"12345678", y, 8, BLOCK=8)
    assert y.tobytes() == b"12345678"
    with pytest.raises(tegula.LaunchValueError) as caught:
        copy_kernel[(1,)](y, b"12345678", 8, BLOCK=8)
    assert caught.value.id == "read-only-array"


def test_device_memory_is_refused():
    class OnGpu:
        __cuda_array_interface__ = {"data": (4096, False), "typestr": "<f4", "shape": (1,),
                                    "version": 3}

    with pytest.raises(ValueError, match="argument 'x' .*, got one on device cuda, which no"):
        double_kernel[(1,)](OnGpu(), 1, BLOCK=1)


@pytest.mark.parametrize(("name", "expected"), [
    ("float32", "float32"), ("bool", "int1"), ("float8_e4m3fn", "float8e4nv"),
    ("float8_e5m2", "float8e5"), ("bfloat16", "bfloat16"), ("uint8", "uint8")])
def test_reinterpret_as_type_of_torch(torch, name, expected):
    made = tegula.reinterpret(torch.zeros(4), getattr(torch, name))
    assert made.dtype == getattr(tl, expected)
    for same in (made.cpu(), made.clone(), made.to("cpu"), made.new_empty(2)):
        assert same.dtype == made.dtype and isinstance(same.base, torch.Tensor)
    other = tegula.reinterpret(torch.ones(4), tl.int32)
    assert made.copy_(other) is made and made.base.tolist() == [1] * 4


@pytest.mark.parametrize("dtype", [np.float16, np.dtype("float16")])
def test_reinterpret_as_type_of_numpy(dtype):
    assert tegula.reinterpret(np.zeros(4, np.int16), dtype).dtype == tl.float16


@pytest.mark.parametrize("dtype", [np.complex64, "float16", 16])
def test_reinterpret_as_no_type(dtype):
    with pytest.raises(tegula.LaunchTypeError, match="reinterpret: expected a type of the langu"):
        tegula.reinterpret(np.zeros(4, np.int16), dtype)
