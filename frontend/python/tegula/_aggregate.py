# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@tegula.aggregate`: classes of values for kernels."""

import inspect

from .errors import LaunchTypeError
from ._resolver import plain
from .jit import JITFunction

# What a class has without having been written.
_INHERENT = ("__module__", "__qualname__", "__dict__", "__weakref__", "__doc__",
             "__annotations__", "__static_attributes__", "__firstlineno__")


class _Word:
    """A name of the language as an annotation."""

    _tegula_kind = "language"

    def __init__(self, path):
        self._tegula_text = path


def _annotation(value):
    """An annotation as the compiler sees it; None for those that say nothing to it."""
    if value in (tuple, "tuple"):
        return _Word("tl.tuple")
    if getattr(value, "_tegula_is_constexpr", False) is True:
        return _Word("tl.constexpr")
    path = getattr(value, "_tegula_host_path", None)
    if path in ("tl.tensor", "tl.tuple"):
        return _Word(path)
    known = getattr(value, "_tegula_kind", None) == "dtype" or hasattr(value, "_tegula_fields")
    return value if known else None


def _annotations(cls):
    """Of the class itself; text stays what names of its module say."""
    try:
        return inspect.get_annotations(cls, eval_str=True)
    except Exception:  # pylint: disable=broad-except
        return inspect.get_annotations(cls)


def _member(member):
    """(kind, function or value) as the compiler asks for it."""
    kind = "method"
    if isinstance(member, (staticmethod, classmethod)):
        kind = "value" if isinstance(member, staticmethod) else "class"
        member = member.__func__
    elif isinstance(member, property):
        kind, member = "property", member.fget
    if isinstance(member, JITFunction) or getattr(member, "_tegula_constexpr_function", False):
        return kind, member
    if inspect.isfunction(member):
        return kind, JITFunction(member)
    return "value", plain(member)


def _make(cls, *values):
    """An instance without a call of `__init__`."""
    made = object.__new__(cls)
    for field, value in zip(cls._tegula_fields, values):
        object.__setattr__(made, field[0], value)
    return made


def _host_init(cls):
    names = [field[0] for field in cls._tegula_fields]

    def __init__(self, *args, **kwargs):
        if len(args) > len(names):
            raise TypeError(f"'{cls.__name__}' has {len(names)} fields, got {len(args)} values")
        given = dict(zip(names, args))
        for name, value in kwargs.items():
            if name in given or name not in names:
                raise TypeError(f"'{cls.__name__}' has no field '{name}' left to give a value")
            given[name] = value
        for name, _, has_default, default in cls._tegula_fields:
            if name not in given and not has_default:
                raise TypeError(f"missing value of field '{name}' of '{cls.__name__}'")
            object.__setattr__(self, name, given.get(name, default))

    return __init__


def aggregate(cls):
    """Makes a class of values that kernels create, pass, return and carry through loops.

    Its annotated names are the fields: tl.tensor for numbers and tiles, tl.constexpr for
    what is known at compile time, an element type for a scalar of it, another aggregate,
    tuple, or anything else for any value; a value in the class body is the default. Fields
    and methods of base classes come first. Functions of the class are compiled as jit
    functions, operators (`__add__`, `__getitem__`, `__call__`, `__eq__`, `__bool__`, ...),
    properties, static and class methods too. Objects do not change: `__init__`, where there
    is one, gives the fields their values, `tl.aggregate_replace(x, field=value)` makes
    another object.
    """
    if not isinstance(cls, type):
        raise LaunchTypeError(f"expected a class for aggregate, got {type(cls).__name__}",
                              id="not-a-kernel")
    fields, table = {}, {}
    for base in reversed(cls.__mro__[:-1]):
        for name, annotation in _annotations(base).items():
            fields[name] = (name, _annotation(annotation), False, None)
        for name, member in vars(base).items():
            if name in fields:
                fields[name] = (*fields[name][:2], True, plain(member))
            elif name not in _INHERENT and not name.startswith("_tegula_"):
                table[name] = _member(member)
    generated = cls.__init__ if getattr(cls.__init__, "_tegula_generated", False) else None
    if generated is not None:
        table.pop("__init__", None)
    cls._tegula_fields = tuple(fields.values())
    cls._tegula_table = table
    cls._tegula_make = classmethod(_make)
    cls._tegula_class = property(type)
    if generated is not None or not inspect.isfunction(cls.__init__):
        cls.__init__ = _host_init(cls)
        cls.__init__._tegula_generated = True
    return cls


def aggregate_replace(value, **fields):
    """An object of an aggregate or a named tuple with other values of some fields."""
    if isinstance(value, tuple):
        return value._replace(**fields)
    names = [field[0] for field in type(value)._tegula_fields]
    for name in fields:
        if name not in names:
            raise TypeError(f"'{type(value).__name__}' has no field '{name}'")
    return type(value)._tegula_make(*(fields.get(name, getattr(value, name)) for name in names))


aggregate_replace._tegula_host_path = "triton.aggregate_replace"
