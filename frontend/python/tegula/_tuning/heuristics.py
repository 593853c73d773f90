# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heuristics`: constants that are computed at each launch, and what wrappers share."""

import functools

from .._launch_errors import invalid_autotune, not_tunable


class Wrapper:
    """A kernel behind something that chooses part of its arguments.

    fn: the kernel or wrapper inside; base_fn: the function of the text.
    """

    def __init__(self, fn, decorator):
        if not (hasattr(fn, "run") and hasattr(fn, "arg_names") and hasattr(fn, "fn")):
            raise not_tunable(fn, decorator)
        functools.update_wrapper(self, fn, updated=())
        self.fn = fn
        self.arg_names = fn.arg_names
        self.base_fn = getattr(fn, "base_fn", fn.fn)
        self.signature = getattr(fn, "signature", None)

    # Names before the slash may be those of the kernel's parameters too.

    def _launch(self, grid, /, *args, **kwargs):
        raise NotImplementedError

    def __getitem__(self, grid):
        if self._has_own_run:
            return functools.partial(self.run, grid=grid, warmup=False)
        return functools.partial(self._launch, grid)

    def run(self, *args, grid, warmup=False, **kwargs):
        """Launches over `grid`; with warmup only compiles."""
        if warmup:
            return self.warmup(*args, grid=grid, **kwargs)
        return self._launch(grid, *args, **kwargs)

    # Whether a class of the program replaces `run`: launches go through it then.
    _has_own_run = False

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls._has_own_run = cls.run is not Wrapper.run

    def __call__(self, *args, **kwargs):
        return self.fn(*args, **kwargs)  # says that a grid is missing

    def __reduce__(self):
        return self.__qualname__  # as a function: copies are the kernel itself

    def __repr__(self):
        return f"<tegula.{type(self).__name__} of {self.fn!r}>"

    def named(self, args, kwargs):
        """All arguments that were given, by name."""
        return dict(zip(self.arg_names, args)) | kwargs


class Heuristics(Wrapper):
    """A kernel some of whose constants are computed from its other arguments."""

    def __init__(self, fn, arg_names, values):
        super().__init__(fn, "heuristics")
        self.arg_names = arg_names
        self.values = values

    def compute(self, args, kwargs):
        """The keyword arguments with what the functions return."""
        given, kwargs = self.named(args, kwargs), dict(kwargs)
        for name, function in self.values.items():
            given[name] = kwargs[name] = function(given)
        return kwargs

    def _launch(self, grid, /, *args, **kwargs):
        return self.fn[grid](*args, **self.compute(args, kwargs))

    def warmup(self, *args, grid=(1,), **kwargs):
        """Compiles for these arguments without running."""
        return self.fn.warmup(*args, grid=grid, **self.compute(args, kwargs))


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
        return Heuristics(fn, getattr(fn, "arg_names", None), dict(values))

    return decorate
