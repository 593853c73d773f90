# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`autotune`, `Config` and `heuristics`: constants that are chosen at launch."""

import functools
import inspect
import math
import threading
import warnings

from . import _arrays, testing
from ._launch_errors import (all_configs_failed, config_clash, invalid_autotune, no_config_left,
                             not_tunable, unhashable_key, unknown_key_text)
from .errors import Error, LaunchTypeError, LaunchValueError


class Config:
    """One way to compile a kernel: values of its constants, and launch options.

    kwargs: constants by name. pre_hook: called with a dict of all arguments before
    each run with this configuration. maxnreg, ir_override: for other targets.
    """

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None,
                 ir_override=None):
        if not hasattr(kwargs, "items"):
            raise invalid_autotune("Config", "kwargs", "a dict of constants by name", kwargs)
        if pre_hook is not None and not callable(pre_hook):
            raise invalid_autotune("Config", "pre_hook", "a function", pre_hook)
        self.kwargs = dict(kwargs)
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def all_kwargs(self):
        """The constants and the options that are set, as a launch takes them."""
        options = {"num_warps": self.num_warps, "num_ctas": self.num_ctas,
                   "num_stages": self.num_stages, "maxnreg": self.maxnreg,
                   "ir_override": self.ir_override}
        return self.kwargs | {name: value for name, value in options.items() if value is not None}

    def _facts(self):
        return (tuple(self.all_kwargs().items()), self.pre_hook)

    def __eq__(self, other):
        return isinstance(other, Config) and self._facts() == other._facts()

    def __hash__(self):
        return hash((tuple(self.all_kwargs()), self.num_warps, self.num_stages))

    def __repr__(self):
        return f"Config({', '.join(f'{k}: {v}' for k, v in self.all_kwargs().items())})"

    __str__ = __repr__


class _Wrapper:
    """A kernel behind something that chooses part of its arguments.

    fn: the kernel or wrapper inside; base_fn: the function of the text.
    """

    def __init__(self, fn, decorator):
        if not (hasattr(fn, "run") and hasattr(fn, "arg_names") and callable(fn)):
            raise not_tunable(fn, decorator)
        functools.update_wrapper(self, fn, updated=())
        self.fn = fn
        self.arg_names = fn.arg_names
        self.signature = fn.signature
        self.base_fn = getattr(fn, "base_fn", fn.fn)

    def __getitem__(self, grid):
        def start(*args, **kwargs):
            return self._launch(grid, args, kwargs)

        return start

    def run(self, *args, grid, warmup=False, **kwargs):
        """Launches over `grid`; with warmup only compiles."""
        if warmup:
            return self.warmup(*args, grid=grid, **kwargs)
        return self._launch(grid, args, kwargs)

    def __call__(self, *args, **kwargs):
        return self.fn(*args, **kwargs)  # says that a grid is missing

    def __repr__(self):
        return f"<tegula.{type(self).__name__} of {self.fn!r}>"

    def _named(self, args):
        return dict(zip(self.arg_names, args))


class Heuristics(_Wrapper):
    """A kernel some of whose constants are computed from its other arguments."""

    def __init__(self, fn, values):
        super().__init__(fn, "heuristics")
        self.values = values

    def _compute(self, args, kwargs):
        given = self._named(args) | kwargs
        for name, function in self.values.items():
            given[name] = kwargs[name] = function(given)
        return kwargs

    def _launch(self, grid, args, kwargs):
        return self.fn[grid](*args, **self._compute(args, kwargs))

    def warmup(self, *args, grid=(1,), **kwargs):
        return self.fn.warmup(*args, grid=grid, **self._compute(args, kwargs))


def heuristics(values):
    """Computes constants at each launch.

    values: functions by name of a parameter; each gets a dict of the arguments
    given so far, what earlier ones computed included, and returns the value. Goes
    above `jit`, above or below `autotune`, or is called on a kernel.
    """
    wrong = [values] if not hasattr(values, "items") else [
        value for value in values.values() if not callable(value)]
    if wrong:
        raise invalid_autotune("heuristics", "values", "a dict of functions by name", wrong[0])

    def decorate(fn):
        return Heuristics(fn, dict(values))

    return decorate


def _takes(function, name):
    """Whether a function has a parameter of this name, or takes all names."""
    try:
        params = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return name in params or any(p.kind is p.VAR_KEYWORD for p in params.values())


def _score(timing):
    """What configurations are compared by: the first of several numbers."""
    if isinstance(timing, (list, tuple)):
        timing = timing[0]
    timing = float(timing)
    return math.inf if math.isnan(timing) else timing


