# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timings on disk: one entry for each configuration, key and machine.

An entry is named by the SHA-256 of all that the time depends on: the compiled
kernel (its artifact key), the arguments of the configuration, values and element
types of the tuning key, the machine and how it was timed. It holds the timing as
the timer gave it. So a new configuration is timed alone, and a changed kernel,
compiler or machine finds nothing.
"""

import functools
import hashlib
import json
import math
import os
import types

from .. import _tegula
from .._processor import name as processor_name
from ..runtime import _device
from . import settings
from .key import is_array

_KIND = "timing"
_FORMAT = 1


def get(name):
    """The timing kept under this name, or None."""
    data = _cache_get(_KIND, name)
    if data is None:
        return None
    try:
        timing = json.loads(data)["timing"]
    except (ValueError, KeyError, TypeError):
        return None
    return timing if _is_timing(timing) else None


def put(name, timing):
    """Keeps a timing, if it is one that can be kept."""
    timing = list(timing) if isinstance(timing, tuple) else timing
    if _is_timing(timing):
        _cache_put(_KIND, name, json.dumps({"timing": timing}).encode())


def _cache_get(kind, name):
    return _tegula.cache_get(kind, name)


def _cache_put(kind, name, data):
    return _tegula.cache_put(kind, name, data)


def _is_timing(timing):
    numbers = timing if isinstance(timing, list) else [timing]
    return bool(numbers) and all(type(n) in (int, float) and math.isfinite(n) for n in numbers)


def is_used(tuner):
    """Whether the timings of this tuner are kept: never those that only it understands."""
    if tuner.cache_results is False or not settings.stores():
        return False
    return tuner.cache_results is True or not (
        tuner.user_defined_pre_hook or tuner.user_defined_post_hook or tuner.has_own_bench)


def facts_of_call(tuner, given):
    """What entries of one tuning share, as text; None if something has no lasting text."""
    values = []
    for name in tuner.keys:
        value = given[name] if name in given else tuner.default_of(name)
        if not is_array(value):
            values.append([name, _text(value)])
    arrays = [[name, str(given[name].dtype)] for name in tuner.arg_names
              if name in given and is_array(given[name])]
    bench = ["own", function_text(tuner.do_bench, tuner)] if tuner.has_own_bench else [
        "default", *tuner.bench_milliseconds]
    hooks = [function_text(tuner.pre_hook, tuner) if tuner.user_defined_pre_hook else "",
             function_text(tuner.post_hook, tuner) if tuner.user_defined_post_hook else ""]
    facts = [_FORMAT, _tegula.version, machine(), target_of(given.get("target")), values, arrays,
             bench, hooks]
    return None if _has_none(facts) else facts


def entry_name(tuner, facts, config, kernel):
    """The name of one configuration's entry, or None if it cannot have one."""
    kernel_key = getattr(kernel, "hash", None)
    parts = [kernel_key, [[name, _text(value)] for name, value in config.all_kwargs().items()],
             "" if config.pre_hook is None else function_text(config.pre_hook, tuner)]
    if facts is None or not isinstance(kernel_key, str) or _has_none(parts):
        return None
    return hashlib.sha256(json.dumps([facts, parts]).encode()).hexdigest()


def _has_none(parts):
    return any(part is None or isinstance(part, list) and _has_none(part) for part in parts)


def _text(value):
    """A text that tells the value apart in other processes too, or None."""
    if getattr(value, "_tegula_kind", None) == "constexpr":
        value = value.value
    if value is None or isinstance(value, (bool, int, float, str)):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, (tuple, list)):
        items = [_text(item) for item in value]
        return None if None in items else f"{type(value).__name__} ({', '.join(items)})"
    text = repr(value)
    return None if " at 0x" in text else f"{type(value).__qualname__} {text}"


def function_text(function, tuner):
    """What a function of the program is: its name and its code.

    None for one whose code does not say what it does, such as a closure, unless the
    tuner is told to keep its results all the same.
    """
    function = getattr(function, "__func__", function)
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '')}"
    if isinstance(function, types.FunctionType) and not function.__closure__:
        code = repr(_code_facts(function.__code__))
        return f"{name} {hashlib.sha256(code.encode()).hexdigest()}"
    return name if tuner.cache_results else None


def _code_facts(code):
    constants = [_code_facts(c) if isinstance(c, types.CodeType) else c for c in code.co_consts]
    return code.co_code, constants, code.co_names


_processor = functools.lru_cache(None)(processor_name)


def machine():
    """What of this machine times depend on: its processor, and how many of them serve us."""
    return [_processor(), len(os.sched_getaffinity(0)), settings.available_cores()]


def target_of(option):
    """The target of a launch, its options (such as threads) included."""
    what = option if option is not None else os.environ.get("TEGULA_TARGET")
    what = None if what is None else os.fsdecode(what)
    return list(_device.target_here(what))
