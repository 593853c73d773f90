# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compile side of a kernel: from facts of arguments to a `CompiledKernel`."""

import contextlib
import os
import threading
import warnings
from concurrent.futures import Future

from . import _guards, _hooks, _recompile, _tegula, knobs
from . import _specialization as specialization
from ._async import active_mode
from ._compiled import CompiledKernel
from ._launch_errors import check_options, check_target
from ._launching import debug_by_default, is_constexpr
from ._mock import warm_up
from ._resolver import Resolver
from ._timing import Stopwatch
from .errors import CompilationError
from .runtime import _device

# Options that the compiler itself reads; others are part of what is compiled for only.
_COMPILER_OPTIONS = ("num_warps", "num_stages", "num_ctas", "debug", "sanitize_overflow")

_HISTORY = 64  # earlier compiles that a recompile is compared with

_thread = threading.local()


class _Pending:
    """What a warm-up of this thread is about to compile in the background."""

    future = None


class KernelCache(dict):
    """Key -> CompiledKernel of one kernel on one device. Emptying it makes launches compile."""

    def __init__(self, function):
        super().__init__()
        self._function = function

    def clear(self):
        super().clear()
        self._function._forget_launched()

    def __delitem__(self, key):
        super().__delitem__(key)
        self._function._forget_launched()

    def pop(self, key, *default):
        value = super().pop(key, *default)
        self._function._forget_launched()
        return value


class Facts(tuple):
    """(specs, options, target) of a compile; device: (kind, ordinal), or None where it is for
    no device of this machine."""

    device = _device.HOST

    def on(self, device):
        self.device = device
        return self


class DeviceCaches:
    """device -> (KernelCache, {}, target): one cache for all, whatever the device is called."""

    def __init__(self, function):
        self._function = function
        self._kernels = KernelCache(function)

    def __getitem__(self, device):
        from .runtime import driver

        return self._kernels, {}, driver.active.get_current_target()

    def __iter__(self):
        return iter((0,))

    def __len__(self):
        return 1

    def __contains__(self, device):
        return True

    def keys(self):
        return [0]

    def values(self):
        return [self[0]]

    def items(self):
        return [(0, self[0])]

    def clear(self):
        self._kernels.clear()


