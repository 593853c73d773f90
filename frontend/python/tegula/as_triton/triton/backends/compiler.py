# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Targets by name, and the base class of backends written in Python."""

import abc
import enum

from tegula.compiler import GPUTarget

__all__ = ["BaseBackend", "GPUTarget", "Language"]


class Language(enum.Enum):
    """What a kernel is written in."""

    TRITON = 0
    GLUON = 1


class BaseBackend(abc.ABC):
    """A backend for `target`; Tegula uses none of those that programs define."""

    supports_native_tensor_specialization = True

    def __init__(self, target):
        if not self.supports_target(target):
            raise ValueError(f"{type(self).__name__}: expected a target that it supports, got "
                             f"{target}")
        self.target = target

    @staticmethod
    @abc.abstractmethod
    def supports_target(target):
        """Whether it compiles for a target."""

    @abc.abstractmethod
    def hash(self):
        """Text that differs between versions of the backend."""

    @abc.abstractmethod
    def parse_options(self, options):
        """The object for a dict of options."""

    @abc.abstractmethod
    def add_stages(self, stages, options):
        """Adds functions by the name of what they make."""

    @abc.abstractmethod
    def load_dialects(self, context):
        """Prepares a context."""

    @abc.abstractmethod
    def get_module_map(self):
        """Modules that kernels import -> the backend's own."""
