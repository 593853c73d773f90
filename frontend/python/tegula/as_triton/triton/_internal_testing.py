# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers that unit tests written for Triton import: types, random data, conversions.

Questions about a device are answered for the target of launches; a device that
is none of NVIDIA's, AMD's or Intel's says no to all of them.
"""

import os

import numpy as np
import pytest
import torch

from tegula._arrays import ReinterpretedArray, reinterpret
from tegula.language import _types
from tegula.runtime import driver

from ._utils import type_canonicalisation_dict

TensorWrapper = ReinterpretedArray

_WIDTHS = (8, 16, 32, 64)
int_dtypes = [f"int{bits}" for bits in _WIDTHS]
uint_dtypes = [f"uint{bits}" for bits in _WIDTHS]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = [f"float{bits}" for bits in _WIDTHS[1:]]
float_dtypes_with_bfloat16 = [*float_dtypes, "bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = [*dtypes, "bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool", *int_dtypes, "uint8", *float_dtypes_with_bfloat16]
tma_dtypes = sorted(name for name in dtypes_with_bfloat16
                    if name not in ("int64", "uint64", "float64"))


# -- what runs ----------------------------------------------------------------

def is_interpreter():
    """Whether the program asks for the interpreter (kernels run compiled all the same)."""
    return os.environ.get("TRITON_INTERPRET", "0") == "1"


def get_current_target():
    return None if is_interpreter() else driver.active.get_current_target()


def _backend():
    target = get_current_target()
    return "" if target is None else target.backend


def get_arch():
    target = get_current_target()
    return "" if target is None else str(target.arch)


def _capability():
    return torch.cuda.get_device_capability() if is_cuda() else (0, 0)


def is_cuda():
    return _backend() == "cuda"


def is_hip():
    return _backend() == "hip"


def is_xpu():
    return _backend() == "xpu"


def is_ampere_or_newer():
    return _capability()[0] >= 8


def is_hopper_or_newer():
    return _capability()[0] >= 9


def is_hopper():
    return _capability()[0] == 9


def is_blackwell():
    return _capability()[0] == 10


def is_sm12x():
    return _capability()[0] == 12


def _hip_arch(*names):
    return is_hip() and get_arch() in names


def is_hip_cdna2():
    return _hip_arch("gfx90a")


def is_hip_cdna3():
    return _hip_arch("gfx942")


def is_hip_cdna4():
    return _hip_arch("gfx950")


def is_hip_cdna():
    return _hip_arch("gfx90a", "gfx942", "gfx950")


def is_hip_gfx11():
    return is_hip() and "gfx11" in get_arch()


def is_hip_gfx12():
    return is_hip() and "gfx12" in get_arch()


def is_hip_gfx1250():
    return is_hip() and "gfx1250" in get_arch()


def get_hip_lds_size():
    return (160 if is_hip_cdna4() else 64) * 1024


def supports_tma(byval_only=False):
    """Descriptors work on every target but on GPUs of NVIDIA ahead of Hopper and on AMD's."""
    if is_cuda():
        return is_hopper_or_newer()
    return not is_hip()


def supports_ws():
    return is_interpreter() or is_hopper_or_newer()


def tma_skip_msg(byval_only=False):
    return "needs a target with tensor descriptors: a CPU, or NVIDIA's GPUs from Hopper on"


requires_tma = pytest.mark.skipif(not supports_tma(), reason=tma_skip_msg())


def default_alloc_fn(size, alignment, stream):
    return torch.empty(size, dtype=torch.int8, device=driver.active.get_active_torch_device())


# -- data -----------------------------------------------------------------------

