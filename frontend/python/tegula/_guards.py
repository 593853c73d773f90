# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiled kernels have read of the program: launches compare it with what it is now.

A guard is `(namespace, name, value)`: `namespace.get(name) is value` must hold.
Of a `constexpr` the value inside is guarded too, of a variable of a function
around the kernel its cell, and of what has no dict of its own a `Reading`.
"""

import operator
import types

from . import knobs
from ._source_key import is_plain_value
from .errors import LaunchError
from .language._types import constexpr

_CONTAINERS = (list, dict, set)

# Holds at no launch: what was compiled does not fit together.
NEVER = ({}, "", object())


class Reading:
    """Something that a compile has read and that may change in place, as a namespace of one name.

    read: a function that reads it again; shown: what it is, in words.
    """

    def __init__(self, read, value, shown):
        self._read = read
        self.value = frozen(value)
        self.shown = shown

    @property
    def _cell(self):  # by these names for the launcher, as the cell of a function
        return self

    @property
    def cell_contents(self):
        now = self._read()
        return self.value if same(self.value, now) else now

    def get(self, name, default=None):
        try:
            return self.cell_contents
        except Exception:  # pylint: disable=broad-except
            return default  # it is not there any more


def is_container(value):
    """Whether it can change in place, item by item."""
    if type(value) is tuple or hasattr(type(value), "_make"):
        return any(map(is_container, value))
    return type(value) in _CONTAINERS


def frozen(value):
    """The value with copies of the containers in it."""
    if not is_container(value):
        return value
    if type(value) is dict:
        return {key: frozen(item) for key, item in value.items()}
    return getattr(type(value), "_make", type(value))(map(frozen, value))


def _copy(value):
    """The value as it is now: a constexpr may change inside."""
    return constexpr(value.value) if getattr(value, "_tegula_kind", None) == "constexpr" else value


def same(before, now):
    """Whether compiled code that read `before` is right for `now`."""
    if before is now:
        return True
    if type(before) is not type(now):
        return False
    if isinstance(before, (tuple, list)):
        return _same_items(before, now)
    if type(before) is dict:
        return _same_items(before.keys(), now.keys()) and _same_items(before.values(), now.values())
    if type(before) is set:
        return before == now
    return is_plain_value(before) and is_plain_value(now) and repr(before) == repr(now)


def _same_items(before, now):
    # Mostly they are the same objects, which this finds out much faster.
    return len(before) == len(now) and (
        all(map(operator.is_, before, now)) or all(map(same, before, now)))


def add(function, used):
    """Guards what a compile has read: (namespace, name, value, owner) each.

    owner: the function whose variable it is, or None for what is no variable.
    """
    guards = list(function._guards)
    known = {(id(namespace), name): value for namespace, name, value in guards}

    def guard(namespace, name, value):
        place = (id(namespace), name)
        if place not in known:
            known[place] = value
            guards.append((namespace, name, value))
        elif not same(known[place], value):
            guards.append(NEVER)  # it changed since other kernels were compiled, or meanwhile

    for namespace, name, value, owner in used:
        if isinstance(value, types.ModuleType):
            continue
        guard(namespace, name, value)
        if getattr(value, "_tegula_kind", None) == "constexpr":
            guard(vars(value), "value", value.value)
        if owner is not None and is_plain_value(value):
            place = (id(namespace), name)
            function._seen.setdefault(place, (namespace, name, _copy(value)))
            if owner is not function:
                owner._seen[place] = (namespace, name, _copy(value))
    function._guards = guards


def conflict(function, owner, namespace, name, value):
    """With `changed_globals_are_errors`: the error if `owner`, which `function` reaches, was
    compiled for another kernel while the global had another value. Else None."""
    seen = getattr(owner, "_seen", {}).get((id(namespace), name))
    if seen is None or owner is function or same(seen[2], value):
        return None
    if not knobs.compilation.changed_globals_are_errors:
        return None
    return LaunchError(
        f"Global variable {name} has value {value!r} when compiling {function.__name__}, "
        f"but the function {owner.__name__}, which it calls, was compiled with "
        f"{seen[2]!r}; pass it as a tl.constexpr parameter", id="changed-global")


def hold(function):
    """Whether all is as compiled code has read it."""
    missing = object()
    return all(namespace.get(name, missing) is value for namespace, name, value in function._guards)


def failed(function):
    """Finds what has changed: equal values go on, others mean to compile again, or an error."""
    missing = object()
    changed = None
    guards = []
    for namespace, name, value in function._guards:
        now = namespace.get(name, missing)
        if now is not missing and same(value, now):
            guards.append((namespace, name, now))
            if now is not value and getattr(now, "_tegula_kind", None) == "constexpr":
                guards.append((vars(now), "value", now.value))
        elif now is not value:
            changed = changed or (namespace, name)
    for namespace, name, before in list(function._seen.values()):
        now = namespace.get(name, missing)
        if now is missing or not same(before, _copy(now)):
            _changed_value(function, name, before, None if now is missing else now)
            return
    if changed is not None:
        _forget(function, _in_words(*changed))
    else:
        function._guards = guards


def _in_words(namespace, name):
    if namespace is NEVER[0]:
        return "a global variable changed while it was compiled"
    if isinstance(namespace, Reading):
        return f"{namespace.shown} has changed"
    return f"global '{name}' is another object now"


def _changed_value(function, name, before, now):
    if knobs.compilation.changed_globals_are_errors:
        raise LaunchError(
            f"global variable {name} has changed since we compiled this kernel, from {before!r} to "
            f"{now!r}; pass it as a tl.constexpr parameter of '{function.__name__}'",
            id="changed-global")
    _forget(function, f"global variable '{name}' is {now!r}, was {before!r}")


def _forget(function, reason):
    function._changed = reason
    function._forget_compiled()
