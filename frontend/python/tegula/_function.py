# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Source of functions that kernels consist of, and the key of what it depends on."""

import ast
import inspect
import re
import textwrap
import types
import weakref

from ._source_key import source_key
from .errors import CompilationError, LaunchTypeError

_DEF = re.compile(r"^[ \t]*(?:async[ \t]+)?def\s+\w+\s*[(\[]", re.MULTILINE)


class CellNamespace:
    """A variable of an enclosing function, as a namespace of one name."""

    def __init__(self, cell):
        self._cell = cell  # by this name for the launcher, too

    def get(self, name, default=None):
        try:
            return self._cell.cell_contents
        except ValueError:
            return default


class SourceFunction:
    """A Python function with its text; base of jit and constexpr functions.

    hash: what `cache_key` computed last, or None.
    """

    def _begin(self, fn):
        self.fn = fn
        self.name = fn.__qualname__
        self.module = fn.__module__
        self.__globals__ = fn.__globals__
        self.hash = None
        self._source = None
        self._cells = {}
        self._users = weakref.WeakSet()  # kernels whose code holds that of this function

    def _read_source(self):
        if self._source is None:
            try:
                lines, first = inspect.getsourcelines(self.fn)
            except (OSError, TypeError) as error:
                code = self.fn.__code__
                raise CompilationError(
                    f"{code.co_filename}:{code.co_firstlineno}:1: error: the source of kernel "
                    f"'{self.__name__}' cannot be read: {error}", id="no-source",
                    hint="define kernels in a file, a notebook cell or through linecache") from None
            self._source = ("".join(lines), inspect.getsourcefile(self.fn) or
                            self.fn.__code__.co_filename, max(first, 1))
        return self._source

    @property
    def source(self):
        """The text that is compiled, decorators included."""
        return self._read_source()[0]

    @property
    def file(self):
        return self._read_source()[1]

    @property
    def first_line(self):
        return self._read_source()[2]

    def _definition(self):
        """Where `def` begins in the dedented text, and that text."""
        text = textwrap.dedent(self.source)
        for found in _DEF.finditer(text):
            try:
                ast.parse(text[found.start():])
            except SyntaxError:
                continue  # "def" in a text that is an argument of a decorator
            return found.start(), text
        return 0, text

    @property
    def src(self):
        """The text from `def` on, without decorators."""
        start, text = self._definition()
        return text[start:]

    @property
    def definition_line(self):
        """The line of `def` in the file."""
        start, text = self._definition()
        return self.first_line + text.count("\n", 0, start)

    @property
    def raw_src(self):
        """Lines of the text as they stand in the file."""
        return self.source.splitlines(keepends=True)

    @property
    def starting_line_number(self):
        return self.first_line

    @property
    def fullname(self):
        """What says which function it is: module and qualified name."""
        return f"{self.module}.{self.name}"

    def _unsafe_update_src(self, text):
        """Replaces the text; what was compiled of the old one is forgotten."""
        file = self.file
        self._source = (text, file, self.definition_line)
        self.hash = None
        for user in list(self._users):
            user._forget_compiled()

    def parse(self):
        """The text as `ast.Module` with the one function."""
        return ast.parse(self.src)

    def closure_variables(self):
        code = self.fn.__code__
        cells = self.fn.__closure__ or ()
        values = {}
        for name, cell in zip(code.co_freevars, cells):
            try:
                values[name] = cell.cell_contents
            except ValueError:
                pass  # not bound yet
        return values

    def cell_namespace(self, name):
        """A variable of a function around this one as a namespace of one name."""
        if name not in self._cells:
            cell = self.fn.__closure__[self.fn.__code__.co_freevars.index(name)]
            self._cells.setdefault(name, CellNamespace(cell))
        return self._cells[name]

    def get_capture_scope(self):
        """Names that the function sees: globals of its module, and of functions around it."""
        return {**self.fn.__globals__, **self.closure_variables()}

    @property
    def cache_key(self):
        """Hex digits that change with the text of the function, of the functions that it reaches,
        with values of globals that they use and with where the function stands."""
        self.hash = source_key(self)
        return self.hash


def _plain(value):
    """The value without the wrapping of `constexpr`, in tuples and lists too."""
    if getattr(value, "_tegula_kind", None) == "constexpr":
        return value.value
    if type(value) in (tuple, list):
        return type(value)(map(_plain, value))
    return value


class ConstexprFunction(SourceFunction):
    """What `constexpr_function` makes: a function of the host that kernels may call."""

    _tegula_constexpr_function = True
    noinline = False

    def __init__(self, fn):
        self._begin(fn)
        for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
            setattr(self, name, getattr(fn, name, None))
        self.__wrapped__ = fn

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args, **kwargs):
        return self.fn(*map(_plain, args),
                       **{name: _plain(value) for name, value in kwargs.items()})

    def __repr__(self):
        return f"<tegula.constexpr_function {self.fullname}>"


def constexpr_function(fn):
    """Lets kernels call a function of the host on values known at compile time.

    Its arguments arrive as plain Python values, and kernels see what it returns
    as known at compile time. Kernels may call other functions of the host in the
    same way: the decorator says that it is meant, and unwraps `tl.constexpr` when
    the host itself calls.
    """
    if isinstance(fn, ConstexprFunction):
        return fn
    if inspect.isfunction(fn):
        return ConstexprFunction(fn)
    if not callable(fn):
        raise LaunchTypeError(f"expected a function for constexpr_function, got "
                              f"{type(fn).__name__}", id="not-a-kernel")

    def call(*args, **kwargs):  # functions of C, partials: no text to have a key of
        return fn(*map(_plain, args), **{name: _plain(value) for name, value in kwargs.items()})

    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        if isinstance(getattr(fn, name, None), str):
            setattr(call, name, getattr(fn, name))
    call._tegula_constexpr_function = True
    return call
