# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`driver.active`: the target and the device of launches that name none."""

import dataclasses
import os
import sys

from .. import _tegula
from . import _device
from ._device import DeviceInterface, properties

# The C type of a scalar, by its name in signatures; pointers are void *.
_C_TYPES = {
    "i1": "int8_t", "u1": "uint8_t", "fp16": "double", "bf16": "double", "fp32": "double",
    "f32": "double", "fp64": "double",
    **{f"{sign}{bits}": f"{'u' * (sign == 'u')}int{bits}_t"
       for sign in "iu" for bits in (8, 16, 32, 64)},
}


@dataclasses.dataclass(frozen=True)
class GPUTarget:
    """What kernels are compiled for. warp_size: threads that go in step, on the CPU 1."""

    backend: str
    arch: str | int
    warp_size: int = 1


Target = GPUTarget


class _Utilities:
    def get_device_properties(self, device=0):
        """Facts of a device by name, as GPUs have them.

        multiprocessor_count: how many programs run at once; max_shared_mem: bytes
        that a program has close by, on a CPU the cache of a core; sm_clock_rate,
        mem_clock_rate: in kHz; mem_bus_width: in bits.
        """
        _check(device)
        return properties()

    def set_printf_fifo_size(self, size):
        """Accepted: what kernels print is written at once."""


class Driver:
    """The machine, with one device: its processors."""

    utils = _Utilities()

    @classmethod
    def is_active(cls):
        """Whether launches go to it."""
        return True

    def get_current_target(self):
        target = os.environ.get("TEGULA_TARGET")
        backend, arch = _tegula.target(target, *_device.of_launch(()))[1:3]
        return GPUTarget(backend, arch)

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        _check(device)

    def get_current_stream(self, device=0):
        """Launches on the CPU are done when they return: there is one stream."""
        _check(device)
        return 0

    def get_device_capability(self, device=0):
        """(major, minor) of a GPU's architecture: none here, so (0, 0)."""
        _check(device)
        return 0, 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_device_interface(self):
        """What `torch.cuda` is for GPUs: synchronize, Event, Stream and so on."""
        return DeviceInterface()

    def get_benchmarker(self):
        from ..testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self):
        """A tensor larger than the caches; to be written, by `clear_cache`, between runs."""
        import torch

        return torch.empty(64 << 20, dtype=torch.int32)

    def clear_cache(self, cache):
        cache.zero_()

    def map_python_to_cpp_type(self, ty):
        """The type in C of an argument, by its type in signatures."""
        if ty.startswith("*"):
            return "void *"
        if ty not in _C_TYPES:
            raise ValueError(f"expected a type of signatures such as i32 or *fp16, got {ty!r}")
        return _C_TYPES[ty]

    def assemble_tensormap_to_arg(self, tensormaps_info, args):
        """The arguments: descriptors are not maps in memory here."""
        return args


def _check(device):
    if device not in (0, None) and str(device) not in ("cpu", "cpu:0"):
        raise ValueError(f"device: expected 0, got {device!r}")


default = active = Driver()


def set_active(driver):
    """Puts another object in the place of `active`: what programs ask, not what launches use."""
    global active
    active = driver


def reset_active():
    """Undoes `set_active`."""
    set_active(default)


driver = sys.modules[__name__]
