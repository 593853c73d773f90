# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs LLVM IR that is for AMD's chips on the host, one fibre for each thread.

The IR is that of `tegulac --emit llvm`, behind all of LLVM's passes: only the selection of
instructions and what comes after it are not run. Address spaces are dropped, intrinsics
become calls of threads.cpp.
"""

import ctypes
import os
import platform
import re
import shutil
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INTRINSICS = ("workitem.id.x", "workgroup.id.x", "workgroup.id.y", "workgroup.id.z",
              "implicitarg.ptr", "mbcnt.lo", "mbcnt.hi", "s.barrier", "ds.bpermute", "ds.swizzle")
# What the host's LLVM would refuse or take for something else.
DROPPED = (r"^target .*$", r"(?:, )?!dbg !\d+", r" captures\(none\)", r" immarg",
           r" initializes\(\(.*?\)\)", r" ?addrspace\(\d+\)", r"protected ", r"amdgpu_kernel ",
           r"(?:,? )!(?:range|reqd_work_group_size|noundef|invariant\.load|amdgpu\.\w+) !\d+")
SIZES = {"ptr": 8, "i64": 8, "double": 8, "i32": 4, "float": 4, "i16": 2, "half": 2, "i8": 1}
CODES = {"ptr": "Q", "i64": "q", "double": "d", "i32": "i", "float": "f", "i16": "h", "i8": "b"}


def split_arguments(text):
    """Types of the arguments in a function's head."""
    text = re.sub(r"\([^()]*\)", "", text)
    return [part.split()[0] for part in text.split(",") if part.strip()]


def for_host(ir, kernel):
    """The IR for the host, the number of threads and the types of the arguments."""
    threads = int(re.search(r'"amdgpu-flat-work-group-size"="(\d+),', ir).group(1))
    ir = re.sub(r"^(attributes #\d+ = ).*$", r"\1{ nounwind }", ir, flags=re.M)
    for pattern in DROPPED:
        ir = re.sub(pattern, "", ir, flags=re.M)
    for name in INTRINSICS:
        ir = ir.replace(f"@llvm.amdgcn.{name}(", f"@tg_{name.replace('.', '_')}(")
    unknown = sorted(set(re.findall(r"llvm\.amdgcn[\w.]*", ir)))
    if unknown:
        raise SystemExit(f"expected intrinsics of threads.cpp, got {unknown}")
    head = re.search(rf"^define .*@{kernel}\((.*)\)", ir, flags=re.M).group(1)
    types = split_arguments(head)
    lines, offset = [], 0
    for i, kind in enumerate(types):
        offset = -(-offset // SIZES[kind]) * SIZES[kind]
        lines.append(f"  %at{i} = getelementptr i8, ptr %packed, i64 {offset}")
        lines.append(f"  %x{i} = load {kind}, ptr %at{i}")
        offset += SIZES[kind]
    operands = ", ".join(f"{kind} %x{i}" for i, kind in enumerate(types))
    ir += "\ndefine void @tg_entry(ptr %packed) {\n" + "\n".join(lines)
    return ir + f"\n  call void @{kernel}({operands})\n  ret void\n}}\n", threads, types


def compile_kernel(path, kernel, signature, target="amd/gfx942"):
    """A function of the grid and the run-time arguments (arrays and numbers)."""
    command = ["tegulac", path, "-k", kernel, "-s", signature, "-t", target, "--emit", "llvm"]
    ir = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
    ir, threads, types = for_host(ir, kernel)
    compiler = shutil.which("clang++-22") or "clang++"
    flags = ["-mf16c", "-mfma"] if platform.machine() == "x86_64" else []
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "kernel.ll"), os.path.join(folder, "kernel.so")
        with open(source, "w") as file:
            file.write(ir)
        subprocess.run([compiler, "-O1", "-w", *flags, "-shared", "-fPIC", "-x", "ir", source,
                        "-x", "c++", "-std=c++20", os.path.join(HERE, "threads.cpp"),
                        "-o", library], check=True)
        code = ctypes.CDLL(library)

    def launch(grid, *values):
        packed = b""
        for kind, value in zip(types, values, strict=True):
            packed += b"\0" * (-len(packed) % SIZES[kind])
            address = value.ctypes.data if kind == "ptr" else value
            packed += struct.pack("<" + CODES[kind], address)
        grid = (ctypes.c_uint32 * 3)(*grid, *(1,) * (3 - len(grid)))
        code.tg_launch(threads, grid, code.tg_entry, packed, int("REVERSE" in os.environ))

    return launch
