# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One tuning: pruning, compiling side by side, timing one by one, choosing."""

import math
import os
import threading
import time

from .._launch_errors import all_configs_failed
from . import bench, pool, report, store, values
from .arguments import holds_descriptor, snapshot, takes
from .heuristics import Heuristics

# One tuning at a time in the whole process: timings that overlap say nothing.
_lock = threading.RLock()


def alone():
    """The lock of tuning; a thread that tunes may start another tuning inside."""
    return _lock


def _after_fork():
    global _lock
    _lock = threading.RLock()  # its owner is no thread of the child
    pool.forget()


os.register_at_fork(after_in_child=_after_fork)


class Tuning:
    """The tuning of one call.

    timings, failures: by configuration; from_disk: those whose timing was known;
    seconds, compile_seconds: what it took.
    """

    def __init__(self, tuner, key, grid, args, kwargs):
        self.tuner, self.key, self.grid = tuner, key, grid
        self.args, self.kwargs = args, kwargs
        self.given = tuner.named(args, kwargs)
        self.timings, self.failures, self.from_disk = {}, {}, set()
        self.seconds = self.compile_seconds = 0.0
        self._saved = None
        self._fatal = None

    # -- the whole ---------------------------------------------------------------

    def run(self):
        """The fastest configuration. The arguments are then as a first launch wants them."""
        tuner = self.tuner
        with tuner.tuning_with(self.args):
            configs = self.pruned()
            self.timings = dict.fromkeys(configs, bench.FAILED)
            if len(configs) == 1:
                best, self.timings = configs[0], {}
            else:
                best = self._fastest(configs)
            self._clear()
            if tuner.has_pre_hook:
                self._pre_hook(self._all_arguments(best), reset_only=True)
            tuner.configs_timings, tuner.configs_failures = self.timings, self.failures
            for error in self.failures.values():
                while error is not None:  # frames hold the arrays of this call
                    error.__traceback__, error = None, error.__context__
            if self.timings:
                tuner.bench_time, tuner.compile_time = self.seconds, self.compile_seconds
                report.tell(self, best)
        return best

    def pruned(self):
        """The configurations that are worth a try, each once."""
        return list(dict.fromkeys(self.tuner.prune_configs(self.kwargs)))

    def _fastest(self, configs):
        begin = time.perf_counter()
        if self._hooks_before_compiling():
            self._save()  # hooks may change arrays too
        try:
            names = self._names(self.compile(configs, loads=True))
            self.compile_seconds = time.perf_counter() - begin
            missing = []
            for config in configs:
                timing = None if names.get(config) is None else store.get(names[config])
                if timing is None:
                    missing.append(config)
                else:
                    self.timings[config] = timing
                    self.from_disk.add(config)
            pool.wait_for_interrupted()
            self._time_all(missing, names)
        finally:
            self.seconds = time.perf_counter() - begin
            if self._saved is not None:
                self._reset()
        working = [config for config in configs if config not in self.failures]
        if not working:
            self._all_failed()
        return min(working, key=lambda config: bench.score(self.timings[config]))

    def _all_failed(self):
        tuner = self.tuner
        tuner.configs_timings, tuner.configs_failures = self.timings, self.failures
        self._clear()
        report.tell(self, None)
        raise all_configs_failed(tuner, self.failures) from None

    # -- compiling ---------------------------------------------------------------

    def warm_up(self):
        """Compiled kernels of all configurations that work."""
        configs = self.pruned()
        kernels = self.compile(configs)
        for config in configs:
            if config not in kernels and config not in self.failures:
                kernels[config] = self.tuner.fn.warmup(  # behind it is another tuner
                    *self.args, grid=self.grid, **(self.kwargs | config.all_kwargs()))
        self.tuner.configs_failures = self.failures
        if not kernels:
            raise all_configs_failed(self.tuner, self.failures) from None
        return [kernels[config] for config in configs if config in kernels]

    def compile(self, configs, loads=False):
        """Compiled kernels by configuration; exceptions go to `failures`.

        The program's own functions (heuristics, hooks) run here, one after the other;
        only what compiles runs on other threads.
        """
        tasks = {}
        for config in configs:
            task = self._compile_task(config, loads)
            if task is not None:
                tasks[config] = task
        kernels = {}
        for config, result in zip(tasks, pool.run_all(list(tasks.values()))):
            if isinstance(result, Exception):
                self.failures[config] = result
            else:
                kernels[config] = result
        return kernels

    def _compile_task(self, config, loads):
        """A function that compiles the kernel of a configuration, or None if that is not known.

        loads: whether the kernel will be launched, so that its code is loaded as well.
        """
        fn, args = self.tuner.fn, self.args
        kwargs = self.kwargs | config.all_kwargs()
        if config.pre_hook is not None and self._has_descriptors():
            # The hook may set the descriptors' blocks, which are compiled for: it is
            # called as ahead of a launch, and the task gets copies, since the hook of
            # the next configuration changes the descriptors again.
            self._hook(config.pre_hook, self.given | kwargs)
            args = tuple(map(snapshot, args))
            kwargs = {name: snapshot(value) for name, value in kwargs.items()}
        while isinstance(fn, Heuristics):
            kwargs = self._hook(fn.compute, args, kwargs)
            fn = fn.fn
        is_kernel = getattr(fn, "_tegula_kind", None) == "function"
        if not is_kernel or "grid" in kwargs:  # another tuner, or a parameter of that name
            return None

        def task():
            kernel = fn.warmup(*args, grid=(1,), **kwargs)
            kernel = kernel.result() if hasattr(kernel, "result") else kernel
            if loads and hasattr(kernel, "load_if_new"):
                kernel.load_if_new()
            return kernel

        return task

    def _has_descriptors(self):
        return any(map(holds_descriptor, self.given.values()))

    def _hooks_before_compiling(self):
        return self._has_descriptors() and any(
            config.pre_hook is not None for config in self.timings)

    def _names(self, kernels):
        """Names of the entries on disk, by configuration."""
        if not store.is_used(self.tuner):
            return {}
        facts = store.facts_of_call(self.tuner, self.given)
        return {config: store.entry_name(self.tuner, facts, config, kernel)
                for config, kernel in kernels.items()}

    # -- timing ------------------------------------------------------------------

    def _time_all(self, configs, names):
        has_hooks = self.tuner.has_pre_hook or self.tuner.has_post_hook
        configs = [config for config in configs if has_hooks or config not in self.failures]
        for config in configs:
            self._time_one(config, names, bench.FIRST_LOOK)
        for config in self._close(configs):
            self._time_one(config, names)

    def _close(self, configs):
        """Of the configurations just timed those that may be the best, if there are several.

        The first look is short, and a slow moment of the machine can hide the best one:
        these are timed again, for longer.
        """
        if self.tuner.has_own_bench or self.tuner.has_own_bench_method:
            return []
        best = min((bench.score(timing) for timing in self.timings.values()), default=0)
        close = [config for config in configs
                 if config not in self.failures and self.timings[config][1] <= best * bench.CLOSE]
        return close if any(bench.score(self.timings[config]) > best for config in close) else []

    def _time_one(self, config, names, share=1):
        """share: of the time that a full measurement takes."""
        tuner = self.tuner
        self._save()
        error = None
        try:
            if tuner.has_own_bench_method:
                timing = tuner._bench(*self.args, config=config, grid=self.grid, **self.kwargs)
            else:
                timing = self.time(config, share)
        except Exception as caught:  # pylint: disable=broad-except
            if self.is_fatal(caught):
                raise
            error = caught
        if error is not None or config in self.failures:
            self.failures.setdefault(config, error)
            self.timings[config] = bench.FAILED
        elif bench.score(timing) < bench.score(self.timings[config]) or (
                self.timings[config] is bench.FAILED):
            self.timings[config] = timing
            if names.get(config) is not None:
                store.put(names[config], timing)

    def time(self, config, share=1):
        """Times one configuration; every run sees the arguments as they were."""
        tuner, known_failure = self.tuner, self.failures.get(config)
        start = tuner.fn[self.grid]
        arguments = self._all_arguments(config)
        kwargs = self.kwargs | config.all_kwargs()

        def before():
            self._reset()
            if tuner.has_pre_hook:
                self._pre_hook(arguments, reset_only=False)
            if config.pre_hook is not None:
                self._hook(config.pre_hook, arguments)

        def run():
            try:
                if known_failure is not None:
                    raise known_failure
                start(*self.args, **kwargs)
            except Exception as error:
                if tuner.has_post_hook:
                    self._hook(tuner.post_hook, arguments, exception=error)
                raise

        def after():
            if tuner.has_post_hook:
                self._hook(tuner.post_hook, arguments, exception=None)

        if tuner.has_own_bench:
            def whole():
                before()
                run()
                after()

            return tuner.do_bench(whole, quantiles=bench.QUANTILES)
        best = min((bench.score(timing) for timing in self.timings.values()), default=math.inf)
        warmup, rep = tuner.bench_milliseconds
        return bench.measure(run, before, after, warmup, rep * share, best)

    def _all_arguments(self, config):
        return self.given | config.all_kwargs()

    def _hook(self, function, *args, **kwargs):
        """Calls a function of the program. What it raises is no failure of a configuration."""
        try:
            return function(*args, **kwargs)
        except Exception as error:
            self._fatal = error
            raise

    def is_fatal(self, error):
        """Whether a function of the program raised it, rather than a kernel."""
        return error is self._fatal

    def _pre_hook(self, arguments, reset_only):
        hook = self.tuner.pre_hook
        if takes(hook, "reset_only"):
            self._hook(hook, arguments, reset_only=reset_only)
        elif not reset_only:
            self._hook(hook, arguments)

    # -- values of the arrays ------------------------------------------------------

    def _given_arrays(self, names):
        """Arguments of these names that are there: optional ones may be None or left out."""
        return [(name, self.given[name]) for name in names if self.given.get(name) is not None]

    def _save(self):
        if self._saved is None:
            self._saved = [(name, array, values.save(array, name))
                           for name, array in self._given_arrays(self.tuner.restore_value)]

    def _reset(self):
        for name, array, saved in self._saved or ():
            values.restore(array, saved, name)
        self._clear()

    def _clear(self):
        for name, array in self._given_arrays(self.tuner.reset_to_zero):
            values.clear(array, name)

    def kernel_function(self):
        """The kernel behind all wrappers."""
        fn = self.tuner.fn
        while getattr(fn, "_tegula_kind", None) != "function" and hasattr(fn, "fn"):
            fn = fn.fn
        return fn
