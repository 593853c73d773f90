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
    kernel._launchers.clear()
    compile_ = kernel._compile
    kernel._compile = lambda specs, options: (seen.append(1), compile_(specs, options))[1]
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
