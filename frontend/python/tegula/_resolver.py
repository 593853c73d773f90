# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a compile sees the Python objects that a kernel's text mentions.

Each method answers with a one-element tuple, or None when there is no such
thing; exceptions of the host become located errors of the compile.
"""

import builtins
import inspect
import operator
import types

from . import knobs
from ._guards import conflict
from ._reads import Reads
from .errors import CompilationError

# Values that a reader of the program takes for what may change.
_PLAIN = (bool, int, float, str, bytes, tuple, list, dict, set, type(None))

_COMPARE = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
            operator.is_, lambda a, b: a in b]

# Modules that the compiler knows by itself: name -> path in the language.
_MODULES = {
    "tegula": "triton", "tegula.language": "tl", "tegula.language.math": "tl.math",
    "tegula.language.extra": "tl.extra", "tegula.language.extra.libdevice": "libdevice",
    "tegula.language.extra.cuda": "tl.cuda", "tegula.language.extra.cuda.libdevice": "libdevice",
    "tegula.language.extra.hip.libdevice": "libdevice",
    "tegula.language.standard": "tl", "tegula.language.core": "tl", "tegula.language.random": "tl",
    "tegula.language.target_info": "tl.target_info",
}


class ModuleName:
    """A module that stands for a part of the language."""

    _tegula_kind = "language"

    def __init__(self, path):
        self._tegula_text = path


def wrap(value):
    """The object as the compiler should see it."""
    if isinstance(value, types.ModuleType):
        path = _MODULES.get(value.__name__)
        return ModuleName(path) if path else value
    path = getattr(value, "_tegula_host_path", None)
    # Not that of its class: objects of the host's classes stay what they are.
    if isinstance(path, str) and "_tegula_host_path" in getattr(value, "__dict__", ()):
        return ModuleName(path)
    if getattr(value, "__triton_builtin__", False) is True:
        from ._known_helpers import known_helper

        return known_helper(value)
    return value


def plain(value):
    """The value without the wrapping of `constexpr`."""
    return value.value if getattr(value, "_tegula_kind", None) == "constexpr" else value


def _constexpr(value):
    from .language import constexpr

    return value if getattr(value, "_tegula_kind", None) is not None else constexpr(value)


def members(cls):
    """Of an aggregate what its class has: name -> (kind, member); else None."""
    return vars(cls).get("_tegula_table") if isinstance(cls, type) else None


def tuple_fields(cls):
    """((name, has a default, default), ...) of the class of a named tuple, or None."""
    names = getattr(cls, "_fields", None)
    if not (isinstance(cls, type) and issubclass(cls, tuple) and isinstance(names, tuple)):
        return None
    defaults = getattr(cls, "_field_defaults", {})
    return tuple((name, name in defaults, plain(defaults.get(name))) for name in names)


# What the compiler asks functions for, with the name of a parameter.
_DEFAULT = "_tegula_default_of_"


def default_of(function, name):
    """The value that a parameter of a function of the host has if it is left out."""
    found = inspect.signature(function.fn).parameters.get(name)
    return None if found is None or found.default is found.empty else (wrap(found.default),)


def _check_constant(name, value):
    """Raises where a value of the host program must say that it is a constant."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return  # a named tuple, which may hold functions
    if isinstance(value, _PLAIN) and not knobs.compilation.allow_non_constexpr_globals:
        raise NameError(
            f"Cannot access global variable {name} that is not tl.constexpr(...); make it one, or "
            "set TRITON_ALLOW_NON_CONSTEXPR_GLOBALS=1")


class Resolver:
    """Looks names up in the globals and closures of jit functions."""

    def __init__(self, function):
        self.function = function
        self.used = []  # (namespace, name, value, function) of globals that the compile read
        self._reads = Reads(function, self.used)
        self.conflict = None  # the error for a global that an inner function saw otherwise

    def lookup(self, scope, name):
        function = self.function if scope is None else scope
        closure = function.closure_variables()
        if name in closure:
            self._read(function, function.cell_namespace(name), name, closure[name])
            return (wrap(closure[name]),)
        namespace = function.fn.__globals__
        if name in namespace:
            value = namespace[name]
            self._read(function, namespace, name, value)
            return (wrap(value),)
        if hasattr(builtins, name):
            value = getattr(builtins, name)
            if isinstance(value, type) and issubclass(value, BaseException):
                return (value,)
        return None

    def _read(self, function, namespace, name, value):
        if not isinstance(value, types.ModuleType):
            self.conflict = self.conflict or conflict(self.function, function, namespace, name,
                                                      value)
            self.used.append((namespace, name, value, function))
        self._reads.reached(value, f"global variable '{name}'")
        _check_constant(name, value)

    def attribute(self, object, name):
        if name == "_tegula_tuple_fields":
            fields = tuple_fields(object)
            return None if fields is None else (fields,)
        if name.startswith(_DEFAULT):
            return default_of(object, name.removeprefix(_DEFAULT))
        if not hasattr(object, name):
            return None
        value = getattr(object, name)
        self._reads.attribute(object, name, value)
        return (wrap(value),)

    def item(self, object, key):
        table = members(object)
        if table is not None or type(object) is type:
            return (table[key],) if table and key in table else None
        return (wrap(object[key]),)

    def call(self, function, args, kwargs):
        self._reads.call(function)
        if getattr(function, "__triton_builtin__", False):  # such a one is given constexprs
            args = [_constexpr(value) for value in args]
            kwargs = {name: _constexpr(value) for name, value in kwargs.items()}
        return (wrap(function(*args, **kwargs)),)

    def compare(self, op, lhs, rhs):
        return (_COMPARE[op](lhs, rhs),)

    def source(self, function):
        function._users.add(self.function)
        try:
            return (function.source, function.file, function.first_line)
        except CompilationError as error:
            raise error.__context__ from None  # the compiler says the rest
