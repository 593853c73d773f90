# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans, sorting, joining and cutting of tiles, atomics, block pointers, descriptors."""

import numpy as np

from . import exact
from .ir import Invalid, shape_text
from .ops import op
from .ops_tiles import COMBINERS


def _tuple(texts):
    texts = list(texts)
    return f"({', '.join(texts)},)" if len(texts) == 1 else f"({', '.join(texts)})"


@op("scan")
class Scan:
    """attrs: kind (cumsum, cumprod), axis, reverse."""
    def text(k, s, a):
        more = ", reverse=True" if s.attrs["reverse"] else ""
        return f"tl.{s.attrs['kind']}({a[0]}, {s.attrs['axis']}{more})"

    def run(m, s):
        t = m.types[s.targets[0]].dtype
        x, axis = m.value(s.args[0], t), s.attrs["axis"]
        x = np.flip(x, axis) if s.attrs["reverse"] else x
        if exact.is_float(t):  # small integers only
            result = exact.cast(x.astype(np.float64).cumsum(axis), "float64", t)
        else:
            function = np.add if s.attrs["kind"] == "cumsum" else np.multiply
            result = function.accumulate(x, axis=axis, dtype=x.dtype)
        return np.flip(result, axis) if s.attrs["reverse"] else result


@op("scan_with")
class ScanWith:
    """tl.associative_scan with helpers of our own; attrs as of reduce_with, and reverse.

    The combiner "compose" takes two operands: x -> a * x + b, applied one after another.
    """
    def text(k, s, a):
        name = "c_" + "_".join(s.attrs["combiners"])
        x = a[0] if len(a) == 1 else f"({', '.join(a)})"
        more = ", reverse=True" if s.attrs["reverse"] else ""
        return f"tl.associative_scan({x}, {s.attrs['axis']}, {name}{more})"

    def run(m, s):
        axis, names = s.attrs["axis"], s.attrs["combiners"]
        values = [np.moveaxis(m.value(a), axis, 0).copy() for a in s.args]
        count = len(values[0])
        order = range(count - 1, -1, -1) if s.attrs["reverse"] else range(count)
        last = None
        for i in order:
            if last is not None:
                with np.errstate(all="ignore"):
                    _combine(names, values, last, i)
            last = i
        results = tuple(np.moveaxis(v, 0, axis) for v in values)
        return results if len(results) > 1 else results[0]


def _combine(names, values, last, i):
    at = 0
    for name in names:
        if name == "compose":
            factor, offset = values[at], values[at + 1]
            offset[i] = offset[last] * factor[i] + offset[i]
            factor[i] = factor[last] * factor[i]
            at += 2
        else:
            values[at][i] = values[at][i] if name == "last" else COMBINERS[name][1](
                values[at][last], values[at][i])
            at += 1


@op("sort")
class Sort:
    """attrs: kind (sort, argsort, topk), descending, k; two targets: with indices."""
    def text(k, s, a):
        kind = s.attrs["kind"]
        text = f"tl.{kind}({a[0]}" + (f", {s.attrs['k']}" if kind == "topk" else "")
        if s.attrs["descending"] != (kind == "topk"):
            text += f", descending={s.attrs['descending']}"
        return text + (", return_indices=True)" if len(s.targets) == 2 else ")")

    def run(m, s):
        x, t = m.value(s.args[0]), m.type_of(s.args[0])
        key = x.astype(np.float64) if exact.is_float(t) else x
        if s.attrs["descending"]:
            order = np.flip(x.shape[-1] - 1 - np.argsort(np.flip(key, -1), -1, kind="stable"), -1)
        else:
            order = np.argsort(key, -1, kind="stable")
        if s.attrs["kind"] == "topk":
            order = order[..., :s.attrs["k"]]
        if s.attrs["kind"] == "argsort":
            return order.astype(np.int32)
        result = np.take_along_axis(x, order, -1)
        return (result, order.astype(np.int32)) if len(s.targets) == 2 else result


@op("histogram")
class Histogram:
    """attrs: bins; args: integers, mask or None."""
    def text(k, s, a):
        return f"tl.histogram({a[0]}, {s.attrs['bins']}" + (
            f", mask={a[1]})" if s.args[1] is not None else ")")

    def run(m, s):
        x = m.value(s.args[0])
        if s.args[1] is not None:
            x = x[m.value(s.args[1], "bool")]
        return np.array([(x == i).sum() for i in range(s.attrs["bins"])], np.int32)


