# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Base classes of drivers."""

import abc

from tegula.runtime.driver import Driver

__all__ = ["ActiveDriver", "DriverBase", "GPUDriver"]


class DriverBase(abc.ABC):
    """What `triton.runtime.driver.active` can be set to."""

    @classmethod
    @abc.abstractmethod
    def is_active(cls):
        """Whether the machine has its device."""

    @abc.abstractmethod
    def map_python_to_cpp_type(self, ty):
        """The type in C of a type in signatures."""

    @abc.abstractmethod
    def get_current_target(self):
        """The target of launches."""

    @abc.abstractmethod
    def get_active_torch_device(self):
        """Where torch puts tensors for it."""

    @abc.abstractmethod
    def get_benchmarker(self):
        """The function that measures for it."""


class GPUDriver(DriverBase):
    """A driver whose devices are torch's CUDA devices."""

    def __init__(self):
        import torch

        cuda = torch.cuda
        self.get_device_capability = cuda.get_device_capability
        self.get_current_device = cuda.current_device
        self.set_current_device = cuda.set_device
        self.get_current_stream = lambda device: cuda.current_stream(device).cuda_stream


class ActiveDriver(Driver, DriverBase):
    """The driver of Tegula."""
