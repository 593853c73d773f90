# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays without memory, to compile for arguments that do not exist yet."""

import contextlib
import os
import threading

from . import _tegula
from .errors import LaunchTypeError

# Per thread: `pending` is set while it warms a kernel up, `place` to the device that arrays
# without memory count as being on, if that is not the host.
warm_up = threading.local()

_OF_ARRAYS = ("data_ptr", "__array_interface__", "__cuda_array_interface__", "__dlpack__")


def is_element_type(value):
    """Whether it is an element type of torch or NumPy (types of the language are constants)."""
    cls = type(value)
    if cls.__module__.split(".")[0] == "torch":
        return cls.__name__ == "dtype"
    if isinstance(value, type):
        return any(base.__name__ == "generic" and base.__module__ == "numpy"
                   for base in value.__mro__)
    return any(base.__name__ == "dtype" and base.__module__ == "numpy" for base in cls.__mro__)


class MockTensor:
    """Stands for an array in `warmup`: an element type and a shape.

    dtype: a type of the language or of a library, such as torch.float32; shape: a
    sequence of extents. Its address counts as a multiple of 16.
    """

    def __init__(self, dtype, shape=None):
        self.dtype = dtype
        self.shape = [1] if shape is None else shape

    @staticmethod
    def wrap_dtype(arg):
        """A MockTensor for an element type of a library; anything else as it is."""
        if not is_element_type(arg):
            return arg
        if isinstance(arg, type):  # np.float32: its dtype has the name
            import numpy
            arg = numpy.dtype(arg)
        return MockTensor(arg)

    @staticmethod
    def data_ptr():
        if not getattr(warm_up, "pending", None):
            raise LaunchTypeError("expected an array with memory, got a MockTensor, which is for "
                                  "warmup", id="launch-argument-type")
        return 0  # a multiple of everything

    @property
    def is_cpu(self):
        return getattr(warm_up, "place", None) is None

    @property
    def device(self):
        place = getattr(warm_up, "place", None)
        return "cpu" if place is None else f"{place[0]}:{place[1]}"

    @staticmethod
    def ptr_range():
        return 0

    def stride(self, dim=None):
        """Strides of an array without gaps, in elements."""
        strides = [1]
        for extent in reversed(list(self.shape)[1:]):
            strides.insert(0, strides[0] * extent)
        return tuple(strides) if dim is None else strides[dim]

    def size(self, dim=None):
        return tuple(self.shape) if dim is None else self.shape[dim]

    def __repr__(self):
        return f"MockTensor({self.dtype}, {self.shape})"


@contextlib.contextmanager
def placed(args, kwargs):
    """For this time, arrays without memory are where torch works, if nothing else says where."""
    values = (*args, *kwargs.values())
    has_arrays = any(hasattr(value, name) for value in values
                     if not isinstance(value, MockTensor) for name in _OF_ARRAYS)
    is_chosen = has_arrays or "target" in kwargs or os.environ.get("TEGULA_TARGET")
    before = getattr(warm_up, "place", None)
    warm_up.place = None if is_chosen else _tegula.torch_device()
    try:
        yield
    finally:
        warm_up.place = before


def mocked(function, args, kwargs):
    """Arguments with element types replaced by arrays, but for constants."""
    constants = function.constexpr_names
    names = function.arg_names
    if any(map(is_element_type, args)):
        args = tuple(arg if index < len(names) and names[index] in constants else
                     MockTensor.wrap_dtype(arg) for index, arg in enumerate(args))
    if any(map(is_element_type, kwargs.values())):
        kwargs = {name: arg if name in constants or name not in names else
                  MockTensor.wrap_dtype(arg) for name, arg in kwargs.items()}
    return args, kwargs
