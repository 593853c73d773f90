# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dicts and lists that say when they are changed.

Launches remember what they have found in those of tuners and configurations, rather
than look again each time.
"""

import functools
import threading
import weakref

# Tuners, which remember what configurations say.
_tuners = weakref.WeakSet()
_lock = threading.Lock()


def watch_configurations(tuner):
    """Has `tuner.forget()` called when any configuration changes."""
    with _lock:
        _tuners.add(tuner)


def configuration_changed():
    """Called by configurations."""
    with _lock:
        tuners = list(_tuners)
    for tuner in tuners:
        tuner.forget()


class WatchedDict(dict):
    """A dict that calls a function after each change."""

    def __init__(self, values, changed):
        super().__init__(values)
        self._changed = changed

    def add(self, key, value):
        """Sets an item of which nobody can have remembered anything."""
        super().__setitem__(key, value)

    def __reduce__(self):
        return dict, (dict(self),)


class WatchedList(list):
    """A list that calls a function after each change."""

    def __init__(self, values, changed):
        super().__init__(values)
        self._changed = changed

    def __reduce__(self):
        return list, (list(self),)


def _watch(cls, base, names):
    for name in names:
        setattr(cls, name, _telling(getattr(base, name)))


def _telling(method):
    @functools.wraps(method)
    def change(self, *args, **kwargs):
        try:
            return method(self, *args, **kwargs)
        finally:
            self._changed()

    return change


_watch(WatchedDict, dict, ("__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem",
                           "setdefault", "update"))
_watch(WatchedList, list, ("__setitem__", "__delitem__", "__iadd__", "__imul__", "append", "clear",
                           "extend", "insert", "pop", "remove", "reverse", "sort"))
