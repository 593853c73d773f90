# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling in the background: `AsyncCompileMode` and `FutureKernel`."""

import contextvars
import threading
from concurrent.futures import Executor

from .errors import LaunchTypeError

_active = contextvars.ContextVar("tegula_async_compile_mode", default=None)


class FutureKernel:
    """A kernel that a pool compiles. `result()` waits for it; other attributes are its kernel's."""

    def __init__(self, finish, future):
        self._finish = finish
        self.future = future
        self._lock = threading.Lock()
        self._kernel = None

    def has_arrived(self):
        return self._kernel is not None

    def result(self, ignore_errors=False):
        """The compiled kernel; None for one that does not compile if errors are ignored."""
        with self._lock:
            if self._kernel is None:
                try:
                    self._kernel = self._finish(self.future.result())
                except Exception:
                    if not ignore_errors:
                        raise
        return self._kernel

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.result(), name)

    def __getitem__(self, grid):
        return self.result()[grid]


class AsyncCompileMode:
    """Inside `with AsyncCompileMode(pool):`, `warmup` returns at once and the pool compiles.

    A launch waits for its own kernel only; kernels are the same as without the mode.
    At the end of the block all of them are waited for, and what failed is raised
    unless ignore_errors.
    """

    def __init__(self, executor, *, ignore_errors=False):
        if not isinstance(executor, Executor) and not hasattr(executor, "submit"):
            raise LaunchTypeError(f"AsyncCompileMode: expected a pool such as ThreadPoolExecutor, "
                                  f"got {type(executor).__name__}", id="invalid-option")
        self.executor = executor
        self.ignore_errors = ignore_errors
        self._futures = {}
        self._lock = threading.Lock()
        self._token = None

    def submit(self, key, compile, finish):
        """The FutureKernel of `key`, which the pool compiles if it is new."""
        with self._lock:
            found = self._futures.get(key)
            if found is None:
                found = FutureKernel(finish, self.executor.submit(compile))
                self._futures[key] = found
        return found

    def find(self, key):
        """The FutureKernel of `key` that is on its way.

        One that has arrived is in the kernel's own cache, or what it was compiled for has
        changed since.
        """
        with self._lock:
            found = self._futures.get(key)
            if found is not None and found.has_arrived():
                del self._futures[key]
                return None
        return found

    def __enter__(self):
        if _active.get() is not None:
            raise LaunchTypeError("AsyncCompileMode: expected to be outside of another one, got "
                                  "nested modes", id="invalid-option")
        self._token = _active.set(self)
        return self

    def __exit__(self, kind, error, traceback):
        _active.reset(self._token)
        failure = None
        for future in list(self._futures.values()):
            try:
                future.result(self.ignore_errors or kind is not None)
            except Exception as error:  # pylint: disable=broad-except
                failure = failure or error
        if failure is not None:
            raise failure


def active_mode():
    """The mode that this thread is in, or None."""
    return _active.get()
