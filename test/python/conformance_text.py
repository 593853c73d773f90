# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the conformance table is read: YAML with places, and expressions of integers."""

import functools
import re

import yaml

from conformance_values import TYPES


class TableError(ValueError):
    """A row that does not follow docs/conformance.md; the text starts with file and line."""


class Mapping(dict):
    """A mapping that knows its place: `line`, and `lines` of its keys."""

    def __init__(self, path, line):
        super().__init__()
        self.path, self.line, self.lines = path, line, {}

    def fail(self, message, key=None):
        raise TableError(f"{self.path}:{self.lines.get(key, self.line)}: {message}")


_SCALARS = (
    (re.compile(r"true|false"), lambda s: s == "true"),
    (re.compile(r"null|~|"), lambda s: None),
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0x[0-9a-fA-F]+"), lambda s: int(s, 16)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
    (re.compile(r"[-+]?\.inf|\.nan"), lambda s: float(s.replace(".", ""))),
)


def _build(node, path):
    line = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        mapping = Mapping(path, line)
        for key_node, value_node in node.value:
            key = _build(key_node, path)
            key_line = key_node.start_mark.line + 1
            if key in mapping:
                raise TableError(f"{path}:{key_line}: key '{key}' stands twice")
            mapping[key] = _build(value_node, path)
            mapping.lines[key] = key_line
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [_build(item, path) for item in node.value]
    if node.style is None:
        for pattern, convert in _SCALARS:
            if pattern.fullmatch(node.value):
                return convert(node.value)
    return node.value


def read_yaml(path, text=None):
    """A file as Mapping, list, str, int, float, bool and None."""
    text = path.read_text() if text is None else text
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise TableError(f"{path}:{line}: {error.problem}") from None
    if node is None:
        raise TableError(f"{path}:1: expected a mapping, got an empty file")
    return _build(node, path)


# -- expressions ------------------------------------------------------------------

_TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_]\w*)|(//|[-+*%(),]))")
FUNCTIONS = {
    "cdiv": (2, lambda a, b: -(-a // b)), "min": (None, min), "max": (None, max),
    "next_power_of_2": (1, lambda n: 1 << max(n - 1, 0).bit_length()), "bits": (1, None),
}


class _Parser:
    """Text to a function of a dict of names."""

    def __init__(self, text):
        self.text, self.tokens, at = text, [], 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise ValueError(f"unexpected '{text[at:].strip()[0]}' in '{text}'")
            self.tokens.append(match.group(0).strip())
            at = match.end()

    def next(self, wanted=None):
        token = self.tokens.pop(0) if self.tokens else "the end"
        if wanted is not None and token != wanted:
            hint = "; quote it inside braces" if token == "the end" else ""
            raise ValueError(f"expected '{wanted}', got {token!r} in '{self.text}'{hint}")
        return token

    def peek(self):
        return self.tokens[0] if self.tokens else ""

    def sum(self):
        left = self.product()
        while self.peek() in ("+", "-"):
            sign = 1 if self.next() == "+" else -1
            left = functools.partial(
                lambda a, b, s, names: integer(a, names) + s * integer(b, names), left,
                self.product(), sign)
        return left

    def product(self):
        left = self.unary()
        while self.peek() in ("*", "//", "%"):
            left = functools.partial(_multiply, self.next(), left, self.unary(), self.text)
        return left

    def unary(self):
        if self.peek() == "-":
            self.next()
            operand = self.unary()
            return lambda names: -integer(operand, names)
        return self.atom()

    def atom(self):
        token = self.next()
        if token == "(":
            inner = self.sum()
            self.next(")")
            return inner
        if token.isdigit():
            return lambda names: int(token)
        if not re.fullmatch(r"[A-Za-z_]\w*", token):
            raise ValueError(f"expected a number or a name, got '{token}' in '{self.text}'")
        if self.peek() == "(":
            return self.call(token)

        def look_up(names):
            if token in names:
                return names[token]
            if token in TYPES:
                return token
            raise ValueError(f"name '{token}' is not an axis, a let or a type")
        return look_up

    def call(self, name):
        if name not in FUNCTIONS:
            raise ValueError(f"expected one of {', '.join(FUNCTIONS)}, got '{name}'")
        self.next("(")
        operands = [self.sum()]
        while self.peek() == ",":
            self.next()
            operands.append(self.sum())
        self.next(")")
        count, function = FUNCTIONS[name]
        if count not in (None, len(operands)):
            raise ValueError(f"{name}: expected {count} operands, got {len(operands)}")
        if name == "bits":
            return lambda names: _bits(operands[0](names))
        return lambda names: _checked(function, [integer(o, names) for o in operands], self.text)


def _checked(function, operands, text):
    try:
        return function(*operands)
    except ZeroDivisionError:
        raise ValueError(f"division by zero in '{text}'") from None


def _multiply(operator, left, right, text, names):
    functions = {"*": lambda a, b: a * b, "//": lambda a, b: a // b, "%": lambda a, b: a % b}
    return _checked(functions[operator], [integer(left, names), integer(right, names)], text)


def _bits(value):
    if value not in TYPES:
        raise ValueError(f"bits: expected a type, got '{value}'")
    return TYPES[value].bits


def integer(function, names):
    value = function(names)
    if not isinstance(value, int):
        raise ValueError(f"expected an integer, got '{value}'")
    return int(value)


@functools.cache
def _parsed(text):
    parser = _Parser(text)
    function = parser.sum()
    if parser.tokens:
        raise ValueError(f"unexpected '{parser.peek()}' in '{text}'")
    return function


def evaluate(text, names):
    """An expression's value: an integer, or what a lone name stands for. Raises ValueError."""
    return text if isinstance(text, int) else _parsed(text)(names)


def evaluate_integer(text, names):
    value = evaluate(text, names)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"expected an integer, got '{value}'")
    return value


def split_list(text):
    """`a, f(b, c)` at its outer commas; empty text has no items."""
    items, depth, start = [], 0, 0
    for at, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            items.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return items + [last] if items or last else []
