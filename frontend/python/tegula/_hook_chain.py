# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What hooks are made of, and what a hook of compiles gets."""

import builtins
from dataclasses import dataclass

from .errors import KnobError


@dataclass(frozen=True)
class CompileTimes:
    """Times of one compile, in microseconds; of one from the cache all but the first are 0."""

    ir_initialization: int
    lowering_stages: list
    store_results: int

    @property
    def total_lowering(self):
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self):
        return self.ir_initialization + self.total_lowering + self.store_results


class HookChain:
    """Functions that are called one after the other, or in reverse order."""

    def __init__(self, reversed=False, changed=None):
        self.calls = []
        self.reversed = reversed
        self._changed = changed

    def add(self, function):
        if not callable(function):
            raise KnobError(f"hook: expected a function, got {type(function).__name__}",
                            id="invalid-knob")
        if function not in self.calls:
            self.calls = [*self.calls, function]
            self._tell()

    def remove(self, function):
        self.calls = [known for known in self.calls if known != function]
        self._tell()

    def _tell(self):
        if self._changed:
            self._changed()

    def __bool__(self):
        return bool(self.calls)

    def __call__(self, *args, **kwargs):
        for function in builtins.reversed(self.calls) if self.reversed else self.calls:
            function(*args, **kwargs)
