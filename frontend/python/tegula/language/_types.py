# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types, pointers and `constexpr`."""


class DType:
    """An element type; equal to another of the same name."""

    _tegula_kind = "dtype"

    def __init__(self, name, text, bits):
        self.name = name                    # as in tl.float32
        self._tegula_text = text            # as in signatures: fp32
        self.primitive_bitwidth = bits

    def __eq__(self, other):
        return getattr(other, "_tegula_kind", None) == "dtype" and (
            other._tegula_text == self._tegula_text)

    def __hash__(self):
        return hash(self._tegula_text)

    def __repr__(self):
        return f"tl.{self.name}"

    def __str__(self):
        return self.name

    @property
    def scalar(self):
        return self

    def is_floating(self):
        return self.name.startswith(("float", "bfloat"))

    def is_int(self):
        return self.name.startswith(("int", "uint"))

    def is_ptr(self):
        return self._tegula_text.startswith("*")


class PointerType(DType):
    def __init__(self, element_ty, address_space=1, const=False):
        super().__init__(f"pointer<{element_ty.name}>",
                         ("*k" if const else "*") + element_ty._tegula_text, 64)
        self.element_ty = element_ty
        self.address_space = address_space

    def __repr__(self):
        return f"tl.pointer_type({self.element_ty!r})"


def pointer_type(element_ty, address_space=1, const=False):
    """The type of pointers to `element_ty`."""
    return PointerType(element_ty, address_space, const)


dtype = DType
void = DType("void", "void", 0)
int1 = DType("int1", "i1", 1)
int8, int16, int32, int64 = (DType(f"int{b}", f"i{b}", b) for b in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (DType(f"uint{b}", f"u{b}", b) for b in (8, 16, 32, 64))
float16, bfloat16 = DType("float16", "fp16", 16), DType("bfloat16", "bf16", 16)
float32, float64 = DType("float32", "fp32", 32), DType("float64", "fp64", 64)
float8e4nv, float8e5 = DType("float8e4nv", "fp8e4nv", 8), DType("float8e5", "fp8e5", 8)
float8e4b8, float8e5b16 = DType("float8e4b8", "fp8e4b8", 8), DType("float8e5b16", "fp8e5b16", 8)
float8e4b15 = DType("float8e4b15", "fp8e4b15", 8)
pi32_t = pointer_type(int32)


class block_type:
    """Type of a tile, for isinstance-style checks of host code."""

    def __init__(self, element_ty, shape):
        self.element_ty, self.shape = element_ty, tuple(shape)


class tensor:
    """Class of run-time values inside kernels; has no instances on the host."""

    _tegula_host_path = "tl.tensor"


class tuple(tuple):  # noqa: A001
    """A tuple, by the name that kernels may call it."""

    _tegula_host_path = "tl.tuple"

    def __add__(self, other):
        return type(self)((*self, *other))

    def __getitem__(self, index):
        item = super().__getitem__(index)
        return type(self)(item) if isinstance(index, slice) else item


class constexpr:
    """Marks a parameter as known at compile time, or wraps a module constant."""

    _tegula_kind = "constexpr"
    _tegula_is_constexpr = True

    def __init__(self, value):
        self.value = value.value if isinstance(value, constexpr) else value

    def __repr__(self):
        return f"constexpr[{self.value!r}]"

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, constexpr) else other)

    def __hash__(self):
        return hash(self.value)

    def __index__(self):
        return self.value.__index__()

    def __bool__(self):
        return bool(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)


def _forward(name):
    def method(self, *others):
        others = [o.value if isinstance(o, constexpr) else o for o in others]
        return constexpr(getattr(self.value, name)(*others))

    method.__name__ = name
    return method


for _op in ("add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow "
            "lshift rshift and or xor neg pos invert lt le gt ge").split():
    setattr(constexpr, f"__{_op}__", _forward(f"__{_op}__"))