def numpy_random(shape, dtype_str, rs=None, low=None, high=None):
    """Random elements, the same at each call that gives no `rs`.

    Integers are of the whole range, or of [low, high), and never 0. Types that
    NumPy lacks: bfloat16 is float32 whose values bfloat16 has, float8 its bits as int8.
    """
    rs = np.random.RandomState(17) if rs is None else rs
    shape = (shape,) if isinstance(shape, int) else shape
    if dtype_str in integral_dtypes:
        limits = np.iinfo(dtype_str)
        begin = limits.min if low is None else max(limits.min, low)
        end = limits.max if high is None else min(limits.max, high)
        data = rs.randint(begin, end, shape, dtype=dtype_str)
        return np.where(data == 0, data.dtype.type(1), data)
    if "float8" in dtype_str:
        return rs.randint(20, 40, shape, dtype=np.int8)
    normal = rs.normal(0, 1, shape)
    if dtype_str in ("bool", "bool_", "int1"):
        return normal > 0
    if dtype_str == "bfloat16":
        bits = np.asarray(normal, np.float32).view(np.uint32)
        return (bits & np.uint32(0xFFFF0000)).view(np.float32)
    if dtype_str in float_dtypes:
        return np.asarray(normal).astype(dtype_str)
    raise RuntimeError(f"expected a type of {', '.join(dtypes_with_bfloat16)}, got {dtype_str!r}")


def to_triton(x, device, dst_type=None):
    """The argument of a launch for an array of NumPy.

    dst_type: its type for kernels, where NumPy has it not: bfloat16, float8*.
    """
    kind = x.dtype.name
    if kind in uint_dtypes:
        signed = torch.tensor(x.view(kind[1:]), device=device)
        return reinterpret(signed, getattr(_types, kind))
    tensor = torch.tensor(x, device=device)
    if dst_type and "float8" in dst_type:
        return reinterpret(tensor, _types.named(type_canonicalisation_dict[dst_type]))
    return tensor.bfloat16() if (kind, dst_type) == ("float32", "bfloat16") else tensor


def to_numpy(x):
    """The array of NumPy for what `to_triton` made; bfloat16 as float32."""
    if isinstance(x, ReinterpretedArray):
        return x.base.cpu().numpy().view(torch_dtype_name(x.dtype))
    if not isinstance(x, torch.Tensor):
        raise ValueError(f"expected a tensor, got {type(x).__name__}")
    x = x.cpu()
    return (x.float() if x.dtype is torch.bfloat16 else x).numpy()


def unwrap_tensor(t):
    """The tensor of torch behind a reinterpreted one."""
    return t.base if isinstance(t, ReinterpretedArray) else t


def str_to_triton_dtype(x):
    return _types.named(type_canonicalisation_dict[x])


def torch_dtype_name(dtype):
    """The name of a type of torch or of the language: float16."""
    if getattr(dtype, "_tegula_kind", None) == "dtype":
        return dtype.name
    if isinstance(dtype, torch.dtype):
        return str(dtype).removeprefix("torch.")
    raise TypeError(f"expected a type of torch or of the language, got {type(dtype).__name__}")


# -- knobs ------------------------------------------------------------------------

def _fresh_knobs_impl(skipped_attr=None):
    """(enter, leave): all knobs at their defaults in between, the environment without them.

    skipped_attr: names of groups to leave alone.
    """
    from . import knobs

    groups = {name: group for name, group in vars(knobs).items()
              if isinstance(group, knobs.base_knobs) and name not in (skipped_attr or ())}
    keys = {key for group in groups.values() for knob in group.knob_descriptors.values()
            for key in (knob.key, knobs.triton_name(knob.key)) if key}
    before = {}

    def enter():
        before["environment"] = {key: os.environ[key] for key in keys if key in os.environ}
        before["propagate"] = knobs.propagate_env
        for key in keys:
            os.environ.pop(key, None)
        for name, group in groups.items():
            setattr(knobs, name, group.copy().reset())
        knobs.propagate_env = True
        return knobs

    def leave():
        for name, group in groups.items():
            setattr(knobs, name, group)
        for key in keys:
            os.environ.pop(key, None)
        os.environ.update(before["environment"])
        knobs.propagate_env = before["propagate"]

    return enter, leave