class Autotuner(_Wrapper):
    """A kernel that is launched with the fastest of several configurations; see `autotune`.

    configs; cache: configurations by key; best_config: of the last launch;
    configs_timings: of the last tuning, by configuration, as `do_bench` gives them;
    configs_failures: the exceptions of those that do not work, also of the last.
    """

    def __init__(self, fn, configs, key, options):
        super().__init__(fn, "autotune")
        self.configs = configs or [Config({})]
        self.keys = key
        self.cache = {}
        self.best_config = None
        self.configs_timings = None
        self.configs_failures = {}
        self._options = options
        self._lock = threading.RLock()
        for name in (*options.reset_to_zero, *options.restore_value):
            if name not in self.arg_names:
                option = "reset_to_zero" if name in options.reset_to_zero else "restore_value"
                raise invalid_autotune("autotune", option, "names of parameters", name,
                                       self.arg_names)
        for name in key:
            if name not in self.arg_names:
                warnings.warn(unknown_key_text(self, name), stacklevel=4)

    # -- choosing ----------------------------------------------------------------

    def _key(self, given):
        """What the choice depends on; configurations are timed once for each."""
        key = []
        for name in self.keys:
            if name in given:
                value = given[name]
                try:
                    hash(value)
                except TypeError:
                    raise unhashable_key(self, name, value) from None
                key.append((name, type(value), value))
        key += [(name, str(value.dtype)) for name, value in given.items()
                if hasattr(value, "dtype")]
        return tuple(key)

    def _check_clash(self, given):
        for config in self.configs:
            clash = [name for name in config.kwargs if name in given]
            if clash:
                raise config_clash(self, clash)

    def _prune(self, args, kwargs):
        """The configurations that are worth a try."""
        options, named = self._options, self._named(args)
        configs = self.configs
        if options.early_config_prune is not None:
            configs = list(options.early_config_prune(configs, named, **kwargs) or ())
            if not configs:
                raise no_config_left(self)
        if options.perf_model is not None:
            most = options.top_k
            if isinstance(most, float):
                most = max(1, int(len(self.configs) * most))
            if len(configs) > most:
                costs = [options.perf_model(**named, **(kwargs | config.all_kwargs()))
                         for config in configs]
                order = sorted(range(len(configs)), key=costs.__getitem__)
                configs = [configs[i] for i in order[:most]]
        return configs

    def _choose(self, args, grid, kwargs):
        """The configuration for these arguments."""
        given = self._named(args) | kwargs
        self._check_clash(given)
        if len(self.configs) == 1:
            return self.configs[0]
        key = self._key(given)
        config = self.cache.get(key)
        if config is None:
            with self._lock:
                config = self.cache.get(key)
                if config is None:
                    config = self._tune(args, grid, kwargs, given)
                    self.cache[key] = config
        return config

    # -- timing ------------------------------------------------------------------

    def _tune(self, args, grid, kwargs, given):
        options = self._options
        configs = self._prune(args, kwargs)
        if len(configs) == 1:
            return configs[0]
        saved = {name: _arrays.save(given[name]) for name in options.restore_value
                 if given.get(name) is not None}

        def reset():
            for name in options.reset_to_zero:
                if given.get(name) is not None:
                    _arrays.clear(given[name])
            for name, copy in saved.items():
                _arrays.restore(given[name], copy)

        timings, failures = {}, {}
        try:
            for config in configs:
                try:
                    timings[config] = self._time(config, reset, args, grid, kwargs, given)
                except Error as error:
                    timings[config] = [math.inf] * 3
                    failures[config] = error
        finally:
            reset()
            self.configs_timings, self.configs_failures = timings, failures
        if len(failures) == len(timings):
            raise all_configs_failed(self, failures)
        if options.pre_hook is not None:
            self._call_pre_hook(given | kwargs, reset_only=True)
        return min((c for c in timings if c not in failures), key=lambda c: _score(timings[c]))

    def _time(self, config, reset, args, grid, kwargs, given):
        """Times one configuration; every run sees the arguments as they were."""
        options = self._options
        every = kwargs | config.all_kwargs()

        def before():
            reset()
            if options.pre_hook is not None:
                self._call_pre_hook(given | every, reset_only=False)
            if config.pre_hook is not None:
                config.pre_hook(given | every)

        def run():
            try:
                self.fn[grid](*args, **every)
            except Exception as error:
                if options.post_hook is not None:
                    options.post_hook(given | every, exception=error)
                raise
            if options.post_hook is not None:
                options.post_hook(given | every, exception=None)

        if options.do_bench is None:
            return testing.measure(run, before, options.warmup, options.rep,
                                   quantiles=(0.5, 0.2, 0.8))

        def both():
            before()
            run()

        return options.do_bench(both, quantiles=(0.5, 0.2, 0.8))

    def _call_pre_hook(self, given, reset_only):
        hook = self._options.pre_hook
        if _takes(hook, "reset_only"):
            hook(given, reset_only=reset_only)
        elif not reset_only:
            hook(given)

    # -- launching ---------------------------------------------------------------

    def _launch(self, grid, args, kwargs):
        config = self._choose(args, grid, kwargs)
        self.best_config = config
        every = kwargs | config.all_kwargs()
        if config.pre_hook is not None:
            config.pre_hook(self._named(args) | every)
        return self.fn[grid](*args, **every)

    def warmup(self, *args, grid=(1,), **kwargs):
        """Compiles all configurations that pruning leaves; returns their kernels."""
        self._check_clash(self._named(args) | kwargs)
        return [self.fn.warmup(*args, grid=grid, **(kwargs | config.all_kwargs()))
                for config in self._prune(args, kwargs)]


