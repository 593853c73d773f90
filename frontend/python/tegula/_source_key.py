# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The key of a function's text and of all that it reaches through names."""

import ast
import builtins
import hashlib
import inspect
import types

from .errors import LaunchError

_PLAIN = (int, float, complex, str, bytes, bool, type(None))


def _kind(value):
    return getattr(value, "_tegula_kind", None)


def is_plain_value(value):
    """Whether it is a value of its own, which its text names fully."""
    if isinstance(value, _PLAIN) or _kind(value) == "dtype":
        return True
    if _kind(value) == "constexpr":
        return is_plain_value(value.value)
    return isinstance(value, (tuple, list)) and all(map(is_plain_value, value))


def _of_the_language(value):
    """Whether the compiler knows it by itself."""
    module = getattr(value, "__module__", None) or ""
    return (_kind(value) == "language" or hasattr(value, "_tegula_host_path") or
            module.split(".")[0] in ("tegula", "triton", "builtins", "math"))


class _Reader(ast.NodeVisitor):
    """Collects what the names of one function stand for."""

    def __init__(self, function, keys):
        self.function = function
        self.keys = keys  # of functions: fullname and place -> key, '' while it is being computed
        self.scope = function.get_capture_scope()
        self.parts = []
        self.strict = getattr(function, "_tegula_constexpr_function", False)
        self.bound = set()

    def function_part(self, name, value):
        """Text for a function that the name stands for."""
        if not isinstance(value, type) and not _of_the_language(value):
            if self.strict:
                raise LaunchError(
                    f"cache_key of '{self.function.name}': expected functions of the language, jit "
                    f"and constexpr functions, got '{name}', a function of "
                    f"{value.__module__}, whose results no key can name", id="no-cache-key")
            try:
                return "python:" + inspect.getsource(value)
            except (OSError, TypeError):
                pass  # none to read
        return f"object:{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"

    def add(self, name, value):
        if hasattr(type(value), "get_capture_scope"):
            self.parts.append(f"{name}=function:{_key(value, self.keys)}")
        elif is_plain_value(value):
            self.parts.append(f"{name}={type(value).__name__}:{value!r}")
        elif isinstance(value, types.ModuleType):
            pass  # its members count
        elif hasattr(type(value), "__call__") or isinstance(value, type):
            self.parts.append(f"{name}={self.function_part(name, value)}")

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Store):
            self.bound.add(node.id)
        elif node.id not in self.bound and node.id in self.scope:
            value = self.scope[node.id]
            if value is not getattr(builtins, node.id, self):
                self.add(node.id, value)

    def visit_Attribute(self, node):
        path, at = [], node
        while isinstance(at, ast.Attribute):
            path.insert(0, at.attr)
            at = at.value
        if not isinstance(at, ast.Name) or at.id in self.bound:
            self.generic_visit(node)
            return
        value = self.scope.get(at.id)
        if not isinstance(value, types.ModuleType):
            self.generic_visit(node)
            return
        for name in path:
            value = getattr(value, name, None)
        if value is not None and not _of_the_language(value):
            self.add(".".join([at.id, *path]), value)

    def visit_Assign(self, node):
        self.visit(node.value)  # runs ahead of what it binds
        for target in node.targets:
            self.visit(target)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit(node.value)
        self.visit(node.annotation)
        self.visit(node.target)

    def visit_FunctionDef(self, node):
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(default)
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs,
                     *filter(None, (node.args.vararg, node.args.kwarg))]
        for argument in arguments:
            self.bound.add(argument.arg)
            if argument.annotation is not None:
                self.visit(argument.annotation)
        for statement in node.body:
            self.visit(statement)


def _defaults(function):
    """Text of default values, which are those of the time of the definition."""
    shown = []
    for name, parameter in inspect.signature(function.fn).parameters.items():
        if parameter.default is not parameter.empty:
            shown.append(f"{name}={parameter.default!r}")
    return ", ".join(shown)


def _key(function, keys):
    place = id(function)
    if place in keys:
        return keys[place]  # a recursive call says nothing new
    keys[place] = ""
    reader = _Reader(function, keys)
    reader.visit(function.parse())
    parts = [function.fullname, str(function.definition_line), function.src, _defaults(function),
             f"noinline={function.noinline}", *sorted(set(reader.parts))]
    keys[place] = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return keys[place]


def source_key(function):
    """Hex digits for the function; see `SourceFunction.cache_key`."""
    return _key(function, {})
