# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Typed values of a kernel under construction: variables, addresses, loads, stores."""

import random

from . import exact
from .ir import Assign, Const, Kernel, Type, dim_size, dim_text

NUMBERS = exact.INTEGERS + exact.FLOATS
MAX_ELEMENTS = 1024
# How often each element type is wanted.
WEIGHTS = {"int32": 8, "float32": 8, "int64": 3, "float16": 3, "bfloat16": 3, "float64": 3,
           "int8": 3, "uint8": 2, "int16": 2, "uint16": 1, "uint32": 2, "uint64": 1, "bool": 2,
           "float8e4nv": 1, "float8e5": 1, "float8e4b8": 1, "float8e5b16": 1}


def result_shape(x, y):
    """Shape of x and y together after the rules of broadcasting, or None."""
    rank = max(len(x), len(y))
    x, y = ((),) * (rank - len(x)) + x, ((),) * (rank - len(y)) + y
    if any(a != b and a != () and b != () for a, b in zip(x, y)):
        return None
    return tuple(a or b for a, b in zip(x, y))


class Builder:
    """Emits statements into `self.block`; knows which variables are visible."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.scopes = [[]]
        self.block = []
        self.count = 0
        self.small = set()  # variables that hold small integers
        self.fixed = set()  # variables that are not to be assigned again
        self.kernel = Kernel(seed, [], [], {}, [], self.block, {})
        self.types = self.kernel.types
        self.base = {}  # pointer name: variable with its program's first offset

    # -- basics ---------------------------------------------------------------------

    def chance(self, probability):
        return self.rng.random() < probability

    def pick(self, choices):
        return self.rng.choice(list(choices))

    def dtype(self, among=None):
        names = [n for n in WEIGHTS if among is None or n in among]
        return self.rng.choices(names, [WEIGHTS[n] for n in names])[0]

    def declare(self, type, prefix="v"):
        name = f"{prefix}{self.count}"
        self.count += 1
        self.types[name] = type
        self.scopes[-1].append(name)
        return name

    def emit(self, operation, args, result, /, **attrs):
        name = self.declare(result)
        self.block.append(Assign([name], operation, args, attrs))
        return name

    def assign(self, target, value):
        self.block.append(Assign([target], "copy", [value]))
        self.small.discard(target)

    def visible(self, test=lambda type: True):
        return [v for scope in self.scopes for v in scope if test(self.types[v])]

    def recent(self, test):
        """A visible variable, newer ones more often; None if there is none."""
        names = self.visible(test)
        if not names:
            return None
        return names[max(self.rng.randrange(len(names)), self.rng.randrange(len(names)))]

    def elements(self, shape):
        """Most elements that a tile of this shape has in any launch."""
        most = 1
        for config in self.kernel.configs:
            product = 1
            for dim in shape:
                product *= dim_size(dim, config.sizes)
            most = max(most, product)
        return most

    def literal(self, dtype):
        """A number that adapts to `dtype` without a change of its kind."""
        if dtype == "bool":
            return self.chance(0.5)
        if exact.is_int(dtype):
            low, high = exact.int_range(dtype)
            number = self.pick([0, 1, 2, 3, 5, 7, 8, 16, 31, 100, -1, -2, -7, low, high, high // 2])
            return number if low <= number <= high and abs(number) < 2**53 else self.pick([1, 3])
        if self.chance(0.3):
            return self.pick([0, 1, 2, 3, 7] if dtype in exact.FP8 else [0, 1, 3, -2, 10])
        return self.pick([0.0, 1.0, 0.5, -1.5, 2.0, -0.0, 3.0])

    # -- values of a type that is wanted -----------------------------------------------

    def cast(self, x, dtype):
        source = self.types[x].dtype
        if source == dtype:
            return x
        attrs = {"method": self.chance(0.7)}
        if exact.is_float(source) and exact.is_float(dtype) and exact.bits(dtype) < exact.bits(
                source) and self.chance(0.2):
            attrs["rtz"] = True
        result = self.emit("cast", [x], self.types[x].with_dtype(dtype), to=dtype, **attrs)
        if x in self.small and dtype != "bool" and (exact.is_int(dtype) or exact.is_float(dtype)):
            if dtype not in exact.UNSIGNED:
                self.small.add(result)
        return result

    def value(self, dtype, shape=()):
        """A variable of this type."""
        wanted = Type(dtype, shape)
        kind = self.rng.random()
        if kind < 0.5:
            found = self.recent(lambda t: t == wanted)
            if found:
                return found
        if kind < 0.75:
            found = self.recent(lambda t: t.shape == shape and t.dtype[0] != "*")
            if found:
                return self.cast(found, dtype)
        if kind < 0.9 or not shape:
            return self.cast(self.load(shape), dtype)
        if kind < 0.95:
            inner = self.recent(lambda t: t.dtype[0] != "*" and t.shape != shape and
                                result_shape(t.shape, shape) == shape and t.shape != ())
            if inner:
                return self.broadcast(self.cast(inner, dtype), shape)
        return self.emit("full", [self.literal(dtype)], wanted, zeros=self.chance(0.3))

    def broadcast(self, x, shape):
        rank = len(self.types[x].shape)
        if rank < len(shape):
            at = tuple(i < len(shape) - rank for i in range(len(shape)))
            x = self.expand(x, at)
        if self.types[x].shape == shape:
            return x
        return self.emit("broadcast_to", [x], Type(self.types[x].dtype, shape))

    def expand(self, x, at):
        """New dimensions of one element where `at` says so."""
        old = iter(self.types[x].shape)
        shape = tuple(() if new else next(old) for new in at)
        return self.emit("expand", [x], Type(self.types[x].dtype, shape), at=at,
                         call=self.chance(0.3))

    def small_ints(self, dtype, shape, largest=3):
        """A tile of integers from 0 to `largest` (a power of two less one) as any type."""
        x = self.value(self.pick(["int32", "int8", "uint8", "int64"]), shape)
        t = self.types[x]
        masked = self.emit("binary", [x, largest], t, op="&", type=t.dtype)
        result = self.cast(masked, dtype)
        self.small.add(result)
        return result

    # -- scalars -----------------------------------------------------------------------

    def scalar(self, dtype="int32"):
        return self.value(dtype, ())

    def condition(self):
        """A scalar bool."""
        if self.chance(0.1):
            return self.value("bool", ())
        x = self.recent(lambda t: t.shape == () and t.dtype in NUMBERS) or self.scalar()
        t = self.types[x].dtype
        relation = self.pick(["<", "<=", ">", ">=", "==", "!="])
        return self.emit("binary", [x, self.literal(t)], Type("bool"), op=relation, type=t)

    def count_of(self, most=4):
        """A scalar for the number of trips: an argument, or a loaded number cut to size."""
        names = [n for n in self.kernel.scalars if n.startswith("n")]
        kind = self.rng.random()
        if kind < 0.5 and names:
            return self.pick(names)
        if kind < 0.7:
            return self.pick([0, 1, 2, 3, most])
        x = self.scalar(self.pick(["int32", "int32", "int64"]))
        t = self.types[x]
        return self.emit("binary", [x, 3], t, op="&", type=t.dtype)

    # -- addresses -----------------------------------------------------------------------

    def part(self, pointer):
        """Elements of one program behind a pointer, as a constexpr."""
        region = self.kernel.regions[pointer.region]
        ratio = exact.DTYPES[region.dtype].itemsize / exact.DTYPES[pointer.dtype].itemsize
        if ratio == 1:
            return Const(region.part)
        return Const(f"{region.part} * {int(ratio)}" if ratio > 1 else
                     f"{region.part} // {int(1 / ratio)}")

    def arith(self, op, x, y, shape, dtype="int32"):
        return self.emit("binary", [x, y], Type(dtype, shape), op=op, type=dtype)

    def affine(self, shape):
        """An index of each element: strides in some order, reversed or repeated dimensions."""
        rank = len(shape)
        order = list(range(rank))
        if self.chance(0.3):
            self.rng.shuffle(order)
        factor = self.pick([1, 1, 1, 1, 2])
        total = None
        for i in order:
            later = [d for j in order[order.index(i) + 1:] for d in shape[j]]
            if shape[i] == () or (rank > 1 and self.chance(0.1)):
                continue
            x = self.emit("arange", [], Type("int32", (shape[i],)), dim=shape[i])
            if self.chance(0.12):
                x = self.arith("-", Const(f"{dim_text(shape[i])} - 1"), x, (shape[i],))
            at = tuple(j != i for j in range(rank))
            line = tuple(() if new else shape[i] for new in at)
            if rank > 1:
                x = self.expand(x, at)
            if later or factor > 1:
                x = self.arith("*", x, Const("*".join([str(factor)] + later)), line)
            total = x if total is None else self.arith(
                "+", total, x, result_shape(self.types[total].shape, line))
        if total is None:
            return self.emit("full", [0], Type("int32", shape), zeros=True)
        if self.types[total].shape != shape:
            total = self.broadcast(total, shape)
        return total

    def forget(self, before):
        """Most of the variables since then are not offered to other statements."""
        names = self.scopes[-1]
        names[before:] = [n for n in names[before:] if self.chance(0.12)]

    def index(self, shape, pointer, offset=None):
        """(offsets of the elements from the program's first, mask or None)."""
        part = self.part(pointer)
        if shape == ():
            if self.chance(0.5):
                return self.emit("copy", [self.pick([0, 1, 2, 3])], Type("int32")), None
            x = self.recent(lambda t: t == Type("int32"))
            if x is None:
                return self.emit("copy", [0], Type("int32")), None
            return self.arith("&", x, Const(f"({part.text}) - 1"), ()), None
        kind = self.rng.random()
        if kind < 0.12:
            x = self.recent(lambda t: t.shape == shape and t.dtype in ("int32", "int64", "int16"))
            if x:
                dtype = self.types[x].dtype
                if dtype != "int16":
                    return self.arith("&", x, Const(f"({part.text}) - 1"), shape, dtype), None
        x = self.affine(shape)
        if offset is not None:
            return self.arith("+", x, offset, shape), None
        if kind < 0.2:
            shifted = self.arith("+", x, self.pick([0, 1, 3, 8]), shape)
            return self.arith("%", shifted, part, shape), None
        if kind < 0.35:
            return x, self.mask_of_lines(shape)
        if kind < 0.5:
            limit = self.pick([n for n in self.kernel.scalars if n[0] == "m"] or [part])
            mask = self.emit("binary", [x, limit], Type("bool", shape),
                             op=self.pick(["<", "<", "<", "!="]), type="int32")
            inside = self.emit("binary", [x, part], Type("bool", shape), op="<", type="int32")
            return x, self.emit("binary", [mask, inside], Type("bool", shape), op="&", type="bool")
        return x, None

    def mask_of_lines(self, shape):
        """Comparisons of each dimension with numbers and constants, combined."""
        total = None
        limits = [n for n in self.kernel.scalars if n[0] in "nm"]
        for i, dim in enumerate(shape):
            if dim == () or (total and self.chance(0.2)):
                continue
            x = self.emit("arange", [], Type("int32", (dim, )), dim=dim)
            if len(shape) > 1:
                x = self.expand(x, tuple(j != i for j in range(len(shape))))
            limit = self.pick([*limits, *limits, 1, 2, 3, 8, 24, Const(f"{dim_text(dim)} // 2"),
                               Const(f"{dim_text(dim)} - 1")])
            line = self.emit("binary", [x, limit], Type("bool", self.types[x].shape),
                             op=self.pick(["<", "<", "<", ">="]), type="int32")
            total = line if total is None else self.emit(
                "binary", [total, line],
                Type("bool", result_shape(self.types[total].shape, self.types[line].shape)),
                op=self.pick(["&", "&", "&", "|"]), type="bool")
        if total is None:
            total = self.value("bool", ())
        elif self.chance(0.3):
            condition = self.condition()
            total = self.emit("binary", [total, condition], self.types[total],
                              op=self.pick("&|"), type="bool")
        return self.broadcast(total, shape) if self.types[total].shape != shape else total

    def pointers_to(self, pointer, index):
        """The tile of pointers at these offsets of the program's part."""
        t = Type("*" + pointer.dtype, self.types[index].shape)
        base = self.base[pointer.name]
        if base is None:
            return self.emit("pointer_add", [pointer.name, index], t)
        if self.chance(0.5):
            first = self.emit("pointer_add", [pointer.name, base], Type("*" + pointer.dtype))
            return self.emit("pointer_add", [first, index], t)
        if self.chance(0.15):  # offsets of other types; unsigned ones only where none is negative
            wide = self.pick(["int64", "uint32", "uint64"])
            first = self.emit("pointer_add", [pointer.name, base], Type("*" + pointer.dtype))
            return self.emit("pointer_add", [first, self.cast(index, wide)], t)
        if self.chance(0.08):
            last = self.arith("-", self.part(pointer), index, t.shape,
                              self.types[index].dtype)
            end = self.emit("pointer_add", [pointer.name, base], Type("*" + pointer.dtype))
            end = self.emit("pointer_add", [end, self.part(pointer)], Type("*" + pointer.dtype))
            return self.emit("pointer_sub", [end, last], t)
        dtype = exact.promote("int32", self.types[index].dtype, "+")
        sum_ = self.arith("+", base, index, t.shape, dtype)
        return self.emit("pointer_add", [pointer.name, sum_], t)

    def readable(self):
        return self.pick([p for p in self.kernel.pointers
                          if self.kernel.regions[p.region].kind in ("in", "own")])

    def load(self, shape, pointer=None):
        if not self.kernel.pointers:  # inside of a function
            return self.emit("full", [2], Type("int32", shape))
        pointer = pointer or self.readable()
        before = len(self.scopes[-1])
        index, mask = self.index(shape, pointer)
        where = self.pointers_to(pointer, index)
        self.forget(before)
        other = None
        if mask and self.chance(0.6):
            other = self.literal(pointer.dtype) if self.chance(0.7) else self.recent(
                lambda t: t == Type(pointer.dtype, shape))
        more = self.pick(["", "", "", "", ", volatile=True", ', cache_modifier=".ca"',
                          ', eviction_policy="evict_last"'])
        result = self.emit("load", [where, mask, other], Type(pointer.dtype, shape), more=more)
        fill = self.kernel.regions[pointer.region]
        if fill.fill == "small" and fill.kind == "in" and pointer.dtype == fill.dtype and (
                other is None):
            self.small.add(result)
        return result

    def store(self, x, pointer=None, offset=None):
        """Stores x somewhere in the program's part."""
        owned = [p for p in self.kernel.pointers if self.kernel.regions[p.region].kind == "own"]
        same = [p for p in owned if p.dtype == self.types[x].dtype]
        pointer = pointer or self.pick(same if same and self.chance(0.7) else owned)
        shape = self.types[x].shape
        before = len(self.scopes[-1])
        index, mask = self.index(shape, pointer, offset)
        where = self.pointers_to(pointer, index)
        self.forget(before)
        self.block.append(Assign([], "store", [where, x, mask]))