class _Options:
    """The checked options of `autotune`."""

    def __init__(self, prune, reset_to_zero, restore_value, functions, warmup, rep):
        prune = {} if prune is None else prune
        if not hasattr(prune, "items"):
            raise invalid_autotune("autotune", "prune_configs_by", "a dict", prune)
        known = ("early_config_prune", "perf_model", "top_k")
        for name in prune:
            if name not in known:
                raise invalid_autotune("autotune", "prune_configs_by",
                                       "early_config_prune, perf_model or top_k", name, known)
        for name in known[:2]:
            functions[name] = prune.get(name)
        for name, function in functions.items():
            if function is not None and not callable(function):
                raise invalid_autotune("autotune", name, "a function", function)
            setattr(self, name, function)
        self.top_k = prune.get("top_k", 0.2)
        share = isinstance(self.top_k, float) and 0 < self.top_k <= 1
        count = isinstance(self.top_k, int) and self.top_k >= 1
        if self.perf_model is not None and not share and not count:
            raise invalid_autotune("autotune", "top_k",
                                   "a positive integer or a share of at most 1.0", self.top_k)
        self.reset_to_zero = _names("reset_to_zero", reset_to_zero)
        self.restore_value = _names("restore_value", restore_value)
        self.warmup = 25 if warmup is None else warmup
        self.rep = 100 if rep is None else rep


def _names(option, given):
    given = () if given is None else (given,) if isinstance(given, str) else given
    try:
        names = tuple(given)
    except TypeError:
        names = (given,)
    for name in names:
        if not isinstance(name, str):
            raise invalid_autotune("autotune", option, "names of parameters", name)
    return names


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None,
             pre_hook=None, post_hook=None, warmup=None, rep=None, use_cuda_graph=False,
             do_bench=None, cache_results=False):
    """Launches a kernel with the fastest of several configurations.

    configs: list of `Config`. key: names of parameters; when their values or the
    element types of the arguments are new, all configurations are timed, one after
    the other, and the choice is kept in memory. One that does not compile or run
    is left out, its exception is in `configs_failures`.

    prune_configs_by: dict with early_config_prune(configs, named_args, **kwargs),
    which returns the configurations to try, and perf_model(**arguments), whose
    estimate of the time keeps the best top_k (a number, or a share of all).
    reset_to_zero, restore_value: names of arrays that are cleared, or get their
    elements back, before each timed run and before the launch itself.
    pre_hook(arguments, reset_only), post_hook(arguments, exception): called around
    each timed run. do_bench(fn, quantiles): a timer of one's own; without it, warmup
    and rep are milliseconds. use_cuda_graph and cache_results change nothing here.

    Threads may launch at the same time; one of them tunes.
    """
    try:
        configs = list(configs)
    except TypeError:
        raise invalid_autotune("autotune", "configs", "a list of Config", configs) from None
    for config in configs:
        if not isinstance(config, Config):
            raise invalid_autotune("autotune", "configs", "a list of Config", config)
    functions = {"pre_hook": pre_hook, "post_hook": post_hook, "do_bench": do_bench}
    options = _Options(prune_configs_by, reset_to_zero, restore_value, functions, warmup, rep)
    names = _names("key", key)

    def decorate(fn):
        return Autotuner(fn, configs, names, options)

    return decorate
