# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements that compute: elementwise, shapes, reductions, products."""

from . import exact
from .builder import MAX_ELEMENTS, NUMBERS, Builder, result_shape
from .ir import Assign, Helper, Type

ARITHMETIC = ["+", "+", "-", "*", "*"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]


class Computing(Builder):

    def number(self, test=lambda t: True):
        found = self.recent(lambda t: t.dtype[0] != "*" and test(t))
        return found or self.value(self.dtype(NUMBERS), self.pick(self.shapes))

    def partner(self, x):
        """Another operand that broadcasts with x: a variable or a literal."""
        t = self.types[x]
        if self.chance(0.3):
            return self.literal(t.dtype)
        def fits(other):
            shape = result_shape(other.shape, t.shape) if other.dtype[0] != "*" else None
            return shape is not None and self.elements(shape) <= MAX_ELEMENTS
        if self.chance(0.5):
            same = self.recent(lambda o: o.dtype == t.dtype and fits(o))
            if same:
                return same
        return self.recent(fits) or self.literal(t.dtype)

    def common(self, x, y, op):
        """(type in which op computes, x, y), perhaps after casts."""
        def kind(v):
            return self.types[v].dtype if isinstance(v, str) else None
        if kind(y) is None or kind(x) is None:
            t = kind(x) or kind(y)
            wide = "float32" if op in ("/", "%") and t in exact.HALVES else t
            return wide, x, y
        t = exact.promote(kind(x), kind(y), op)
        if t is None or (self.types[x].dtype != self.types[y].dtype and self.chance(0.5)):
            y = self.cast(y, kind(x))
            t = exact.promote(kind(x), kind(x), op)
        return t, x, y

    def shape_of(self, *values):
        shape = ()
        for v in values:
            if isinstance(v, str):
                shape = result_shape(shape, self.types[v].shape)
        return shape

    def gen_binary(self):
        x = self.number()
        y = self.partner(x)
        t = self.types[x].dtype
        if self.chance(0.15) and isinstance(y, str):
            x, y = y, x
        elif not isinstance(y, str) and self.chance(0.2):
            x, y = y, x
        choice = self.rng.random()
        floats = any(isinstance(v, str) and exact.is_float(self.types[v].dtype) for v in (x, y))
        bools = all(not isinstance(v, str) or self.types[v].dtype == "bool" for v in (x, y))
        if choice < 0.25:
            op = self.pick(COMPARISONS)
        elif floats:
            op = self.pick(ARITHMETIC + ["/", "%"])
        elif bools:
            op = self.pick(["+", "-", "*", "&", "|", "^"])
        else:
            op = self.pick(ARITHMETIC + ["//", "%", "&", "|", "^", "<<", ">>"])
        t, x, y = self.common(x, y, op)
        if op in ("/", "%", "//", "<<", ">>") and t == "bool":
            op = "^"
        if op == "/" and not exact.is_float(t) or op in ("/", "%") and t in exact.FP8:
            op = "*"
        if floats and op == "%" and t not in exact.WIDE:
            op = "+"
            t, x, y = self.common(x, y, op)
        result = "bool" if op in COMPARISONS else t
        call = {"+": "add", "-": "sub", "*": "mul"}.get(op) if self.chance(0.05) else None
        if call and not (isinstance(x, str) and isinstance(y, str)):
            call = None
        return self.emit("binary", [x, y], Type(result, self.shape_of(x, y)), op=op, type=t,
                         call=call)

    def gen_divide_ints(self):
        x = self.number(lambda t: exact.is_int(t.dtype))
        if not exact.is_int(self.types[x].dtype):
            x = self.cast(x, "int32")
        y = self.partner(x)
        if isinstance(y, str) and not exact.is_int(self.types[y].dtype):
            y = self.cast(y, self.types[x].dtype)
        if isinstance(y, str) and not exact.promote(self.types[x].dtype, self.types[y].dtype, "%"):
            y = self.cast(y, self.types[x].dtype)
        return self.emit("binary", [x, y], Type("float32", self.shape_of(x, y)), op="/",
                         type="float32")

    def gen_unary(self):
        x = self.number()
        t = self.types[x]
        ops = ["-", "abs"] if t.dtype != "bool" else ["~"]
        if exact.is_int(t.dtype):
            ops += ["~"]
        if t.dtype in exact.WIDE:
            ops += ["floor", "ceil", "sqrt", "sqrt_rn"] if t.dtype == "float32" else [
                "floor", "ceil", "sqrt"]
        if t.dtype in exact.FP8:
            ops = ["-"]
        if len(ops) > 3 and self.chance(0.5):
            ops = ops[2:]
        return self.emit("unary", [x], t, op=self.pick(ops))

    def gen_cast(self):
        return self.cast(self.number(), self.dtype())

    def gen_bitcast(self):
        x = self.number(lambda t: t.dtype in NUMBERS)
        t = self.types[x]
        targets = [n for n in NUMBERS if exact.bits(n) == exact.bits(t.dtype) and n != t.dtype]
        if exact.is_float(t.dtype):  # the bits of a NaN are left open
            whole = self.emit("binary", [x, x], Type("bool", t.shape), op="==", type=t.dtype)
            x = self.emit("where", [whole, x, 0.0], t, type=t.dtype)
        to = self.pick(targets or [t.dtype])
        return self.emit("cast", [x], t.with_dtype(to), to=to, bitcast=True, method=True)

    def gen_where(self):
        x = self.number()
        y = self.partner(x)
        t, x, y = self.common(x, y, "+")
        if self.chance(0.3):
            x, y = y, x
        shape = self.shape_of(x, y)
        condition = self.recent(lambda o: o.dtype == "bool" and
                                result_shape(o.shape, shape) == shape)
        condition = condition or self.value("bool", shape)
        return self.emit("where", [condition, x, y], Type(t, shape), type=t)

    def gen_min_max(self):
        x = self.number(lambda t: t.dtype in NUMBERS)
        y = self.partner(x)
        if isinstance(y, str):
            y = self.cast(y, self.types[x].dtype)
        t = self.types[x].dtype
        result = "float32" if t == "bfloat16" else t
        every = exact.is_float(t) and self.chance(0.3)
        if exact.is_float(t) and self.chance(0.4):
            z = self.emit("full", [1], Type(t, self.types[x].shape)) if self.chance(
                0.3) else self.literal(t)
            return self.emit("min_max", [x, y, z], Type(result, self.shape_of(x, y, z)),
                             name="clamp", type=result, all=every)
        return self.emit("min_max", [x, y], Type(result, self.shape_of(x, y)), type=result,
                         name=self.pick(["maximum", "minimum"]), all=every)

    def gen_math(self):
        name = self.pick(["fma", "umulhi", "fdiv", "div_rn", "cdiv"])
        t = {"fma": "float32", "umulhi": self.pick(["uint32", "uint64"]), "div_rn": "float32",
             "fdiv": self.pick(["float32", "float64"]), "cdiv": self.pick(["int32", "int64"])}[name]
        shape = self.types[self.number()].shape
        args = [self.value(t, shape) for _ in range(3 if name == "fma" else 2)]
        if name == "cdiv" and self.chance(0.5):
            args[1] = self.pick([1, 2, 7, 16])
        return self.emit("math", args, Type(t, shape), name=name, type=t)

    def gen_logic(self):
        shape = self.pick([self.types[self.number()].shape, ()])
        args = [self.value(self.pick(["bool", "bool", "int32"]), shape) for _ in range(2)]
        if shape == () and self.chance(0.6):
            return self.emit("logic", args, Type("bool"), op=self.pick(["and", "or"]))
        args = [self.cast(a, "bool") for a in args]
        op = self.pick(["logical_and", "logical_or", "and", "or"])
        return self.emit("logic", args, Type("bool", shape), op=op)

    def gen_ternary(self):
        x = self.number(lambda t: t.shape == ()) if self.chance(0.5) else self.number()
        y = self.value(self.types[x].dtype, self.types[x].shape)
        return self.emit("ternary", [self.condition(), x, y], self.types[x])

    # -- shapes ------------------------------------------------------------------------

    def gen_expand(self):
        x = self.number(lambda t: 0 < len(t.shape) <= 3)
        rank = len(self.types[x].shape)
        if rank == 0 or rank > 3:
            return None
        at = [False] * rank
        at.insert(self.rng.randrange(rank + 1), True)
        return self.expand(x, tuple(at))

    def gen_broadcast(self):
        shape = self.pick(self.shapes)
        x = self.recent(lambda t: t.dtype[0] != "*" and t.shape != shape and t.shape and
                        result_shape(t.shape, shape) == shape)
        return self.broadcast(x, shape) if x else None

    def gen_reshape(self):
        x = self.number(lambda t: t.shape)
        shape = self.types[x].shape
        if not shape:
            return None
        t = self.types[x].dtype
        symbols = [name for dim in shape for name in dim]
        if self.chance(0.3):
            return self.emit("reshape", [x], Type(t, (tuple(sorted(symbols)), )), how="ravel")
        if () in shape and len(shape) > 1 and self.chance(0.6):
            dim = shape.index(())
            return self.emit("reshape", [x], Type(t, shape[:dim] + shape[dim + 1:]),
                             how="squeeze", dim=dim)
        rank = self.rng.randrange(1, 5)
        dims = [[] for _ in range(rank)]
        for name in symbols:
            self.pick(dims).append(name)
        new = tuple(tuple(sorted(d)) for d in dims)
        return self.emit("reshape", [x], Type(t, new), how=self.pick(["reshape", ".reshape"]))

    def gen_permute(self):
        x = self.number(lambda t: len(t.shape) >= 2)
        t = self.types[x]
        rank = len(t.shape)
        if rank < 2:
            return None
        order = list(range(rank))
        self.rng.shuffle(order)
        how = self.pick(["permute", "trans"])
        if self.chance(0.5):
            order = list(range(rank))
            order[-2:] = order[:-3:-1]
            how = "T" if rank == 2 and self.chance(0.5) else "plain"
        return self.emit("permute", [x], Type(t.dtype, tuple(t.shape[i] for i in order)),
                         order=tuple(order), how=how)

    # -- reductions and products ----------------------------------------------------------

    def reduced(self, shape, axis, keep):
        if axis is None:
            return ((),) * len(shape) if keep else ()
        return shape[:axis] + (((), ) if keep else ()) + shape[axis + 1:]

    def gen_reduce(self):
        x = self.number(lambda t: t.shape and t.dtype not in exact.FP8)
        shape = self.types[x].shape
        if not shape or self.types[x].dtype in exact.FP8:
            return None
        axis = self.rng.randrange(len(shape)) if self.chance(0.8) else None
        keep = axis is not None and self.chance(0.3)
        length = self.elements(shape if axis is None else (shape[axis], ))
        t = self.types[x].dtype
        kind = self.pick(["sum", "sum", "max", "min", "argmax", "argmin", "max_index", "min_index",
                          "xor_sum", "reduce_or"])
        if t == "bool" and kind != "sum":
            x = self.cast(x, "int32")
            t = "int32"
        result = t
        if kind in ("xor_sum", "reduce_or") and not exact.is_int(t):
            kind = "sum"
        if kind == "sum":
            if exact.is_float(t):
                bound = 2**exact.FORMATS.get(t, (53, ))[0] // length
                if bound < 2:
                    return None
                if x not in self.small or bound < 32 * length:
                    x = self.small_ints(t, shape, 1 if bound < 8 else 7)
                result = "float32" if t == "bfloat16" else t
            elif exact.bits(t) < 32:
                result = "int32" if t in exact.SIGNED else "uint32"
        elif kind.endswith("_index"):
            result = "float32" if t == "bfloat16" else t
        elif kind in ("max", "min"):
            if exact.bits(t) < 32:
                result = "float32" if exact.is_float(t) else "int32"
        new = self.reduced(shape, axis, keep)
        attrs = {"kind": kind, "axis": axis, "keep": keep}
        if kind.endswith("_index"):
            names = [self.declare(Type(result, new)), self.declare(Type("int32", new))]
            self.block.append(Assign(names, "reduce", [x], attrs))
            return names[0]
        return self.emit("reduce", [x], Type("int32" if kind.startswith("arg") else result, new),
                         **attrs)

    def gen_reduce_with(self):
        x = self.number(lambda t: t.shape and exact.is_int(t.dtype))
        t = self.types[x]
        if not t.shape or not exact.is_int(t.dtype):
            return None
        axis = self.rng.randrange(len(t.shape))
        keep = self.chance(0.3)
        args = [x] + [self.value(self.pick(exact.INTEGERS), t.shape)
                      for _ in range(self.pick([0, 0, 1, 2]))]
        combiners = [self.pick(["mul", "add", "and", "or", "xor", "max", "min"]) for _ in args]
        new = self.reduced(t.shape, axis, keep)
        names = [self.declare(Type(self.types[a].dtype, new)) for a in args]
        self.block.append(Assign(names, "reduce_with", args,
                                 {"combiners": combiners, "axis": axis, "keep": keep}))
        return names[0]

    def gen_dot(self):
        symbols = list(self.symbols)
        if len(symbols) < 2:
            return None
        self.rng.shuffle(symbols)
        m, n, k = (symbols * 2)[:3]
        m, n, k = (m, ), (n, ), (k, )
        if max(self.elements(s) for s in ((m, k), (k, n), (m, n))) > MAX_ELEMENTS:
            return None
        t = self.pick(["float16", "bfloat16", "float32", "float64", "int8", "float8e5",
                       "float8e4nv"])
        operands = []
        for shape in ((m, k), (k, n)):
            if self.chance(0.3):
                x = self.small_ints(t, shape[::-1])
                x = self.emit("permute", [x], Type(t, shape), order=(1, 0), how="plain")
            else:
                x = self.small_ints(t, shape)
            operands.append(x)
        out = {"int8": "int32", "float64": "float64"}.get(t, "float32")
        acc = None
        batch = [s for s in self.symbols if (s, ) not in (m, n, k)]
        if batch and self.chance(0.6) and self.elements(((batch[0], ), m, n)) <= MAX_ELEMENTS:
            b = (batch[0], )
            if max(self.elements((b, *s)) for s in ((m, k), (k, n))) <= MAX_ELEMENTS:
                operands = [self.small_ints(t, s) for s in ((b, m, k), (b, k, n))]
                return self.emit("dot", [*operands, None], Type(out, (b, m, n)),
                                 out=t in ("float64", "int8"), ieee=t == "float32")
        if self.chance(0.5):
            acc = self.small_ints(out, (m, n), 7)
        return self.emit("dot", [*operands, acc], Type(out, (m, n)), out=t in ("float64", "int8"),
                         ieee=t == "float32")

    # -- functions -----------------------------------------------------------------------

    def gen_call(self):
        """Some statements in a jit function of their own."""
        inputs = [self.number() for _ in range(self.pick([1, 2, 3]))]
        if any(i is None for i in inputs):
            return None
        outer_scopes, outer_block = self.scopes, self.block
        self.scopes, self.block = [[]], []
        params = [self.declare(self.types[i], "h") for i in inputs]
        pointers, self.kernel.pointers = self.kernel.pointers, []
        self.inside_helper = True
        for _ in range(self.pick([1, 2, 3, 4])):
            self.compute()
        self.inside_helper = False
        self.kernel.pointers = pointers
        computed = [v for v in self.scopes[-1] if v not in params and
                    self.types[v].dtype[0] != "*"]
        body = self.block
        self.scopes, self.block = outer_scopes, outer_block
        if not computed:
            return None
        results = computed[-self.pick([1, 1, 2]):]
        name = f"helper{len(self.kernel.helpers)}"
        self.kernel.helpers.append(Helper(name, params, body, results))
        names = [self.declare(self.types[r]) for r in results]
        self.block.append(Assign(names, "call", inputs, {"helper": name}))
        return names[0]

    def gen_assert(self):
        x = self.number()
        self.block.append(Assign([], "assert_type", [x]))
        return x

    COMPUTE = {"binary": 20, "unary": 7, "cast": 6, "bitcast": 2, "where": 5, "min_max": 5,
               "math": 3, "logic": 2, "ternary": 2, "divide_ints": 1, "expand": 4, "broadcast": 3,
               "reshape": 3, "permute": 4, "reduce": 6, "reduce_with": 2, "dot": 2, "call": 2,
               "assert": 2}

    def compute(self):
        """One random computation; its result or None."""
        names = [n for n in self.COMPUTE if not (self.inside_helper and n == "call")]
        kind = self.rng.choices(names, [self.COMPUTE[n] for n in names])[0]
        return getattr(self, "gen_" + kind)()
