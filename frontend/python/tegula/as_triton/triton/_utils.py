# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of types and sizes of blocks."""

from tegula.language import _types

TRITON_MAX_TENSOR_NUMEL = 2**20

# A type by any of its names -> its name in signatures.
type_canonicalisation_dict = {
    alias: text
    for text, aliases in {
        "u1": "bool int1 uint1 i1 u1", "void": "void",
        "fp16": "half float16", "bf16": "bfloat16", "fp32": "float float32",
        "fp64": "double float64", "i32": "int",
        "fp8e4nv": "float8_e4m3fn", "fp8e4b8": "float8_e4m3fnuz", "fp8e5": "float8_e5m2",
        "fp8e5b16": "float8_e5m2fnuz",
    }.items() for alias in (text, *aliases.split())
}
for _type in (*_types._BY_NAME.values(),):
    if not _type.is_bool():
        for _name in (_type.name, _type._tegula_text):
            type_canonicalisation_dict[_name] = _type._tegula_text
del _type, _name

_WIDTHS = {text: 1 if text == "u1" else _types.named(text).primitive_bitwidth
           for text in type_canonicalisation_dict.values()}


def canonicalize_dtype(dtype):
    """The name in signatures of a type of torch, NumPy or the language."""
    return type_canonicalisation_dict[str(dtype).rpartition(".")[2]]


def canonicalize_ptr_dtype(dtype, is_const):
    """The name in signatures of a pointer to such a type."""
    return ("*k" if is_const else "*") + canonicalize_dtype(dtype)


def get_primitive_bitwidth(dtype):
    """Bits of a type, by any of its names."""
    return _WIDTHS[type_canonicalisation_dict[dtype]]


def is_power_of_two(x):
    return x & (x - 1) == 0


def validate_block_shape(shape):
    """The number of elements of a block; an error if no block may have that shape."""
    elements = 1
    for axis, extent in enumerate(shape):
        if not isinstance(extent, int):
            raise TypeError(f"expected an integer as shape[{axis}] of a block, got "
                            f"{type(extent).__name__}")
        if not is_power_of_two(extent):
            raise ValueError(f"expected a power of 2 as shape[{axis}] of a block, got {extent}")
        elements *= extent
    if elements > TRITON_MAX_TENSOR_NUMEL:
        raise ValueError(f"expected at most {TRITON_MAX_TENSOR_NUMEL} elements in a block, got "
                         f"{elements}")
    return elements
