# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that stand for others."""


def array_of(argument):
    """The array of an argument: behind a descriptor or a wrapper, the one it stands for."""
    while getattr(argument, "_tegula_kind", None) in ("descriptor", "wrapper"):
        argument = argument.base
    return argument


# Element types of torch and NumPy whose names in the language differ.
_NAMES_OF_LIBRARIES = {
    "bool": "int1", "bool_": "int1", "float8_e4m3fn": "float8e4nv", "float8_e4m3fnuz": "float8e4b8",
    "float8_e5m2": "float8e5", "float8_e5m2fnuz": "float8e5b16",
}


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
    of the language, such as `tl.float8e5` for an array of uint8, or of a library.
    Shape and strides stay those of `tensor`, in its elements.
    """
    from ._mock import is_element_type
    from .errors import LaunchTypeError
    from .language._types import named
    if is_element_type(dtype):
        # The name of a class of NumPy, or of an object: torch.float16, dtype('float16').
        name = getattr(dtype, "__name__", None) or str(dtype).rpartition(".")[2]
        found = named(_NAMES_OF_LIBRARIES.get(name, name))
        dtype = found if found.primitive_bitwidth else dtype  # complex, say
    if getattr(dtype, "_tegula_kind", None) != "dtype":
        raise LaunchTypeError(f"reinterpret: expected a type of the language, such as tl.float16, "
                              f"got {type(dtype).__name__}", id="launch-argument-type")
    if isinstance(tensor, ReinterpretedArray):
        tensor = tensor.base
    return ReinterpretedArray(tensor, dtype)
