# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of knobs: attributes bound to environment variables. See `tegula.knobs`."""

import importlib
import numbers
import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from . import _tegula
from ._knob_variables import getenv, restore, setenv, triton_name
from .errors import KnobError

_TRUE = ("1", "true", "yes", "on", "y")
_FALSE = ("0", "false", "no", "off", "n", "")

_NOTHING = object()

class Env:
    """Type of `env`: assigned to a knob, it makes the knob follow its variable again."""

    def __repr__(self):
        return "tegula.knobs.env"


class env_base:
    """One knob: what Python assigned to it, else its variable, else its default."""

    expected = "text"

    def __init__(self, key, default=None):
        self.key = key
        self.default = default

    def __set_name__(self, owner, name):
        self.name = name
        self.group = owner.__name__.removesuffix("_knobs")

    def __get__(self, group, owner=None):
        if group is None:
            return self
        value = group.__dict__.get(self.name, _NOTHING)
        return self.get() if value is _NOTHING else self.transform(value)

    def __set__(self, group, value):
        if isinstance(value, Env):
            self.__delete__(group)
            return
        text = self.to_text(value)
        group.__dict__[self.name] = value
        if text is not _NOTHING:
            setenv(self.key, text)
        self._tell()

    def __delete__(self, group):
        group.__dict__.pop(self.name, None)
        restore(self.key)
        self._tell()

    def _tell(self):
        """Has launches look at the settings that are part of what kernels are compiled for."""
        if self.key in ("TEGULA_DEBUG", "TEGULA_TARGET"):
            _tegula.settings_changed()

    def get(self):
        """The value that the variable says."""
        text = getenv(self.key)
        if text is None:
            return self.default() if callable(self.default) else self.default
        return self.parse(text)

    def transform(self, value):
        return value

    def parse(self, text):
        return text

    def accepts(self, value):
        return isinstance(value, str)

    def show(self, value):
        return str(value)

    def to_text(self, value):
        """Text for the variable; raises for what is no value of the knob."""
        if value is None:
            return None
        if not self.accepts(value):
            shown = repr(value)
            raise KnobError(f"knob '{self.group}.{self.name}': expected {self.expected}, got "
                            f"{shown if len(shown) <= 60 else type(value).__name__}",
                            id="invalid-knob")
        return self.show(value)

    def wrong(self, text):
        name = self.key if self.key in os.environ else triton_name(self.key) or self.key
        return KnobError(f"environment variable {name}: expected {self.expected}, got '{text}'",
                         id="invalid-knob")


class env_str(env_base):
    def accepts(self, value):
        return isinstance(value, (str, os.PathLike))

    def transform(self, value):
        return value if value is None else os.fspath(value)

    def show(self, value):
        return os.fspath(value)


class env_opt_str(env_str):
    pass


class env_str_callable_default(env_str):
    """Text whose default is computed when it is asked for."""


class env_bool(env_base):
    expected = "1 or 0 (or true, false, yes, no, on, off)"

    def __init__(self, key, default=False):
        super().__init__(key, default)

    def parse(self, text):
        word = text.lower()
        if word not in _TRUE and word not in _FALSE:
            raise self.wrong(text)
        return word in _TRUE

    def accepts(self, value):
        return isinstance(value, (bool, numbers.Number)) and value in (0, 1) or (
            type(value).__name__ in ("bool", "bool_"))

    def show(self, value):
        return "1" if value else "0"


class env_opt_bool(env_bool):
    def __init__(self, key, default=None):
        super().__init__(key, default)


class env_flag(env_bool):
    """On with any text but those for off."""

    def parse(self, text):
        return text.lower() not in _FALSE


class env_int(env_base):
    expected = "an integer"

    def __init__(self, key, default=0):
        super().__init__(key, default)

    def parse(self, text):
        try:
            return int(text)
        except ValueError:
            raise self.wrong(text) from None

    def accepts(self, value):
        return isinstance(value, int) and not isinstance(value, bool)


class env_size(env_base):
    expected = "bytes, or a number with K, M or G"
    _UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

    def _bytes(self, text):
        found = re.fullmatch(r"(\d+)([KMG]?)B?", text.strip().upper())
        return int(found[1]) * self._UNITS[found[2]] if found else None

    def parse(self, text):
        size = self._bytes(text)
        if size is None:
            raise self.wrong(text)
        return size

    def transform(self, value):
        return self._bytes(value) if isinstance(value, str) else value

    def accepts(self, value):
        if isinstance(value, str):
            return self._bytes(value) is not None
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0


class env_choice(env_base):
    def __init__(self, key, choices, default):
        super().__init__(key, default)
        self.choices = choices
        self.expected = f"{', '.join(choices[:-1])} or {choices[-1]}"

    def parse(self, text):
        if text not in self.choices:
            raise self.wrong(text)
        return text

    def accepts(self, value):
        return value in self.choices


class env_list(env_base):
    """Words, separated by `separator` in the variable."""

    expected = "a list of texts"

    def __init__(self, key, separator=","):
        super().__init__(key, tuple)
        self.separator = separator

    def parse(self, text):
        return tuple(part.strip() for part in text.split(self.separator) if part.strip())

    def transform(self, value):
        return tuple(value)

    def accepts(self, value):
        return isinstance(value, (list, tuple, set)) and all(isinstance(v, str) for v in value)

    def show(self, value):
        return self.separator.join(value)


class env_class(env_base):
    """A class, named in the variable as MODULE:CLASS."""

    def __init__(self, key, base):
        super().__init__(key)
        self.base = base  # name of a class that it must derive from
        self.expected = f"a class derived from {base}, as MODULE:CLASS"

    def parse(self, text):
        module, colon, name = text.partition(":")
        try:
            found = getattr(importlib.import_module(module), name) if colon else None
        except (ImportError, AttributeError, ValueError):
            found = None
        if not self.accepts(found):
            raise self.wrong(text)
        return found

    def accepts(self, value):
        return isinstance(value, type) and self.base in (c.__name__ for c in value.__mro__)

    def to_text(self, value):
        super().to_text(value)
        return None if value is None else _NOTHING  # classes of a program have no lasting name


@dataclass(frozen=True)
class NvidiaTool:
    """A program of NVIDIA's tool kit and the version that it says."""

    path: str
    version: str

    @staticmethod
    def from_path(path):
        try:
            shown = subprocess.run([path, "--version"], stdout=subprocess.PIPE, check=True,
                                   stderr=subprocess.STDOUT, timeout=10).stdout.decode()
        except (OSError, subprocess.SubprocessError):
            return None
        found = re.search(r"release (\d+\.\d+)", shown)
        return NvidiaTool(path, found[1]) if found else None


class env_nvidia_tool(env_str):
    """A program of NVIDIA's tool kit: by a path, else where PATH has it."""

    def __init__(self, binary):
        super().__init__(f"TEGULA_{binary.upper()}_PATH")
        self.binary = binary
        self.expected = f"the path of {binary}"

    def get(self):
        return self.transform(getenv(self.key))

    def transform(self, value):
        for path in (value, shutil.which(self.binary)):
            tool = NvidiaTool.from_path(path) if path else None
            if tool:
                return tool
        raise KnobError(f"knob '{self.group}.{self.name}': expected {self.expected} in {self.key} "
                        f"or in PATH, got {value or 'none'}", id="invalid-knob")
