# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a generated kernel is made of.

Tiles have symbolic shapes: a dimension is a product of constexpr parameters, a
sorted tuple of their names; () is 1. So one kernel text runs at several block
sizes. Operands are names of variables, Python numbers (literals), or `Const`.
"""

import copy
from dataclasses import dataclass, field


class Invalid(Exception):
    """The kernel does what has no defined result; it is dropped."""


@dataclass(frozen=True)
class Type:
    """dtype: element type, "*T" for pointers to T; shape: () of a scalar."""
    dtype: str
    shape: tuple = ()

    @property
    def element(self):
        return self.dtype[1:]

    def with_dtype(self, dtype):
        return Type(dtype, self.shape)


@dataclass(frozen=True)
class Const:
    """A constexpr integer by its text, over the names of `Config.sizes`."""
    text: str

    def value(self, sizes):
        return int(eval(self.text, {}, sizes))  # our own text


def dim_text(dim):
    return "*".join(dim) or "1"


def shape_text(shape):
    return "(" + "".join(f"{dim_text(d)}, " for d in shape) + ")"


def dim_size(dim, sizes):
    result = 1
    for name in dim:
        result *= int(name) if name.isdigit() else sizes[name]
    return result


@dataclass
class Assign:
    """targets = op(args); attrs hold what is no value. Also stores, with no target."""
    targets: list
    op: str
    args: list
    attrs: dict = field(default_factory=dict)


@dataclass
class For:
    """kind: range, tl.range or tl.static_range."""
    var: str
    start: object
    stop: object
    step: object
    body: list
    kind: str = "range"


@dataclass
class While:
    """while left relation right."""
    left: object
    relation: str
    right: object
    body: list


@dataclass
class If:
    """condition: a scalar variable, or Const (then pruned while compiling)."""
    condition: object
    then: list
    other: list


@dataclass
class Jump:
    """kind: break, continue or return."""
    kind: str


@dataclass
class Helper:
    """A jit function: parameters, statements, names of results."""
    name: str
    params: list
    body: list
    results: list


@dataclass
class Region:
    """Memory of elements of one type, in equal parts that each belong to one program.

    kind: "in" is read by all programs, "own" read and written by its owner alone,
    "atomic" changed by all with one commuting operation, "approximate" written by its
    owner with results whose last bits are left open.
    """
    name: str
    dtype: str
    kind: str
    part: str  # name of the constexpr with the elements of one part
    seed: int = 0
    fill: str = "any"


@dataclass
class Pointer:
    """An argument: elements of a region as some type, from its element `shift` on."""
    name: str
    dtype: str
    region: int
    shift: int = 0


@dataclass
class Config:
    """What one launch passes: constexprs, scalars, grid."""
    sizes: dict
    scalars: dict
    grid: tuple


@dataclass
class Kernel:
    seed: int
    regions: list
    pointers: list
    scalars: dict  # name: dtype
    configs: list
    body: list
    types: dict  # of all variables
    helpers: list = field(default_factory=list)
    variants: list = field(default_factory=list)

    def copy(self):
        return copy.deepcopy(self)


def blocks_of(statement):
    """Lists of statements inside a statement."""
    if isinstance(statement, (For, While)):
        return [statement.body]
    if isinstance(statement, If):
        return [statement.then, statement.other]
    return []


def walk(body):
    """All statements, outer ones first."""
    for statement in body:
        yield statement
        for block in blocks_of(statement):
            yield from walk(block)


def all_statements(kernel):
    yield from walk(kernel.body)
    for helper in kernel.helpers:
        yield from walk(helper.body)


def operands(statement):
    if isinstance(statement, Assign):
        return statement.args
    if isinstance(statement, For):
        return [statement.start, statement.stop, statement.step]
    if isinstance(statement, While):
        return [statement.left, statement.right]
    if isinstance(statement, If):
        return [statement.condition]
    return []
