# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels, compiled for AArch64, under qemu-user.

`Machine.launch` compiles a kernel for the facts of its arguments, as a launch
does, writes object, arguments and arrays into a job file (its layout is that of
test/backends/cpu/aarch64/Loader.c) and has the loader run it.
"""

import ctypes
import json
import shutil
import struct
import subprocess

import ml_dtypes
import numpy as np
import tegula
from tegula import _tegula
from tegula._resolver import Resolver

MAGIC = 0x31424F4A4C474554
SCALARS = {"i1": bool, "u1": bool, "i8": "i1", "u8": "u1", "i16": "i2", "u16": "u2", "i32": "i4",
           "u32": "u4", "i64": "i8", "u64": "u8", "fp16": "f2", "bf16": ml_dtypes.bfloat16,
           "fp32": "f4", "fp64": "f8"}
DESCRIPTOR = """schema: tegula.target/v1
targets:
  - id: arm
    backend: cpu
    triple: aarch64-unknown-linux-gnu
    arch: {arch}
    features: [{features}]
    emit: [elf-so]
"""


class _Compiled(Exception):
    """Carries the artifact out of a launch on the host, which ends there."""


class _Cross(tegula.JITFunction):
    """A kernel that a launch compiles for another machine, and does not load."""

    def __init__(self, kernel, target):
        super().__init__(kernel)
        self._target = str(target)

    def _compile(self, specs, options, *places):
        text = {key: str(value) for key, value in options.items() if value is not None}
        raise _Compiled(_tegula.compile(self.source, self.file, self.first_line, self.fn.__name__,
                                        specs, self._target, text, Resolver(self), None, None))


class Block:
    """The bytes of a job file; everything begins at a multiple of 64."""

    def __init__(self):
        self.data = bytearray(128)

    def add(self, data):
        self.data += bytes(-len(self.data) % 64)
        offset = len(self.data)
        self.data += data
        return offset


def _root(array):
    """The array that the memory belongs to."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


class Machine:
    """qemu with a descriptor of an AArch64 processor; jobs are kept in `folder`."""

    def __init__(self, loader, folder, arch="generic", features=(), qemu_cpu="max"):
        self.loader = loader
        self.command = [shutil.which("qemu-aarch64"), "-cpu", qemu_cpu, str(loader)]
        self.folder = folder
        self.descriptor = folder / f"{arch}.yaml"
        self.descriptor.write_text(
            DESCRIPTOR.format(arch=arch, features=", ".join(f'"{f}"' for f in features)))

    def compile(self, kernel, args, constants):
        """The object and the manifest of a kernel for these arguments."""
        try:
            _Cross(kernel, self.descriptor).warmup(*args, **constants)
        except _Compiled as done:
            artifact, = done.args
            return artifact.stage("object"), json.loads(artifact.manifest())
        raise AssertionError("the kernel was not compiled")

    def launch(self, kernel, grid, *args, **constants):
        """Runs all programs of the grid; arrays change in place."""
        code, manifest = self.compile(kernel, args, constants)
        names = {name: value for name, value in constants.items() if name in kernel.arg_names}
        bound = kernel.signature.bind(*args, **names)
        bound.apply_defaults()
        values = bound.arguments
        grid = grid(values) if callable(grid) else grid
        grid = [*(grid if isinstance(grid, tuple) else (grid,)), 1, 1][:3]

        block = Block()
        roots, pointers = [], []
        packed = bytearray(manifest["args_size"])
        for arg in manifest["args"]:
            value = values[arg["name"]]
            if arg["type"].startswith("*"):
                root = _root(value)
                known = [i for i, r in enumerate(roots) if r.ctypes.data == root.ctypes.data]
                pointers.append((arg["offset"], known[0] if known else len(roots),
                                 value.ctypes.data - root.ctypes.data))
                if not known:
                    roots.append(root)
            else:
                data = np.array(value).astype(SCALARS[arg["type"]]).tobytes()
                packed[arg["offset"]:arg["offset"] + len(data)] = data
        places = [block.add(ctypes.string_at(r.ctypes.data, r.nbytes)) for r in roots]
        arrays = block.add(b"".join(struct.pack("<4Q", place, r.nbytes, r.ctypes.data % 64, 0)
                                    for place, r in zip(places, roots)))
        table = block.add(b"".join(struct.pack("<3Q", *p) for p in pointers))
        header = struct.pack("<11Q4I", MAGIC, block.add(code), len(code),
                             block.add(manifest["name"].encode() + b"\0"), block.add(packed),
                             len(packed), arrays, len(roots), table, len(pointers),
                             manifest["scratch_bytes"], *grid, 0)
        block.data[:len(header)] = header
        self._run(block.data)
        for place, root in zip(places, roots):
            ctypes.memmove(root.ctypes.data, bytes(block.data[place:place + root.nbytes]),
                           root.nbytes)

    def _run(self, data):
        job = self.folder / "job"
        job.write_bytes(data)
        done = subprocess.run([*self.command, str(job)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"qemu-aarch64: status {done.returncode}: {done.stderr}"
        data[:] = job.read_bytes()

    def compare(self, kernel, grid, *args, **constants):
        """Runs on both machines; the arrays must come out the same to the bit.

        For kernels without freedom in rounding. Which NaN comes out of arithmetic
        is up to the processor.
        """
        copies = {}
        host = [_copy(a, copies) if isinstance(a, np.ndarray) else a for a in args]
        kernel[grid](*host, **constants)
        self.launch(kernel, grid, *args, **constants)
        for name, arm, here in zip(kernel.arg_names, args, host):
            if isinstance(arm, np.ndarray):
                assert_same_bits(arm, here, name)


def _copy(array, copies):
    """A copy that is aligned as the array, and shares memory as the arrays do."""
    root = _root(array)
    begin = root.ctypes.data
    if begin not in copies:
        room = np.empty(root.nbytes + 128, np.uint8)
        start = (begin - room.ctypes.data) % 64
        copies[begin] = room[start:start + root.nbytes]
        copies[begin][:] = np.frombuffer(ctypes.string_at(begin, root.nbytes), np.uint8)
    return np.ndarray(array.shape, array.dtype, copies[begin], array.ctypes.data - begin,
                      array.strides)


def bits(array):
    """The bytes of each element as one unsigned integer."""
    array = np.ascontiguousarray(array)
    return array.view(f"u{array.itemsize}")


def assert_same_bits(got, want, what=""):
    assert got.dtype == want.dtype and got.shape == want.shape
    same = bits(got) == bits(want)
    if got.dtype.kind not in "iub":
        same |= np.isnan(got) & np.isnan(want)
    if not same.all():
        at = tuple(int(i) for i in np.argwhere(~same)[0])
        raise AssertionError(f"{what}{list(at)}: got {got[at]!r}, expected {want[at]!r}; "
                             f"{np.count_nonzero(~same)} of {same.size} differ")
