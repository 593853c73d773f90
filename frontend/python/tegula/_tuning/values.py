# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clearing, saving and restoring the elements of arrays of any library.

Only what belongs to an array is touched, also of one that is a view with strides:
what lies between its elements may belong to others. NumPy is imported where it is used:
programs that have other arrays need not have it.
"""

import ctypes

from .._arrays import array_of
from ..errors import LaunchTypeError


def clear(argument, name):
    """Sets all elements to zero. name: of the parameter, for messages."""
    array = array_of(argument)
    if _is_torch_like(array):
        _without_repeats(array).zero_()
    else:
        import numpy as np

        elements = _elements(array, name, "reset_to_zero")
        _assign(elements, np.zeros((), elements.dtype), name, "reset_to_zero")


def save(argument, name):
    """A copy for `restore`."""
    array = array_of(argument)
    if _is_torch_like(array):
        return _without_repeats(array).clone()
    return _elements(array, name, "restore_value").copy()


def restore(argument, saved, name):
    """Gives the array the elements back that it had at `save`."""
    array = array_of(argument)
    if _is_torch_like(array):
        _without_repeats(array).copy_(saved)
    else:
        _assign(_elements(array, name, "restore_value"), saved, name, "restore_value")


def _assign(elements, values, name, option):
    if not elements.flags.writeable:
        raise LaunchTypeError(
            f"argument '{name}' of an autotuned kernel: expected an array that can be written for "
            f"{option}, got a read-only one", id="launch-argument-type")
    elements[...] = values


def _is_torch_like(array):
    return all(hasattr(array, name) for name in ("zero_", "copy_", "clone"))


def _without_repeats(tensor):
    """The tensor apart from autograd, each element once.

    A tensor that was expanded has dimensions of stride 0, and one made by as_strided
    or unfold may hold elements twice in other ways: such cannot be assigned to.
    """
    tensor = getattr(tensor, "data", tensor)
    if not (hasattr(tensor, "stride") and hasattr(tensor, "as_strided")):
        return tensor
    dims = sorted((stride, size) for stride, size in zip(tensor.stride(), tensor.shape)
                  if size > 1)
    if any(size == 0 for size in tensor.shape):
        return tensor
    reach = 1  # how far the dimensions so far go
    for stride, size in dims:
        if stride < reach:
            break
        reach += (size - 1) * stride
    else:
        return tensor
    dims = [(stride, size) for stride, size in dims if stride]
    reach = 1
    for stride, size in dims:
        if stride < reach:  # windows that overlap: the whole stretch
            return tensor.as_strided((1 + sum((n - 1) * s for s, n in dims),), (1,))
        reach += (size - 1) * stride
    return tensor.as_strided([size for _, size in dims], [stride for stride, _ in dims])


class _Memory:
    """Memory as NumPy sees it: writable, whatever its owner says."""

    def __init__(self, address, shape, strides, typestr):
        self.__array_interface__ = {"version": 3, "data": (address, False), "shape": shape,
                                    "strides": strides, "typestr": typestr}


def _elements(array, name, option):
    """A NumPy array that is the same memory."""
    import numpy as np

    try:
        if hasattr(array, "__array_interface__"):
            return np.asarray(array)
        if hasattr(array, "data_ptr"):
            return _elements_at(array)
        if hasattr(array, "__dlpack__"):
            view = np.from_dlpack(array)  # as a rule read-only
            return np.asarray(_Memory(view.ctypes.data, view.shape, view.strides, view.dtype.str))
        return np.asarray(memoryview(array))
    except (TypeError, ValueError, AttributeError, BufferError, RuntimeError) as error:
        raise LaunchTypeError(
            f"argument '{name}' of an autotuned kernel: expected an array whose elements can be "
            f"reached for {option}, got {type(array).__name__} ({error})",
            id="launch-argument-type") from None


def _elements_at(array):
    """The bytes of an object that has an address, a shape and a size of its elements."""
    import numpy as np

    size = array.element_size() if hasattr(array, "element_size") else array.itemsize
    shape = tuple(array.shape)
    strides = getattr(array, "stride", None) or getattr(array, "strides", None)
    strides = strides() if callable(strides) else strides
    if strides is None:
        count = size
        for extent in shape:
            count *= extent
        return np.asarray((ctypes.c_uint8 * count).from_address(array.data_ptr()))
    strides = tuple(stride * size for stride in strides)  # given in elements
    return np.asarray(_Memory(array.data_ptr(), shape, strides, f"|V{size}"))
