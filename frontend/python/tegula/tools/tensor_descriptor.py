# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors as arguments of kernels."""

import operator

from ..errors import LaunchTypeError, LaunchValueError

MAX_RANK = 5
PADDINGS = ("zero", "nan")


class TensorDescriptor:
    """An array with shape, strides and the block that kernels read and write of it.

    base: the array that holds the elements; shape, strides: integers, in elements,
    outermost first, the last stride being 1; block_shape: of one access, part of
    what a kernel is compiled for; padding: 'zero' or 'nan', what is read outside
    of the shape. A launch looks at the attributes anew, so that hooks may set them.
    """

    _tegula_kind = "descriptor"

    def __init__(self, base, shape, strides, block_shape, padding="zero",
                 round_f32_to_tf32=False):
        self.base = base
        self.shape, self.strides, self.block_shape = map(_listed, (shape, strides, block_shape))
        self.padding = padding
        self.round_f32_to_tf32 = round_f32_to_tf32
        found = self._problem()
        if found is not None:
            is_value, text = found
            cls = LaunchValueError if is_value else LaunchTypeError
            raise cls(f"tensor descriptor: {text}", id="launch-argument-type")

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        """The descriptor of a whole array: torch's, NumPy's or with an array interface."""
        return TensorDescriptor(tensor, tensor.shape, _element_strides(tensor), block_shape,
                                padding, round_f32_to_tf32)

    @property
    def dtype(self):
        return getattr(self.base, "dtype", None)

    def __repr__(self):
        return (f"TensorDescriptor(shape={list(self.shape)}, strides={list(self.strides)}, "
                f"block_shape={list(self.block_shape)}, padding={self.padding!r})")

    def _problem(self):
        """None, or why this cannot be an argument: (its type is right, text)."""
        lists = {}
        for name in ("shape", "strides", "block_shape"):
            try:
                lists[name] = [operator.index(v) for v in getattr(self, name)]
            except TypeError:
                return False, f"expected integers as its {name}, got {getattr(self, name)!r}"
        shape, strides, block = lists.values()
        if not 1 <= len(shape) <= MAX_RANK:
            return True, f"expected 1 to {MAX_RANK} dimensions, got {len(shape)}"
        for name in ("strides", "block_shape"):
            if len(lists[name]) != len(shape):
                return True, (f"expected {len(shape)} numbers as its {name}, as many as its "
                              f"shape has, got {len(lists[name])}")
        for axis, extent in enumerate(shape):
            if not 0 <= extent < 2**31:
                return True, f"expected 0 to {2**31 - 1} as shape[{axis}], got {extent}"
        for axis, stride in enumerate(strides):
            if not -2**63 <= stride < 2**63:
                return True, f"expected 64 bits as strides[{axis}], got {stride}"
        if strides[-1] != 1:
            return True, (f"expected 1 as its last stride, got {strides[-1]}; describe a "
                          "transposed array by its transpose, and transpose what is loaded")
        elements = 1
        for axis, extent in enumerate(block):
            if extent < 1:
                return True, f"expected a positive number as block_shape[{axis}], got {extent}"
            elements *= extent
        if elements > 2**20:
            return True, f"expected a block of at most {2**20} elements, got {elements}"
        if self.padding not in PADDINGS:
            return True, f"expected 'zero' or 'nan' as its padding, got {self.padding!r}"
        return None


def _listed(integers):
    """A list of one's own, of anything that has items."""
    return list(integers) if hasattr(integers, "__iter__") else integers


def _element_strides(array):
    stride = getattr(array, "stride", None)
    if callable(stride):  # torch
        return stride()
    interface = getattr(array, "__array_interface__", None)
    if interface is None:
        raise LaunchTypeError(
            f"tensor descriptor: expected an array with shape and strides, got "
            f"{type(array).__name__}; give them to TensorDescriptor itself",
            id="launch-argument-type")
    shape, strides = interface["shape"], interface.get("strides")
    if strides is None:
        result = [1] * len(shape)
        for axis in range(len(shape) - 2, -1, -1):
            result[axis] = result[axis + 1] * max(shape[axis + 1], 1)
        return result
    size = array.itemsize
    for axis, step in enumerate(strides):
        if step % size:
            raise LaunchValueError(
                f"tensor descriptor: expected strides of whole elements, got {step} bytes as "
                f"strides[{axis}] of elements of {size}", id="launch-argument-type")
    return [step // size for step in strides]
