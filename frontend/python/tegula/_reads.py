# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compile reads of the program behind its variables.

Members of modules, classes and objects that variables hold, items of lists and
dicts, and plain variables of the host's functions that a kernel calls. Each is
guarded (`_guards`): a launch compiles again where one has changed.
"""

import dis
import enum
import functools
import types

from ._function import CellNamespace
from ._guards import Reading, is_container, same
from ._source_key import is_plain_value

# Modules of which nothing changes that a kernel could mean.
_FIXED = frozenset((
    "builtins", "collections", "dataclasses", "enum", "functools", "itertools", "math", "numpy",
    "operator", "os", "re", "sys", "tegula", "torch", "triton", "types", "typing"))


def _is_fixed(name):
    return (name or "").partition(".")[0] in _FIXED


def _stays(value):
    """Whether members of the value stay what they are, or are known to the compiler."""
    if isinstance(value, types.ModuleType):
        return _is_fixed(value.__name__)
    cls = value if isinstance(value, type) else type(value)
    params = getattr(cls, "__dataclass_params__", None)
    return (getattr(value, "_tegula_kind", None) is not None or hasattr(cls, "_tegula_table") or
            is_plain_value(value) or isinstance(value, (tuple, types.FunctionType)) or
            issubclass(cls, enum.Enum) or (params is not None and params.frozen) or
            (_is_fixed(cls.__module__) and cls is not types.SimpleNamespace))


def _leads_on(value):
    """Whether something that changes may be behind the value."""
    return not _stays(value) or (isinstance(value, tuple) and not is_plain_value(value))


def _variables(code):
    """Names of globals and of variables of functions around it that a function only reads."""
    reads, writes = set(), set()
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF"):
            reads.add(step.argval)
        elif step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF", "DELETE_DEREF"):
            writes.add(step.argval)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            more = _variables(inner)
            reads |= more[0]
            writes |= more[1]
    return frozenset(reads - writes), frozenset(writes)


_variables = functools.lru_cache(1024)(_variables)


class Reads:
    """Collects the reads of one compile of `function` in `used`, as `_guards.add` takes them."""

    def __init__(self, function, used):
        self._function = function
        self._used = used
        self._reached = {}  # id -> object that a variable leads to
        self._called = set()

    def _note(self, namespace, name, value):
        self._used.append((namespace, name, value, None))

    def _once(self, place, namespace):
        """The namespace that earlier compiles have made for a place, so that launches look once."""
        return self._function._readings.setdefault(place, namespace)

    def _note_reading(self, place, read, value, shown):
        reading = self._once(place, Reading(read, value, shown))
        if not same(reading.value, value):  # the one there was holds no more
            reading = self._function._readings[place] = Reading(read, value, shown)
        self._note(reading, "", reading.value)

    def reached(self, value, shown):
        """A variable or a member holds the value."""
        value = value.value if getattr(value, "_tegula_kind", None) == "constexpr" else value
        if id(value) in self._reached:
            return
        if is_container(value):
            self._note_reading((id(value),), lambda: value, value, shown)
        self._mark(value)

    def _mark(self, value):
        """Members of the value, and of what it holds, count from now on."""
        if id(value) in self._reached or not (is_container(value) or _leads_on(value)):
            return
        self._reached[id(value)] = value
        if isinstance(value, (tuple, list, dict)):
            for item in value.values() if isinstance(value, dict) else value:
                self._mark(item)

    def attribute(self, owner, name, value):
        """`owner.name` is the value."""
        if id(owner) not in self._reached or isinstance(value, types.ModuleType):
            self._reach_module(owner, value)
            return
        if isinstance(owner, tuple):
            self.reached(value, f"'{name}' of a tuple")
            return
        holder = getattr(owner, "__name__", type(owner).__name__)
        shown = f"'{name}' of {holder}"
        members = getattr(owner, "__dict__", None)
        if type(members) is dict and members.get(name, self) is value:
            self._note(members, name, value)
        elif is_plain_value(value) or getattr(owner, name, self) is value:
            self._note_reading((id(owner), name), lambda: getattr(owner, name), value, shown)
        self.reached(value, shown)

    def _reach_module(self, owner, value):
        if id(owner) in self._reached and not _stays(value):
            self._reached[id(value)] = value

    def call(self, function):
        """The host's function is called: what plain variables it reads."""
        while isinstance(function, functools.partial):
            function = function.func
        function = getattr(function, "__func__", function)
        function = getattr(function, "fn", function)
        if not isinstance(function, types.FunctionType) or function in self._called or (
                _is_fixed(function.__module__)):
            return
        self._called.add(function)
        reads, _ = _variables(function.__code__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            if name in reads:
                self._called_variable(self._once((id(cell), name), CellNamespace(cell)), name)
        for name in reads.difference(function.__code__.co_freevars):
            if name in function.__globals__:
                self._called_variable(function.__globals__, name)

    def _called_variable(self, namespace, name):
        value = namespace.get(name)
        is_function = isinstance(getattr(value, "fn", value), types.FunctionType)
        if is_function or (is_plain_value(value) and not is_container(value)):
            self._note(namespace, name, value)
        if is_function:
            self.call(value)
