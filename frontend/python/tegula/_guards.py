# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Globals that compiled kernels have read: launches compare them with what they are now.

A guard is `(namespace, name, value)`: `namespace.get(name) is value` must hold.
Of a `constexpr` the value inside is guarded too, and of a variable of a function
around the kernel its cell.
"""

import types

from . import knobs
from ._source_key import is_plain_value
from .errors import LaunchError
from .language._types import constexpr


def _copy(value):
    """The value as it is now: a constexpr may change inside."""
    return constexpr(value.value) if getattr(value, "_tegula_kind", None) == "constexpr" else value


def _same(before, now):
    """Whether compiled code that read `before` is right for `now`."""
    if before is now:
        return True
    if not is_plain_value(before) or not is_plain_value(now):
        return False
    return type(before) is type(now) and repr(before) == repr(now)


def add(function, used):
    """Guards what a compile has read: (namespace, name, value, owner) each."""
    known = {(id(namespace), name) for namespace, name, _ in function._guards}
    guards = list(function._guards)
    for namespace, name, value, owner in used:
        if isinstance(value, types.ModuleType):
            continue
        if (id(namespace), name) not in known:
            known.add((id(namespace), name))
            guards.append((namespace, name, value))
            if getattr(value, "_tegula_kind", None) == "constexpr":
                guards.append((vars(value), "value", value.value))
        if is_plain_value(value):
            place = (id(namespace), name)
            function._seen.setdefault(place, (namespace, name, _copy(value)))
            if owner is not function:
                owner._seen[place] = (namespace, name, _copy(value))
    function._guards = guards


def conflict(function, owner, namespace, name, value):
    """With `changed_globals_are_errors`: the error if `owner`, which `function` reaches, was
    compiled for another kernel while the global had another value. Else None."""
    seen = getattr(owner, "_seen", {}).get((id(namespace), name))
    if seen is None or owner is function or _same(seen[2], value):
        return None
    if not knobs.compilation.changed_globals_are_errors:
        return None
    return LaunchError(
        f"Global variable {name} has value {value!r} when compiling {function.__name__}, "
        f"but the function {owner.__name__}, which it calls, was compiled with "
        f"{seen[2]!r}; pass it as a tl.constexpr parameter", id="changed-global")


def failed(function):
    """Finds what has changed: equal values go on, others mean to compile again, or an error."""
    missing = object()
    changed = []
    guards = []
    for namespace, name, value in function._guards:
        now = namespace.get(name, missing)
        if now is not missing and _same(value, now):
            guards.append((namespace, name, now))
        elif now is not value:
            changed.append((namespace, name, value, now))
    for namespace, name, before in list(function._seen.values()):
        now = namespace.get(name, missing)
        if now is missing or not _same(before, _copy(now)):
            _changed_value(function, name, before, None if now is missing else now)
            return
    if changed:
        name = changed[0][1]
        _forget(function, f"global '{name}' is another object now")
    else:
        function._guards = guards


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
