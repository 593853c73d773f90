# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache of compiled kernels on disk (docs/cache.md).

Compiles use it by themselves; this module looks at it. Environment variables
(TEGULA_CACHE_DIR, TEGULA_CACHE, TEGULA_CACHE_LIMIT, TEGULA_ALWAYS_COMPILE) are
read at each call.
"""

from . import _tegula

__all__ = ["clear", "info"]


def info():
    """What the cache is, and what this process did with it, as a dict.

    folder, mode ("on", "off", "read-only"), entries, bytes and limit of the folder;
    of this process hits, misses, stored and rebuilt kernels (rebuilt: in place of a
    damaged entry), and failed, entries that could not be read or written. Reads the
    whole folder.
    """
    return _tegula.cache_info()


def clear():
    """Removes all entries. Raises tegula.Error where some cannot be removed."""
    _tegula.cache_clear()
