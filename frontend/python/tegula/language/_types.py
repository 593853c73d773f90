# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types, pointers and `constexpr`."""


_NAMES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64",
          "u1": "int1",
          **{"fp8" + f: "float8" + f for f in ("e4nv", "e4b8", "e4b15", "e5", "e5b16")}}


class DType:
    """An element type; equal to another of the same name.

    `DType("float32")` and `DType("fp32")` are `tl.float32`'s equals.
    """

    _tegula_kind = "dtype"
    _tegula_module = "tegula.language"      # that `repr` names

    # Names of types by kind, for code that goes through them.
    SINT_TYPES = ["int8", "int16", "int32", "int64"]
    UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES = ["fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16",
                "fp16", "bf16", "fp32", "fp64"]
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES = ["void"]

    def __init__(self, name, text=None, bits=None):
        if text is None:
            name = getattr(name, "value", name)  # of a constexpr
            known = _BY_NAME.get(_NAMES.get(name, name)) if isinstance(name, str) else None
            if known is None:
                raise ValueError(f"dtype: expected the name of an element type such as 'fp32' or "
                                 f"'int64', got {name!r}")
            name, text, bits = known.name, known._tegula_text, known.primitive_bitwidth
        self.name = name                    # as in tl.float32
        self._tegula_text = text            # as in signatures: fp32
        self.primitive_bitwidth = bits

    def __eq__(self, other):
        return getattr(other, "_tegula_kind", None) == "dtype" and (
            other._tegula_text == self._tegula_text)

    def __hash__(self):
        return hash(self._tegula_text)

    def __repr__(self):
        return f"{self._tegula_module}.{self.name}"

    def __str__(self):
        return self.name

    @property
    def itemsize(self):
        return self.primitive_bitwidth // 8

    @property
    def scalar(self):
        return self

    def is_floating(self):
        return self.name.startswith(("float", "bfloat"))

    def is_standard_floating(self):
        return self.name in ("float16", "bfloat16", "float32", "float64")

    def is_fp8(self):
        return self.name.startswith("float8")

    def is_int(self):
        return self.name.startswith(("int", "uint"))

    def is_int_signed(self):
        return self.name.startswith("int") and self.name != "int1"

    def is_int_unsigned(self):
        return self.name.startswith("uint") or self.name == "int1"

    def is_bool(self):
        return self.name == "int1"

    def is_void(self):
        return self.name == "void"

    def is_ptr(self):
        return self._tegula_text.startswith("*")

    def is_block(self):
        return False

    @property
    def int_bitwidth(self):
        return self.primitive_bitwidth

    @property
    def fp_mantissa_width(self):
        return {"fp16": 10, "bf16": 7, "fp32": 23, "fp64": 52, "fp8e5": 2, "fp8e5b16": 2}.get(
            self._tegula_text, 3)

    @property
    def exponent_bias(self):
        return {"fp16": 15, "bf16": 127, "fp32": 127, "fp64": 1023, "fp8e4nv": 7, "fp8e4b8": 8,
                "fp8e4b15": 15, "fp8e5": 15, "fp8e5b16": 16}[self._tegula_text]

    def get_int_max_value(self):
        return (1 << (self.int_bitwidth - self.is_int_signed())) - 1

    def get_int_min_value(self):
        return -(1 << (self.int_bitwidth - 1)) if self.is_int_signed() else 0


class PointerType(DType):
    def __init__(self, element_ty, address_space=1, const=False):
        super().__init__(f"pointer<{element_ty.name}>",
                         ("*k" if const else "*") + element_ty._tegula_text, 64)
        self.element_ty = element_ty
        self.address_space = address_space

    def __repr__(self):
        return f"{self._tegula_module}.pointer_type({self.element_ty!r})"


class const:
    """Annotation of a pointer that a kernel only reads: storing through it is an error."""

    _tegula_annotation = "*kvoid"


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

_BY_NAME = {type_.name: type_ for type_ in list(globals().values())
            if isinstance(type_, DType) and not type_.is_ptr()}


def _question(name):
    return lambda self: self.name == name


for _name in _BY_NAME:  # is_int32, is_fp16, is_bf16, is_fp8e4nv, ...
    _short = _name.replace("bfloat", "bf").replace("float", "fp")
    if not hasattr(DType, "is_" + _short):
        setattr(DType, "is_" + _short, _question(_name))
del _name, _short


def named(text):
    """The type of a name or a signature: float32, *fp32."""
    if text.startswith("*"):
        const = text.startswith("*k")
        return pointer_type(named(text[2 if const else 1:]), const=const)
    for type_ in _BY_NAME.values():
        if text in (type_.name, type_._tegula_text):
            return type_
    return int1 if text == "u1" else DType(text, text, 0)


def get_int_dtype(bitwidth, signed):
    """The integer type of a width; of 1 bit int1."""
    return int1 if bitwidth == 1 else _BY_NAME[f"{'int' if signed else 'uint'}{bitwidth}"]


get_int_dtype._tegula_host_path = "tl.get_int_dtype"


class block_type:
    """Type of a tile, for isinstance-style checks of host code."""

    def __init__(self, element_ty, shape):
        self.element_ty, self.shape = element_ty, tuple(shape)


class constexpr_type:
    """Type of what is known at compile time, by its value."""

    _tegula_host_path = "tl.constexpr_type"

    def __init__(self, value):
        self.value = value.value if isinstance(value, constexpr) else value

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"constexpr_type[{self.value}]"

    def mangle(self):
        """Its name as part of names of functions."""
        return repr(self)


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
