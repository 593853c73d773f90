# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timing and comparing."""

import statistics
import time

_MODES = ("mean", "min", "max", "median", "all")


def _quantiles(times, fractions):
    ordered = sorted(times)
    picked = []
    for q in fractions:
        at = q * (len(ordered) - 1)
        low = int(at)
        high = min(low + 1, len(ordered) - 1)
        picked.append(ordered[low] + (ordered[high] - ordered[low]) * (at - low))
    return picked


def measure(fn, before=None, warmup=25, rep=100, quantiles=None):
    """Times of runs of `fn` in milliseconds: all, or the quantiles asked for.

    before: called ahead of each run, outside of its time. warmup, rep: milliseconds
    to spend before and while measuring; at least one run each, and one ahead.
    """
    clock = time.perf_counter

    def run():
        if before is not None:
            before()
        begin = clock()
        fn()
        return clock() - begin

    run()
    start, spent = clock(), []
    while not spent or clock() - start < warmup / 1e3:
        spent.append(run())
    pace = (clock() - start) / len(spent)
    times = [run() * 1e3 for _ in range(max(1, int(rep / 1e3 / max(pace, 1e-9))))]
    return times if quantiles is None else _quantiles(times, quantiles)


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Runs `fn` repeatedly and returns its time in milliseconds.

    warmup, rep: milliseconds to spend before and while measuring (at least one
    call each). quantiles: list of fractions; then a list of times is returned.
    return_mode: 'mean', 'min', 'max', 'median' or 'all'. The caches are as the
    calls leave them.
    """
    if return_mode not in _MODES:
        raise ValueError(f"return_mode: expected one of {', '.join(_MODES)}, got {return_mode!r}")

    def drop_gradients():
        for tensor in grad_to_none:
            tensor.grad = None

    times = measure(fn, drop_gradients if grad_to_none is not None else None, warmup, rep)
    if quantiles is not None:
        picked = _quantiles(times, quantiles)
        return picked[0] if len(picked) == 1 else picked
    if return_mode == "all":
        return times
    return getattr(statistics, return_mode, {"min": min, "max": max}.get(return_mode))(times)
