# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`Config`: one way to compile a kernel."""

from .._launch_errors import invalid_autotune
from .watched import WatchedDict, configuration_changed

_DEFAULTS = {"kwargs": {}, "num_warps": 4, "num_stages": 3, "num_ctas": 1, "maxnreg": None,
             "pre_hook": None, "ir_override": None}


class Config:
    """One way to compile a kernel: values of its constants, and launch options.

    kwargs: arguments by name, constants as a rule. pre_hook: called with a dict of all
    arguments before each run with this configuration; what it changes in the dict is
    not seen by the kernel, what it changes in the arguments is. num_warps, num_stages,
    num_ctas: launch options; maxnreg, ir_override: for other targets, without effect
    on the CPU. An option that is None is not passed.
    """

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None,
                 ir_override=None):
        if not hasattr(kwargs, "items"):
            raise invalid_autotune("Config", "kwargs", "a dict of constants by name", kwargs)
        for name in kwargs:
            if not isinstance(name, str):
                raise invalid_autotune("Config", "kwargs", "a dict of constants by name", name)
        if pre_hook is not None and not callable(pre_hook):
            raise invalid_autotune("Config", "pre_hook", "a function", pre_hook)
        self.__setstate__({"kwargs": kwargs, "num_warps": num_warps, "num_stages": num_stages,
                           "num_ctas": num_ctas, "maxnreg": maxnreg, "pre_hook": pre_hook,
                           "ir_override": ir_override})

    def __setstate__(self, state):
        # Also what older versions have pickled, with fewer fields.
        state = _DEFAULTS | state
        state["kwargs"] = WatchedDict(state["kwargs"], configuration_changed)
        self.__dict__.update(state)

    def __setattr__(self, name, value):
        if name == "kwargs":
            value = WatchedDict(value, configuration_changed)
        super().__setattr__(name, value)
        configuration_changed()

    def all_kwargs(self):
        """The constants and the options that are set, as a launch takes them."""
        options = {"num_warps": self.num_warps, "num_ctas": self.num_ctas,
                   "num_stages": self.num_stages, "maxnreg": self.maxnreg,
                   "ir_override": self.ir_override}
        return self.kwargs | {name: value for name, value in options.items() if value is not None}

    def _facts(self):
        return (self.all_kwargs(), self.pre_hook)

    def __eq__(self, other):
        return isinstance(other, Config) and self._facts() == other._facts()

    def __hash__(self):
        # Values may be of any kind, lists too.
        return hash((frozenset(self.kwargs), self.num_warps, self.num_stages))

    def __str__(self):
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())

    def __repr__(self):
        return f"Config({self})"
