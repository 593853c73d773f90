# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the system tells of its processors."""

import platform


def facts():
    """Text by key in lower case, of the first processor; empty if the system does not say."""
    found = {}
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                key, _, value = line.partition(":")
                found.setdefault(key.strip().lower(), value.strip())
    except OSError:
        pass
    return found


def name(known=None):
    """The processor's name, or what comes nearest to it; known: its facts."""
    known = facts() if known is None else known
    for key in ("model name", "cpu part", "cpu model"):
        if known.get(key):
            return known[key]
    return platform.processor() or platform.machine()
