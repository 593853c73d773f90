# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments and functions of the program, as a tuning sees them."""

import copy
import functools
import inspect


def holds_descriptor(value):
    if isinstance(value, (tuple, list)):
        return any(map(holds_descriptor, value))
    return getattr(value, "_tegula_kind", None) == "descriptor"


def snapshot(value):
    """An argument as it is now, though a hook changes it later."""
    if isinstance(value, tuple) and holds_descriptor(value):
        items = map(snapshot, value)
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, list) and holds_descriptor(value):
        return list(map(snapshot, value))
    if getattr(value, "_tegula_kind", None) != "descriptor":
        return value
    value = copy.copy(value)
    for name in ("shape", "strides", "block_shape"):
        if isinstance(getattr(value, name), list):
            setattr(value, name, list(getattr(value, name)))
    return value


@functools.lru_cache(256)
def takes(function, name):
    """Whether a function has a parameter of this name, or takes all names."""
    try:
        params = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return name in params or any(p.kind is p.VAR_KEYWORD for p in params.values())
