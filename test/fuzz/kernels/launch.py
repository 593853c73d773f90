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
TOLERANCES = {"float32": (2e-6, 1e-37), "float64": (1e-14, 1e-300),
              "sums": (1e-4, 1e-3)}


@dataclass(frozen=True)
class Variant:
    """One way to compile and run.

    target: "cpu", "simt" (the simulator of GPUs) or "cuda" (this machine's GPU); arch: its
    processor; skip: optional passes of the CPU that are left out; num_warps, num_stages:
    launch options, 0 if not given; order: in which the simulator runs threads.
    """
    arch: str = "native"
    skip: tuple = ()
    target: str = "cpu"
    num_warps: int = 0
    num_stages: int = 0
    order: str = "forward"

    def descriptor(self):
        options = f", options: {{skip_passes: [{', '.join(self.skip)}]}}" if self.skip else ""
        target = {"cpu": "id: host, backend: cpu, arch: %s, emit: [elf-so]%s",
                  "simt": "id: sim, backend: simt, arch: %s%s",
                  "cuda": "id: gpu, backend: nvidia, arch: %s%s"}[self.target]
        return ("schema: tegula.target/v1\nname: fuzz\n"
                f"targets: [{{{target % (self.arch, options)}}}]\n"
                "numerics: {fma: never}\n")

    def options(self):
        """Keyword arguments of a launch."""
        named = {"num_warps": self.num_warps, "num_stages": self.num_stages}
        return {name: value for name, value in named.items() if value}

    def __str__(self):
        text = self.arch + (f" without {', '.join(self.skip)}" if self.skip else "")
        if self.target != "cpu":
            text = f"{self.target} {text}".replace("simt simt", "simt")
        text += "".join(f" {name}={value}" for name, value in self.options().items())
        return text + (f" {self.order}" if self.target == "simt" else "")


def variants_of(seed, count=2, target="cpu"):
    """The default of a target and `count` random others."""
    rng = random.Random(seed)
    found = [Variant()] if target == "cpu" else []
    while len(found) < count + 1:
        if target == "cpu":
            skip = [name for name in PASSES if rng.random() < 0.4] if rng.random() < 0.8 else []
            variant = Variant(rng.choice(ARCHS), tuple(skip))
        elif target == "simt":
            variant = Variant(rng.choice(("simt-32", "simt-32", "simt-64")), (), target,
                              rng.choice((1, 2, 4, 8)), 0, rng.choice(("forward", "reverse")))
        else:
            variant = Variant("native", (), target, rng.choice((1, 2, 4, 8)))
        if variant not in found:
            found.append(variant)
        elif target == "cuda" and len(found) == 4:
            break
    return found


def variants_of_stages(seed, target="cpu"):
    """One way to compile with num_stages 1 to 5; results of the first are compared with too."""
    rng = random.Random(seed)
    arch = {"cpu": "native", "simt": rng.choice(("simt-32", "simt-32", "simt-64")),
            "cuda": "native"}[target]
    warps = 0 if target == "cpu" else rng.choice((1, 2, 4, 4, 8))
    return [Variant(arch, (), target, warps, stages, rng.choice(("forward", "reverse")))
            for stages in (1, 2, 3, 4, 5)]


_folder = None


def descriptor_file(variant):
    global _folder
    if _folder is None:
        _folder = tempfile.TemporaryDirectory(prefix="tegula-fuzz-")
    path = Path(_folder.name) / f"{variant.target}-{variant.arch}-{'-'.join(variant.skip)}.yaml"
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


class Piece:
    """Bytes [start, end) of a `tegula.Array`, as an array of elements of some type."""

    is_cpu = False

    def __init__(self, block, start, end, dtype):
        import tegula.language as tl

        names = {"bool": "int1"}
        self.dtype = getattr(tl, names.get(dtype, dtype))
        self.shape = ((end - start) // exact.DTYPES[dtype].itemsize, )
        self.device = block.device
        self._address = block.data_ptr() + start

    def data_ptr(self):
        return self._address

    def stride(self, dim=None):
        return (1, ) if dim is None else 1


def arguments(kernel, config, arena, memory):
    """Arrays in `memory`, scalars and constexprs of one launch, in order.

    memory: bytes of NumPy, or a tegula.Array of bytes on a GPU.
    """
    arrays = []
    for pointer in kernel.pointers:
        region = kernel.regions[pointer.region]
        start = arena.address(pointer, kernel)
        end = arena.starts[pointer.region] + arena.counts[pointer.region] * exact.DTYPES[
            region.dtype].itemsize
        size = exact.DTYPES[pointer.dtype].itemsize
        end = max(start + (end - start) // size * size, start + size)
        if isinstance(memory, np.ndarray):
            arrays.append(memory[start:end].view(exact.DTYPES[pointer.dtype]))
        else:
            arrays.append(Piece(memory, start, end, pointer.dtype))
    return arrays, [config.scalars[name] for name in kernel.scalars]


def launch(kernel, config, first, variant, function):
    """Memory after a launch. `first`: an arena with the contents before it."""
    os.environ["TEGULA_TARGET"] = descriptor_file(variant)
    os.environ["TEGULA_SIMT_ORDER"] = variant.order
    os.environ["TEGULA_SIMT_RACES"] = "1"
    if variant.target == "cuda":
        import tegula

        memory = tegula.Array.from_numpy(first.bytes, "cuda")
    else:
        memory = aligned(first.bytes)
    arrays, scalars = arguments(kernel, config, first, memory)
    function[config.grid](*arrays, *scalars, **config.sizes, **variant.options())
    return memory.to_numpy() if variant.target == "cuda" else memory


def differences(kernel, arena, memory, expected, exactly=False):
    """[(region name, element, expected, got)], at most ten; NaNs are equal to each other.

    exactly: no region has a tolerance.
    """
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
        if region.kind == "approximate" and not exactly:
            with np.errstate(all="ignore"):
                near = np.isclose(got.astype(float), wanted.astype(float),
                                  *TOLERANCES["sums" if region.fill == "sums" else region.dtype])
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
    memories = {}
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
            if variant.num_stages:  # also of sums whose last bits are left open
                same = memories.setdefault(i, memory)
                places = differences(kernel, arena, memory, same, exactly=True)
                if places:
                    return Failure("mismatch", variant, i, "not as with num_stages=1", places)
    return None
