# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who computes: Tegula and what it is compared with."""

import importlib
import importlib.metadata
import importlib.util
import os

from .errors import BenchError, UnavailableError, suggest


class Provider:
    """One library. device: 'cpu', the only one so far.

    load() makes it ready and returns its version; it raises UnavailableError with the
    reason where that cannot be.
    """

    device = "cpu"

    def __init__(self, name, package):
        self.name, self.package = name, package
        self.version = None

    def load(self):
        try:
            module = importlib.import_module(self.package)
        except ImportError as error:
            raise UnavailableError(f"provider '{self.name}' is not to be had: {error}",
                                   "no-such-device",
                                   f"pip install {self.package}") from None
        self.prepare(module)
        self.version = str(module.__version__)

    def state(self):
        """The version, or why there is none, without loading anything large."""
        if importlib.util.find_spec(self.package) is None:
            return f"not installed; pip install {self.package}"
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:  # not from pip
            return str(importlib.import_module(self.package).__version__)

    def prepare(self, module):
        """Settings of the library for the whole run."""


class Torch(Provider):
    def prepare(self, module):
        module.set_grad_enabled(False)
        module.set_num_threads(len(os.sched_getaffinity(0)))


class OnGpu(Provider):
    """Libraries that need a GPU."""

    device = "gpu"

    def load(self):
        raise UnavailableError(f"provider '{self.name}' is not to be had: {self.state()}",
                               "no-such-device")

    def state(self):
        return "it needs a GPU, and only the processor is timed so far"


ALL = (Provider("tegula", "tegula"), Provider("numpy", "numpy"), Torch("torch", "torch"),
       OnGpu("triton", "triton"))
DEFAULT = ("tegula", "numpy", "torch")


def load(names):
    """Providers that are ready, and texts about those that are not.

    names: those asked for, which must be there, or None for the default ones.
    """
    by_name = {provider.name: provider for provider in ALL}
    for name in names or ():
        if name not in by_name:
            raise BenchError(f"option '--providers': no provider '{name}'"
                             f"{suggest(name, by_name)}; there are {', '.join(by_name)}",
                             "invalid-value")
    ready, notes = [], []
    for name in dict.fromkeys(names or DEFAULT):
        try:
            by_name[name].load()
            ready.append(by_name[name])
        except UnavailableError as error:
            if names or name == "tegula":
                raise
            notes.append(str(error))
    return ready, notes


def states():
    """(name, version or reason) of all."""
    return [(provider.name, provider.state()) for provider in ALL]
