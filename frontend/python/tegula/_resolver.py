# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a compile sees the Python objects that a kernel's text mentions.

Each method answers with a one-element tuple, or None when there is no such
thing; exceptions of the host become located errors of the compile.
"""

import builtins
import operator
import types

from .errors import CompilationError

_COMPARE = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
            operator.is_, lambda a, b: a in b]

# Modules that the compiler knows by itself: name -> path in the language.
_MODULES = {
    "tegula": "triton", "tegula.language": "tl", "tegula.language.math": "tl.math",
    "tegula.language.extra": "tl.extra", "tegula.language.extra.libdevice": "libdevice",
    "tegula.language.extra.cuda": "tl.cuda", "tegula.language.extra.cuda.libdevice": "libdevice",
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
    if isinstance(path, str) and not isinstance(value, type):
        return ModuleName(path)
    return value


def plain(value):
    """The value without the wrapping of `constexpr`."""
    return value.value if getattr(value, "_tegula_kind", None) == "constexpr" else value


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


class Resolver:
    """Looks names up in the globals and closures of jit functions."""

    def __init__(self, function):
        self.function = function
        self.used = []  # (namespace, name, value) of globals that the compile read

    def lookup(self, scope, name):
        function = self.function if scope is None else scope
        closure = function.closure_variables()
        if name in closure:
            return (wrap(closure[name]),)
        namespace = function.fn.__globals__
        if name in namespace:
            value = namespace[name]
            if not isinstance(value, types.ModuleType):
                self.used.append((namespace, name, value))
            return (wrap(value),)
        if hasattr(builtins, name):
            value = getattr(builtins, name)
            if isinstance(value, type) and issubclass(value, BaseException):
                return (value,)
        return None

    def attribute(self, object, name):
        if name == "_tegula_tuple_fields":
            fields = tuple_fields(object)
            return None if fields is None else (fields,)
        if not hasattr(object, name):
            return None
        return (wrap(getattr(object, name)),)

    def item(self, object, key):
        table = members(object)
        if table is not None or type(object) is type:
            return (table[key],) if table and key in table else None
        return (wrap(object[key]),)

    def call(self, function, args, kwargs):
        return (wrap(function(*args, **kwargs)),)

    def compare(self, op, lhs, rhs):
        return (_COMPARE[op](lhs, rhs),)

    def source(self, function):
        try:
            return (function.source, function.file, function.first_line)
        except CompilationError as error:
            raise error.__context__ from None  # the compiler says the rest
