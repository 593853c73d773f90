# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tegula.Array`: arrays on a device for programs that have no library of arrays for it."""

import math
import operator
import struct

from . import _tegula
from ._arrays import _NAMES_OF_LIBRARIES
from .errors import LaunchTypeError, LaunchValueError
from .runtime import _device

# Types of elements by name -> (name of NumPy's type or None, bits, type code of DLPack or None,
# format of one element for struct or None).
_TYPES = {
    "int1": ("bool", 8, 6, "?"),
    "int8": ("int8", 8, 0, "b"), "int16": ("int16", 16, 0, "h"), "int32": ("int32", 32, 0, "i"),
    "int64": ("int64", 64, 0, "q"), "uint8": ("uint8", 8, 1, "B"),
    "uint16": ("uint16", 16, 1, "H"), "uint32": ("uint32", 32, 1, "I"),
    "uint64": ("uint64", 64, 1, "Q"), "float16": ("float16", 16, 2, "e"),
    "float32": ("float32", 32, 2, "f"), "float64": ("float64", 64, 2, "d"),
    "bfloat16": (None, 16, 4, None),
    **{name: (None, 8, None, None) for name in
       ("float8e4nv", "float8e5", "float8e4b8", "float8e5b16", "float8e4b15")},
}
_DLPACK_KINDS = {"cuda": 2, "hip": 10}


def _type_of(dtype):
    """A type of the language, for it or for a type of a library or a name."""
    from .language._types import named

    if getattr(dtype, "_tegula_kind", None) == "dtype":
        name = dtype.name
    elif isinstance(dtype, str):
        name = dtype
    else:
        name = getattr(dtype, "__name__", None) or str(dtype).rpartition(".")[2]
    name = _NAMES_OF_LIBRARIES.get(name, name)
    found = named(name) if name in _TYPES else None
    if found is None:
        raise LaunchTypeError(f"Array: expected a type of elements such as tl.float32 or 'int8', "
                              f"got {dtype!r}", id="launch-argument-type")
    return found


def _place_of(device):
    """(kind, ordinal) of None, 'cuda', 'cuda:1' or an object with such a text."""
    if device is None:
        return _device.current()
    kind, colon, number = str(device).partition(":")
    if not kind or (colon and not number.isdigit()):
        raise LaunchValueError(f"Array: expected a device such as 'cpu' or 'cuda:0', got "
                               f"{device!r}", id="wrong-device")
    here = _device.current()
    return kind, int(number) if number else here[1] if here[0] == kind else 0


def _shape_of(shape):
    try:
        extents = (operator.index(shape),) if hasattr(shape, "__index__") else tuple(
            operator.index(extent) for extent in shape)
    except TypeError:
        extents = (-1,)
    if any(extent < 0 for extent in extents):
        raise LaunchTypeError("Array: expected extents of at least 0 as shape, got "
                              f"{shape!r}", id="launch-argument-type")
    return extents



