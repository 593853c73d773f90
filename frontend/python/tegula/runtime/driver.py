# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`driver.active`: the target and the device of launches that name none."""

import dataclasses
import re
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


def target_of(backend, arch):
    """The GPUTarget of a backend and an architecture as targets spell them: of nvidia, sm_90a
    that with backend 'cuda' and arch 90."""
    if backend == "nvidia":
        digits = re.sub(r"\D", "", arch)
        return GPUTarget("cuda", int(digits) if digits else arch, 32)
    if backend == "amd":
        return GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32)
    return GPUTarget(backend, arch)


class _Utilities:
    def get_device_properties(self, device=0):
        """Facts of a device by name, as GPUs have them.

        multiprocessor_count: how many programs run at once; max_shared_mem: bytes
        that a program has close by, on a CPU the cache of a core; sm_clock_rate,
        mem_clock_rate: in kHz; mem_bus_width: in bits.
        """
        return properties(_place(device))

    def set_printf_fifo_size(self, size):
        """Accepted without effect: the room for what kernels print is fixed."""


class Driver:
    """The machine: its GPUs where launches go to those, else its processors, as one device.

    A device is given by number, by name ("cuda:1") or as torch's.
    """

    utils = _Utilities()

    @classmethod
    def is_active(cls):
        """Whether launches go to it."""
        return True

    def get_current_target(self):
        return target_of(*_device.target_here()[1:3])

    def get_current_device(self):
        return _here()[1]

    def set_current_device(self, device):
        place = _place(device)
        if place[0] == "cuda" and "torch" in sys.modules:
            sys.modules["torch"].cuda.set_device(place[1])

    def get_current_stream(self, device=None):
        """The address of the stream that launches use; 0: the default one, and the only one of
        the CPU, whose launches are done when they return."""
        return _tegula.current_stream(*_place(device))

    def get_device_capability(self, device=None):
        """(major, minor) of an NVIDIA GPU's architecture; of others (0, 0)."""
        place = _place(device)
        arch = _tegula.device_info(*place)["arch"] if place[0] == "cuda" else ""
        digits = re.sub(r"\D", "", arch or "")
        return (int(digits[:-1]), int(digits[-1])) if len(digits) > 1 else (0, 0)

    def get_active_torch_device(self):
        import torch

        kind, ordinal = _here()
        return torch.device("cuda", ordinal) if kind in ("cuda", "hip") else torch.device("cpu")

    def get_device_interface(self):
        """What `torch.cuda` is for GPUs: synchronize, Event, Stream and so on."""
        if _here()[0] in ("cuda", "hip"):
            import torch

            return torch.cuda
        return DeviceInterface()

    def get_benchmarker(self):
        from ..testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self):
        """A tensor larger than the caches; to be written, by `clear_cache`, between runs."""
        import torch

        return torch.empty(64 << 20, dtype=torch.int32, device=self.get_active_torch_device())

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


def _here():
    """The current device."""
    return _device.of_target()


def _place(device=None):
    """(kind, ordinal) of a device as programs name it."""
    here = _here()
    if device is None:
        return here
    kind, _, number = str(device).partition(":")
    if kind.isdigit() and not number:
        kind, number = here[0], kind
    place = kind, int(number or (here[1] if kind == here[0] else 0)) if number.isdigit() or (
        not number) else -1
    if place == _device.HOST or place == here or place in _tegula.devices(kind):
        return place
    known = [at[1] for at in _tegula.devices(here[0])] or [0]
    raise ValueError("device: expected " + " or ".join(map(str, known)) + f", got {device!r}")


default = active = Driver()


def set_active(driver):
    """Puts another object in the place of `active`: what programs ask, not what launches use."""
    global active
    active = driver


def reset_active():
    """Undoes `set_active`."""
    set_active(default)


driver = sys.modules[__name__]
