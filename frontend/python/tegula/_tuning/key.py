# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the choice of a configuration depends on.

The key of `Autotuner.cache` is a tuple: the values of the key's arguments, then
the element types of all arrays as text, each in the order of the call. Looking it
up is cheap for calls that look like an earlier one (see `Plan`).
"""

import functools
import keyword
import warnings

from .._launch_errors import array_as_key_text, unhashable_key

_MOST_REMEMBERED = 4096


def is_array(value):
    """Whether a value has elements; its identity must not be part of a key."""
    return hasattr(value, "dtype") and (
        hasattr(value, "data_ptr") or hasattr(value, "__array_interface__")
        or getattr(value, "_tegula_kind", None) in ("descriptor", "wrapper"))


def _plain(value):
    """A value to look up: without the wrapping of `constexpr`, and equal to itself."""
    if getattr(value, "_tegula_kind", None) == "constexpr":
        value = value.value
    if isinstance(value, float) and value != value:
        return "nan"
    return value


def _element_types(value):
    """Element types in one argument, tuples included, as text."""
    if isinstance(value, (tuple, list)):
        return [text for item in value for text in _element_types(item)]
    return [str(value.dtype)] if hasattr(value, "dtype") else []


def _values(tuner, given):
    """(name, value) of the key's arguments.

    Those left out are not part of it, but for defaults ahead of one that is given:
    their values would count as those of others.
    """
    names = [name for name in tuner.keys if name in tuner.arg_names]
    count = max((i for i, name in enumerate(names, 1) if name in given), default=0)
    for name in names[:count]:
        if name in given:
            yield name, given[name]
        elif tuner.has_default(name):
            yield name, tuner.default_of(name)


def tuning_key(tuner, given):
    """The key of a call in `Autotuner.cache`; given: its arguments by name."""
    key = []
    for name, value in _values(tuner, given):
        value = _plain(value)
        if is_array(value):
            _warn_once(tuner, name)
            continue
        try:
            hash(value)
        except TypeError:
            raise unhashable_key(tuner, name, value) from None
        key.append(value)
    for name, value in given.items():
        if name in tuner.arg_names:
            key += _element_types(value)
    if "target" in given and "target" not in tuner.arg_names:
        key.append(("target", given["target"]))
    return tuple(key)


def _warn_once(tuner, name):
    if name not in tuner.arrays_in_key:
        tuner.arrays_in_key.add(name)
        warnings.warn(array_as_key_text(tuner, name), stacklevel=6)


def shape_of_call(args, kwargs):
    """How many arguments come by position, and the names of the others."""
    return (len(args), *kwargs) if kwargs else len(args)


class Plan:
    """How to find the configuration for calls of one shape, and what was found.

    key: function of positional and named arguments that returns the facts of one
    call; found: (configuration, its hook, function that launches with it) by these;
    kinds: of the arguments that it is made for (`kinds_of_call`), or None for any.
    """

    __slots__ = ("key", "found", "kinds")

    def __init__(self, key, kinds):
        self.key = key
        self.found = {}
        self.kinds = kinds

    def remember(self, args, kwargs, config):
        if len(self.found) >= _MOST_REMEMBERED:
            self.found.clear()
        self.found[self.key(args, kwargs)] = config, config.pre_hook, launch_with(
            config, len(args), tuple(kwargs))


def launch_with(config, count, names):
    """A function (start, args, kwargs) that calls `start` with these and the configuration's.

    Written out for `count` positional arguments and these names: much cheaper than
    merging dicts at each launch.
    """
    more = config.all_kwargs()
    if not all(name.isidentifier() and not keyword.iskeyword(name) for name in (*names, *more)):
        return lambda start, args, kwargs: start(*args, **kwargs, **more)
    values = {f"v{i}": value for i, value in enumerate(more.values())}
    return eval(_launch_code(count, names, tuple(more)), values)  # pylint: disable=eval-used


@functools.lru_cache(4096)
def _launch_code(count, names, more):
    parts = [f"a[{i}]" for i in range(count)] + [f"{name}=k[{name!r}]" for name in names]
    parts += [f"{name}=v{i}" for i, name in enumerate(more)]
    return compile(f"lambda start, a, k: start({', '.join(parts)})", "<launch>", "eval")


def kinds_of_call(args, kwargs):
    """Which arguments have element types, and which may hold such."""
    return [2 if isinstance(value, (tuple, list)) else hasattr(value, "dtype")
            for value in (*args, *kwargs.values())]


def _facts_of_key(value):
    return None if is_array(value) else value


def make_plan(tuner, args, kwargs, kinds):
    """The plan for calls that look like this one, or None if only a full look will do.

    kinds: of this call's arguments; None makes a plan, slower, for arguments of all kinds.
    """
    places = {name: f"a[{i}]" for i, name in enumerate(tuner.arg_names[:len(args)])}
    values = dict(zip(tuner.arg_names, args)) | kwargs
    places |= {name: f"k[{name!r}]" for name in kwargs}
    if len(args) > len(tuner.arg_names):
        return None
    names = [name for name in values if name in tuner.arg_names]
    if kinds is None or 2 in kinds:
        def any_key(a, k):
            by_name = dict(zip(tuner.arg_names, a)) | k
            return (*map(type, by_name.values()), by_name.get("target"),
                    *(_facts_of_key(by_name[name]) for name in tuner.keys if name in names),
                    *(tuple(_element_types(by_name[name])) for name in names))

        return Plan(any_key, None)
    # Types first: they say which arguments have an element type.
    parts = ["*map(type, a)", *(f"type({places[name]})" for name in kwargs)]
    parts += [places[name] for name in tuner.keys if name in values and name in tuner.arg_names
              and not is_array(values[name])]
    parts += [f"{places[name]}.dtype" for name, value in values.items()
              if hasattr(value, "dtype") and name in tuner.arg_names]
    if "target" in kwargs:
        parts.append(places["target"])
    # One expression is several times faster than loops over places.
    return Plan(eval(f"lambda a, k: ({', '.join(parts)},)"), kinds)  # pylint: disable=eval-used
