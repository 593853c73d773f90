# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`autotune`: a kernel that is launched with the fastest of several configurations."""

import contextlib
import threading
import warnings

from .._launch_errors import (config_clash, invalid_autotune, no_config_left, unknown_key_text)
from . import bench
from .config import Config
from .heuristics import Wrapper
from .key import kinds_of_call, launch_with, make_plan, shape_of_call, tuning_key
from .options import (check_top_k, checked_configs, checked_function, checked_milliseconds,
                      checked_names, checked_pruning)
from .tuning import Tuning, alone
from .watched import WatchedDict, WatchedList, watch_configurations


def _no_pre_hook(arguments, reset_only=False):
    """The hook where none is given."""


def _no_post_hook(arguments, exception):
    """The hook where none is given."""


def default_bench(fn, quantiles):
    """The timer where none is given, for programs that call it themselves."""
    from ..testing import do_bench
    return do_bench(fn, quantiles=quantiles)


class Autotuner(Wrapper):
    """A kernel that is launched with the fastest of several configurations; see `autotune`.

    configs; cache: configurations by key (`tuning_key`); best_config: of the last launch;
    configs_timings: of the last tuning, by configuration, as the timer gives them;
    configs_failures: the exceptions of those that do not work, also of the last;
    bench_time, compile_time: its seconds, and those until all was compiled; nargs: in a
    thread that tunes, the positional arguments by name, for pruning functions, else None.
    Programs may derive from it and set `configs`, `pre_hook`, `post_hook`, `do_bench`, and
    entries of `cache`.
    """

    def __init__(self, fn, arg_names, configs, key, reset_to_zero, restore_value, pre_hook=None,
                 post_hook=None, prune_configs_by=None, warmup=None, rep=None,
                 use_cuda_graph=False, do_bench=None, cache_results=None):
        super().__init__(fn, "autotune")
        self._plans = {}
        self._local = threading.local()
        self.arg_names = arg_names
        self.configs = checked_configs(configs)
        self.keys = checked_names("key", key)
        self.cache = WatchedDict({}, self.forget)
        self.best_config = None
        self.configs_timings = None
        self.configs_failures = {}
        self.bench_time = self.compile_time = 0.0
        self.arrays_in_key = set()
        self.reset_to_zero = checked_names("reset_to_zero", reset_to_zero)
        self.restore_value = checked_names("restore_value", restore_value)
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None
        self.pre_hook = checked_function("pre_hook", pre_hook) or _no_pre_hook
        self.post_hook = checked_function("post_hook", post_hook) or _no_post_hook
        self.early_config_prune, self.perf_model, self.configs_top_k = checked_pruning(
            prune_configs_by)
        self.num_warmups = checked_milliseconds("warmup", warmup)
        self.num_reps = checked_milliseconds("rep", rep)
        self.use_cuda_graph = use_cuda_graph
        self.do_bench = checked_function("do_bench", do_bench) or default_bench
        self.cache_results = cache_results
        watch_configurations(self)
        for option in ("reset_to_zero", "restore_value"):
            for name in getattr(self, option):
                if name not in arg_names:
                    raise invalid_autotune("autotune", option, "names of parameters", name,
                                           arg_names)
        for name in self.keys:
            if name not in arg_names:
                warnings.warn(unknown_key_text(self, name), stacklevel=3)

    # -- attributes ----------------------------------------------------------------

    @property
    def configs(self):
        return self._configs

    @configs.setter
    def configs(self, configs):
        self._configs = WatchedList(configs, self.forget)
        self.forget()

    @property
    def nargs(self):
        return getattr(self._local, "nargs", None)

    @nargs.setter
    def nargs(self, named):
        self._local.nargs = named

    @property
    def has_pre_hook(self):
        return self.pre_hook is not _no_pre_hook

    @property
    def has_post_hook(self):
        return self.post_hook is not _no_post_hook

    @property
    def has_own_bench(self):
        return self.do_bench is not default_bench

    @property
    def has_own_bench_method(self):
        return type(self)._bench is not _bench

    @property
    def bench_milliseconds(self):
        """Time to spend before and while timing one configuration."""
        return (bench.WARMUP if self.num_warmups is None else self.num_warmups,
                bench.REP if self.num_reps is None else self.num_reps)

    def has_default(self, name):
        """Whether a parameter has a default."""
        param = self.signature.parameters.get(name) if self.signature is not None else None
        return param is not None and param.default is not param.empty

    def default_of(self, name):
        """The default of a parameter, or None."""
        return self.signature.parameters[name].default if self.has_default(name) else None

    @contextlib.contextmanager
    def tuning_with(self, args):
        """Sets `nargs` meanwhile."""
        before, self.nargs = self.nargs, dict(zip(self.arg_names, args))
        try:
            yield
        finally:
            self.nargs = before

    def forget(self):
        """Drops what launches remember: something that they have read has changed."""
        self._plans = {}

    # -- choosing ------------------------------------------------------------------

    def prune_configs(self, kwargs):
        """The configurations that are worth a try; positional arguments are in `nargs`."""
        named = self.nargs or {}
        configs = self.configs
        if self.early_config_prune is not None:
            configs = list(self.early_config_prune(configs, named, **kwargs) or ())
            if not configs:
                raise no_config_left(self)
            for config in configs:
                if not isinstance(config, Config):
                    raise invalid_autotune("autotune", "early_config_prune",
                                           "a function that returns a list of Config", config)
        if self.perf_model is not None:
            most = self.configs_top_k
            check_top_k(most)
            if isinstance(most, float):
                most = max(1, int(len(self.configs) * most))
            if len(configs) > most:
                costs = [self.perf_model(**named, **(kwargs | config.all_kwargs()))
                         for config in configs]
                order = sorted(range(len(configs)), key=costs.__getitem__)
                configs = [configs[i] for i in order[:most]]
        return configs

    def _check_clash(self, given):
        """Nothing may come from the launch and from a configuration."""
        names = {}
        for config in self.configs:
            names.update(dict.fromkeys(name for name in config.all_kwargs() if name in given))
        if names:
            raise config_clash(self, list(names))

    def _choose(self, grid, args, kwargs):
        """The configuration for these arguments, which may take a tuning to find."""
        given = self.named(args, kwargs)
        self._check_clash(given)
        plans, shape = self._plans, shape_of_call(args, kwargs)
        if len(self.configs) == 1:
            config = self.configs[0]
        else:
            key = tuning_key(self, given)
            config = self.cache.get(key)
            if config is None:
                with alone():
                    config = self.cache.get(key)
                    if config is None:
                        config = Tuning(self, key, grid, args, kwargs).run()
                        self.cache.add(key, config)
        plan = plans.get(shape)
        try:
            kinds = kinds_of_call(args, kwargs)
            if plan is None or plan.kinds not in (None, kinds):
                plan = make_plan(self, args, kwargs, kinds if plan is None else None)
                if plan is not None:
                    plans[shape] = plan
            if plan is not None:
                plan.remember(args, kwargs, config)
        except (TypeError, AttributeError, KeyError):
            pass  # an element type without a hash, say: it is found by its text each time
        return config

    # -- launching -----------------------------------------------------------------

    def _launch(self, grid, /, *args, **kwargs):
        # With a known key this is all that happens: each line costs every launch.
        try:
            plan = self._plans[(len(args), *kwargs) if kwargs else len(args)]
            config, hook, launch = plan.found[plan.key(args, kwargs)]
        except Exception:  # pylint: disable=broad-except
            config = None  # and out of here, lest the error be shown as the cause of others
        if config is None:
            config = self._choose(grid, args, kwargs)
            hook, launch = config.pre_hook, launch_with(config, len(args), tuple(kwargs))
        self.best_config = config
        if hook is not None:
            hook(self.named(args, kwargs) | config.all_kwargs())
        return launch(self.fn[grid], args, kwargs)

    def warmup(self, *args, grid=(1,), **kwargs):
        """Compiles all configurations that pruning leaves; returns the kernels of those that work.

        The exceptions of others are in `configs_failures`; if there are no others, it raises.
        """
        self._check_clash(self.named(args, kwargs))
        with self.tuning_with(args):
            tuning = Tuning(self, None, grid, args, kwargs)
            return tuning.warm_up()

    def _bench(self, *args, config, **meta):
        """The timing of one configuration, for programs that derive from this class."""
        grid = meta.pop("grid")
        meta.pop("warmup", None)
        tuning = Tuning(self, None, grid, args, meta)
        try:
            return tuning.time(config)
        except Exception as error:  # pylint: disable=broad-except
            if tuning.is_fatal(error):
                raise
            self.configs_failures[config] = error
            return bench.FAILED


