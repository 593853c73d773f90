# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements: scans, sorting, joining and cutting, atomics, blocks of tensors, jumps."""

from . import exact
from .builder import MAX_ELEMENTS
from .ir import Assign, Const, Helper, If, Jump, Type, dim_size, dim_text
from .statements import Computing


class Further(Computing):

    def least(self, dim):
        """Elements of a dimension in the smallest launch."""
        return min(dim_size(dim, config.sizes) for config in self.kernel.configs)

    def several(self, types, op, args, **attrs):
        targets = [self.declare(t) for t in types]
        self.block.append(Assign(targets, op, args, attrs))
        return targets[0]

    def tile(self, test=lambda t: True):
        """A tile that is no scalar, or None."""
        return self.recent(lambda t: t.shape and t.dtype[0] != "*" and test(t))

    # -- scans, sorting --------------------------------------------------------------------

    def gen_scan(self):
        x = self.tile(lambda t: t.dtype not in exact.FP8 and t.dtype != "bool")
        if not x:
            return None
        t = self.types[x]
        axis = self.rng.randrange(len(t.shape))
        kind, result = self.pick(["cumsum", "cumsum", "cumprod"]), t.dtype
        if exact.is_float(t.dtype):
            kind = "cumsum"
            bound = 2**exact.FORMATS.get(t.dtype, (53, ))[0] // self.elements((t.shape[axis], ))
            if bound < 8:
                return None
            x = self.small_ints(t.dtype, t.shape, 7)
            result = "float32" if t.dtype == "bfloat16" else t.dtype
        elif kind == "cumsum" and exact.bits(t.dtype) < 32:
            result = "uint32" if t.dtype in exact.UNSIGNED else "int32"
        return self.emit("scan", [x], Type(result, t.shape), kind=kind, axis=axis,
                         reverse=self.chance(0.4))

    def gen_scan_with(self):
        x = self.tile(lambda t: exact.is_int(t.dtype))
        if not x:
            return None
        t = self.types[x]
        combiners = [self.pick(["mul", "add", "and", "or", "xor", "max", "min", "last"])
                     for _ in range(self.pick([1, 1, 2]))]
        args = [x] + [self.value(self.pick(exact.INTEGERS), t.shape) for _ in combiners[1:]]
        if self.chance(0.35):
            both = self.pick(["int32", "int64", "uint8"])
            combiners, args = ["compose"], [self.value(both, t.shape), self.value(both, t.shape)]
        return self.several([self.types[a] for a in args], "scan_with", args,
                            combiners=combiners, axis=self.rng.randrange(len(t.shape)),
                            reverse=self.chance(0.4))

    def gen_sort(self):
        x = self.tile(lambda t: t.dtype not in exact.FP8 and t.dtype != "bool" and
                      self.elements((t.shape[-1], )) <= 128)
        if not x:
            return None
        t = self.types[x]
        kind = self.pick(["sort", "sort", "argsort", "topk"])
        attrs = {"kind": kind, "descending": kind == "topk" or self.chance(0.5)}
        shape = t.shape
        if kind == "topk":
            attrs["k"] = self.pick([k for k in (1, 2, 4, 8) if k <= self.least(shape[-1])])
            attrs["descending"] = self.chance(0.7)
            shape = shape[:-1] + ((str(attrs["k"]), ) if attrs["k"] > 1 else (), )
        types = [Type("int32" if kind == "argsort" else t.dtype, shape)]
        if kind != "argsort" and self.chance(0.5):
            types.append(Type("int32", shape))
        return self.several(types, "sort", [x], **attrs)

    def gen_histogram(self):
        shape = self.pick(self.shapes)
        if len(shape) != 1:
            return None
        x = self.value("int32", shape)
        if self.chance(0.6):
            x = self.arith("&", x, self.pick([7, 15, 31]), shape)
        mask = self.value("bool", shape) if self.chance(0.4) else None
        bins = self.pick([2, 4, 8, 16])
        return self.emit("histogram", [x, mask], Type("int32", ((str(bins), ), )), bins=bins)

    # -- joining and cutting -----------------------------------------------------------------

    def gen_join(self):
        x = self.tile(lambda t: len(t.shape) <= 3)
        if not x or 2 * self.elements(self.types[x].shape) > MAX_ELEMENTS:
            return None
        t = self.types[x]
        shape, kind = t.shape, self.pick(["join", "interleave", "cat", "cat"])
        y = self.value(t.dtype, shape)
        def doubled(i):
            return shape[:i] + (tuple(sorted(shape[i] + ("2", ))), ) + shape[i + 1:]
        if kind == "join":
            result = self.emit("joining", [x, y], Type(t.dtype, shape + (("2", ), )), kind=kind)
            if self.chance(0.5):
                halves = self.several([t, t], "split", [result])
                return halves
            return result
        if kind == "interleave":
            return self.emit("joining", [x, y], Type(t.dtype, doubled(len(shape) - 1)), kind=kind)
        dim = self.rng.randrange(len(shape))
        return self.emit("joining", [x, y], Type(t.dtype, doubled(dim)), kind=kind, dim=dim)

    def gen_split(self):
        x = self.tile(lambda t: t.shape[-1] == ("2", ))
        if not x:
            return self.gen_join()
        t = self.types[x]
        half = Type(t.dtype, t.shape[:-1])
        return self.several([half, half], "split", [x])

    def gen_flip(self):
        x = self.tile()
        if not x:
            return None
        return self.emit("joining", [x], self.types[x], kind="flip",
                         dim=self.rng.randrange(len(self.types[x].shape)))

    def gen_gather(self):
        x = self.tile()
        if not x:
            return None
        t = self.types[x]
        axis = self.rng.randrange(len(t.shape))
        index = self.value("int32", t.shape)
        if self.chance(0.7):
            index = self.arith("&", index, Const(f"{dim_text(t.shape[axis])} - 1"), t.shape)
        return self.emit("gather", [x, index], t, axis=axis)

    def gen_subscript(self):
        """An element, a part of a tile, a tile from its end."""
        x = self.tile()
        if not x:
            return None
        t = self.types[x]
        kind = self.rng.random()
        if kind < 0.4:
            parts, args = [], [x]
            for dim in t.shape:
                parts.append(self.pick([0, -1, "?", "?"]))
                if parts[-1] == "?":
                    # One that is known when compiling must be inside.
                    args.append(self.cast(self.load(()), "int32"))
                    if self.chance(0.7) or self.inside_helper:
                        args[-1] = self.arith("&", self.value("int32", ()),
                                              Const(f"{dim_text(dim)} - 1"), ())
            return self.emit("subscript", args, Type(t.dtype), parts=parts)
        parts, shape = [], []
        for dim in t.shape:
            part = self.pick([":", ":", "::-1", "0:2", "2:4", 0])
            if part == "0:2" and self.least(dim) < 2 or part == "2:4" and self.least(dim) < 4:
                part = ":"
            parts.append(part)
            if part != 0:
                shape.append(("2", ) if part in ("0:2", "2:4") else dim)
        if all(p in (":", ) for p in parts):
            return None
        return self.emit("subscript", [x], Type(t.dtype, tuple(shape)), parts=parts)

    # -- memory ------------------------------------------------------------------------------

    def atomic_names(self, dtype):
        return ["add", "max", "min"] + (["and", "or", "xor"] if exact.is_int(dtype) else [])

    def gen_atomic(self):
        """On memory of all programs one commuting operation; on our own, any."""
        names = exact.INTEGERS + ("float32", "float64", "float16", "bfloat16")
        choices = [p for p in self.kernel.pointers
                   if self.kernel.regions[p.region].kind in ("own", "atomic") and p.dtype in names]
        shared = [p for p in choices if self.kernel.regions[p.region].kind == "atomic"]
        if not choices:
            return None
        pointer = self.pick(shared if shared and self.chance(0.7) else choices)
        region = self.kernel.regions[pointer.region]
        shape = self.pick(self.shapes)
        t = Type(pointer.dtype, shape)
        more = self.pick(["", "", ', sem="relaxed"', ', sem="acquire", scope="cta"'])
        if region.kind == "atomic":
            if pointer.dtype != region.dtype:
                return None
            index, mask = self.index(shape, pointer)
            where = self.pointers_to(pointer, index)
            x = (self.small_ints(pointer.dtype, shape) if exact.is_float(pointer.dtype) else
                 self.value(pointer.dtype, shape))
            self.block.append(Assign([], "atomic", [where, x, mask],
                                     {"name": region.name.split("_")[1], "more": more}))
            return None
        name = self.pick(self.atomic_names(pointer.dtype) + ["xchg", "cas"])
        index = self.affine(shape) if shape else self.emit("copy", [1], Type("int32"))
        where = self.pointers_to(pointer, index)
        x = self.value(pointer.dtype, shape)
        if name == "cas":
            if exact.bits(pointer.dtype) < 16:
                return None
            return self.emit("atomic", [where, self.value(pointer.dtype, shape), x], t, name=name,
                             more=more)
        return self.emit("atomic", [where, x, None], t, name=name, more=more)

    def block_of(self, pointer, descriptor):
        """A block pointer or descriptor over the program's part, with its checked dimensions."""
        shape = self.pick([s for s in self.shapes if s] or [((self.symbols[0], ), )])
        rank = len(shape)
        where = self.emit("pointer_add", [pointer.name, self.base[pointer.name]],
                          Type("*" + pointer.dtype)) if self.base[pointer.name] else pointer.name
        extents, strides = [], []
        for i in range(rank):
            later = [dim_text(d) for d in shape[i + 1:]]
            strides.append(Const("*".join(later)) if later else 1)
            extents.append(self.pick([Const(dim_text(shape[i])), Const(dim_text(shape[i])),
                                      Const(f"{dim_text(shape[i])} // 2 + 1"), 3]))
        if rank == 2 and not descriptor and self.chance(0.3):
            strides = [1, Const(dim_text(shape[0]))]
        offsets = [self.pick([0, 0, 0, 1, -1, Const(f"{dim_text(d)} // 2")]) for d in shape]
        t = Type(("*^" if descriptor else "*&") + pointer.dtype, shape)
        name = self.emit("make_block", [where, *extents, *strides,
                                        *([0] * rank if descriptor else offsets)], t,
                         descriptor=descriptor, nan=False)
        self.fixed.add(name)
        return name, shape, offsets

    def gen_block(self):
        """Loads, stores and moves of a block pointer or descriptor; all dimensions are checked."""
        pointer = self.readable()
        region = self.kernel.regions[pointer.region]
        descriptor = self.chance(0.4)
        name, shape, offsets = self.block_of(pointer, descriptor)
        check = tuple(range(len(shape)))
        extra = offsets if descriptor else []
        t = Type(pointer.dtype, shape)
        x = self.emit("block_load", [name, *extra], t, check=check)
        if not descriptor and self.chance(0.5):
            moved = self.emit("advance", [name, *(self.pick([0, 1, 2]) for _ in shape)],
                              self.types[name])
            self.fixed.add(moved)
            x = self.emit("block_load", [moved], t, check=check)
            name = moved
        if region.kind == "own" and self.chance(0.6):
            value = x if self.chance(0.3) else self.value(self.pick([t.dtype, "int32", "float32"]),
                                                          shape)
            self.block.append(Assign([], "block_store", [name, value, *extra], {"check": check}))
        return x

    def gen_block_walk(self):
        """A loop that carries a block pointer and moves it."""
        pointer = self.readable()
        name, shape, _ = self.block_of(pointer, False)
        t = Type(pointer.dtype, shape)
        total = self.emit("full", [0], t, zeros=True)
        steps = [self.pick([0, 0, 1, 2, -1]) for _ in shape]
        check = tuple(range(len(shape)))
        store = self.kernel.regions[pointer.region].kind == "own" and self.chance(0.3)

        def body():
            x = self.emit("block_load", [name], t, check=check)
            if t.dtype != "bool":
                self.assign(total, self.emit("binary", [total, x], t, op="+", type=t.dtype))
            if store:
                self.block.append(Assign([], "block_store", [name, total], {"check": check}))
            if self.chance(0.3):
                self.some(2)
            self.block.append(Assign([name], "advance", [name, *steps]))
        self.count_loop(body)

    def gen_matmul(self):
        """dot in a loop: pointers move along, the sum is carried."""
        symbols = list(self.symbols)
        if len(symbols) < 2:
            return None
        self.rng.shuffle(symbols)
        m, n, k = ((s, ) for s in (symbols * 2)[:3])
        if max(self.elements(s) for s in ((m, k), (k, n), (m, n))) > MAX_ELEMENTS:
            return None
        choices = [p for p in self.kernel.pointers
                   if self.kernel.regions[p.region].kind in ("in", "own")]
        t = self.pick(["float16", "bfloat16", "float32", "float64", "int8", "float8e5"])
        out = {"int8": "int32", "float64": "float64"}.get(t, "float32")
        total = self.emit("full", [0], Type(out, (m, n)), zeros=True)
        sides = []
        for shape in ((m, k), (k, n)):
            pointer = self.pick(choices)
            at = self.emit("binary", [self.affine(shape), 0], Type("int32", shape), op="+",
                           type="int32")
            where = self.pointers_to(pointer, at)
            self.fixed.update((at, where))
            sides.append((pointer, at, where, shape))
        step = self.pick([1, Const(dim_text(k)), 16])

        def body():
            tiles = []
            for pointer, at, where, shape in sides:
                inside = self.emit("binary", [at, self.part(pointer)], Type("bool", shape), op="<",
                                   type="int32")
                x = self.emit("load", [where, inside, self.pick([None, 0])],
                              Type(pointer.dtype, shape))
                x = self.cast(x, "int32")
                x = self.emit("binary", [x, 3], Type("int32", shape), op="&", type="int32")
                tiles.append(self.cast(x, t))
            if self.chance(0.5):
                product = self.emit("dot", [*tiles, total], Type(out, (m, n)),
                                    out=t in ("float64", "int8"), ieee=t == "float32")
            else:
                product = self.emit("dot", [*tiles, None], Type(out, (m, n)),
                                    out=t in ("float64", "int8"), ieee=t == "float32")
                product = self.emit("binary", [total, product], Type(out, (m, n)), op="+",
                                    type=out)
            self.assign(total, product)
            for pointer, at, where, shape in sides:
                self.block.append(Assign([where], "pointer_add", [where, step]))
                self.assign(at, self.arith("+", at, step, shape))
        self.fixed.add(total)
        self.count_loop(body)
        self.fixed.discard(total)
        return total

    def gen_row(self):
        """Something like a softmax along an axis: reduce, spread, combine."""
        x = self.tile(lambda t: t.dtype in ("int32", "float32", "float64", "float16", "int8"))
        if not x:
            return None
        t = self.types[x]
        axis = self.rng.randrange(len(t.shape))
        wide = {"float16": "float32", "int8": "int32"}.get(t.dtype, t.dtype)
        new = t.shape[:axis] + ((), ) + t.shape[axis + 1:]
        kind = self.pick(["max", "min"])
        top = self.emit("reduce", [x], Type(wide, new), kind=kind, axis=axis, keep=True)
        less = self.emit("binary", [x, top], Type(wide, t.shape), op="-", type=wide)
        marks = self.emit("binary", [less, 0], Type("bool", t.shape), op="==", type=wide)
        count = self.emit("reduce", [marks], Type("uint32", new), kind="sum", axis=axis, keep=True)
        count = self.cast(count, wide)
        return self.emit("binary", [less, count], Type(wide, t.shape), op="+", type=wide)

    def gen_select_pointers(self):
        """A load behind pointers that were chosen element by element, or by a condition."""
        pointer = self.readable()
        same = [p for p in self.kernel.pointers if p.dtype == pointer.dtype and
                self.kernel.regions[p.region].kind in ("in", "own")]
        shape = self.pick(self.shapes)
        sides = [self.pointers_to(p, self.affine(shape) if shape else self.emit(
            "copy", [1], Type("int32"))) for p in (pointer, self.pick(same))]
        t = self.types[sides[0]]
        if self.chance(0.5):
            where = self.emit("ternary", [self.condition(), *sides], t)
        else:
            where = self.emit("where", [self.value("bool", shape), *sides], t, type=t.dtype)
        return self.emit("load", [where, None, None], Type(pointer.dtype, shape))

    def gen_memory_call(self):
        """A jit function that reads and writes memory of the caller."""
        owned = [p for p in self.kernel.pointers if self.kernel.regions[p.region].kind == "own"]
        pointer, other = self.pick(owned), self.readable()
        shape = self.pick(self.shapes)
        inputs = [self.pointers_to(p, self.affine(shape) if shape else self.emit(
            "copy", [1], Type("int32"))) for p in (pointer, other)]
        inputs.append(self.value(pointer.dtype, shape))
        outer_scopes, outer_block = self.scopes, self.block
        self.scopes, self.block = [[]], []
        params = [self.declare(self.types[i], "h") for i in inputs]
        self.fixed.update(params)
        mine, self.kernel.pointers = self.kernel.pointers, []
        self.inside_helper = True
        t, u = Type(pointer.dtype, shape), Type(other.dtype, shape)
        x = self.emit("load", [params[1], None, None], u)
        if self.chance(0.5):
            self.compute()
        self.block.append(Assign([], "store", [params[0], params[2], None]))
        y = self.emit("load", [params[0], None, None], t)
        if self.chance(0.5):
            self.block.append(Assign([], "store", [params[0], x, None]))
        self.inside_helper = False
        self.kernel.pointers = mine
        body = self.block
        self.scopes, self.block = outer_scopes, outer_block
        name = f"helper{len(self.kernel.helpers)}"
        self.kernel.helpers.append(Helper(name, params, body, [x, y]))
        names = [self.declare(u), self.declare(t)]
        self.block.append(Assign(names, "call", inputs, {"helper": name}))

    def gen_approximate(self):
        """A function whose last bits are left open, of moderate numbers, stored at once."""
        choices = [p for p in self.kernel.pointers
                   if self.kernel.regions[p.region].kind == "approximate"]
        if not choices:
            return None
        pointer = self.pick(choices)
        shape = self.pick(self.shapes)
        x = self.value(pointer.dtype, shape)
        t = Type(pointer.dtype, shape)
        name = self.pick(["exp", "exp2", "log", "log2", "sin", "cos", "rsqrt", "erf", "sigmoid"])
        low, high = (0.125, 100.0) if name in ("log", "log2", "rsqrt") else (-3.0, 3.0)
        if name in ("log", "log2") and self.chance(0.9):
            low = 2.0  # near 1 the error is no relative one
        x = self.emit("min_max", [x, low, high], t, name="clamp", type=t.dtype)
        y = self.emit("approximate", [x], t, name=name, type=t.dtype)
        self.scopes[-1].remove(y)
        self.store(y, pointer)

    # -- jumps ---------------------------------------------------------------------------------

    def gen_jump(self):
        """A break or continue on a condition; a return, also outside of loops."""
        kind = self.pick(["break", "continue", "return"] if self.loops else ["return"])
        if kind == "return" and self.chance(0.6):
            return None
        self.block.append(If(self.condition(), [Jump(kind)], []))

    COMPUTE = Computing.COMPUTE | {"scan": 2, "scan_with": 2, "sort": 1.5, "histogram": 0.7,
                                   "join": 2, "split": 1, "flip": 1, "gather": 1.5,
                                   "subscript": 2}
