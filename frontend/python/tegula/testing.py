# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timing and comparing."""

import statistics
import time

_MODES = ("mean", "min", "max", "median", "all")


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Runs `fn` repeatedly and returns its time in milliseconds.

    warmup, rep: milliseconds to spend before and while measuring (at least one
    call each). quantiles: list of fractions; then a list of times is returned.
    return_mode: 'mean', 'min', 'max', 'median' or 'all'. The caches are as the
    calls leave them.
    """
    if return_mode not in _MODES:
        raise ValueError(f"return_mode: expected one of {', '.join(_MODES)}, got {return_mode!r}")
    clock = time.perf_counter
    fn()
    start = clock()
    calls = 0
    while calls == 0 or clock() - start < warmup / 1e3:
        fn()
        calls += 1
    estimate = (clock() - start) / calls
    times = []
    for _ in range(max(1, int(rep / 1e3 / max(estimate, 1e-9)))):
        if grad_to_none is not None:
            for tensor in grad_to_none:
                tensor.grad = None
        begin = clock()
        fn()
        times.append((clock() - begin) * 1e3)
    if quantiles is not None:
        ordered = sorted(times)
        picked = []
        for q in quantiles:
            at = q * (len(ordered) - 1)
            low = int(at)
            high = min(low + 1, len(ordered) - 1)
            picked.append(ordered[low] + (ordered[high] - ordered[low]) * (at - low))
        return picked[0] if len(picked) == 1 else picked
    if return_mode == "all":
        return times
    return getattr(statistics, return_mode, {"min": min, "max": max}.get(return_mode))(times)
