# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The vocabulary of the kernel language, for `import tegula.language as tl`.

Functions here are names that the compiler knows; they mean something inside
kernels only. Types double as host objects: `tl.float32`, `tl.pointer_type(...)`.
"""

from . import core, extra, math, standard, target_info
from ._members import Member
from ._types import (DType, bfloat16, block_type, const, constexpr, dtype, float8e4b8, float8e4b15,
                     float8e4nv, float8e5, float8e5b16, float16, float32, float64, get_int_dtype,
                     int1, int8, int16, int32, int64, pi32_t, pointer_type, tensor, tuple, uint8,
                     uint16, uint32, uint64, void)

# Functions of the language, built in or written in it. `tests` compare this list
# with the compiler's own.
_FUNCTIONS = """
program_id num_programs arange zeros zeros_like full cast broadcast broadcast_to reshape view
expand_dims permute trans ravel where load store dot maximum minimum clamp abs exp exp2 log log2 sin
cos sqrt sqrt_rn rsqrt erf floor ceil fma fdiv div_rn umulhi sigmoid softmax cdiv swizzle2d sum max
min argmax argmin xor_sum reduce_or reduce multiple_of max_contiguous max_constancy assume
debug_barrier static_assert static_print static_range range device_assert device_print philox
philox_impl randint randint4x rand rand4x randn randn4x uint_to_uniform_float pair_uniform_to_normal
atomic_add atomic_max atomic_min atomic_and atomic_or atomic_xor atomic_xchg atomic_cas atomic_poll
associative_scan cumsum cumprod sort argsort topk bitonic_merge histogram join split interleave cat
flip gather dot_scaled map_elementwise inline_asm_elementwise extern_elementwise expect_zero
add sub mul squeeze unsqueeze to_tensor condition get_int_dtype aggregate_replace
make_block_ptr advance make_tensor_descriptor load_tensor_descriptor store_tensor_descriptor
tensor_descriptor tensor_descriptor_base _experimental_make_tensor_descriptor
_experimental_descriptor_load _experimental_descriptor_store
""".split()

for _name in _FUNCTIONS:
    globals().setdefault(_name, Member("tl." + _name))
del _name

cdiv.__doc__ = """(x + y - 1) // y: x / y rounded up for non-negative x. In kernels the quotient
of a negative x truncates toward zero; tegula.cdiv, on the host, rounds up there too."""


def extern(fn=None, **options):
    """Marks a function that calls `extern_elementwise`: one that kernels call like any other."""
    from tegula.jit import jit

    return jit(fn) if fn is not None else jit


class PropagateNan:
    """What maximum, minimum and clamp do with a NaN beside a number: NONE passes over it."""

    NONE = Member("tl.PropagateNan.NONE")
    ALL = Member("tl.PropagateNan.ALL")


__all__ = [*_FUNCTIONS, "DType", "PropagateNan", "bfloat16", "block_type", "const", "constexpr",
           "core", "dtype", "extern", "extra", "float16", "float32", "float64", "float8e4b15",
           "float8e4b8", "float8e4nv", "float8e5", "float8e5b16", "int1", "int16", "int32",
           "int64", "int8", "math", "pi32_t", "pointer_type", "standard", "target_info", "tensor",
           "tuple", "uint16", "uint32", "uint64", "uint8", "void"]