class Array:
    """An array without gaps on one device, row by row.

    dtype: type of the elements, one of the language's; shape; strides, in elements; device:
    text such as 'cuda:0'. Its memory is freed with the last reference to it. Other libraries
    read it by DLPack, `__cuda_array_interface__` or, on the CPU, `__array_interface__`. What is
    copied and filled is queued on the stream that launches use.
    """

    def __init__(self, shape, dtype="float32", device=None):
        self.shape = _shape_of(shape)
        self.dtype = _type_of(dtype)
        self._place = _place_of(device)
        self._numpy, bits, self._code, self._format = _TYPES[self.dtype.name]
        self.itemsize = bits // 8
        self.size = math.prod(self.shape)
        self.nbytes = self.size * self.itemsize
        self._buffer = _tegula.Buffer(*self._place, self.nbytes)
        self._launch_facts = (self._buffer.address, self.dtype, *self._place)

    # -- making -------------------------------------------------------------------

    @classmethod
    def empty(cls, shape, dtype="float32", device=None):
        """With any elements."""
        return cls(shape, dtype, device)

    @classmethod
    def zeros(cls, shape, dtype="float32", device=None):
        made = cls(shape, dtype, device)
        made._buffer.fill(0, 0, made.nbytes)
        return made

    @classmethod
    def full(cls, shape, value, dtype="float32", device=None):
        """All elements `value`, a number."""
        made = cls(shape, dtype, device)
        return made.fill(value)

    @classmethod
    def from_numpy(cls, array, device=None, dtype=None):
        """A copy of an array of NumPy, or of anything with a buffer.

        dtype: what the elements are, where the other library has no such type: bytes of 16-bit
        integers count as bfloat16 then.
        """
        import numpy

        array = numpy.ascontiguousarray(array)
        made = cls(array.shape, dtype if dtype is not None else array.dtype.name, device)
        if array.itemsize != made.itemsize:
            raise LaunchTypeError(
                f"Array: expected elements of {made.itemsize} bytes for {made.dtype.name}, got "
                f"{array.dtype}", id="launch-argument-type")
        if array.size:
            made._buffer.write(0, array.reshape(-1).view(numpy.uint8))
        return made

    # -- using --------------------------------------------------------------------

    def fill(self, value):
        """Sets all elements; returns the array."""
        if self._format is None:
            raise LaunchTypeError(f"Array: expected a type of elements that Python has numbers "
                                  f"for, got {self.dtype.name}", id="launch-argument-type")
        try:
            element = struct.pack("=" + self._format, value)
        except (struct.error, OverflowError) as error:
            raise LaunchValueError(f"Array: expected a value of {self.dtype.name}, got {value!r}"
                                   f" ({error})", id="launch-argument-type") from None
        if self.itemsize <= 4:
            pattern = int.from_bytes(element * (4 // self.itemsize), "little")
            self._buffer.fill(0, pattern, self.nbytes)
        elif element[:4] == element[4:]:
            self._buffer.fill(0, int.from_bytes(element[:4], "little"), self.nbytes)
        elif self.size:
            self._buffer.write(0, element * self.size)
        return self

    def to_numpy(self):
        """A copy of the elements for NumPy, once all work before is done; types that NumPy has
        not are unsigned integers of their size."""
        import numpy

        raw = numpy.empty(self.nbytes, numpy.uint8)
        if self.nbytes:
            self._buffer.read(0, raw)
        return raw.view(self._numpy or f"uint{8 * self.itemsize}").reshape(self.shape)

    def copy(self, device=None):
        """A copy, on the same device or on another one."""
        made = Array(self.shape, self.dtype, self.device if device is None else device)
        return made.copy_(self)

    def copy_(self, other):
        """Takes over the elements of an Array of the same type and size; returns the array."""
        if not isinstance(other, Array) or other.dtype.name != self.dtype.name or (
                other.size != self.size):
            got = (f"one of {other.size} of {other.dtype.name}" if isinstance(other, Array)
                   else type(other).__name__)
            raise LaunchTypeError(f"Array: expected an Array of {self.size} elements of "
                                  f"{self.dtype.name} to copy, got {got}",
                                  id="launch-argument-type")
        if self.nbytes and other is not self:
            self._buffer.copy_from(0, other._buffer, 0, self.nbytes)
        return self

    # -- what libraries and launches ask ------------------------------------------

    def data_ptr(self):
        return self._buffer.address

    @property
    def device(self):
        kind, ordinal = self._place
        return "cpu" if self._place == _device.HOST else f"{kind}:{ordinal}"

    @property
    def is_cpu(self):
        return self._place == _device.HOST

    @property
    def strides(self):
        return tuple(math.prod(self.shape[axis + 1:]) for axis in range(len(self.shape)))

    def stride(self, dim=None):
        return self.strides if dim is None else self.strides[dim]

    @property
    def ndim(self):
        return len(self.shape)

    def numel(self):
        return self.size

    def element_size(self):
        return self.itemsize

    def __len__(self):
        if not self.shape:
            raise TypeError("Array: expected a dimension to take the length of, got none")
        return self.shape[0]

    def _interface(self):
        kind = {6: "b", 0: "i", 1: "u", 2: "f"}.get(self._code, "V")
        return {"shape": self.shape, "typestr": f"{'<' if self.itemsize > 1 else '|'}{kind}"
                f"{self.itemsize}", "data": (self.data_ptr() if self.size else 0, False),
                "strides": None, "version": 3}

    @property
    def __cuda_array_interface__(self):
        if self._place[0] != "cuda":
            raise AttributeError("__cuda_array_interface__: the array is on " + self.device)
        return {**self._interface(), "stream": _tegula.current_stream(*self._place) or 1}

    @property
    def __array_interface__(self):
        if not self.is_cpu:
            raise AttributeError(f"__array_interface__: the array is on {self.device}; "
                                 "to_numpy() copies it")
        return self._interface()

    def __dlpack_device__(self):
        kind, ordinal = self._place
        return (1, 0) if self.is_cpu else (_DLPACK_KINDS.get(kind, 12), ordinal)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if self._code is None:
            raise BufferError(f"__dlpack__: there is no type {self.dtype.name} in DLPack")
        if (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()) or copy:
            raise BufferError("__dlpack__: expected the array as it is, got a wish for a copy")
        if not self.is_cpu and stream != -1:
            # The consumer's stream may be another one than where our work is queued.
            ours = _tegula.current_stream(*self._place) or 1
            if (1 if stream is None else stream) != ours:
                _tegula.synchronize(*self._place)
        return _tegula.dlpack(self, self.data_ptr() if self.size else 0,
                              *self.__dlpack_device__(), self._code, 8 * self.itemsize, self.shape,
                              self.strides)

    def __repr__(self):
        return f"tegula.Array({list(self.shape)}, {self.dtype.name}, {self.device})"


def empty_like(array, shape=None, dtype=None):
    """An array with any elements of the library of `array`, and on its device.

    array: of NumPy, torch or `Array`; shape, dtype: where they are to differ from `array`'s; dtype
    is one of the library or a name such as "float32".
    """
    if isinstance(array, Array):
        return Array(array.shape if shape is None else shape,
                     array.dtype if dtype is None else dtype, array.device)
    if hasattr(array, "new_empty"):  # torch, which need not be here
        import torch

        if isinstance(dtype, str):
            dtype = getattr(torch, dtype)
        return array.new_empty(array.shape if shape is None else shape, dtype=dtype)
    if type(array).__module__.partition(".")[0] == "numpy":
        import numpy

        return numpy.empty_like(array, shape=shape, dtype=dtype)
    raise LaunchTypeError("empty_like: expected an array of NumPy, torch or tegula.Array, got "
                          f"{type(array).__name__}", id="launch-argument-type")
