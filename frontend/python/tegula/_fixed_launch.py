# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launching a compiled kernel with arguments that must be those it was compiled for."""

from . import _tegula
from ._launch_errors import TOLERATED, launch_error
from ._specialization import is_constant, show_value
from .errors import LaunchTypeError
from .runtime import _device


def _without_facts(type_):
    """A type of a spec without what is known about the value."""
    return (type_ or "").replace(":16", "").replace(":noalias", "").replace("=1", "")


class FixedLaunch:
    """What `compiled[grid]` calls: binds arguments and compares them with the kernel's."""

    def __init__(self, handle):
        self.handle = handle
        self.specs = handle.specs
        function = handle.jit_function
        # What errors show.
        self.function = function
        self.__name__, self.arg_names = function.__name__, function.arg_names
        self.signature, self.fn = function.signature, function.fn
        self.constants = {spec[0] for spec in self.specs if is_constant(spec)}
        facts = []
        for fact, spec in zip(function._parameter_facts(), self.specs):
            name, _, _, _, noalias, _, _, _, *rest = fact
            constant = name in self.constants
            number = not constant and not spec[1].startswith(("*", "(", "tensordesc"))
            # With its facts looked at 1 would be known, which is no multiple of 16 anyway.
            aligned = not constant and ":16" in spec[1]
            facts.append((name, constant, aligned, True, noalias,
                          _without_facts(spec[1]) if number else "", constant,
                          spec[3] if constant else None, *rest))
        self.launcher = _tegula.Launcher(facts, self, TOLERATED)

    def __call__(self, grid, args, kwargs):
        if args and len(args) + len(self.constants) == len(self.specs) and self.constants:
            given = iter(args)
            args = tuple(spec[3] if spec[0] in self.constants else next(given)
                         for spec in self.specs)
        if self.handle._launch_options:
            kwargs = {**self.handle._launch_options, **kwargs}
        start = getattr(self.launcher, "_launch", None) or self.launcher.launch
        return start(grid, args, kwargs, False)

    # The launcher asks for these.

    def _compile(self, specs, options, arrays=("cpu", 0), used=None):
        self._check_options(options)
        for index, (given, fixed) in enumerate(zip(specs, self.specs)):
            if is_constant(fixed):
                if show_value(given[3]) != show_value(fixed[3]):
                    raise self._mismatch(index, f"the value {fixed[3]!r}", f"{given[3]!r}")
            elif _without_facts(given[1]) != _without_facts(fixed[1]):
                raise self._mismatch(index, _without_facts(fixed[1]),
                                     _without_facts(given[1]) or type(given[3]).__name__)
            elif ":16" in fixed[1] and ":16" not in (given[1] or ""):
                raise self._mismatch(index, "a multiple of 16", "another value")
        handle = self.handle
        device = self._device_for(arrays)
        return (handle, handle._load(device), handle.slots, handle.metadata["args_size"], device)

    def _device_for(self, arrays):
        own = self.handle.device
        if arrays is None or own == tuple(arrays):
            return own or _device.HOST
        if own is None or own[0] == arrays[0]:
            return tuple(arrays)
        if tuple(arrays) == _device.HOST and own[0] not in _device._KINDS:
            return own  # which works on host memory
        raise launch_error(
            self, "compiled-for-other", "v", -1,
            f"expected arrays on {own[0]}:{own[1]}, which this kernel was compiled for, got them "
            f"on {arrays[0]}:{arrays[1]}; launch {self.__name__}[grid](...) to have it compiled "
            "for all devices", None)

    def _mismatch(self, index, expected, got):
        return launch_error(
            self, "compiled-for-other", "t", index,
            f"expected {expected}, which this kernel was compiled for, got {got}; launch "
            f"{self.__name__}[grid](...) to have it compiled for all arguments", None)

    def _check_options(self, options):
        for key in options:
            raise LaunchTypeError(
                f"kernel '{self.__name__}': expected arguments for a compiled kernel, got keyword "
                f"'{key}'; options are those that it was compiled with", id="unknown-option")

    def _launch_error(self, id, kind, index, text, cause):
        return launch_error(self, id, kind, index, text, cause)
