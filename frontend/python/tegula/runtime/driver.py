# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`driver.active`: the target and the device of launches that name none."""

import dataclasses
import os
import sys

from .. import _tegula


@dataclasses.dataclass(frozen=True)
class Target:
    """What kernels are compiled for. warp_size: threads that go in step, on the CPU 1."""

    backend: str
    arch: str
    warp_size: int = 1


class _Utilities:
    def get_device_properties(self, device=0):
        """Facts of a device by name; `multiprocessor_count` is how many programs run at once."""
        _check(device)
        return {"multiprocessor_count": len(os.sched_getaffinity(0)), "warpSize": 1}


class Driver:
    """The machine, with one device: its processors."""

    utils = _Utilities()

    def get_current_target(self):
        backend, arch = _tegula.target(os.environ.get("TEGULA_TARGET"))[1:3]
        return Target(backend, arch)

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        _check(device)

    def get_current_stream(self, device=0):
        """Launches on the CPU are done when they return: there is one stream."""
        _check(device)
        return 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_benchmarker(self):
        from ..testing import do_bench

        return do_bench


def _check(device):
    if device not in (0, None) and str(device) != "cpu":
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
