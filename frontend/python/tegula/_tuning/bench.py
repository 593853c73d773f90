# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The timer of `autotune`."""

import gc
import math
import time

from .. import _tegula
from .._launch_errors import invalid_autotune
from ..testing._timing import gpu_timer, quantiles_of

WARMUP, REP = 5, 25  # milliseconds; many tunings are worth more than the last per cent
QUANTILES = (0.5, 0.2, 0.8)
FAILED = [math.inf] * len(QUANTILES)

# A shorter run counts as this long, in milliseconds: some fifty runs tell as much as
# many hundred.
_SHORTEST = 0.5

# All configurations are timed for this share of REP, then those whose quick runs are
# within CLOSE of the best for all of it.
FIRST_LOOK, CLOSE = 0.2, 1.05

# How many times slower than the best one a configuration is given up after WARMUP.
_HOPELESS = 2
_LEAST_RUNS = 3

# Slow kernels are run this often, if that takes no longer than a few times `rep`.
_WANTED_RUNS, _PATIENCE = 5, 4


def measure(run, before, after, warmup, rep, best=math.inf):
    """Median, 20th and 80th percentile of the time of `run`, in milliseconds.

    before, after: called around each run, outside of its time. warmup, rep:
    milliseconds to spend at most before and while measuring, what goes on around the
    runs included; short runs need less. best: a time to compare with: what is far slower
    is measured no longer.
    """
    clock = time.perf_counter

    timer = None

    def once():
        before()
        if timer is not None:
            spent = timer.once(run)
            after()
            return spent
        begin = clock()
        run()
        spent = clock() - begin
        after()
        return spent * 1e3

    once()  # what happens only once, such as loading
    timer = gpu_timer(_tegula.last_device())
    collects = gc.isenabled()
    gc.disable()
    try:
        start, times = clock(), []
        while not times or max((clock() - start) * 1e3, len(times) * _SHORTEST) < warmup:
            times.append(once())
        if len(times) >= _LEAST_RUNS and min(times) > _HOPELESS * best:
            return percentiles(times)
        pace = max((clock() - start) * 1e3 / len(times), _SHORTEST)
        count = max(1, int(rep / pace), min(_WANTED_RUNS, int(_PATIENCE * rep / pace)))
        return percentiles([once() for _ in range(count)])
    finally:
        if collects:
            gc.enable()


def percentiles(times):
    """The quantiles that tuning keeps."""
    return quantiles_of(times, QUANTILES)


def score(timing):
    """What configurations are compared by: the first of several numbers."""
    shown = timing
    if isinstance(timing, (list, tuple)) and timing:
        timing = timing[0]
    try:
        timing = float(timing)
    except (TypeError, ValueError):
        raise invalid_autotune("autotune", "do_bench",
                               "a function that returns milliseconds", shown) from None
    return math.inf if math.isnan(timing) else timing
