# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts of wrong arguments, and checks that several functions share."""

import difflib

from ..errors import LaunchTypeError, LaunchValueError


def show(value):
    """A value as the end of a message, with its type unless that is plain to see."""
    try:
        text = repr(value)
    except Exception:  # pylint: disable=broad-except
        text = "..."
    text = text if len(text) <= 60 else "..."
    if value is None or isinstance(value, (str, bool, int, float, list, tuple)):
        return text if text != "..." else type(value).__name__
    return type(value).__name__


def wrong(owner, argument, expected, value, cls=LaunchTypeError, known=()):
    """The exception for an argument of a function or class that it cannot take."""
    near = difflib.get_close_matches(value, known, 1) if isinstance(value, str) else ()
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return cls(f"argument '{argument}' of {owner}: expected {expected}, got {show(value)}{hint}",
               id="invalid-option")


def number(owner, argument, value, least=0.0):
    """`value` as a float of at least `least`."""
    expected = f"a number of at least {least:g}"
    if isinstance(value, (bool, str)):
        raise wrong(owner, argument, expected, value)
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise wrong(owner, argument, expected, value) from None
    if not result >= least:
        raise wrong(owner, argument, expected, value, LaunchValueError)
    return result


def choice(owner, argument, value, known):
    """`value`, one of several names."""
    if value not in known:
        cls = LaunchValueError if isinstance(value, str) else LaunchTypeError
        raise wrong(owner, argument, f"one of {', '.join(known)}", value, cls, known)
    return value


def function(owner, argument, value):
    """`value`, if it can be called."""
    if not callable(value):
        raise wrong(owner, argument, "a function", value)
    return value


def need(owner, package, purpose):
    """Imports a package that only some functions need."""
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError as error:
        name = package.partition(".")[0]
        raise ImportError(f"{owner}: expected the package '{name}' {purpose}, got an error: "
                          f"{error}; 'pip install {name}' installs it") from error