class Building:
    """Mixin of JITFunction: compiling, and what has been compiled."""

    def _begin_building(self):
        self.device_caches = DeviceCaches(self)
        self._compiled = self.device_caches._kernels
        self._building = {}   # (process, key) -> Future, while a thread compiles
        self._flights = {}    # compiles whose kernel the launcher does not have yet
        self._history = []    # (specs, options, target) of compiles
        self._changed = ""    # what is known about changed globals
        self._given_global_vals = None
        self._guards = []     # (namespace, name, value) that compiled code has read
        self._readings = {}   # what has no dict of its own: place -> namespace (_reads.py)
        self._seen = {}       # (id of the namespace, name) -> (namespace, name, copy of the value)

    @property
    def used_global_vals(self):
        """(name, id of the namespace) -> (value, namespace) that compiled code has read.

        Who assigns reads what was assigned, until that is None; the kernel itself goes by what
        it has read.
        """
        if self._given_global_vals is not None:
            return self._given_global_vals
        return {(name, place): (value, namespace)
                for (place, name), (namespace, _, value) in self._seen.items()}

    @used_global_vals.setter
    def used_global_vals(self, values):
        self._given_global_vals = values

    def _forget_launched(self):
        """Empties the launcher's cache: the next launch asks `_compile`."""
        self._forget()

    def _forget_compiled(self):
        """Drops all compiled kernels."""
        with self._lock:
            # What other threads have compiled just now comes into the launcher's cache yet: the
            # next launch is to empty it once more.
            self._guards = [_guards.NEVER] if self._flights else []
            self._readings = {}
            self._seen = {}
            self._compiled.clear()

    def _guards_failed(self):
        """Called by a launch that finds another value than a compiled kernel has read."""
        _guards.failed(self)

    # -- compiling -----------------------------------------------------------------

    @contextlib.contextmanager
    def _warming_up(self):
        """For the time of a warm-up: says so to hooks, and takes what a pool compiles."""
        before = getattr(warm_up, "pending", None)
        warm_up.pending = pending = _Pending()
        try:
            yield pending
        finally:
            warm_up.pending = before

    def _facts(self, specs, options, arrays=None, used=None, is_launch=True):
        """The facts of a compile, checked. arrays, used: as for `_device.of_launch`."""
        options = check_options(self, options)
        target = options.pop("target", None)
        wanted = target or _default_target()
        device = _device.of_launch(wanted, arrays, used)
        if wanted and not is_launch and not _device._serves(wanted, device):
            _tegula.target(wanted)  # for another machine
            device = None
        else:
            check_target(self, target, specs, device)
        default = debug_by_default() if self.debug is None else self.debug
        if options.get("debug", default) or (knobs.understands_triton and debug_by_default()):
            options["debug"] = True  # Triton's variable outweighs what kernel and launch say
        return Facts((specs, options, target)).on(device)

    def _compile(self, specs, options, arrays=_device.HOST, used=None):
        """Compiles for one set of facts; called by the launcher on a new key.

        arrays: (kind, ordinal) of where they are, None without any; used: where torch works.
        """
        pending = getattr(warm_up, "pending", None)
        facts = self._facts(specs, options, arrays, used, pending is None)
        flight, compiled = object(), None
        self._flights[flight] = True
        try:
            handle = self._obtain(facts, pending)
            if handle is not None:
                # No loaded kernel: the launcher has it loaded at the first real launch.
                compiled = (handle, None, handle.slots, handle.metadata["args_size"],
                            handle.device or _device.HOST)
        finally:
            del self._flights[flight]  # no call from here on: no other thread gets a turn
        return compiled

    def _obtain(self, facts, pending=None):
        """The kernel for the facts: compiled already, by another thread just now, or here.

        None if a hook wants none, or a pool compiles it for a warm-up.
        """
        key = _key(facts)
        mode = active_mode()
        with self._lock:
            handle = self._compiled.get(key)
        if handle is not None:
            return handle
        if mode is not None:
            future = mode.find((self, key))
            if future is None and pending is not None:
                if _hooks.before_compile(self, *facts, True):
                    return None
                future = mode.submit((self, key), lambda: self._build(facts),
                                     lambda made: self._keep(key, facts, made, True))
            if future is not None:
                if pending is not None:
                    pending.future = future
                    return None
                handle = future.result()
                if _guards.hold(self):
                    return handle
                self._guards_failed()  # a global has changed since
        place = os.getpid(), key  # a child made by fork has not the thread that compiles
        with self._lock:
            handle, future = self._compiled.get(key), self._building.get(place)
            if handle is None and future is None:
                mine = self._building[place] = Future()
        if handle is not None:
            return handle
        depth = getattr(_thread, "depth", 0)
        if future is not None:
            if depth:  # it may be this thread's own, or wait for what this thread compiles
                return self._keep(key, facts, self._build(facts), pending is not None)
            handle = future.result()
            if _guards.hold(self):
                return handle
            self._guards_failed()
            return self._obtain(facts, pending)
        _thread.depth = depth + 1
        try:
            if _hooks.before_compile(self, *facts, pending is not None):
                handle = None
            else:
                handle = self._keep(key, facts, self._build(facts), pending is not None)
            mine.set_result(handle)
        except BaseException as error:
            mine.set_exception(error)
            raise
        finally:
            _thread.depth = depth
            with self._lock:
                del self._building[place]
        return handle

    def _build(self, facts):
        """(kernel, globals that were read, times): one compile, without a trace in the caches."""
        specs, options, target = facts
        self._check_marks()
        watch = Stopwatch()
        resolver = Resolver(self)
        try:
            artifact = self._run_compiler(facts, resolver, _kept_stages())
        except CompilationError:
            if resolver.conflict is not None:
                raise resolver.conflict from None
            raise
        if resolver.conflict is not None:
            raise resolver.conflict
        is_cached = artifact.is_cached()
        times = watch.times(is_cached)
        text = artifact.warnings()
        if text:
            self._warn(text)
        used = list(resolver.used)

        def remake():
            return self._run_compiler(facts, Resolver(self), "all")

        from .compiler.sources import ASTSource

        source = ASTSource._of(self, specs)
        name = self.repr(source) if self._repr else None
        handle = CompiledKernel(self, artifact, src=source, specs=specs, options=options,
                                target=target, remake=remake, name=name, device=facts.device)
        return handle, used, times, is_cached

    def _check_marks(self):
        named = self.do_not_specialize
        for index, (name, param) in enumerate(self.signature.parameters.items()):
            if (name in named or index in named) and is_constexpr(param.annotation):
                raise CompilationError(
                    f"{self.file}:{self.first_line}:1: error: kernel '{self.__name__}': expected "
                    f"one of the two, got {name} marked as constexpr and listed in "
                    "do_not_specialize", id="invalid-option")

    def _warn(self, text):
        """Has Python show what the compiler warns about, once for each text."""
        registry = self.fn.__globals__.setdefault("__warningregistry__", {})
        warnings.warn_explicit(text.rstrip("\n"), UserWarning, self.file, self.first_line,
                               registry=registry)

    def _run_compiler(self, facts, resolver, keep):
        specs, options, target = facts
        knobs.publish_settings()
        text = {key: str(value) for key, value in options.items()
                if value is not None and key in _COMPILER_OPTIONS}
        return _tegula.compile(self.source, self.file, self.first_line, self.fn.__name__, specs,
                               target or _default_target(), text, resolver, None, keep,
                               *([facts.device] if facts.device else []))

    def _keep(self, key, facts, made, is_warmup):
        """Takes what `_build` made into the caches, and tells the world."""
        handle, used, times, is_cached = made
        with self._lock:
            known = self._compiled.get(key)
            if known is not None:
                return known
            _guards.add(self, used)
            if _recompile.is_asked_for():
                _recompile.log(self, self._history, facts, self._changed)
            self._changed = ""
            self._history = [*self._history[1 - _HISTORY:], facts]
            self._compiled[key] = handle
        _hooks.compiled(handle, times, is_cached)
        _hooks.after_compile(self, *facts, is_warmup)
        return handle

    def preload(self, specialization_data):
        """Compiles what `specialization_data` of a hook says, as of an earlier process.

        Launches with such arguments then find the kernel. Returns it.
        """
        specs, options, target = specialization.deserialize(self, specialization_data)
        if not _guards.hold(self):
            self._guards_failed()
        wanted = target or _default_target()
        facts = Facts((specs, options, target)).on(
            _device.of_launch(wanted, None, _tegula.torch_device()))
        if wanted and not _device._serves(wanted, facts.device):
            facts.device = None
        key = _key(facts)
        with self._lock:
            handle = self._compiled.get(key)
        return handle or self._keep(key, facts, self._build(facts), True)


def _key(facts):
    specs, options, target = facts
    key = specialization.compile_key(specs, options, target or _default_target())
    return key if facts.device == _device.HOST else f"{key};device:{facts.device}"


def _default_target():
    return knobs.runtime.target


def _kept_stages():
    """Stages that TEGULA_KEEP names, for the compiler."""
    return ",".join(knobs.compilation.keep) or None
