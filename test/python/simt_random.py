# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of shape operations and collectives on the simulated GPU, against NumPy.

`python simt_random.py SEED COUNT` runs COUNT chains in random shapes, with 1 to 8 warps of 32 or
64 lanes, in both orders of threads and with a look at races; the first wrong one is shown.
"""

import linecache
import os
import random
import sys

import numpy as np

HEAD = """import tegula
import tegula.language as tl

@tegula.jit
def after(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2

@tegula.jit
def kernel(x, o):
"""
MOST = 4096


class Chain:
    """A kernel of operations on a tile of int32, and what it stores."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.results, self.stored = [], [], 0
        shape = self.shape(self.rng.choice([64, 96, 256, 768, 1024, 1536, 4096]))
        size = int(np.prod(shape))
        self.input = np.random.default_rng(seed).integers(-2**31, 2**31, size, dtype=np.int32)
        self.lines.append(f"v = tl.load(x + tl.arange(0, {size}))")
        self.lines.append(f"v = tl.reshape(v, {shape})")
        self.value = self.input.reshape(shape)
        for _ in range(self.rng.randrange(2, 8)):
            self.step()
        self.store()

    def shape(self, size):
        """Random extents, of which one may be no power of two."""
        odd = size >> ((size & -size).bit_length() - 1)
        bits = (size // odd).bit_length() - 1
        extents = [odd] if odd > 1 else [1]
        extents[0] <<= min(bits, 4) if odd > 1 else 0
        left = bits - (min(bits, 4) if odd > 1 else 0)
        while left:
            more = self.rng.randrange(1, left + 1)
            if len(extents) < self.rng.randrange(1, 5):
                extents.append(1 << more)
            else:
                extents[-1] <<= more
            left -= more
        self.rng.shuffle(extents)
        return tuple(extents)

    def put(self, text, value):
        self.lines.append(f"v = {text}")
        with np.errstate(all="ignore"):
            self.value = np.array(value, np.int32, order="C")

    def store(self):
        size = self.value.size
        shape = self.value.shape
        if shape == ():
            self.lines.append(f"tl.store(o + {self.stored}, v)")
        else:
            self.lines.append(f"tl.store(o + {self.stored} + tl.reshape(tl.arange(0, {size}), "
                              f"{shape}), v)")
        self.results.append(self.value.reshape(-1))
        self.stored += size

    def step(self):
        kinds = [name for name in dir(self) if name.startswith("do_")]
        if self.value.shape == ():
            return self.put("tl.broadcast_to(v, (16, 8))", np.full((16, 8), self.value))
        before = len(self.lines)
        while len(self.lines) == before:
            getattr(self, self.rng.choice(kinds))()
        if self.rng.random() < 0.25:
            self.store()
        return None

    def axis(self):
        return self.rng.randrange(self.value.ndim)

    # Each appends a line, or none where the shape does not allow it.

    def do_reshape(self):
        shape = self.shape(self.value.size)
        if self.value.size >= 16:
            self.put(f"tl.reshape(v, {shape})", self.value.reshape(shape))

    def do_permute(self):
        order = tuple(self.rng.sample(range(self.value.ndim), self.value.ndim))
        self.put(f"tl.permute(v, {order})", self.value.transpose(order))

    def do_join(self):
        if 2 * self.value.size <= MOST:
            self.put("tl.join(v, v * 3)", np.stack([self.value, self.value * 3], -1))

    def do_split(self):
        if self.value.shape[-1] == 2:
            self.lines.append("a, b = tl.split(v)")
            self.put("a * 5 - b", self.value[..., 0] * 5 - self.value[..., 1])

    def do_cat(self):
        if 2 * self.value.size <= MOST:
            axis = self.axis()
            self.put(f"tl.cat(v, v ^ 1, dim={axis})",
                     np.concatenate([self.value, self.value ^ 1], axis))

    def do_reduce(self):
        axis, keep = self.axis(), self.rng.random() < 0.5
        name, function = self.rng.choice([("sum", np.add), ("max", np.maximum),
                                          ("min", np.minimum), ("xor_sum", np.bitwise_xor)])
        self.put(f"tl.{name}(v, {axis}, keep_dims={keep})",
                 function.reduce(self.value, axis, keepdims=keep, dtype=np.int32))

    def do_reduce_pairs(self):
        """Maps one after another: a combiner that does not commute."""
        axis = self.axis()
        a, b = self.value | 1, self.value
        parts = [np.moveaxis(t, axis, 0) for t in (a, b)]
        first, second = parts[0][0], parts[1][0]
        for i in range(1, len(parts[0])):
            first, second = first * parts[0][i], second * parts[0][i] + parts[1][i]
        self.lines.append(f"a, b = tl.reduce((v | 1, v), {axis}, after)")
        self.put("a ^ b", first ^ second)

    def do_scan(self):
        axis, reverse = self.axis(), self.rng.random() < 0.5
        turned = np.flip(self.value, axis) if reverse else self.value
        total = np.cumsum(turned, axis, dtype=np.int32)
        self.put(f"tl.cumsum(v, {axis}, reverse={reverse})",
                 np.flip(total, axis) if reverse else total)

    def do_scan_pairs(self):
        axis = self.axis()
        a, b = (np.moveaxis(t, axis, 0).copy() for t in (self.value | 1, self.value))
        for i in range(1, len(a)):
            a[i], b[i] = a[i - 1] * a[i], b[i - 1] * a[i] + b[i]
        self.lines.append(f"a, b = tl.associative_scan((v | 1, v), {axis}, after)")
        self.put("a ^ b", np.moveaxis(a ^ b, 0, axis))

    def do_sort(self):
        extent = self.value.shape[-1]
        if extent & (extent - 1) == 0:
            down = self.rng.random() < 0.5
            ordered = np.sort(self.value, -1)
            self.put(f"tl.sort(v, descending={down})", ordered[..., ::-1] if down else ordered)

    def do_gather(self):
        axis = self.axis()
        extent = self.value.shape[axis]
        if extent & (extent - 1) == 0:
            self.put(f"tl.gather(v, v & {extent - 1}, {axis})",
                     np.take_along_axis(self.value, self.value & (extent - 1), axis))

    def do_flip(self):
        axis = self.axis()
        if self.value.shape[axis] & (self.value.shape[axis] - 1) == 0:
            self.put(f"tl.flip(v, {axis})", np.flip(self.value, axis))

    def do_histogram(self):
        if self.value.ndim == 1 and self.rng.random() < 0.5:
            bins = self.rng.choice([16, 64, 128])
            self.put(f"tl.histogram(v & {bins - 1}, {bins})",
                     np.bincount(self.value & (bins - 1), minlength=bins))

    def do_spread(self):
        if 1 in self.value.shape:
            shape = list(self.value.shape)
            shape[shape.index(1)] = 4
            if np.prod(shape) <= MOST:
                self.put(f"tl.broadcast_to(v, {tuple(shape)})",
                         np.broadcast_to(self.value, shape))

    def do_add_index(self):
        """Elements know their place, so that moved ones are seen."""
        size, shape = self.value.size, self.value.shape
        place = np.arange(size, dtype=np.int32).reshape(shape)
        self.put(f"v * 7 + tl.reshape(tl.arange(0, {size}), {shape})", self.value * 7 + place)

    def text(self):
        return HEAD + "".join(f"    {line}\n" for line in self.lines)

    def expected(self):
        return np.concatenate(self.results)


def run(text, name, *arrays, **options):
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {"__name__": "chain"}
    exec(compile(text, name, "exec"), namespace)
    namespace["kernel"][(1,)](*arrays, **options)


def check(seed):
    """None, or what is wrong."""
    with np.errstate(all="ignore"):
        chain = Chain(seed)
    rng = random.Random(seed)
    os.environ["TEGULA_TARGET"] = "simt/" + rng.choice(("simt-32", "simt-32", "simt-64"))
    os.environ["TEGULA_SIMT_ORDER"] = rng.choice(("forward", "reverse"))
    os.environ["TEGULA_SIMT_RACES"] = "1"
    warps = rng.choice((1, 2, 4, 8))
    expected = chain.expected()
    got = np.full(expected.size + 64, 77, np.int32)
    import tegula
    where = (f"seed {seed}, {os.environ['TEGULA_TARGET']}, {warps} warps, "
             f"{os.environ['TEGULA_SIMT_ORDER']}\n{chain.text()}")
    try:
        run(chain.text(), f"<chain{seed}>", chain.input, got, num_warps=warps)
    except tegula.Error as error:
        return f"{where}{error}"
    wrong = np.flatnonzero(got[:expected.size] != expected)
    if wrong.size:
        at = wrong[0]
        return f"{where}{wrong.size} wrong, o[{at}]: expected {expected[at]}, got {got[at]}"
    return None if (got[expected.size:] == 77).all() else f"{where}stray stores"


def main(first, count):
    for seed in range(first, first + count):
        problem = check(seed)
        if problem:
            sys.exit(problem)
    print(f"{count} chains")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
