# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `tegula.compile` compiles."""

import hashlib
import os
import re

from .. import _specialization as specialization
from .._launch_errors import show_signature
from .._resolver import plain
from ..errors import LaunchTypeError, LaunchValueError
from ..language._types import named


_TYPE = re.compile(r"(\*k?)?[a-z][a-z0-9]*(:\d+|:noalias)*|tensordesc<.*|\(.*\)")


def _is_type(text):
    """Whether it is a type of a signature."""
    if not _TYPE.fullmatch(text):
        return False
    if text.startswith(("(", "tensordesc")):
        return True
    base = text.split(":")[0].removeprefix("*k").removeprefix("*")
    return base == "void" or named(base).primitive_bitwidth > 0


def AttrsDescriptor(divisible_by_16=(), equal_to_1=()):
    """Facts of parameters, by positions: an `attrs` for ASTSource."""
    return {**{(index,): [["tt.divisibility", 16]] for index in divisible_by_16},
            **{(index,): [["tt.equal_to", 1]] for index in equal_to_1}}


class ASTSource:
    """A kernel, with types and constants of its parameters.

    fn: a jit function; signature: name -> type (`*fp32`, `i32`, `*fp16:16`, `constexpr`);
    constexprs: name, position or (position,) -> value; attrs: (position,) -> facts,
    where `["tt.divisibility", 16]` says a multiple of 16. Parameters with a default
    need neither a type nor a value.
    """

    ext = "tile"

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        while hasattr(fn, "base_fn") and not hasattr(type(fn), "_obtain"):
            fn = fn.base_fn if hasattr(type(fn.base_fn), "_obtain") else fn.fn
        if not hasattr(type(fn), "_obtain"):
            raise LaunchTypeError(f"ASTSource: expected a jit function, got {type(fn).__name__}",
                                  id="invalid-source")
        self.fn = fn
        self.name = fn.__name__
        self.signature = self._by_name(signature, "signature")
        self.constants = self._by_name(constexprs or {}, "constexprs")
        self.attrs = {(fn.arg_names.index(name),): self._checked(name, facts)
                      for name, facts in self._by_name(attrs or {}, "attrs").items()}
        self._specs = None

    @classmethod
    def _of(cls, fn, specs):
        """The source that a launch made specs of."""
        made = cls.__new__(cls)
        made.fn, made.name, made._specs = fn, fn.__name__, specs
        made.signature = specialization.signature_of(specs)
        made.constants = {spec[0]: plain(spec[3]) for spec in specs
                          if specialization.is_constant(spec)}
        made.attrs = specialization.attributes_of(specs)
        return made

    @property
    def constexprs(self):
        """(position,) -> value."""
        return {(self.fn.arg_names.index(name),): value for name, value in self.constants.items()}

    def _name(self, key, what):
        names = self.fn.arg_names
        if isinstance(key, tuple) and len(key) == 1:
            key = key[0]
        if isinstance(key, int) and not isinstance(key, bool) and 0 <= key < len(names):
            return names[key]
        if key not in names:
            raise LaunchTypeError(
                f"ASTSource: expected parameters of '{self.name}' in {what}, got {key!r}"
                f"\n{show_signature(self.fn)}", id="invalid-source")
        return key

    def _by_name(self, given, what):
        try:
            items = list(given.items())
        except AttributeError:
            raise LaunchTypeError(f"ASTSource: expected a dict as {what}, got "
                                  f"{type(given).__name__}", id="invalid-source") from None
        return {self._name(key, what): value for key, value in items}

    def _checked(self, name, facts):
        """Facts of a parameter, such as [["tt.divisibility", 16]], or an error."""
        try:
            known = [(str(fact), int(number)) for fact, number in facts]
        except (TypeError, ValueError):
            raise LaunchTypeError(
                f"ASTSource: expected facts such as [['tt.divisibility', 16]] for '{name}' in "
                f"attrs, got {facts!r}", id="invalid-source") from None
        return [list(fact) for fact in known]

    def specs(self):
        """(name, type or None, is known, value) of each parameter; see `_specialization`."""
        if self._specs is not None:
            return self._specs
        made = []
        for param in self.fn.params:
            name, type_ = param.name, self.signature.get(param.name)
            if name in self.constants:
                made.append((name, None, True, plain(self.constants[name])))
                continue
            if type_ in (None, "constexpr"):
                if not param.has_default:
                    what = "constexprs" if type_ or param.is_constexpr else "signature"
                    raise LaunchTypeError(
                        f"ASTSource: expected '{name}' in {what}, got nothing for it"
                        f"\n{show_signature(self.fn)}", id="invalid-source")
                made.append((name, None, True, plain(param.default)))
                continue
            text = type_ if isinstance(type_, str) else getattr(type_, "_tegula_text", None)
            if text is None or not _is_type(text):
                raise LaunchValueError(
                    f"ASTSource: expected a type such as *fp32 or i32 for '{name}', got "
                    f"{type_!r}", id="invalid-source")
            facts = [tuple(fact) for fact in self.attrs.get((param.num,), ())]
            if ("tt.equal_to", 1) in facts:
                made.append((name, text.split(":")[0], True, 1))
                continue
            if ("tt.divisibility", 16) in facts and ":16" not in text:
                text += ":16"
            made.append((name, text, False, None))
        return made

    def hash(self):
        """Hex digits of the function's key and the types."""
        digest = hashlib.sha256(self.fn.cache_key.encode())
        digest.update(specialization.compile_key(self.specs(), {}, None).encode())
        return digest.hexdigest()

    def parse_options(self):
        return {}


class IRSource:
    """A file of tile IR, or of a later stage, that this compiler wrote."""

    def __init__(self, path, context=None, backend=None):
        self.path = os.fspath(path)
        self.ext = os.path.splitext(self.path)[1].lstrip(".")
        try:
            with open(self.path, encoding="utf-8") as file:
                self.src = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise LaunchValueError(f"IRSource: expected a file of tile IR, got {self.path}: "
                                   f"{error}", id="invalid-source") from None
        kernels = [line for line in self.src.splitlines()
                   if "func.func" in line and "tile.kernel" in line]
        found = re.search(r"@([\w$.]+)", "\n".join(kernels) or self.src)
        self.name = found[1] if found else os.path.basename(self.path)

    def hash(self):
        return hashlib.sha256(self.src.encode()).hexdigest()
