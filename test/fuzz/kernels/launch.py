# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs generated kernels for several targets, and compares memory."""

import linecache
import os
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import exact
from .printing import kernel_text

ARCHS = ("native", "x86-64-v2", "x86-64-v3", "x86-64-v4")
PASSES = ("canonicalize", "cse", "llvm-optimize", "loop-invariant-code-motion",
          "tile-uniform-advance")


# Relative and absolute error of functions whose last bits are left open.
TOLERANCES = {"float32": (2e-6, 1e-37), "float64": (1e-14, 1e-300)}


@dataclass(frozen=True)
class Variant:
    """One way to compile: a processor, and optional passes that are left out."""
    arch: str = "native"
    skip: tuple = ()

    def descriptor(self):
        options = f", options: {{skip_passes: [{', '.join(self.skip)}]}}" if self.skip else ""
        target = f"{{id: host, backend: cpu, arch: {self.arch}, emit: [elf-so]{options}}}"
        return (f"schema: tegula.target/v1\nname: fuzz\ntargets: [{target}]\n"
                "numerics: {fma: never}\n")

    def __str__(self):
        return self.arch + (f" without {', '.join(self.skip)}" if self.skip else "")


def variants_of(seed, count=2):
    """The default and `count` random others."""
    rng = random.Random(seed)
    found = [Variant()]
    while len(found) < count + 1:
        skip = [name for name in PASSES if rng.random() < 0.4] if rng.random() < 0.8 else []
        variant = Variant(rng.choice(ARCHS), tuple(skip))
        if variant not in found:
            found.append(variant)
    return found


_folder = None


def descriptor_file(variant):
    global _folder
    if _folder is None:
        _folder = tempfile.TemporaryDirectory(prefix="tegula-fuzz-")
    path = Path(_folder.name) / f"{variant.arch}-{'-'.join(variant.skip)}.yaml"
    if not path.exists():
        path.write_text(variant.descriptor())
    return str(path)


def load_kernel(text, name):
    """The jit function `kernel` of a source text."""
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace = {"__name__": name}
    exec(compile(text, file, "exec"), namespace)
    return namespace["kernel"]


def aligned(data):
    """A copy of bytes that starts at a multiple of 64."""
    room = np.empty(data.size + 64, np.uint8)
    start = -room.ctypes.data % 64
    copy = room[start:start + data.size]
    copy[:] = data
    return copy


def arguments(kernel, config, arena, memory):
    """Arrays in `memory`, scalars and constexprs of one launch, in order."""
    arrays = []
    for pointer in kernel.pointers:
        region = kernel.regions[pointer.region]
        start = arena.address(pointer, kernel)
        end = arena.starts[pointer.region] + arena.counts[pointer.region] * exact.DTYPES[
            region.dtype].itemsize
        size = exact.DTYPES[pointer.dtype].itemsize
        end = max(start + (end - start) // size * size, start + size)
        arrays.append(memory[start:end].view(exact.DTYPES[pointer.dtype]))
    return arrays, [config.scalars[name] for name in kernel.scalars]


def launch(kernel, config, first, variant, function):
    """Memory after a launch. `first`: an arena with the contents before it."""
    os.environ["TEGULA_TARGET"] = descriptor_file(variant)
    memory = aligned(first.bytes)
    arrays, scalars = arguments(kernel, config, first, memory)
    function[config.grid](*arrays, *scalars, **config.sizes)
    return memory


def differences(kernel, arena, memory, expected):
    """[(region name, element, expected, got)], at most ten; NaNs are equal to each other."""
    if np.array_equal(memory, expected):
        return []
    found = []
    inside = np.zeros(memory.size, bool)
    for region, start, count in zip(kernel.regions, arena.starts, arena.counts):
        dtype = exact.DTYPES[region.dtype]
        piece = slice(start, start + count * dtype.itemsize)
        inside[piece] = True
        unsigned = f"u{dtype.itemsize}"
        wrong = memory[piece].view(unsigned) != expected[piece].view(unsigned)
        got, wanted = memory[piece].view(dtype), expected[piece].view(dtype)
        if exact.is_float(region.dtype):
            with np.errstate(all="ignore"):
                wrong &= ~(np.isnan(got.astype(np.float64)) & np.isnan(wanted.astype(np.float64)))
        if region.kind == "approximate":
            with np.errstate(all="ignore"):
                near = np.isclose(got.astype(float), wanted.astype(float),
                                  *TOLERANCES[region.dtype])
            wrong &= ~near
        for at in np.flatnonzero(wrong)[:10]:
            found.append((region.name, int(at), wanted[at].item(), got[at].item()))
    outside = np.flatnonzero((memory != expected) & ~inside)
    if outside.size:
        found.append(("memory between regions", int(outside[0]), int(expected[outside[0]]),
                      int(memory[outside[0]])))
    return found[:10]


@dataclass
class Failure:
    """kind: mismatch, refused, or crash."""
    kind: str
    variant: Variant
    config: int
    text: str
    places: list

    def __str__(self):
        lines = [f"{self.kind} with {self.variant}, launch {self.config}", self.text]
        for name, at, wanted, got in self.places[:5]:
            lines.append(f"  {name}[{at}]: expected {wanted!r}, got {got!r}")
        return "\n".join(line for line in lines if line)


def check(kernel, arenas, variants, first_arenas=None):
    """The first failure of a kernel, or None. arenas: what the launches should leave."""
    from .interpret import Arena

    import tegula
    text = kernel_text(kernel)
    for variant in variants:
        try:
            function = load_kernel(text, f"kernel{kernel.seed}")
        except SyntaxError as error:
            return Failure("refused", variant, 0, f"syntax: {error}", [])
        for i, (config, arena) in enumerate(zip(kernel.configs, arenas)):
            first = Arena(kernel, config)
            try:
                memory = launch(kernel, config, first, variant, function)
            except tegula.Error as error:
                return Failure("refused", variant, i, str(error), [])
            places = differences(kernel, arena, memory, arena.bytes)
            if places:
                return Failure("mismatch", variant, i, "", places)
    return None
