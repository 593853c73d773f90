# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@tegula.jit`: kernels. Their launch is in _launching.py, their source in _function.py."""

import functools
import inspect
import threading
import weakref

from ._building import Building
from ._compiled import CompiledKernel
from ._function import SourceFunction, constexpr_function
from ._launch_errors import check_jit_options, check_noalias, not_a_kernel
from ._launching import Launching, annotation_type, is_constexpr
from ._mock import MockTensor
from .errors import LaunchTypeError


class KernelParam:
    """A parameter of a kernel: its name, its place, what its annotation and jit's options say."""

    def __init__(self, number, parameter, do_not_specialize, do_not_specialize_on_alignment):
        self.num = number
        self._parameter = parameter
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment
        given = parameter.annotation is not parameter.empty
        self.annotation = (parameter.annotation if given and isinstance(parameter.annotation, str)
                           else str(parameter.annotation) if given else "")
        self.annotation_type = annotation_type(parameter.annotation) if given else ""
        self.is_constexpr = bool(given and is_constexpr(parameter.annotation))

    @property
    def name(self):
        return self._parameter.name

    @property
    def is_const(self):
        return self.annotation_type.startswith("*k")

    @property
    def has_default(self):
        return self._parameter.default is not self._parameter.empty

    @property
    def default(self):
        return self._parameter.default

    def __repr__(self):
        return f"KernelParam({self.num}, {self.name!r})"


class JITFunction(Building, Launching, SourceFunction):
    """A function of the kernel language; see `jit`.

    Pickled by its name, as functions are; once `fn` has been set to None, by its facts:
    enough for kernels that were compiled of it, but none can be compiled any more.
    """

    _tegula_kind = "function"
    _tegula_must_use_result = False

    def __init__(self, fn, *, do_not_specialize=(), do_not_specialize_on_alignment=(), debug=None,
                 noinline=False, repr=None, launch_metadata=None, version=None,
                 noalias=False):
        if isinstance(fn, JITFunction):
            fn = fn.fn
        if not inspect.isfunction(fn) or fn.__name__ == "<lambda>":
            raise not_a_kernel(fn)
        self._begin(fn)
        functools.update_wrapper(self, fn)
        self.debug = debug
        self.noinline = noinline
        self.version = version
        self._repr = repr
        self.launch_metadata = launch_metadata
        self._tegula_text = fn.__name__
        self.do_not_specialize = do_not_specialize or ()
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment or ()
        self._do_not_specialize = set(self.do_not_specialize)
        self._do_not_align = set(self.do_not_specialize_on_alignment)
        self.signature = inspect.signature(fn)
        parameters = self.signature.parameters
        self.arg_names = list(parameters)
        self.params = [
            KernelParam(index, parameter, bool({index, name} & self._do_not_specialize),
                        bool({index, name} & self._do_not_align))
            for index, (name, parameter) in enumerate(parameters.items())]
        self.constexpr_names = {param.name for param in self.params if param.is_constexpr}
        self.constexprs = [param.num for param in self.params if param.is_constexpr]
        self._rest = next((index for index, param in enumerate(parameters.values())
                           if param.kind is param.VAR_POSITIONAL), None)
        self._noalias = check_noalias(self, noalias)
        self._begin_state()

    def _begin_state(self):
        self._lock = threading.RLock()
        self.pre_run_hooks = []
        self._begin_building()

    def _begin_without_function(self):
        """In place of __init__: see `__reduce__`."""
        self.fn = self.launch_metadata = self.__globals__ = self._repr = None
        self._cells, self._users = {}, weakref.WeakSet()
        self._begin_state()

    @property
    def is_gluon(self):
        return False

    def repr(self, specialization):
        """The name of the kernel compiled for a specialization; see `jit`."""
        return self._repr(specialization) if self._repr else self.__name__

    def _unsafe_update_src(self, text):
        super()._unsafe_update_src(text)
        self._forget_compiled()

    def add_pre_run_hook(self, hook):
        """Has `hook(*args, **kwargs)` called ahead of every launch, with the launch's arguments."""
        if not callable(hook):
            raise LaunchTypeError(f"add_pre_run_hook: expected a function, got "
                                  f"{type(hook).__name__}", id="invalid-option")
        self.pre_run_hooks.append(hook)

    def _call_pre_run_hooks(self, args, kwargs):
        for hook in list(self.pre_run_hooks):
            hook(*args, **kwargs)

    def __repr__(self):
        return f"<tegula.JITFunction {self.__module__}.{self.__qualname__}>"


def must_use_result(fn, text=True):
    """Makes it a compile error to call the jit function `fn` and drop what it returns.

    `@must_use_result("why")` adds a text to the message.
    """
    if isinstance(fn, str):
        return functools.partial(must_use_result, text=fn)
    fn._tegula_must_use_result = text
    return fn


def jit(fn=None, **options):
    """Makes a kernel of a function: `@jit`, `@jit(...)` or `f = jit(f)`.

    options: do_not_specialize (names or positions whose value is never compiled
    in), do_not_specialize_on_alignment, debug, noinline, repr (a function of the
    specialization, with `signature` and `constants`, that names the compiled kernel),
    launch_metadata (`fn(grid, metadata, args)` -> dict, which launch hooks get too),
    noalias (True, or names of pointer parameters whose memory no other argument
    reaches: a promise that lets the compiler reorder, checked at each launch).
    Start it with `kernel[grid](*args, **constants)`; the grid is 1 to 3 sizes,
    or a function of the bound arguments that returns them.
    """
    check_jit_options(options)
    if fn is None:
        return functools.partial(jit, **options)
    made = JITFunction(fn, **options)
    made._tegula_must_use_result = getattr(fn, "_tegula_must_use_result", False)
    return made


__all__ = ["CompiledKernel", "JITFunction", "KernelParam", "MockTensor", "constexpr_function",
           "jit", "must_use_result"]
