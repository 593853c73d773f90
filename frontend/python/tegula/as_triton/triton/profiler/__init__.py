# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of Triton's profiler, which measure nothing: programs run as without them.

Times of kernels: `triton.testing.do_bench`, or perf, which sees kernels by name.
"""

import contextlib
import functools

__all__ = ["activate", "cpu_timed_scope", "deactivate", "enter_scope", "enter_state", "exit_scope",
           "exit_state", "finalize", "metadata_state", "profile", "scope", "start", "state"]


def start(name=None, **options):
    """Returns the number of the session: 0."""
    return 0


def _ignore(*args, **options):
    """Accepts anything and does nothing."""


activate = deactivate = finalize = enter_scope = exit_scope = enter_state = exit_state = _ignore


class scope(contextlib.ContextDecorator):
    """For `with` and as a decorator."""

    def __init__(self, name=None, metrics=None):
        self.name, self.metrics = name, metrics

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


state = cpu_timed_scope = metadata_state = scope


def profile(func=None, **options):
    """A decorator that leaves the function as it is."""
    return functools.partial(profile, **options) if func is None else func
