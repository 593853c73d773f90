# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of what `autotune` is given."""

import numbers

from .._launch_errors import invalid_autotune
from .config import Config

_PRUNING = ("early_config_prune", "perf_model", "top_k")


def checked_configs(configs):
    """A list of configurations; without any, the default one."""
    try:
        configs = list(configs)
    except TypeError:
        raise invalid_autotune("autotune", "configs", "a list of Config", configs) from None
    for config in configs:
        if not isinstance(config, Config):
            raise invalid_autotune("autotune", "configs", "a list of Config", config)
    return configs or [Config({})]


def checked_names(option, given):
    """A list of names, also of a single one."""
    given = () if given is None else (given,) if isinstance(given, str) else given
    try:
        names = list(given)
    except TypeError:
        names = [given]
    for name in names:
        if not isinstance(name, str):
            raise invalid_autotune("autotune", option, "names of parameters", name)
    return names


def checked_function(option, given):
    """A function or None."""
    if given is not None and not callable(given):
        raise invalid_autotune("autotune", option, "a function", given)
    return given


def checked_milliseconds(option, given):
    """A number that is not negative, or None."""
    is_number = isinstance(given, numbers.Real) and not isinstance(given, bool)
    if given is not None and not (is_number and 0 <= given < float("inf")):
        raise invalid_autotune("autotune", option, "milliseconds", given)
    return given


def checked_pruning(given):
    """early_config_prune, perf_model and top_k of `prune_configs_by`."""
    given = {} if given is None else given
    if not hasattr(given, "items"):
        raise invalid_autotune("autotune", "prune_configs_by", "a dict", given)
    for name in given:
        if name not in _PRUNING:
            raise invalid_autotune("autotune", "prune_configs_by",
                                   "early_config_prune, perf_model or top_k", name, _PRUNING)
    early, model = (checked_function(name, given.get(name)) for name in _PRUNING[:2])
    top_k = given.get("top_k", 1.0)
    if model is not None:
        check_top_k(top_k)
    return early, model, top_k


def check_top_k(top_k):
    """A count of configurations, or a share of them."""
    share = isinstance(top_k, float) and 0 < top_k <= 1
    count = isinstance(top_k, int) and not isinstance(top_k, bool) and top_k >= 1
    if not share and not count:
        raise invalid_autotune("autotune", "top_k",
                               "a positive integer or a share of at most 1.0", top_k)
