# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Waiting for memory, in terms of the atomic accesses."""

import tegula.language as tl


def atomic_poll(pointer, expected, sem: tl.constexpr = "acquire", scope: tl.constexpr = "gpu",
                timeout_ns: tl.constexpr = None):
    """Waits until the integer behind a scalar pointer equals `expected`, and returns it."""
    tl.static_assert(timeout_ns is None,
                     f"tl.atomic_poll waits without limit, got timeout_ns={timeout_ns}")
    tl.static_assert(pointer.dtype.is_ptr() and len(pointer.shape) == 0,
                     f"tl.atomic_poll needs a scalar pointer, got {pointer.type}")
    value = tl.atomic_or(pointer, 0, sem=sem, scope=scope)
    while value != expected:
        value = tl.atomic_or(pointer, 0, sem=sem, scope=scope)
    return value
