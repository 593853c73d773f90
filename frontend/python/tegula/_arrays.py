# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that stand for others."""


def array_of(argument):
    """The array of an argument: behind a descriptor or a wrapper, the one it stands for."""
    while getattr(argument, "_tegula_kind", None) in ("descriptor", "wrapper"):
        argument = argument.base
    return argument


class ReinterpretedArray:
    """An array whose elements count as another type; see `reinterpret`."""

    _tegula_kind = "wrapper"

    def __init__(self, base, dtype):
        self.base = base
        self.dtype = dtype

    def __getattr__(self, name):  # data_ptr, device, array interface, shape, strides
        if name == "base":
            raise AttributeError(name)  # not there yet: while unpickling
        return getattr(self.base, name)

    # What gives a tensor of torch gives one that counts as the same type.

    def cpu(self):
        return ReinterpretedArray(self.base.cpu(), self.dtype)

    def clone(self):
        return ReinterpretedArray(self.base.clone(), self.dtype)

    def to(self, device):
        return ReinterpretedArray(self.base.to(device), self.dtype)

    def new_empty(self, sizes):
        return ReinterpretedArray(self.base.new_empty(sizes), self.dtype)

    def copy_(self, other):
        self.base.copy_(array_of(other))
        return self

    def __repr__(self):
        return f"<tegula.reinterpret as {self.dtype!r} of {type(self.base).__name__}>"


def reinterpret(tensor, dtype):
    """The same memory as elements of `dtype`, for an argument of a launch.

    tensor: an array of any library, or what `reinterpret` returned; dtype: a type
    of the language, such as `tl.float8e5` for an array of uint8. Shape and strides
    stay those of `tensor`, in its elements.
    """
    from .errors import LaunchTypeError
    if getattr(dtype, "_tegula_kind", None) != "dtype":
        raise LaunchTypeError(f"reinterpret: expected a type of the language, such as tl.float16, "
                              f"got {type(dtype).__name__}", id="launch-argument-type")
    if isinstance(tensor, ReinterpretedArray):
        tensor = tensor.base
    return ReinterpretedArray(tensor, dtype)
