# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a tuning tells: lines on standard error, and the listener of `tegula.knobs`."""

from .._launch_errors import one_line
from . import settings
from .bench import score


def _milliseconds(timing):
    return f"{score(timing):.4g} ms"


def _configuration(config, timing, failure, from_disk):
    if failure is not None:
        return f"{config}: failed: {one_line(failure)}"
    text = f"{config}: {_milliseconds(timing)}"
    if isinstance(timing, (list, tuple)) and len(timing) == 3:
        text += f" ({timing[1]:.4g} to {timing[2]:.4g})"
    return text + (", from disk" if from_disk else "")


def tell(tuning, best):
    """Says how a tuning went, to whom it may concern."""
    tuner, timings = tuning.tuner, tuning.timings
    name = tuner.base_fn.__name__
    if settings.logs():
        for config, timing in timings.items():
            settings.say(f"{name}: " + _configuration(
                config, timing, tuning.failures.get(config), config in tuning.from_disk))
    if settings.prints() and best is not None:
        failed = f", {len(tuning.failures)} failed" if tuning.failures else ""
        settings.say(
            f"{name}: {len(timings)} configurations in {tuning.seconds:.2f} s "
            f"({tuning.compile_seconds:.2f} s compiling), {len(tuning.from_disk)} from disk"
            f"{failed}; best for {tuning.key}: {best}, {_milliseconds(timings[best])}")
    listener = settings.listener()
    if listener is not None and best is not None:
        known = len(tuning.from_disk) + len(tuning.failures) == len(timings)
        listener(fn=tuning.kernel_function(), key=tuning.key, best_config=best,
                 configs_timings=timings, duration=None if known else tuning.seconds,
                 cache_hit=known)
