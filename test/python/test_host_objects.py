# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outer names: module constants, closures, and host objects at compile time."""

import dataclasses
import enum
import math

import numpy as np
import pytest

import tegula
import tegula.language as tl

PLAIN = 3
WRAPPED = tl.constexpr(5)
TABLE = {"scale": 7, "names": ("a", "b")}


class Mode(enum.IntEnum):
    ADD = 0
    SCALE = 1


@dataclasses.dataclass(frozen=True)
class Config:
    factor: int
    nested: tuple = (10, 20)

    def doubled(self):
        return 2 * self.factor


CONFIG = Config(4)


def host_cube(x):
    return x**3


def run(kernel, *args, **kwargs):
    out = np.full(16, -1, np.int32)
    kernel[(1,)](out, *args, **kwargs)
    return out


@tegula.jit
def constants_kernel(out):
    i = tl.arange(0, 16)
    tl.store(out + i, i * PLAIN + WRAPPED)


def test_module_constants():
    np.testing.assert_array_equal(run(constants_kernel), np.arange(16) * 3 + 5)


def test_changed_global_is_seen():
    """A global that a compiled kernel used and that is bound anew is not stale."""
    global PLAIN
    try:
        run(constants_kernel)
        PLAIN = 11
        np.testing.assert_array_equal(run(constants_kernel), np.arange(16) * 11 + 5)
    finally:
        PLAIN = 3
    np.testing.assert_array_equal(run(constants_kernel), np.arange(16) * 3 + 5)


@tegula.jit
def objects_kernel(out, MODE: tl.constexpr, CFG: tl.constexpr):
    i = tl.arange(0, 16)
    value = i + CFG.factor + CONFIG.doubled() + TABLE["scale"] + host_cube(2)
    if MODE == Mode.SCALE:
        value = value * CFG.nested[1]
    tl.store(out + i, value)


def test_host_objects():
    base = np.arange(16) + 6 + 8 + 7 + 8
    np.testing.assert_array_equal(run(objects_kernel, MODE=Mode.ADD, CFG=Config(6)), base)
    np.testing.assert_array_equal(run(objects_kernel, MODE=Mode.SCALE, CFG=Config(6)), base * 20)


def make_kernel(step, helper):
    offset = 100

    @tegula.jit
    def kernel(out):
        i = tl.arange(0, 16)
        tl.store(out + i, helper(i * step) + offset)

    return kernel


@tegula.jit
def negate(x):
    return -x


@tegula.jit
def identity(x):
    return x


def test_closures():
    np.testing.assert_array_equal(run(make_kernel(2, negate)), 100 - 2 * np.arange(16))
    np.testing.assert_array_equal(run(make_kernel(3, identity)), 100 + 3 * np.arange(16))


@tegula.jit
def function_argument_kernel(out, FN: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(out + i, FN(i))


def test_functions_as_arguments():
    np.testing.assert_array_equal(run(function_argument_kernel, FN=negate), -np.arange(16))
    np.testing.assert_array_equal(run(function_argument_kernel, FN=identity), np.arange(16))


@tegula.jit
def math_kernel(out, N: tl.constexpr):
    i = tl.arange(0, 16)
    bits: tl.constexpr = tegula.next_power_of_2(N) + tegula.cdiv(N, 4)
    tl.store(out + i, i + bits + int(math.floor(math.pi * 100)))


def test_host_mathematics():
    np.testing.assert_array_equal(run(math_kernel, N=9), np.arange(16) + 16 + 3 + 314)


@tegula.jit
def dtype_argument_kernel(x, out, DTYPE: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i).to(DTYPE).to(tl.float32))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_dtypes_as_arguments(dtype):
    x = (np.arange(16) * 0.1).astype(np.float32)
    out = np.zeros(16, np.float32)
    dtype_argument_kernel[(1,)](x, out, DTYPE=getattr(tl, dtype))
    np.testing.assert_array_equal(out, x.astype(dtype).astype(np.float32))


class Holder:
    @staticmethod
    @tegula.jit
    def kernel(out):
        i = tl.arange(0, 16)
        tl.store(out + i, i + 1)


if math.pi > 3:
    @tegula.jit
    def conditional_kernel(out):
        i = tl.arange(0, 16)
        tl.store(out + i, i + 2)


def test_kernels_in_classes_and_conditionals():
    np.testing.assert_array_equal(run(Holder.kernel), np.arange(16) + 1)
    np.testing.assert_array_equal(run(conditional_kernel), np.arange(16) + 2)


@tegula.jit
def contains_kernel(out):
    i = tl.arange(0, 16)
    found = 1 if "scale" in TABLE else 0
    if "bias" in TABLE:
        found += 2
    if "bias" not in TABLE:
        found += 4
    tl.store(out + i, i + found)


