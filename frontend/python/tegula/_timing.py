# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of a compile, for `knobs.compilation.listener`."""

import time

from .knobs import CompileTimes


class Stopwatch:
    """Runs from its making on."""

    def __init__(self):
        self._start = time.perf_counter()

    def times(self, is_cached):
        """The compiler works in one piece: all of it counts as lowering, or as a look-up."""
        spent = max(int((time.perf_counter() - self._start) * 1e6), 1)
        if is_cached:
            return CompileTimes(spent, [], 0)
        parts = max(spent // 100, 1)
        return CompileTimes(parts, [("object", max(spent - 2 * parts, 1))], parts)
