# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Backends of this Triton by name: cpu, nvidia, amd. They are one compiler and one driver of
Tegula, whose targets are plugins of its runtime; so `driver.active` serves all of them."""

import dataclasses
import sys

from tegula.runtime.driver import Driver

from .compiler import BaseBackend
from .driver import ActiveDriver, DriverBase

__all__ = ["Backend", "BaseBackend", "DriverBase", "backends"]


@dataclasses.dataclass(frozen=True)
class Backend:
    """compiler: a class made for a target; driver: a class whose `is_active` says whether the
    machine has its device."""

    compiler: type
    driver: type


class TegulaBackend(BaseBackend):
    """What all backends have in common."""

    kind = None  # as targets spell it

    @classmethod
    def supports_target(cls, target):
        return target.backend == cls.kind

    def hash(self):
        from ..runtime.cache import triton_key

        return f"{triton_key()}-{self.target.backend}-{self.target.arch}"

    def parse_options(self, options):
        return dict(options)

    def add_stages(self, stages, options, language=None):
        raise NotImplementedError("TegulaBackend.add_stages: the stages of a kernel are made by "
                                  "Tegula's compiler; triton.compile returns all of them")

    def load_dialects(self, context):
        """Nothing to load."""

    def get_module_map(self):
        return {}


class _DriverType(type(ActiveDriver)):
    """Any driver of Tegula is the driver of each of its backends."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Driver)


def _torch_backend():
    """The backend that torch has been made for and has a GPU for; None without one."""
    torch = sys.modules.get("torch")
    is_available = getattr(getattr(torch, "cuda", None), "is_available", None)
    if is_available is None or not is_available():
        return None
    return "amd" if torch.version.hip else "nvidia"


def _backend(name, kind):
    class Compiler(TegulaBackend):
        pass

    class KindDriver(ActiveDriver, metaclass=_DriverType):
        @classmethod
        def is_active(cls):
            from tegula import _tegula

            # A process forked from one that uses GPUs has none, but may compile for them; torch
            # remembers there that it has seen them.
            return bool(_tegula.devices(kind)) or name == _torch_backend()

    Compiler.kind = kind
    for made, what in ((Compiler, "Backend"), (KindDriver, "Driver")):
        made.__name__ = made.__qualname__ = f"{name.capitalize()}{what}"
    return Backend(Compiler, KindDriver)


backends = {name: _backend(name, kind)
            for name, kind in (("cpu", "cpu"), ("nvidia", "cuda"), ("amd", "hip"))}
