# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of generated kernels: how each is written and what it computes.

`text(kernel, statement, args)` gets the operands as texts; `run(machine, statement)`
returns an array, or a tuple of them for several targets.
"""

import math

import numpy as np

from . import exact
from .ir import dim_text, shape_text

OPS = {}


def op(name):
    def register(cls):
        OPS[name] = cls
        return cls
    return register


def tl(dtype):
    return "tl.int1" if dtype == "bool" else f"tl.{dtype}"


# -- creation ----------------------------------------------------------------------

@op("program_id")
class ProgramId:
    def text(k, s, a):
        return f"tl.{s.attrs['name']}({s.attrs['axis']})"

    def run(m, s):
        where = m.program if s.attrs["name"] == "program_id" else m.grid
        return np.int32(where[s.attrs["axis"]])


@op("arange")
class Arange:
    """attrs: dim; half: starts at its length rather than at 0."""
    def text(k, s, a):
        n = dim_text(s.attrs["dim"])
        return f"tl.arange({n}, 2 * {n})" if s.attrs.get("half") else f"tl.arange(0, {n})"

    def run(m, s):
        n = m.dim(s.attrs["dim"])
        return np.arange(n, dtype=np.int32) + np.int32(n if s.attrs.get("half") else 0)


@op("full")
class Full:
    def text(k, s, a):
        t = k.types[s.targets[0]]
        if s.attrs.get("zeros"):
            return f"tl.zeros({shape_text(t.shape)}, {tl(t.dtype)})"
        return f"tl.full({shape_text(t.shape)}, {a[0]}, {tl(t.dtype)})"

    def run(m, s):
        t = m.types[s.targets[0]]
        value = 0 if s.attrs.get("zeros") else s.args[0]
        return np.broadcast_to(m.value(value, t.dtype), m.shape(t)).copy()


@op("copy")
class Copy:
    """A plain assignment; of a literal, an integer of int32 or wider."""
    def text(k, s, a):
        return a[0]

    def run(m, s):
        return m.value(s.args[0], m.types[s.targets[0]].dtype)


# -- elementwise -------------------------------------------------------------------

@op("binary")
class Binary:
    """attrs: op, type: what both operands become."""
    def text(k, s, a):
        sign = s.attrs["op"]
        call = s.attrs.get("call")  # written as tl.add(x, y)
        return f"tl.{call}({a[0]}, {a[1]})" if call else f"{a[0]} {sign} {a[1]}"

    def run(m, s):
        t = s.attrs["type"]
        x, y = m.value(s.args[0], t), m.value(s.args[1], t)
        return exact.binary(s.attrs["op"], x, y, t)


@op("pointer_add")
class PointerAdd:
    def text(k, s, a):
        return f"{a[0]} + {a[1]}"

    def run(m, s):
        size = exact.DTYPES[m.types[s.targets[0]].element].itemsize
        offset = m.value(s.args[1]) if isinstance(s.args[1], str) else m.value(s.args[1], "int64")
        return m.value(s.args[0]) + offset.astype(np.int64) * size


@op("pointer_sub")
class PointerSub:
    def text(k, s, a):
        return f"{a[0]} - {a[1]}"

    def run(m, s):
        size = exact.DTYPES[m.types[s.targets[0]].element].itemsize
        return m.value(s.args[0]) - m.value(s.args[1]).astype(np.int64) * size


@op("unary")
class Unary:
    def text(k, s, a):
        sign = s.attrs["op"]
        if sign in "-~":
            return f"{sign}{a[0]}"
        return f"not {a[0]}" if sign == "not" else f"tl.{sign}({a[0]})"

    def run(m, s):
        sign, x, t = s.attrs["op"], m.value(s.args[0]), m.type_of(s.args[0])
        if sign == "-":
            return exact.negative(x, t)
        if sign == "~":
            return np.invert(x)
        if sign == "not":
            return ~exact.cast(x, t, "bool")
        if sign == "abs":
            return exact.absolute(x, t)
        with np.errstate(all="ignore"):
            return getattr(np, "sqrt" if sign == "sqrt_rn" else sign)(x)


@op("cast")
class Cast:
    """attrs: to; rtz; bitcast; method: written as a method."""
    def text(k, s, a):
        more = ", bitcast=True" if s.attrs.get("bitcast") else ""
        more += ', fp_downcast_rounding="rtz"' if s.attrs.get("rtz") else ""
        if s.attrs.get("method"):
            return f"{a[0]}.to({tl(s.attrs['to'])}{more})"
        return f"tl.cast({a[0]}, {tl(s.attrs['to'])}{more})"

    def run(m, s):
        x, source, to = m.value(s.args[0]), m.type_of(s.args[0]), s.attrs["to"]
        if s.attrs.get("bitcast"):
            return exact.bitcast(x, to)
        return exact.cast(x, source, to, s.attrs.get("rtz", False))


@op("where")
class Where:
    def text(k, s, a):
        return f"tl.where({', '.join(a)})"

    def run(m, s):
        t = s.attrs["type"]
        if t[0] == "*":
            return np.where(m.value(s.args[0]), *(m.value(a) for a in s.args[1:]))
        condition = m.value(s.args[0])
        if condition.dtype != bool:
            condition = exact.cast(condition, m.type_of(s.args[0]), "bool")
        return np.where(condition, m.value(s.args[1], t), m.value(s.args[2], t)).astype(
            exact.DTYPES[t])


@op("min_max")
class MinMax:
    """attrs: name, type; all: NaNs propagate. Else `+ 0.0` settles the sign of a float zero."""
    def text(k, s, a):
        name, t = s.attrs["name"], s.attrs["type"]
        if s.attrs.get("all"):
            return f"tl.{name}({', '.join(a)}, propagate_nan=tl.PropagateNan.ALL)"
        return f"tl.{name}({', '.join(a)})" + (" + 0.0" if exact.is_float(t) else "")

    def run(m, s):
        t, every = s.attrs["type"], s.attrs.get("all", False)
        x = [m.value(a, t) for a in s.args]
        if s.attrs["name"] == "clamp":
            result = exact.min_max(False, exact.min_max(True, x[0], x[1], t, every), x[2], t, every)
        else:
            result = exact.min_max(s.attrs["name"] == "maximum", *x, t, every)
        if exact.is_float(t) and not every:
            result = result + exact.DTYPES[t].type(0)
        return result


@op("approximate")
class Approximate:
    """Functions whose last bits are left open; attrs: name, type. Only stored, never used."""
    def text(k, s, a):
        return f"tl.{s.attrs['name']}({a[0]})"

    def run(m, s):
        x = m.value(s.args[0]).astype(np.float64)
        with np.errstate(all="ignore"):
            result = {"exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2,
                      "sin": np.sin, "cos": np.cos, "rsqrt": lambda v: 1 / np.sqrt(v),
                      "sigmoid": lambda v: 1 / (1 + np.exp(-v)),
                      "erf": np.vectorize(math.erf, otypes=[np.float64])}[s.attrs["name"]](x)
        return exact.cast(np.asarray(result), "float64", s.attrs["type"])


@op("math")
class Math:
    """Functions of several operands of one type: fma, umulhi, fdiv, div_rn, cdiv."""
    def text(k, s, a):
        return f"tl.{s.attrs['name']}({', '.join(a)})"

    def run(m, s):
        name, t = s.attrs["name"], s.attrs["type"]
        x = [m.value(a, t) for a in s.args]
        if name == "fma":
            return exact.fma(*x)
        if name in ("fdiv", "div_rn"):
            return exact.binary("/", *x, t)
        if name == "cdiv":
            one = exact.DTYPES[t].type(1)
            total = exact.binary("-", exact.binary("+", *x, t), one, t)
            return exact.binary("//", total, x[1], t)
        assert name == "umulhi"
        if t == "uint32":
            return ((x[0].astype(np.uint64) * x[1].astype(np.uint64)) >> np.uint64(32)).astype(
                np.uint32)
        product = x[0].astype(object) * x[1].astype(object)
        return np.asarray(product // 2**64).astype(np.uint64)


@op("logic")
class Logic:
    """`and`, `or` of run-time values, tl.logical_and, tl.logical_or."""
    def text(k, s, a):
        sign = s.attrs["op"]
        return f"tl.{sign}({a[0]}, {a[1]})" if "_" in sign else f"{a[0]} {sign} {a[1]}"

    def run(m, s):
        x, y = (exact.cast(m.value(a), m.type_of(a), "bool") for a in s.args)
        return x & y if s.attrs["op"].endswith("and") else x | y


@op("ternary")
class Ternary:
    """x if condition else y, of a scalar condition."""
    def text(k, s, a):
        return f"{a[1]} if {a[0]} else {a[2]}"

    def run(m, s):
        taken = s.args[1] if bool(m.value(s.args[0])) else s.args[2]
        return m.value(taken, m.types[s.targets[0]].dtype)


# -- shape ---------------------------------------------------------------------------

@op("expand")
class Expand:
    """attrs: at: for each dimension of the result whether it is new; call: by tl.expand_dims."""
    def text(k, s, a):
        new = [i for i, is_new in enumerate(s.attrs["at"]) if is_new]
        if s.attrs.get("call") and len(new) == 1:
            return f"tl.expand_dims({a[0]}, {new[0]})"
        return f"{a[0]}[{', '.join('None' if n else ':' for n in s.attrs['at'])}]"

    def run(m, s):
        return m.value(s.args[0]).reshape(m.shape(m.types[s.targets[0]]))


@op("reshape")
class Reshape:
    """attrs: how: reshape, view, ravel or a method of these names."""
    def text(k, s, a):
        shape = shape_text(k.types[s.targets[0]].shape)
        how = s.attrs["how"]
        if how == "ravel":
            return f"tl.ravel({a[0]})"
        if how in ("squeeze", "unsqueeze"):
            return f"tl.{how}({a[0]}, {s.attrs['dim']})"
        return f"{a[0]}{how}{shape}" if how[0] == "." else f"tl.{how}({a[0]}, {shape})"

    def run(m, s):
        return m.value(s.args[0]).reshape(m.shape(m.types[s.targets[0]]))


@op("permute")
class Permute:
    """attrs: order; how: permute, trans, or T of two dimensions."""
    def text(k, s, a):
        order, how = s.attrs["order"], s.attrs["how"]
        if how == "T":
            return f"{a[0]}.T"
        if how == "plain":
            return f"tl.trans({a[0]})"
        return f"tl.{how}({a[0]}, {', '.join(map(str, order))})"

    def run(m, s):
        return m.value(s.args[0]).transpose(s.attrs["order"])


@op("broadcast_to")
class BroadcastTo:
    def text(k, s, a):
        return f"tl.broadcast_to({a[0]}, {shape_text(k.types[s.targets[0]].shape)})"

    def run(m, s):
        return np.broadcast_to(m.value(s.args[0]), m.shape(m.types[s.targets[0]]))


# -- memory --------------------------------------------------------------------------

@op("load")
class Load:
    """args: pointer, mask or None, other or None."""
    def text(k, s, a):
        text = f"tl.load({a[0]}"
        text += f", mask={a[1]}" if s.args[1] is not None else ""
        text += f", other={a[2]}" if s.args[2] is not None else ""
        return text + s.attrs.get("more", "") + ")"

    def run(m, s):
        t = m.types[s.targets[0]]
        pointer = m.value(s.args[0])
        mask = None if s.args[1] is None else m.value(s.args[1], "bool")
        other = np.zeros((), exact.DTYPES[t.dtype])
        if s.args[2] is not None:
            other = m.value(s.args[2], t.dtype)
        return m.load(pointer, mask, other, t.dtype)


@op("store")
class Store:
    """args: pointer, value, mask or None."""
    def text(k, s, a):
        text = f"tl.store({a[0]}, {a[1]}"
        text += f", mask={a[2]}" if s.args[2] is not None else ""
        return text + s.attrs.get("more", "") + ")"

    def run(m, s):
        dtype = m.types[s.args[0]].element
        mask = None if s.args[2] is None else m.value(s.args[2], "bool")
        m.store(m.value(s.args[0]), m.value(s.args[1], dtype), mask, dtype)


# -- functions ------------------------------------------------------------------------

@op("call")
class Call:
    def text(k, s, a):
        return f"{s.attrs['helper']}({', '.join(a + list(k.configs[0].sizes))})"

    def run(m, s):
        helper = m.helpers[s.attrs["helper"]]
        values = [m.value(a, m.types[p].dtype) for a, p in zip(s.args, helper.params)]
        results = m.call(helper, values)
        return results if len(results) > 1 else results[0]


@op("assert_type")
class AssertType:
    def text(k, s, a):
        return f"tl.static_assert({a[0]}.dtype == {tl(k.types[s.args[0]].dtype)})"

    def run(m, s):
        return None
