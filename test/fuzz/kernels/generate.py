# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A random kernel of a seed: memory, launches, control flow."""

from . import exact
from .builder import MAX_ELEMENTS
from .ir import Assign, Config, Const, For, If, Invalid, Pointer, Region, Type, While
from .interpret import interpret
from .statements_more import Further

SIZES = [1, 2, 4, 8, 16, 16, 32, 32, 64, 128, 256, 48, 80, 512, 1024]
INT_VIEWS = exact.INTEGERS


class Generator(Further):
    inside_helper = False
    depth = 0
    loops = 0

    # -- what is passed ----------------------------------------------------------------

    def set_up(self):
        k = self.kernel
        self.symbols = "ABCD"[:self.rng.choices([1, 2, 3, 4], [4, 5, 3, 1])[0]]
        programs = self.pick([(1, ), (2, ), (3, ), (2, 2), (4, ), (1, 3), (2, 1, 2), (5, )])
        for _ in range(self.pick([1, 1, 2])):
            k.configs.append(Config(self.sizes(), {}, programs))
        self.make_shapes()
        for i in range(self.pick([1, 2, 2, 3, 3])):
            self.add_region(i)
        if not any(k.regions[p.region].kind == "own" for p in k.pointers):
            k.regions[k.pointers[-1].region].kind = "own"
        if self.chance(0.25) and len(k.pointers) < 6:
            number = len(k.regions)
            dtype = self.pick(exact.WIDE)
            k.regions.append(Region(f"r{number}", dtype, "approximate", f"N{number}",
                                    self.rng.randrange(2**31), "small"))
            k.pointers.append(Pointer(f"p{len(k.pointers)}", dtype, number, 0))
        if all(k.regions[p.region].kind not in ("in", "own") for p in k.pointers):
            k.regions[k.pointers[0].region].kind = "own"
        largest = [0] * len(k.configs)
        for c, config in enumerate(k.configs):
            product = 1
            for name in self.symbols:
                product *= config.sizes[name]
            largest[c] = max(16, 1 << (4 * min(product, MAX_ELEMENTS) - 1).bit_length())
            for region in k.regions:
                config.sizes[region.part] = largest[c]
        for _ in range(self.pick([0, 1, 1, 2, 3])):
            self.add_scalar(largest)
        self.rng.shuffle(k.pointers)

    def sizes(self):
        while True:
            sizes = {name: self.pick(SIZES) for name in self.symbols}
            product = 1
            for size in sizes.values():
                product *= size
            if product <= MAX_ELEMENTS:
                return sizes

    def make_shapes(self):
        """Shapes of tiles that statements start from."""
        dims = [(name, ) for name in self.symbols]
        self.shapes = [(), (dims[0], )]
        for _ in range(self.pick([1, 2, 3])):
            some = dims[:]
            self.rng.shuffle(some)
            self.shapes.append(tuple(some[:self.rng.randrange(1, len(some) + 1)]))
        if len(dims) > 1:
            self.shapes.append(tuple(dims[:2]))

    def add_region(self, number):
        k = self.kernel
        dtype = self.dtype()
        kind = self.pick(["in", "own", "own", "own", "in", "atomic"])
        fill = self.pick(["any", "any", "small", "finite"])
        name = f"r{number}"
        if kind == "atomic":
            dtype = self.dtype(exact.INTEGERS + exact.WIDE)
            fill = "small" if exact.is_float(dtype) else fill
            name += "_" + self.pick(self.atomic_names(dtype))
        k.regions.append(Region(name, dtype, kind, f"N{number}", self.rng.randrange(2**31), fill))
        for _ in range(self.pick([1, 1, 1, 2, 2, 3])):
            if len(k.pointers) >= 6:
                return
            seen_as = self.pick(INT_VIEWS) if kind != "atomic" and exact.is_int(
                dtype) and self.chance(0.3) else dtype
            pointer = Pointer(f"p{len(k.pointers)}", seen_as, number,
                              self.pick([0, 0, 1, 2, 7, 16]) if k.pointers else 0)
            k.pointers.append(pointer)

    def add_scalar(self, largest):
        """An argument: n* for numbers of trips, m* for limits of masks, s* for arithmetic."""
        kind = self.pick("nms")
        name = f"{kind}{len(self.kernel.scalars)}"
        dtype = "int32" if kind != "s" else self.pick(
            ["int32", "int32", "int64", "float32", "float32", "bool"])
        for config, most in zip(self.kernel.configs, largest):
            config.scalars[name] = {
                "n": lambda: self.pick([0, 1, 1, 2, 3, 4, 5]),
                "m": lambda: self.pick([0, 1, 16, 5, most, most // 4, most // 4 - 1, most // 8]),
                "s": lambda: self.argument(dtype)}[kind]()
        self.kernel.scalars[name] = dtype

    def argument(self, dtype):
        if dtype == "bool":
            return self.chance(0.5)
        if dtype == "float32":
            return self.pick([0.0, 1.0, 2.5, -3.0, 16.0])
        if dtype == "int64":
            return self.pick([2**31, 2**40 + 3, -2**33, 2**50])  # smaller ones are int32
        return self.pick([0, 1, 1, 2, 16, 32, -1, -7, 100, 2**31 - 1])

    # -- control flow --------------------------------------------------------------------

    def nested(self, make):
        """Statements of a block of their own."""
        outer = self.block
        self.block = []
        self.scopes.append([])
        self.depth += 1
        make()
        self.depth -= 1
        self.scopes.pop()
        body, self.block = self.block, outer
        return body

    def loop(self, make):
        self.loops += 1
        body = self.nested(make)
        self.loops -= 1
        return body

    def count_loop(self, make):
        """A loop whose variable the body that is made may use."""
        stop = self.count_of()
        var = f"k{self.count}"
        self.count += 1
        self.types[var] = Type(self.types[stop].dtype if isinstance(stop, str) else "int32")

        def body():
            self.scopes[-1].append(var)
            self.fixed.add(var)
            make()
        self.block.append(For(var, 0, stop, 1, self.loop(body), self.pick(["range", "tl.range"])))

    def some(self, most):
        for _ in range(self.rng.randrange(1, most + 1)):
            self.statement()

    def variables(self):
        """Variables that a nested block may assign."""
        names = self.visible(lambda t: t.dtype[0] != "*" and self.elements(t.shape) <= 512)
        names = [n for n in names if n not in self.fixed]
        self.rng.shuffle(names)
        return names[:self.pick([1, 1, 2, 3])]

    def update(self, name):
        """name = something of its type, mostly made of itself."""
        t = self.types[name]
        other = self.value(t.dtype, t.shape)
        op = self.pick(["+", "+", "*", "-", "^" if not exact.is_float(t.dtype) else "+"])
        if self.chance(0.2):
            self.assign(name, other)
        else:
            result = self.emit("binary", [name, other], t, op=op, type=t.dtype)
            self.assign(name, result)

    def gen_for(self):
        carried = self.variables()
        kind = self.pick(["range", "range", "range", "tl.range", "tl.static_range"])
        start, step = 0, 1
        if kind == "tl.static_range":
            stop = self.pick([0, 1, 2, 3])
        else:
            stop = self.count_of()
            if self.chance(0.25):
                start = self.pick([1, 2, "pid"])
            if self.chance(0.25):
                step = self.pick([2, 3, *(n for n in self.kernel.scalars if n[0] == "n")])
            if isinstance(stop, int) and self.chance(0.3):
                start, stop, step = stop, self.pick([0, 1, -1]), self.pick([-1, -2])
            if kind == "tl.range" and self.chance(0.4):
                kind = self.pick(["tl.range|num_stages=2", "tl.range|loop_unroll_factor=4",
                                  "tl.range|flatten=True", "tl.range|disable_licm=True"])
        def dtype(v):
            return self.types[v].dtype if isinstance(v, str) else None
        kinds = {dtype(v) for v in (start, stop, step)} - {None}
        if len(kinds) > 1:
            start, step = 0, 1
            kinds = {dtype(stop)}
        var = f"k{self.count}"
        self.count += 1
        self.types[var] = Type(kinds.pop() if kinds else "int32")

        def body():
            if kind == "tl.static_range":  # a constant until it gets a plain name
                number = self.emit("copy", [var], Type("int32"))
                self.fixed.add(number)
            else:
                self.scopes[-1].append(var)
            self.fixed.add(var)
            self.some(3)
            for name in carried:
                self.update(name)
        self.block.append(For(var, start, stop, step, self.loop(body), kind))

    def gen_walk(self):
        """A loop that carries a tile of pointers along the program's part."""
        pointer = self.readable()
        shape = self.pick(self.shapes)
        part = self.part(pointer)
        offsets = self.affine(shape) if shape else self.emit("copy", [0], Type("int32"))
        at = self.emit("binary", [offsets, 0], Type("int32", shape), op="+", type="int32")
        where = self.pointers_to(pointer, at)
        step = self.pick([1, 2, Const(f"({part.text}) // 4"), 16])
        t = Type(self.pick(["float32", "int32", pointer.dtype]), shape)
        total = self.emit("full", [0], t, zeros=True)
        store = self.kernel.regions[pointer.region].kind == "own" and self.chance(0.4)
        def body():
            inside = self.emit("binary", [at, part], Type("bool", shape), op="<", type="int32")
            other = self.pick([None, 0])
            x = self.emit("load", [where, inside, other], Type(pointer.dtype, shape))
            if self.depth < 2 and self.chance(0.4):
                self.some(2)
            self.assign(total, self.emit("binary", [total, self.cast(x, t.dtype)], t,
                                         op="+" if t.dtype != "bool" else "^", type=t.dtype))
            if store:
                self.block.append(Assign([], "store", [where, total, inside]))
            self.block.append(Assign([where], "pointer_add", [where, step]))
            self.assign(at, self.arith("+", at, step, shape))
        self.fixed.update((at, where))
        self.count_loop(body)

    def gen_while(self):
        counter = self.emit("copy", [0], Type("int32"))
        self.fixed.add(counter)
        stop = self.count_of()
        if isinstance(stop, str) and self.types[stop].dtype != "int32":
            stop = 3
        carried = self.variables()

        def body():
            self.assign(counter, self.arith("+", counter, self.pick([1, 1, 2]), ()))
            self.some(2)
            for name in carried:
                self.update(name)
        self.block.append(While(counter, "<", stop, self.loop(body)))

    def gen_if(self):
        condition = self.condition()
        if self.chance(0.15):
            condition = Const(f"{self.symbols[0]} {self.pick(['<', '>'])} {self.pick([2, 16, 64])}")
        assigned = self.variables()

        def side():
            self.some(2)
            for name in assigned:
                if self.chance(0.7):
                    self.update(name)
        then = self.nested(side)
        other = self.nested(side) if self.chance(0.6) else []
        self.small.difference_update(assigned)
        self.block.append(If(condition, then, other))

    def gen_store(self):
        self.store(self.number())

    def gen_in_place(self):
        """Read, change and write the same memory, perhaps by two names of it."""
        owned = [p for p in self.kernel.pointers if self.kernel.regions[p.region].kind == "own"]
        first = self.pick(owned)
        same = [p for p in owned if p.region == first.region]
        x = self.load(self.pick(self.shapes), first)
        y = self.load(self.types[x].shape, self.pick(same)) if self.chance(0.5) else x
        t, x, y = self.common(x, y, "+")
        z = self.emit("binary", [x, y], Type(t, self.shape_of(x, y)), op="+", type=t)
        self.store(z, self.pick(same))
        if self.chance(0.6):
            self.load(self.types[x].shape, self.pick(same))

    STATEMENTS = {"compute": 20, "store": 4, "atomic": 1, "block": 1.2, "block_walk": 0.7,
                  "matmul": 1, "row": 0.7, "memory_call": 0.5, "approximate": 1.5,
                  "select_pointers": 0.7, "jump": 0.7, "in_place": 2, "for": 2, "walk": 1.5,
                  "while": 0.7, "if": 2}

    def statement(self):
        names = [n for n in self.STATEMENTS
                 if self.depth < 2 or n in ("compute", "store", "atomic", "block", "jump", "row")]
        kind = self.rng.choices(names, [self.STATEMENTS[n] for n in names])[0]
        return self.compute() if kind == "compute" else getattr(self, "gen_" + kind)()

    # -- a whole kernel --------------------------------------------------------------------

    def program_index(self):
        grid = self.kernel.configs[0].grid
        pid = self.emit("program_id", [], Type("int32"), name="program_id", axis=0)
        if len(grid) > 1:
            high = self.emit("program_id", [], Type("int32"), name="program_id",
                             axis=len(grid) - 1)
            if len(grid) == 3:
                middle = self.emit("program_id", [], Type("int32"), name="program_id", axis=1)
                n1 = self.emit("program_id", [], Type("int32"), name="num_programs", axis=1)
                high = self.arith("+", self.arith("*", high, n1, ()), middle, ())
            n0 = self.emit("program_id", [], Type("int32"), name="num_programs", axis=0)
            pid = self.arith("+", pid, self.arith("*", high, n0, ()), ())
        self.block.append(Assign(["pid"], "copy", [pid], {}))
        self.types["pid"] = Type("int32")
        self.scopes[-1].append("pid")
        self.fixed.add("pid")

    def begin(self):
        """Arguments, the program's number and its first offsets."""
        k = self.kernel
        self.set_up()
        for pointer in k.pointers:
            self.types[pointer.name] = Type("*" + pointer.dtype)
        for name, dtype in k.scalars.items():
            self.types[name] = Type(dtype)
            self.scopes[-1].append(name)
            self.fixed.add(name)
        self.program_index()
        for pointer in k.pointers:
            owned = k.regions[pointer.region].kind in ("own", "approximate")
            base = self.arith("*", "pid", self.part(pointer), ()) if owned else None
            if pointer.shift:
                base = self.arith("-", base if base else self.emit("copy", [0], Type("int32")),
                                  pointer.shift, ())
            self.base[pointer.name] = base
            self.fixed.add(base)

    def make(self):
        self.begin()
        for _ in range(self.pick([1, 2, 3])):
            self.load(self.pick(self.shapes))
        for _ in range(self.pick([3, 5, 7, 9, 12])):
            self.statement()
        self.show_results()
        return self.kernel

    def show_results(self):
        """Stores what nothing has used yet, and some of the rest."""
        used = {a for s in self.block if isinstance(s, Assign) for a in s.args
                if isinstance(a, str)}
        results = [v for v in self.scopes[0] if v not in self.fixed and
                   self.types[v].dtype[0] != "*"]
        unused = [v for v in results if v not in used]
        others = [v for v in results if v in used]
        self.rng.shuffle(others)
        for v in unused[-6:] + others[:2]:
            self.store(v)


def generate(seed, maker=Generator):
    """The kernel of a seed, with what each launch leaves in memory."""
    for attempt in range(100):
        kernel = maker(seed * 100 + attempt).make()
        try:
            return kernel, [interpret(kernel, config) for config in kernel.configs]
        except Invalid:
            continue
    raise AssertionError(f"no valid kernel of seed {seed}")