# -- joining and cutting ---------------------------------------------------------------

@op("joining")
class Joining:
    """attrs: kind: join, interleave, cat (along dim), flip (along dim)."""
    def text(k, s, a):
        kind, dim = s.attrs["kind"], s.attrs.get("dim")
        if kind == "flip":
            return f"tl.flip({a[0]}, {dim})"
        return f"tl.{kind}({', '.join(a)}" + (f", dim={dim})" if kind == "cat" and dim else ")")

    def run(m, s):
        kind = s.attrs["kind"]
        t = m.types[s.targets[0]].dtype
        x = [m.value(a, t) for a in s.args]
        if kind == "flip":
            return np.flip(x[0], s.attrs["dim"])
        if kind == "cat":
            return np.concatenate(x, s.attrs["dim"])
        joined = np.stack(x, -1)
        return joined if kind == "join" else joined.reshape(*joined.shape[:-2], -1)


@op("split")
class Split:
    def text(k, s, a):
        return f"tl.split({a[0]})"

    def run(m, s):
        x = m.value(s.args[0])
        return x[..., 0], x[..., 1]


@op("gather")
class Gather:
    """args: tile, indices; those outside give 0."""
    def text(k, s, a):
        return f"tl.gather({a[0]}, {a[1]}, {s.attrs['axis']})"

    def run(m, s):
        x, index, axis = m.value(s.args[0]), m.value(s.args[1]).astype(np.int64), s.attrs["axis"]
        inside = (index >= 0) & (index < x.shape[axis])
        got = np.take_along_axis(x, np.where(inside, index, 0), axis)
        return np.where(inside, got, np.zeros((), x.dtype)).astype(x.dtype)


@op("subscript")
class Subscript:
    """attrs: parts: for each dimension an index (int or "?" for the next operand) or a slice."""
    def text(k, s, a):
        rest = iter(a[1:])
        parts = [next(rest) if p == "?" else str(p) for p in s.attrs["parts"]]
        return f"{a[0]}[{', '.join(parts)}]"

    def run(m, s):
        x, indices, rest, outside = m.value(s.args[0]), [], iter(s.args[1:]), False
        for part, size in zip(s.attrs["parts"], x.shape):
            if part == "?":
                at = int(m.value(next(rest)))
                outside |= not 0 <= at < size
                indices.append(at if 0 <= at < size else 0)
            elif isinstance(part, int):
                indices.append(part)
            else:
                indices.append(slice(*(int(n) if n else None for n in part.split(":"))))
        result = np.asarray(x[tuple(indices)])
        return np.zeros_like(result) if outside else result


# -- atomics ---------------------------------------------------------------------------

@op("atomic")
class Atomic:
    """args: pointer, value, mask or None (of cas: pointer, compared, value); attrs: name."""
    def text(k, s, a):
        mask = f", mask={a[2]}" if s.attrs["name"] != "cas" and s.args[2] is not None else ""
        more = f", {a[2]}" if s.attrs["name"] == "cas" else mask
        return f"tl.atomic_{s.attrs['name']}({a[0]}, {a[1]}{more}{s.attrs.get('more', '')})"

    def run(m, s):
        name, dtype = s.attrs["name"], m.types[s.args[0]].element
        pointer = m.value(s.args[0])
        if name == "cas":
            return m.atomic(name, pointer, m.value(s.args[2], dtype), None, dtype,
                            m.value(s.args[1], dtype))
        mask = None if s.args[2] is None else m.value(s.args[2], "bool")
        return m.atomic(name, pointer, m.value(s.args[1], dtype), mask, dtype)


# -- block pointers and descriptors -------------------------------------------------------

