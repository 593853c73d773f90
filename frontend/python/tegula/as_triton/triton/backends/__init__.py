# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Backends of this Triton: the one of Tegula, whose targets are plugins of its runtime."""

import dataclasses

from .compiler import BaseBackend
from .driver import ActiveDriver, DriverBase

__all__ = ["Backend", "BaseBackend", "DriverBase", "backends"]


@dataclasses.dataclass(frozen=True)
class Backend:
    compiler: type
    driver: type


class TegulaBackend(BaseBackend):
    """Stands for all targets of Tegula."""

    @staticmethod
    def supports_target(target):
        from tegula import _tegula

        return target.backend == _tegula.target(None)[1]

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


backends = {"tegula": Backend(TegulaBackend, ActiveDriver)}