_bench = Autotuner._bench


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None,
             pre_hook=None, post_hook=None, warmup=None, rep=None, use_cuda_graph=False,
             do_bench=None, cache_results=None):
    """Launches a kernel with the fastest of several configurations (docs/autotuning.md).

    configs: list of `Config`. key: names of parameters; when their values or the
    element types of the arguments are new, all configurations are compiled side by
    side and timed one after the other. The choice is kept in memory, the timings on
    disk. One that does not compile or run is left out, its exception is in
    `configs_failures`.

    prune_configs_by: dict with early_config_prune(configs, named_args, **kwargs),
    which returns the configurations to try, and perf_model(**arguments), whose
    estimate of the time keeps the best top_k (a number, or a share of all).
    reset_to_zero, restore_value: names of arrays that are cleared, or get their
    elements back, before each timed run and before the launch itself.
    pre_hook(arguments, reset_only), post_hook(arguments, exception): called around
    each timed run. do_bench(fn, quantiles): a timer of one's own, returns milliseconds.
    cache_results: True keeps timings on disk even where hooks or a timer of one's own
    are given, False never. warmup, rep: deprecated; milliseconds to spend before and
    while timing one configuration. use_cuda_graph: deprecated, without effect on the CPU.

    Threads may launch at the same time; one of them tunes.
    """
    configs = checked_configs(configs)
    for option, names in (("key", key), ("reset_to_zero", reset_to_zero),
                          ("restore_value", restore_value)):
        checked_names(option, names)
    for option, function in (("pre_hook", pre_hook), ("post_hook", post_hook),
                             ("do_bench", do_bench)):
        checked_function(option, function)
    checked_pruning(prune_configs_by)
    checked_milliseconds("warmup", warmup)
    checked_milliseconds("rep", rep)

    def decorate(fn):
        return Autotuner(fn, getattr(fn, "arg_names", None), configs, key, reset_to_zero,
                         restore_value, pre_hook=pre_hook, post_hook=post_hook,
                         prune_configs_by=prune_configs_by, warmup=warmup, rep=rep,
                         use_cuda_graph=use_cuda_graph, do_bench=do_bench,
                         cache_results=cache_results)

    return decorate
