# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations along the axes of tiles: reductions, products of matrices."""

import numpy as np

from . import exact
from .ops import op, tl


@op("reduce")
class Reduce:
    """attrs: kind (sum, max, min, xor_sum, argmax, argmin, with_index), axis (None: all), keep.

    Targets of "with_index" are the value and its index. Float zeros get `+ 0.0`.
    """
    def text(k, s, a):
        kind = s.attrs["kind"]
        more = "" if s.attrs["axis"] is None else f", axis={s.attrs['axis']}"
        more += ", keep_dims=True" if s.attrs["keep"] else ""
        if kind.endswith("_index"):
            return f"tl.{kind[:3]}({a[0]}{more}, return_indices=True)"
        settle = exact.is_float(k.types[s.args[0]].dtype) and kind in ("max", "min", "sum")
        return f"tl.{kind}({a[0]}{more})" + (" + 0.0" if settle else "")

    def run(m, s):
        kind, axis, keep = s.attrs["kind"], s.attrs["axis"], s.attrs["keep"]
        x, t = m.value(s.args[0]), m.type_of(s.args[0])
        result = m.types[s.targets[0]].dtype
        if kind in ("sum", "xor_sum", "reduce_or"):
            wide = exact.cast(x, t, result)
            if kind == "sum" and exact.is_float(result):
                total = exact.cast(wide, result, "float64").sum(axis, keepdims=keep) + 0.0
                return exact.cast(np.asarray(total), "float64", result)
            function = {"sum": np.add, "xor_sum": np.bitwise_xor, "reduce_or": np.bitwise_or}[kind]
            return function.reduce(wide, axis=axis, keepdims=keep, dtype=exact.DTYPES[result])
        largest = "max" in kind
        if kind in ("max", "min"):
            wide = exact.cast(x, t, result)
            with np.errstate(all="ignore"):
                function = ((np.fmax if largest else np.fmin) if exact.is_float(t) else
                            (np.maximum if largest else np.minimum))
                value = function.reduce(wide, axis=axis, keepdims=keep)
            return value + exact.DTYPES[result].type(0) if exact.is_float(t) else value
        if axis is None:  # positions in the whole tile
            shape = x.shape
            x, axis = x.reshape(-1), 0
            index = _arg(x, t, largest, 0, False)
            value = exact.cast(x[index], t, result)
            if keep:
                index, value = (np.reshape(v, (1, ) * len(shape)) for v in (index, value))
            return (value, index) if kind.endswith("_index") else index
        index = _arg(x, t, largest, axis, keep)
        if not kind.endswith("_index"):
            return index
        at = index if keep else np.expand_dims(index, axis)
        value = np.take_along_axis(x, at.astype(np.int64), axis)
        return exact.cast(value if keep else value.squeeze(axis), t, result), index


def _arg(x, t, largest, axis, keep):
    """First index of the extreme; NaNs are passed over, of NaNs alone the first."""
    if exact.is_float(t):
        x = x.astype(np.float64)
        nan = np.isnan(x)
        # A NaN comes behind every number, infinities too.
        order = np.where(nan, 0.0, x if largest else -x)
        rank = np.where(nan, -1, 0)
        best = np.where(nan, -np.inf, order).max(axis, keepdims=True)
        hit = (order == best) & (rank == 0)
        index = np.where(hit.any(axis, keepdims=True), hit.argmax(axis, keepdims=True), 0)
        return (index if keep else index.squeeze(axis)).astype(np.int32)
    index = x.argmax(axis, keepdims=True) if largest else x.argmin(axis, keepdims=True)
    return (index if keep else index.squeeze(axis)).astype(np.int32)


# Combiners of tl.reduce: text of the function, and what it computes.
COMBINERS = {
    "mul": ("{0} * {1}", np.multiply), "add": ("{0} + {1}", np.add),
    "and": ("{0} & {1}", np.bitwise_and), "or": ("{0} | {1}", np.bitwise_or),
    "xor": ("{0} ^ {1}", np.bitwise_xor), "max": ("tl.where({0} > {1}, {0}, {1})", np.maximum),
    "min": ("tl.minimum({0}, {1})", np.minimum), "last": ("{1}", None),
}


@op("reduce_with")
class ReduceWith:
    """tl.reduce with helpers of our own; attrs: combiners, one for each operand, axis, keep.

    Operands are integers of one shape. Helpers are made by `combiner_helpers`.
    """
    def text(k, s, a):
        name = "c_" + "_".join(s.attrs["combiners"])
        x = a[0] if len(a) == 1 else f"({', '.join(a)})"
        keep = ", keep_dims=True" if s.attrs["keep"] else ""
        return f"tl.reduce({x}, {s.attrs['axis']}, {name}{keep})"

    def run(m, s):
        results = []
        for arg, name in zip(s.args, s.attrs["combiners"]):
            x = m.value(arg)
            results.append(COMBINERS[name][1].reduce(x, axis=s.attrs["axis"],
                                                     keepdims=s.attrs["keep"], dtype=x.dtype))
        return tuple(results) if len(results) > 1 else results[0]


def combiner_text(combiners):
    """Source of the helper that combines a tuple element by element."""
    n = len(combiners) + combiners.count("compose")
    left, right = ([f"{side}{i}" for i in range(n)] for side in "ab")
    values = []
    for name in combiners:
        i = len(values)
        if name == "compose":
            values += [f"{left[i]} * {right[i]}",
                       f"{left[i + 1]} * {right[i]} + {right[i + 1]}"]
        else:
            values.append(COMBINERS[name][0].format(left[i], right[i]))
    return ["@tegula.jit", f"def c_{'_'.join(combiners)}({', '.join(left + right)}):",
            f"    return {', '.join(values)}"]


@op("dot")
class Dot:
    """args: a, b, acc or None; operands hold small integers, so that sums are exact."""
    def text(k, s, a):
        out = k.types[s.targets[0]].dtype
        more = f", {a[2]}" if s.args[2] is not None else ""
        precision = ', input_precision="ieee"' if s.attrs.get("ieee") else ""
        more += f", out_dtype={tl(out)}" if s.attrs.get("out") else ""
        return f"tl.dot({a[0]}, {a[1]}{more}{precision})"

    def run(m, s):
        t = m.types[s.targets[0]].dtype
        if t == "int32":
            x, y = (m.value(a).astype(np.int32) for a in s.args[:2])
            total = np.matmul(x, y)
            return total if s.args[2] is None else total + m.value(s.args[2])
        x, y = (m.value(a).astype(np.float64) for a in s.args[:2])
        total = np.matmul(x, y)
        if s.args[2] is not None:
            total = total + m.value(s.args[2]).astype(np.float64)
        return exact.cast(np.asarray(total + 0.0), "float64", t)
