# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TEGULA_LOG=recompile: a line that says which fact made a kernel be compiled again."""

import sys

from . import knobs
from ._resolver import plain
from ._specialization import show_value
from .language._types import named


def _show(value):
    text = repr(plain(value))
    return text if len(text) <= 40 else text[:37] + "..."


def _base(type_):
    return type_ if type_.startswith("(") else type_.split(":")[0]


def _type(type_):
    """A type of a spec in words: float16 for *fp16 too, which says what an array holds."""
    base = _base(type_)
    if base.startswith(("(", "tensordesc")):
        return base
    return named(base.lstrip("*k") if base.startswith("*") else base).name


def _kind(type_):
    return {"*": "array", "(": "tuple", "t": "descriptor"}.get(type_[0], "number")


def _in_words(type_):
    """A type beside one of another kind."""
    kind = _kind(type_)
    return f"an array of {_type(type_)}" if kind == "array" else \
        "a tuple" if kind == "tuple" else _type(type_)


def _tuple_items(type_):
    """Types of the items of a tuple's type."""
    items, depth, start = [], 0, 1
    for at, letter in enumerate(type_):
        depth += letter in "(<[" and 1 or -(letter in ")>]")
        if letter == "," and depth == 1:
            items.append(type_[start:at])
            start = at + 1
    return items


def _compiled_for(before, now):
    return f" (compiled for {before}, got {now})"


def _type_difference(name, before, now):
    """Why two types differ, neither of them of something known."""
    if before.startswith("(") and now.startswith("("):
        old, new = _tuple_items(before), _tuple_items(now)
        if len(old) == len(new):
            for index, (a, b) in enumerate(zip(old, new)):
                if a != b:
                    return _item_difference(f"{name}[{index}]", a, b)
        return f"'{name}' has {len(new)} items, had {len(old)}"
    if _kind(before) != _kind(now):
        return f"'{name}' is {_in_words(now)}, was {_in_words(before)}"
    if _base(before) != _base(now):
        return f"'{name}' is {_type(now)}, was {_type(before)}"
    what = f"'{name}'" if _kind(now) == "number" else f"the address of '{name}'"
    if ":16" in before and ":16" not in now:
        return f"{what} is no longer divisible by 16" + _compiled_for(before, now)
    if ":16" in now and ":16" not in before:
        return f"{what} is divisible by 16 now" + _compiled_for(before, now)
    return f"'{name}' differs" + _compiled_for(before, now)


def _item_difference(name, before, now):
    """As `_type_difference`, for items, whose type says that they are known."""
    if before.endswith("=1") or now.endswith("=1"):
        if now.endswith("=1"):
            return f"'{name}' is 1, which is compiled in" + _compiled_for(before, now)
        return f"'{name}' is no longer 1" + _compiled_for(before, now)
    if "constexpr" in (before, now) or "none" in (before, now):
        return f"'{name}' is {now}, was {before}"
    return _type_difference(name, before, now)


def _difference(before, now):
    """Why two specs of a parameter differ, or None."""
    name, old_type, old_known, old_value = before
    _, new_type, new_known, new_value = now
    old_type, new_type = old_type or "", new_type or ""
    if old_type == new_type and old_known == new_known:
        if not old_known or show_value(old_value) == show_value(new_value):
            return None
        return f"'{name}' is {_show(new_value)}, was {_show(old_value)}"
    if new_known and new_type and not new_type.startswith("("):
        return (f"'{name}' is {new_value}, which is compiled in" +
                _compiled_for(old_type or _show(old_value), f"{new_type}={new_value}"))
    if old_known and old_type and not old_type.startswith("("):
        return (f"'{name}' is no longer {old_value}" +
                _compiled_for(f"{old_type}={old_value}", new_type or _show(new_value)))
    if not old_type or not new_type:
        shown = [_in_words(type_) if type_ else _show(value)
                 for type_, value in ((new_type, new_value), (old_type, old_value))]
        return f"'{name}' is {shown[0]}, was {shown[1]}"
    return _type_difference(name, old_type, new_type)


_DEFAULTS = {"num_warps": 4, "num_stages": 3, "num_ctas": 1, "debug": False,
             "sanitize_overflow": False, "enable_fp_fusion": True}


def differences(before, now):
    """Texts for what differs between two (specs, options, target)."""
    found = [text for pair in zip(before[0], now[0]) if (text := _difference(*pair))]
    for key in sorted({*before[1], *now[1]}):
        old, new = (options.get(key, _DEFAULTS.get(key)) for options in (before[1], now[1]))
        if old != new:
            found.append(f"option {key} is {new}, was {old}")
    if before[2] != now[2]:
        found.append(f"the target is {now[2] or 'the default'}, was {before[2] or 'the default'}")
    return found


def is_asked_for():
    """Whether TEGULA_LOG has the topic."""
    return bool({"recompile", "all"} & set(knobs.runtime.log))


def log(function, history, now, changed):
    """Writes the line, unless it is the first compile of the kernel.

    history: (specs, options, target) of earlier compiles; changed: what is known
    about globals that have changed since, or ''.
    """
    nearest = None
    for before in history:
        found = differences(before, now)
        if nearest is None or len(found) <= len(nearest):
            nearest = found
    if nearest is None:
        return
    reasons = ([changed] if changed else []) + nearest
    text = "; ".join(reasons) or "its code was dropped from memory"
    print(f"tegula: recompile: {function.__name__}: {text}", file=sys.stderr)
