# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the providers of one kernel and size, then times them in turn."""

import dataclasses
import time

import numpy as np

from tegula.testing import flush_caches
from tegula.testing._timing import quantiles_of

from .arrays import dtype_of, to_float64
from .errors import UnavailableError

SEED = 0


@dataclasses.dataclass
class Result:
    """One provider's figures of one kernel and size.

    status: 'right', 'wrong', 'failed' or 'missing' (message says why). error, tolerance: as a share
    of the largest element; None where nothing is compared. first_ms: of the first call,
    which compiles. times_ms: of all rounds, in their order. rate: bytes or operations a
    second, by the median. ratio: times of the reference over those of this one, by
    round.
    """

    kernel: str
    size: str
    dtype: str
    provider: str
    status: str = "right"
    message: str = ""
    error: float = None
    tolerance: float = None
    first_ms: float = None
    times_ms: list = dataclasses.field(default_factory=list)
    bytes: int = 0
    operations: int = 0
    bound: str = ""
    ratios: list = dataclasses.field(default_factory=list)

    def fail(self, error):
        first = (str(error).strip().splitlines() or [""])[0]
        self.times_ms = []
        if isinstance(error, UnavailableError):
            self.status, self.message = "missing", first
            return
        self.status = "failed"
        self.message = f"{type(error).__name__}: {first}" if first else type(error).__name__

    @property
    def spread(self):
        """(least, first quartile, median, third quartile, greatest) in milliseconds."""
        return quantiles_of(self.times_ms, (0, 0.25, 0.5, 0.75, 1)) if self.times_ms else None

    @property
    def ratio(self):
        """(first quartile, median, third quartile), or None."""
        return quantiles_of(self.ratios, (0.25, 0.5, 0.75)) if self.ratios else None

    @property
    def rate(self):
        """10**9 bytes or operations a second, or None."""
        amount = {"memory": self.bytes, "compute": self.operations}.get(self.bound, 0)
        median = self.spread[2] if self.times_ms else 0
        return amount / (median * 1e6) if amount and median else None


def _check(bench, method, inputs, expected, result):
    """Computes once and compares; the function to time, or None."""
    run = method(inputs)
    begin = time.perf_counter()
    value = run()
    result.first_ms = (time.perf_counter() - begin) * 1e3
    result.error = bench.error(inputs, to_float64(value), expected)
    if not result.error <= result.tolerance:
        result.status = "wrong"
        result.message = f"error {result.error:.2g}, allowed is {result.tolerance:.2g}"
        return None
    return run


def _time(entries, bench, pairs, cold):
    """Rounds of all entries (result, run), each round starting with another one."""
    clock, calls = time.perf_counter, range(bench.calls)
    for number in range(-1, pairs):  # the first round is not counted
        for place in range(len(entries)):
            result, run = entries[(number + place) % len(entries)]
            if result.status != "right":
                continue
            try:
                if cold and bench.cold:
                    flush_caches()
                begin = clock()
                for _ in calls:
                    run()
                taken = clock() - begin
            except Exception as error:  # pylint: disable=broad-except
                result.fail(error)
                continue
            if number >= 0:
                result.times_ms.append(taken * 1e3 / bench.calls)


def measure(bench, dtype, size, numbers, providers, pairs, cold, reference):
    """Results of all providers that have this kernel, in their order.

    reference: the provider that ratios compare with. What goes wrong is in the results.
    """
    results, entries = [], []

    def new(provider):
        result = Result(bench.name, size, dtype, provider.name, bound=bench.bound)
        results.append(result)
        return result

    mine = [provider for provider in providers if getattr(bench, provider.name, None)]
    try:
        inputs = bench.inputs(numbers, dtype, np.random.default_rng(SEED))
        expected = bench.reference(inputs)
        amounts = bench.work(numbers, dtype_of(dtype).itemsize)
    except Exception as error:  # pylint: disable=broad-except
        for provider in mine:
            new(provider).fail(error)
        return results
    for provider in mine:
        result = new(provider)
        result.bytes, result.operations = amounts
        result.tolerance = bench.tolerance(numbers, dtype)
        try:
            run = _check(bench, getattr(bench, provider.name), inputs, expected, result)
        except Exception as error:  # pylint: disable=broad-except
            result.fail(error)
            continue
        if run is not None:
            entries.append((result, run))
    if entries:
        _time(entries, bench, pairs, cold)
    base = next((r for r in results if r.provider == reference and r.times_ms), None)
    for result in results:
        if base is not None and result.times_ms:
            result.ratios = [b / max(t, 1e-9) for b, t in zip(base.times_ms, result.times_ms)]
    return results
