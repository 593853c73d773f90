# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel is compiled for, as text: keys, signatures, and data that outlives the process.

A spec is `(name, type or None, is known, value)` for one parameter: `*fp32:16` is a
pointer whose address is a multiple of 16, `i32` with the known value 1 the integer 1.
"""

import json

from ._resolver import plain
from .errors import LaunchValueError
from .language._types import named, tuple as language_tuple

_JSON = (int, str, bool, type(None))


def show_value(value):
    """Text that two values share only if they are the same to a kernel."""
    kind = getattr(value, "_tegula_kind", None)
    if isinstance(value, float):
        return f"{type(value).__name__}:{value.hex()}"
    if isinstance(value, (int, str, bool, type(None))):
        return f"{type(value).__name__}:{value!r}"
    if kind == "constexpr":
        return f"constexpr:{show_value(value.value)}"
    if kind == "dtype":
        return f"dtype:{value._tegula_text}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}:({','.join(map(show_value, value))})"
    name = getattr(value, "fullname", None) or type(value).__qualname__
    return f"{name}@{id(value):x}"


def compile_key(specs, options, target):
    """Text that says all that a kernel is compiled for."""
    shown = [f"{name}={type_ or ''}{'=' + show_value(value) if known else ''}"
             for name, type_, known, value in specs]
    shown += [f"{key}:{options[key]}" for key in sorted(options)]
    return f"{';'.join(shown)};target:{target or ''}"


def is_constant(spec):
    """Whether nothing of the parameter is left at run time."""
    _, type_, known, _ = spec
    return known and not (type_ or "").startswith("(")


def signature_of(specs):
    """Name -> type without its facts, 'constexpr' for what is known."""
    return {spec[0]: "constexpr" if is_constant(spec) else spec[1].split(":")[0] if
            not spec[1].startswith("(") else spec[1] for spec in specs}


def constants_of(specs):
    """(position,) -> value of the parameters that are known."""
    return {(index,): plain(spec[3]) for index, spec in enumerate(specs) if is_constant(spec)}


def attributes_of(specs):
    """(position,) -> [[fact, number]] of the parameters that have facts."""
    found = {}
    for index, (_, type_, known, _) in enumerate(specs):
        if type_ and not type_.startswith("(") and ":16" in type_ and not known:
            found[(index,)] = [["tt.divisibility", 16]]
    return found


# -- data that outlives the process ------------------------------------------------


def _encode(value):
    kind = getattr(value, "_tegula_kind", None)
    if isinstance(value, float):
        return {"float": value.hex()}
    if type(value) in _JSON:
        return value
    if kind == "constexpr":
        return {"constexpr": _encode(value.value)}
    if kind == "dtype":
        return {"dtype": value._tegula_text}
    if type(value) is list:
        return {"list": [_encode(item) for item in value]}
    if type(value) in (tuple, language_tuple):
        return {"tuple": [_encode(item) for item in value]}
    if kind == "function":
        return {"function": value.fullname}
    return {"object": type(value).__qualname__}


def _decode(function, name, value):
    if not isinstance(value, dict):
        return value
    (kind, held), = value.items()
    if kind == "float":
        return float.fromhex(held)
    if kind == "constexpr":
        from .language._types import constexpr

        return constexpr(_decode(function, name, held))
    if kind == "dtype":
        return named(held)
    if kind in ("tuple", "list"):
        return (list if kind == "list" else tuple)(_decode(function, name, item) for item in held)
    scope = function.get_capture_scope()
    for found in scope.values():
        if kind == "function" and getattr(found, "fullname", None) == held:
            return found
    raise LaunchValueError(
        f"preload of kernel '{function.__name__}': expected a value that text can name for "
        f"parameter '{name}', got {kind} {held}", id="invalid-preload")


def serialize(function, specs, options, target):
    """JSON text for `preload`."""
    return json.dumps({
        "name": function.fullname, "cache_key": _cache_key(function), "target": target,
        "specs": [[name, type_, bool(known), _encode(value)]
                  for name, type_, known, value in specs],
        "options": options, "key": compile_key(specs, options, target)})


def _cache_key(function):
    try:
        return function.cache_key
    except Exception:  # pylint: disable=broad-except
        return None  # of functions that no key can name


def deserialize(function, text):
    """(specs, options, target) of what `serialize` returned for the same function."""
    try:
        data = json.loads(text)
        name, specs, options = data["name"], data["specs"], dict(data["options"])
        target = data.get("target")
        names = [spec_name for spec_name, _, _, _ in specs]
        if names == function.arg_names and name == function.fullname:
            specs = [(*spec[:3], _decode(function, spec[0], spec[3])) for spec in specs]
    except LaunchValueError:
        raise
    except (TypeError, ValueError, KeyError) as error:
        raise LaunchValueError(
            f"preload of kernel '{function.__name__}': expected the specialization_data of a hook, "
            f"got {type(text).__name__} ({type(error).__name__}: {error})",
            id="invalid-preload") from None
    if name != function.fullname:
        raise LaunchValueError(f"Specialization data is for {name}, expected {function.fullname}",
                               id="invalid-preload")
    if names != function.arg_names:
        raise LaunchValueError(
            f"preload of kernel '{function.__name__}': expected the parameters "
            f"{', '.join(function.arg_names)}, got {', '.join(names)}: the kernel has changed",
            id="invalid-preload")
    return specs, options, target