def test_membership_in_host_objects():
    np.testing.assert_array_equal(run(contains_kernel), np.arange(16) + 5)


def test_one_compile_per_set_of_facts():
    seen = []
    original = constants_kernel._compile
    kernel = tegula.jit(constants_kernel.fn)
    kernel._forget()
    compile_ = kernel._compile
    kernel._compile = lambda specs, options, *rest: (seen.append(1),
                                                  compile_(specs, options, *rest))[1]
    for _ in range(5):
        run(kernel)
    assert len(seen) == 1
    assert original is not compile_


def test_handle_shows_stages(monkeypatch):
    monkeypatch.setenv("TEGULA_KEEP", "all")
    kernel = tegula.jit(constants_kernel.fn)
    handle = kernel[(1,)](np.zeros(16, np.int32))
    assert "tile.store" in handle.asm["tile"] and "define" in handle.asm["llir"]
    assert handle.asm["object"][:4] == b"\x7fELF"
    assert handle.metadata["args"][0]["type"] == "*i32"


@tl.constexpr
def wide_type(element):
    """A function of the host: types arrive as those of tegula.language."""
    return tl.float32 if element.is_fp16() or element.is_bf16() else element


@tl.constexpr
def bits_type(width):
    return tl.get_int_dtype(width, False)


@tegula.jit
def bits_kernel(x, out):
    WIDE: tl.constexpr = wide_type(x.dtype.element_ty)
    BITS: tl.constexpr = bits_type(WIDE.primitive_bitwidth)
    tl.store(out, tl.load(x).to(WIDE).to(BITS, bitcast=True))


@pytest.mark.parametrize("name, bits", [
    ("float16", 0x3F800000), ("float32", 0x3F800000), ("float64", 0x3FF0000000000000)])
def test_types_reach_functions_of_the_host(name, bits):
    out = np.zeros(1, np.uint64)
    bits_kernel[(1,)](np.ones(1, name), out)
    assert out[0] == bits


@pytest.mark.parametrize("type_, floating, signed, unsigned, bits", [
    (tl.float16, True, False, False, 16), (tl.bfloat16, True, False, False, 16),
    (tl.float8e5, True, False, False, 8), (tl.int64, False, True, False, 64),
    (tl.uint8, False, False, True, 8), (tl.int1, False, False, True, 1)])
def test_questions_to_types(type_, floating, signed, unsigned, bits):
    """On the host as in kernels."""
    assert type_.is_floating() == floating
    assert type_.is_int_signed() == signed and type_.is_int_unsigned() == unsigned
    assert type_.is_int() == (signed or unsigned) and type_.primitive_bitwidth == bits
    assert type_.is_fp16() == (type_ == tl.float16) and type_.is_bf16() == (type_ == tl.bfloat16)
    assert type_.is_bool() == (type_ == tl.int1) and type_.is_fp8() == (type_ == tl.float8e5)


def test_types_by_name():
    for name in [*tl.dtype.SINT_TYPES, *tl.dtype.UINT_TYPES, *tl.dtype.FP_TYPES]:
        type_ = tl.dtype(name)
        assert eval(repr(type_), {"tegula": tegula}) == type_ == tl.dtype(type_.name)
        assert type_.itemsize == type_.primitive_bitwidth // 8
    assert tl.dtype("fp32") == tl.float32 != tl.dtype("fp64")
    with pytest.raises(ValueError, match="expected the name of an element type"):
        tl.dtype("f32")


@pytest.mark.parametrize("type_", [tl.float16, tl.float32, tl.float64])
def test_layout_of_floats(type_):
    info = np.finfo(type_.name)
    assert type_.fp_mantissa_width == info.nmant and type_.exponent_bias == info.maxexp - 1


def test_bounds_of_integer_types():
    for type_ in (tl.int8, tl.uint16, tl.int32, tl.uint64):
        info = np.iinfo(type_.name)
        assert (type_.get_int_min_value(), type_.get_int_max_value()) == (info.min, info.max)
        assert tl.get_int_dtype(info.bits, info.min < 0) == type_
    assert tl.get_int_dtype(1, False) == tl.int1


@tegula.jit
def scaled(x, FACTOR: tl.constexpr):
    twice: tl.constexpr = FACTOR * 2
    return x * twice


@tegula.jit
def run_time_factor_kernel(out, n):
    tl.store(out, scaled(5, n))
    for i in range(1, n, step=2, num_stages=2):
        tl.store(out + i, i)


def test_run_time_values_for_constants_of_functions():
    """A name or parameter marked as constant takes what it gets."""
    out = np.zeros(6, np.int32)
    run_time_factor_kernel[(1,)](out, 6)
    assert out.tolist() == [60, 1, 0, 3, 0, 5]
