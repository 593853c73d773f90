# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling several kernels at the same time."""

import concurrent.futures
import contextvars

from . import settings

# Compiles that were still running when their tuning was interrupted.
_left_behind = []


def run_all(tasks):
    """Calls all functions of `tasks` on a bounded number of threads.

    Returns their results in order; of one that raised, the exception. If the caller
    is interrupted while it waits, functions that have not started never do.
    """
    if not tasks:
        return []
    count = min(settings.compile_threads(), len(tasks))
    # Threads of one's own even for one at a time: an interrupt meets the waiting
    # caller, never a function in the middle of a compile.
    pool = concurrent.futures.ThreadPoolExecutor(count, "tegula-compile")
    futures = []
    try:
        for task in tasks:
            futures.append(pool.submit(contextvars.copy_context().run, task))
        concurrent.futures.wait(futures)
    except RuntimeError:  # the interpreter is shutting down: no new threads
        return [_outcome(task) for task in tasks]
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        _left_behind.extend(future for future in futures if not future.done())
        raise
    pool.shutdown()
    return [_result(future) for future in futures]


def wait_for_interrupted():
    """Waits for compiles that an interrupted tuning left behind: timing wants to be alone."""
    concurrent.futures.wait(_left_behind)
    _left_behind.clear()


def _outcome(task):
    try:
        return task()
    except Exception as error:  # pylint: disable=broad-except
        return error


def _result(future):
    error = future.exception()
    if error is None:
        return future.result()
    if not isinstance(error, Exception):
        raise error
    return error


def forget():
    """In a child process: the threads of its parent are not here."""
    _left_behind.clear()