@op("make_block")
class MakeBlock:
    """args: pointer, shape..., strides..., offsets...; attrs: descriptor, nan.

    The value is (address, shape, strides, offsets).
    """
    def text(k, s, a):
        rank = (len(a) - 1) // 3
        shape, strides, offsets = (a[1 + i * rank:1 + (i + 1) * rank] for i in range(3))
        block = shape_text(k.types[s.targets[0]].shape)
        if s.attrs.get("descriptor"):
            nan = ', padding_option="nan"' if s.attrs.get("nan") else ""
            return (f"tl.make_tensor_descriptor({a[0]}, {_tuple(shape)}, {_tuple(strides)}, "
                    f"{block}{nan})")
        order = _tuple([str(i) for i in reversed(range(rank))])
        return (f"tl.make_block_ptr({a[0]}, {_tuple(shape)}, {_tuple(strides)}, "
                f"{_tuple(offsets)}, {block}, {order})")

    def run(m, s):
        numbers = [int(m.value(a, "int64")) for a in s.args[1:]]
        rank = len(numbers) // 3
        return (int(m.value(s.args[0])), *(tuple(numbers[i * rank:(i + 1) * rank])
                                           for i in range(3)))


@op("advance")
class Advance:
    def text(k, s, a):
        return f"tl.advance({a[0]}, {_tuple(a[1:])})"

    def run(m, s):
        address, shape, strides, offsets = m.env[s.args[0]]
        steps = [int(m.value(a, "int64")) for a in s.args[1:]]
        return address, shape, strides, tuple(o + d for o, d in zip(offsets, steps))


def _block(m, block, offsets, checked):
    """(addresses, mask) of a block's elements."""
    t = m.types[block]
    address, shape, strides, _ = m.env[block]
    size = exact.DTYPES[t.dtype[2:]].itemsize
    sizes = m.shape(t)
    place, mask = np.int64(address), np.ones(sizes, bool)
    for i, n in enumerate(sizes):
        at = (np.arange(n, dtype=np.int64) + offsets[i]).reshape(
            [-1 if j == i else 1 for j in range(len(sizes))])
        place = place + at * strides[i] * size
        if i in checked:
            mask = mask & (at >= 0) & (at < shape[i])
    return np.broadcast_to(place, sizes), mask


@op("block_load")
class BlockLoad:
    """args: block, offsets of a descriptor; attrs: check: dimensions; padding."""
    def text(k, s, a):
        if k.types[s.args[0]].dtype[1] == "^":
            return f"{a[0]}.load([{', '.join(a[1:])}])"
        more = f", boundary_check={_tuple(map(str, s.attrs['check']))}" if s.attrs["check"] else ""
        return f'tl.load({a[0]}{more}' + (', padding_option="zero")' if more else ")")

    def run(m, s):
        block, dtype = s.args[0], m.types[s.targets[0]].dtype
        offsets = [int(m.value(a, "int64")) for a in s.args[1:]] or m.env[block][3]
        place, mask = _block(m, block, offsets, s.attrs["check"])
        other = exact.DTYPES[dtype].type(np.nan if s.attrs.get("nan") else 0)
        return m.load(place, mask, np.asarray(other), dtype)


@op("block_store")
class BlockStore:
    """args: block, value, offsets of a descriptor."""
    def text(k, s, a):
        if k.types[s.args[0]].dtype[1] == "^":
            return f"{a[0]}.store([{', '.join(a[2:])}], {a[1]})"
        more = f", boundary_check={_tuple(map(str, s.attrs['check']))}" if s.attrs["check"] else ""
        return f"tl.store({a[0]}, {a[1]}{more})"

    def run(m, s):
        block = s.args[0]
        dtype = m.types[block].dtype[2:]
        offsets = [int(m.value(a, "int64")) for a in s.args[2:]] or m.env[block][3]
        place, mask = _block(m, block, offsets, s.attrs["check"])
        m.store(place, m.value(s.args[1], dtype), mask, dtype)


def atomic_step(name, old, new, dtype, compared=None):
    """What one element becomes."""
    if name == "xchg":
        return new
    if name == "cas":
        same = np.asarray(old).tobytes() == np.asarray(compared).tobytes()
        return new if same else old
    if name in ("max", "min"):
        if exact.is_float(dtype) and old == 0 and new == 0:  # -0 is below +0
            return old if np.signbit(old) == (name == "min") else new
        return exact.min_max(name == "max", old, new, dtype)
    sign = {"add": "+", "and": "&", "or": "|", "xor": "^"}[name]
    return exact.binary(sign, np.asarray(old), np.asarray(new), dtype)[()]


def check_unique(addresses):
    """The order of changes to one address is left open."""
    if np.unique(addresses).size < addresses.size:
        raise Invalid("atomics of one address whose results are used")
