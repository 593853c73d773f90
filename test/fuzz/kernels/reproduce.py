# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A failing kernel as a file that needs neither the generator nor the interpreter."""

import base64
import zlib

from . import exact
from .interpret import Arena, interpret
from .launch import Variant
from .printing import kernel_text

_HEAD = '''# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""%s"""

import base64
import os
import tempfile
import zlib
from pathlib import Path

import ml_dtypes
import numpy as np
'''

_TAIL = '''

def memory(text):
    """Bytes that start at a multiple of 64."""
    data = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8)
    room = np.empty(data.size + 64, np.uint8)
    start = -room.ctypes.data % 64
    room[start:start + data.size] = data
    return room[start:start + data.size]


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, name))


class Piece:
    """Bytes of an array on a GPU, as elements of a type."""

    is_cpu = False

    def __init__(self, block, start, end, name):
        self.dtype = getattr(tl, LANGUAGE_NAMES.get(name, name))
        self.shape = ((end - start) // dtype_of(name).itemsize, )
        self.device, self.address = block.device, block.data_ptr() + start

    def data_ptr(self):
        return self.address

    def stride(self, dim=None):
        return (1, ) if dim is None else 1


def launch(place, options, grid, got, arrays, scalars, constants):
    """The bytes after a launch on "cpu", "simt" (with its plugin on the path) or "cuda"."""
    block = tegula.Array.from_numpy(got, "cuda") if place == "cuda" else got
    views = [got[a:b].view(dtype_of(name)) if place != "cuda" else Piece(block, a, b, name)
             for a, b, name in arrays]
    kernel[grid](*views, *scalars, **constants, **options)
    return block.to_numpy() if place == "cuda" else got


def main():
    for grid, first, last, arrays, scalars, constants in LAUNCHES:
        for target, place, options, order in TARGETS:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "target.yaml"
                file.write_text(target)
                os.environ["TEGULA_TARGET"] = str(file)
                os.environ["TEGULA_SIMT_ORDER"] = order
                os.environ["TEGULA_SIMT_RACES"] = "1"
                expected = memory(last)
                got = launch(place, options, grid, memory(first), arrays, scalars, constants)
                for name in ("TEGULA_TARGET", "TEGULA_SIMT_ORDER", "TEGULA_SIMT_RACES"):
                    del os.environ[name]
            for name, start, end, dtype in REGIONS:
                x, y = (m[start:end].view(dtype_of(dtype)) for m in (got, expected))
                with np.errstate(all="ignore"):
                    same = x.view(f"u{x.itemsize}") == y.view(f"u{x.itemsize}")
                    if x.dtype.kind not in "iub":
                        same |= np.isnan(x.astype(float)) & np.isnan(y.astype(float))
                assert same.all(), (f"{target}{name}[{np.flatnonzero(~same)[0]}]: expected "
                                    f"{y[~same][0]!r}, got {x[~same][0]!r}")
                got[start:end] = expected[start:end]
            assert (got == expected).all(), f"{target}memory that is nobody's was written"


if __name__ == "__main__":
    main()
'''


def _packed(data):
    return base64.b64encode(zlib.compress(data.tobytes(), 9)).decode()


def _wrapped(text):
    """A long string literal over several lines."""
    pieces = [text[i:i + 80] for i in range(0, len(text), 80)]
    return "(" + "\n        ".join(f'"{piece}"' for piece in pieces) + ")"


def reproducer(kernel, variants, title):
    """Source of the file."""
    # Arenas depend on the launch: so do the places of regions.
    lines = [_HEAD % title, kernel_text(kernel)]
    targets = ",\n".join(f'    ("""{v.descriptor()}""",\n     "{v.target}", {v.options()}, '
                         f'"{v.order}")' for v in variants or [Variant()])
    names = {str(exact.DTYPES[name]): name for name in exact.FP8} | {"bool": "int1"}
    lines.append(f"\nLANGUAGE_NAMES = {names!r}")
    lines.append("# descriptor, place, launch options, order of the simulator's threads")
    lines.append(f"TARGETS = [\n{targets},\n]")
    config = kernel.configs[0]
    first, last = Arena(kernel, config), interpret(kernel, config)
    regions = [(r.name, start, start + count * exact.DTYPES[r.dtype].itemsize,
                exact.DTYPES[r.dtype].name)
               for r, start, count in zip(kernel.regions, first.starts, first.counts)]
    arrays = []
    for pointer in kernel.pointers:
        start = first.address(pointer, kernel)
        end = regions[pointer.region][2]
        size = exact.DTYPES[pointer.dtype].itemsize
        end = max(start + (end - start) // size * size, start + size)
        arrays.append((start, end, exact.DTYPES[pointer.dtype].name))
    scalars = [config.scalars[name] for name in kernel.scalars]
    lines.append("# name, first byte, end, type")
    lines.append("REGIONS = [\n" + "".join(f"    {r!r},\n" for r in regions) + "]")
    lines.append("# grid; memory before and after; arrays in it, scalars, constants")
    lines.append(f"LAUNCHES = [\n    ({config.grid!r},\n     {_wrapped(_packed(first.bytes))},\n"
                 f"     {_wrapped(_packed(last.bytes))},\n     {arrays!r},\n     {scalars!r},\n"
                 f"     {config.sizes!r}),\n]")
    return "\n".join(lines) + _TAIL
