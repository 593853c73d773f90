# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random loops that a compiler may pipeline: loads ahead of their uses, stores behind them.

A loop is made of strands, such as a product or a load through an index, whose steps are
interleaved at random. Strands read what others or earlier trips have stored. The sums of
products are exact, so every number of stages must give the same bits; those of regions with
the fill "sums" are not, but must have the same bits for all numbers of stages too.
"""

from . import exact
from .generate import Generator
from .ir import Assign, Config, Const, For, If, Pointer, Region, Type, dim_text

OPERANDS = ("float16", "float16", "bfloat16", "bfloat16", "float32", "int8", "int8", "float64",
            "float8e5")
MOST = 2048  # elements of a tile


class Pipelines(Generator):

    # -- what is passed ------------------------------------------------------------------

    def set_up(self):
        k = self.kernel
        self.symbols = "ABC"
        grid = self.pick([(1, ), (1, ), (2, ), (3, ), (2, 2)])
        for _ in range(self.pick([1, 1, 2])):
            sizes = dict.fromkeys("ABC", 0)
            while not sizes["A"] or max(sizes["A"] * sizes["B"], sizes["B"] * sizes["C"],
                                        sizes["A"] * sizes["C"]) > MOST:
                sizes = {name: self.pick([16, 16, 32, 32, 64, 128]) for name in "ABC"}
            k.configs.append(Config(sizes, {}, grid))
        self.make_shapes()
        self.shapes = [s for s in self.shapes if len(s) < 3]
        self.add(self.pick(OPERANDS), "in", "small")
        if self.chance(0.4):
            self.add(self.pick(OPERANDS), "in", "small")
        self.add("int32", self.pick(["in", "own"]), "any")
        self.add(self.dtype(), "own", self.pick(["any", "small"]))
        if self.chance(0.5):
            self.add(self.pick(["float32", "int32", "float16"]), "own", "small")
        if self.chance(0.25):
            self.add(self.pick(["float16", "bfloat16", "float32"]), "in", "normal")
            self.add("float32", "approximate", "sums")
        for region in k.regions:
            for config in k.configs:
                config.sizes[region.part] = 4 * MOST
        for i in range(self.pick([1, 2, 2, 3])):
            kind = "nm"[i % 2]
            for config in k.configs:
                config.scalars[f"{kind}{i}"] = self.pick(
                    [0, 1, 2, 3, 4, 5, 7] if kind == "n" else [0, 1, 5, 16, 40, MOST, 4 * MOST])
            k.scalars[f"{kind}{i}"] = "int32"

    def add(self, dtype, kind, fill):
        k = self.kernel
        number = len(k.regions)
        k.regions.append(Region(f"r{number}", dtype, kind, f"N{number}",
                                self.rng.randrange(2**31), fill))
        for _ in range(2 if kind == "own" and self.chance(0.3) else 1):  # two names of one memory
            k.pointers.append(Pointer(f"p{len(k.pointers)}", dtype, number))

    def pointer(self, test):
        found = [p for p in self.kernel.pointers if test(self.kernel.regions[p.region])]
        return self.pick(found) if found else None

    # -- addresses ------------------------------------------------------------------------

    def rows(self, shape):
        """The index of each element of a tile that lies row by row."""
        i = self.emit("arange", [], Type("int32", (shape[0], )), dim=shape[0])
        j = self.emit("arange", [], Type("int32", (shape[1], )), dim=shape[1])
        i = self.arith("*", self.expand(i, (False, True)), Const(dim_text(shape[1])),
                       (shape[0], ()))
        return self.arith("+", i, self.expand(j, (True, False)), shape)

    def walk(self, shape, pointer, regular=False):
        """Two steps of a strand: one makes `self.at` and `self.where` of a trip, one moves on.

        Addresses are carried by the loop, as pointers or as offsets, or follow from its variable.
        """
        step = self.pick([1, 2, 16, Const(dim_text(shape[-1])), Const(dim_text(shape[0]) + " * 2")])
        if regular:
            step = self.pick([16, Const(dim_text(shape[-1])), Const(dim_text(shape[0]) + " * 2")])
        at = self.emit("binary", [self.rows(shape) if regular else self.affine(shape), 0],
                       Type("int32", shape), op="+", type="int32")
        kind = self.pick(["pointers", "offsets", "variable", "variable"])
        where = self.pointers_to(pointer, at) if kind == "pointers" else None
        self.fixed.update((at, where))

        def here():
            if kind == "pointers":
                return at, where
            if kind == "variable":
                moved = self.arith("*", self.trip_number, step, ())
                now = self.arith("+", at, moved, shape)
                return now, self.pointers_to(pointer, now)
            return at, self.pointers_to(pointer, at)

        def move():
            if kind == "pointers":
                self.block.append(Assign([where], "pointer_add", [where, step]))
            if kind != "variable":
                self.assign(at, self.arith("+", at, step, shape))
        return here, move

    def inside(self, at, pointer, shape, regular=False):
        """Mask of what lies in the program's part; often of less."""
        mask = self.emit("binary", [at, self.part(pointer)], Type("bool", shape), op="<",
                         type="int32")
        limits = [n for n in self.kernel.scalars if n[0] == "m"]
        if limits and self.chance(0.1 if regular else 0.3):
            less = self.emit("binary", [at, self.pick(limits)], Type("bool", shape), op="<",
                             type="int32")
            mask = self.emit("binary", [mask, less], Type("bool", shape), op="&", type="bool")
        return mask

    def read(self, pointer, at, where, shape, regular=False):
        other = self.pick([None, None, 0, 1 if pointer.dtype != "bool" else True])
        if regular:  # as most kernels are: what compilers take for a pipeline
            other = self.pick([None, 0])
        mask = self.inside(at, pointer, shape, regular)
        if not regular and self.chance(0.15):
            mask = self.emit("binary", [mask, self.condition()], Type("bool", shape), op="&",
                             type="bool")
        return self.emit("load", [where, mask, other], Type(pointer.dtype, shape))

    # -- strands: lists of steps ----------------------------------------------------------

    def product(self):
        """acc = dot(a, b, acc), maybe of changed operands, maybe with a second product of it."""
        m, n, k = self.rng.sample([("A", ), ("B", ), ("C", )], 3)
        if self.chance(0.2):
            n = m
        wanted = "normal" if self.sums is not None and self.chance(0.7) else "small"
        left = self.pointer(lambda r: r.kind == "in" and r.fill == wanted)
        t = left.dtype
        right = self.pointer(lambda r: r.kind == "in" and r.fill == wanted and r.dtype == t)
        out = {"int8": "int32", "float64": "float64"}.get(t, "float32")
        acc = self.emit("full", [0], Type(out, (m, n)), zeros=True)
        self.fixed.add(acc)
        if wanted == "normal":
            self.sums.append(acc)
        sides = []
        for pointer, shape in ((left, (m, k)), (right, (k, n))):
            turned = self.chance(0.3)
            stored = shape[::-1] if turned else shape
            regular = self.regular and self.chance(0.95)
            sides.append((pointer, shape, stored, turned,
                          *self.walk(stored, pointer, regular), regular))
        tiles = [None, None]
        ieee = t == "float32" and (wanted == "normal" or self.chance(0.5))

        def load(i):
            pointer, shape, stored, turned, here, _, regular = sides[i]

            def step():
                x = self.read(pointer, *here(), stored, regular)
                if turned:
                    x = self.emit("permute", [x], Type(t, shape), order=(1, 0), how="plain")
                tiles[i] = x
            return step

        def change():
            if wanted == "normal" or t == "float8e5":
                return
            i = self.pick([0, 1])
            x = self.cast(tiles[i], "int32")
            y = self.emit("binary", [x, 3], self.types[x], op="&", type="int32")
            tiles[i] = self.cast(y, t)

        def multiply():
            if self.chance(0.7):
                product = self.emit("dot", [*tiles, acc], Type(out, (m, n)),
                                    out=t in ("float64", "int8"), ieee=ieee)
            else:
                product = self.emit("dot", [*tiles, None], Type(out, (m, n)),
                                    out=t in ("float64", "int8"), ieee=ieee)
                product = self.emit("binary", [acc, product], Type(out, (m, n)), op="+", type=out)
            self.assign(acc, product)
        strand = [load(0), load(1)]
        self.rng.shuffle(strand)
        strand += [change] if self.chance(0.3) else []
        strand.append(multiply)
        chained = wanted == "small" and t != "float8e5" and self.chance(0.3)
        if chained:
            strand.append(self.chain(lambda: tiles, t, m, k, n))
        for side in sides:
            strand.insert(self.rng.randrange(len(strand) + 1), side[5])
        return strand

    def chain(self, tiles, t, m, k, n):
        """A product whose left operand is computed of another product's result."""
        out = {"int8": "int32", "float64": "float64"}.get(t, "float32")
        total = self.emit("full", [0], Type(out, (m, k)), zeros=True)
        self.fixed.add(total)

        def step():
            a, b = tiles()
            first = self.emit("dot", [a, b, None], Type(out, (m, n)), out=t in ("float64", "int8"),
                              ieee=t == "float32")
            cut = self.emit("binary", [self.cast(first, "int32"), 3], Type("int32", (m, n)), op="&",
                            type="int32")
            turned = self.emit("permute", [b], Type(t, (n, k)), order=(1, 0), how="plain")
            second = self.emit("dot", [self.cast(cut, t), turned, total], Type(out, (m, k)),
                               out=t in ("float64", "int8"), ieee=t == "float32")
            self.assign(total, second)
        return step

    def indirect(self):
        """total += data[index[at] & mask]."""
        shape = self.pick(self.shapes[1:])
        indices = self.pointer(lambda r: r.dtype == "int32" and r.fill == "any")
        data = self.pointer(lambda r: r.kind in ("in", "own") and r.fill != "normal")
        here, move = self.walk(shape, indices)
        total = self.emit("full", [0], Type(data.dtype, shape), zeros=True)
        self.fixed.add(total)
        found = []

        def load_index():
            x = self.read(indices, *here(), shape)
            found.append(self.arith("&", x, Const(f"({self.part(data).text}) - 1"), shape))

        def load_data():
            mask = None if self.chance(0.6) else self.inside(found[-1], data, shape)
            found.append(self.emit("load", [self.pointers_to(data, found[-1]), mask, None],
                                   Type(data.dtype, shape)))

        def accumulate():
            op = "^" if data.dtype == "bool" else "+"
            if data.dtype in exact.FP8:
                self.assign(total, found[-1])
                return
            self.assign(total, self.emit("binary", [total, found[-1]], Type(data.dtype, shape),
                                         op=op, type=data.dtype))
        steps = [load_index, load_data, accumulate]
        steps.insert(self.rng.randrange(4), move)
        return steps

    def recurrence(self):
        """Loads and stores of one memory, some trips apart; stores may stand under a condition."""
        own = self.pointer(lambda r: r.kind == "own" and r.fill != "sums")
        other = self.pick([p for p in self.kernel.pointers if p.region == own.region])
        shape = self.pick(self.shapes[1:])
        here, move = self.walk(shape, own)
        distance = self.pick([0, 1, 1, 2, 3, 16, Const(dim_text(shape[-1]))])
        t = Type(own.dtype, shape)
        got = []

        def load():
            at, where = here()
            got[:] = [at, self.read(own, at, where, shape)]

        def store():
            at, value = got
            if own.dtype not in exact.FP8 and own.dtype != "bool":
                value = self.emit("binary", [value, self.pick([1, 3])], t,
                                  op=self.pick(["+", "+", "*"]), type=own.dtype)
            to = self.arith("+", at, distance, shape)
            mask = self.inside(to, other, shape)
            where = self.pointers_to(other, to)
            self.put_if([Assign([], "store", [where, value, mask])])
        steps = [load, store]
        steps.insert(self.rng.randrange(3), move)
        return steps

    def writing(self):
        """Stores something that the loop carries or computes, trip after trip."""
        own = self.pointer(lambda r: r.kind == "own" and r.fill != "sums")
        names = [v for v in self.visible(lambda t: len(t.shape) > 0 and t.dtype[0] != "*")
                 if v not in (self.sums or [])]
        if not names:
            return []
        value = self.pick(names)
        shape = self.types[value].shape
        here, move = self.walk(shape, own)

        def store():
            at, where = here()
            mask = self.inside(at, own, shape)
            self.put_if([Assign([], "store", [where, value, mask])])
        return self.pick([[store, move], [move, store]])

    def put_if(self, statements):
        """The statements, often under a scalar condition."""
        if self.chance(0.5):
            self.block += statements
            return
        if self.chance(0.5):
            condition = self.emit("binary", [self.trip_number, self.pick([0, 1, 2, 3])],
                                  Type("bool"), op=self.pick(["==", "!=", ">", "<"]), type="int32")
        else:
            own = self.pointer(lambda r: r.kind == "own" and r.dtype != "bool" and
                               r.dtype not in exact.FP8) or self.pointer(
                                   lambda r: r.dtype == "int32")
            at = self.arith("&", self.trip_number, Const(f"({self.part(own).text}) - 1"), ())
            x = self.emit("load", [self.pointers_to(own, at), None, None], Type(own.dtype))
            condition = self.emit("binary", [x, self.literal(own.dtype)], Type("bool"),
                                  op=self.pick(["<", ">", "!="]), type=own.dtype)
        self.block.append(If(condition, statements, []))

    def free(self):
        """Something of the general generator, loads included."""
        def step():
            for _ in range(self.pick([1, 1, 2])):
                self.compute() if self.chance(0.6) else self.load(self.pick(self.shapes))
        return [step]

    # -- loops ------------------------------------------------------------------------------

    def pipelined(self, depth=1):
        """A loop of interleaved strands."""
        makers = [self.product] * 5 + [self.indirect] * 2 + [self.recurrence] * 3
        makers += [self.writing] * 3 + [self.free] * 2
        if self.chance(0.5):  # without stores
            makers = [self.product] * 6 + [self.indirect]
        self.regular = self.chance(0.7)
        strands = [self.pick(makers)() for _ in range(self.pick([1, 2, 2, 3, 3, 4]))]
        if depth < 2 and self.chance(0.25):
            strands.append([lambda: self.pipelined(depth + 1)])
        stop = self.pick([*(n for n in self.kernel.scalars if n[0] == "n"), 1, 3, 4, 6])
        start, step = self.pick([(0, 1)] * 5 + [(1, 1), (0, 2), (2, 3)])
        kind = self.pick(["range", "range", "tl.range", "tl.range|num_stages=2",
                          "tl.range|num_stages=4", "tl.range|flatten=True"])
        var = f"k{self.count}"
        self.count += 1
        self.types[var] = Type("int32")
        outer = self.trip_number

        def body():
            self.scopes[-1].append(var)
            self.fixed.add(var)
            self.trip_number = var
            while any(strands):
                self.pick([s for s in strands if s]).pop(0)()
            self.trip_number = outer
        loop = For(var, start, stop, step, [], kind)
        loop.body = self.loop(body)
        self.block.append(loop)

    regular = False
    trip_number = None
    sums = None

    def make(self):
        self.begin()
        if any(r.fill == "sums" for r in self.kernel.regions):
            self.sums = []
        for _ in range(self.pick([0, 1, 2])):
            self.load(self.pick(self.shapes))
        for _ in range(self.pick([1, 1, 2])):
            self.pipelined()
        sums = [v for v in self.sums or [] if v in self.scopes[0]]
        for name in sums:
            self.scopes[0].remove(name)
        if sums:
            name, target = sums[-1], self.pointer(lambda r: r.fill == "sums")
            at = self.affine(self.types[name].shape)
            mask = self.inside(at, target, self.types[name].shape)
            self.block.append(Assign([], "store", [self.pointers_to(target, at), name, mask]))
        self.fixed -= {v for v in self.scopes[0] if self.types[v].dtype[0] != "*" and
                       self.types[v].shape}
        self.show_results()
        return self.kernel
