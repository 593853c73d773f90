# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must hold of a package's tree, whatever machine it goes to. Each check yields problems."""

import os
import re
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from .elf import Elf
from .stage import ON_EVERY_MACHINE

# The newest versions that the tag manylinux_2_36 promises.
NEWEST = {"GLIBC": (2, 36), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}


def newest_versions(files):
    """{"GLIBC": (2, 34), ...}: the newest version of each that any of the files asks for."""
    newest = {}
    for file in files:
        for versions in Elf(file).versions_needed().values():
            for version in versions:
                family, _, number = version.rpartition("_")
                if family in NEWEST and re.fullmatch(r"[\d.]+", number):
                    newest[family] = max(newest.get(family, ()),
                                         tuple(map(int, number.split("."))))
    return newest


def dotted(version):
    """(2, 36) as "2.36"."""
    return ".".join(map(str, version))


def check_versions(files):
    """Symbols are in the libraries of every machine that the package is for."""
    for file in files:
        for family, version in newest_versions([file]).items():
            if version > NEWEST[family]:
                yield (f"{file}: expected {family}_{dotted(NEWEST[family])} at most, "
                       f"got {family}_{dotted(version)}")


def check_libraries(files):
    """Every library that a file needs is beside it or on every machine; nothing is absolute."""
    for file in files:
        elf = Elf(file)
        folders = [Path(os.path.normpath(part.replace("$ORIGIN", str(file.parent))))
                   for part in elf.runpath.split(":") if part]
        for part in elf.runpath.split(":"):
            if part and not re.match(r"\$ORIGIN(/|$)", part):
                yield f"{file}: RUNPATH {part} does not move with the package"
        for name in elf.needed:
            if name not in ON_EVERY_MACHINE and not any((f / name).is_file() for f in folders):
                yield f"{file}: {name} is not in {elf.runpath or 'an empty RUNPATH'}"


def check_paths(root, folders):
    """No file names the folders it was built in."""
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        data = path.read_bytes()
        for folder in folders:
            if os.fsencode(f"{folder}/") in data:
                yield f"{path}: names the folder {folder}"


def limited_api(compiler, include):
    """The names that Python's headers declare for extensions of the limited API of 3.11."""
    command = [compiler, "-E", "-P", f"-I{include}", "-DPy_LIMITED_API=0x030B0000", "-xc", "-"]
    # Some functions have another name where lengths are Py_ssize_t.
    return {name for sizes in ("", "#define PY_SSIZE_T_CLEAN\n")
            for name in re.findall(r"\b(_?Py\w+)\s*[(;]", subprocess.run(
                command, input=f"{sizes}#include <Python.h>\n", capture_output=True, text=True,
                check=True).stdout)}


def python_include(build):
    """The headers that the build found."""
    cache = (build / "CMakeCache.txt").read_text()
    found = re.search(r"^_?Python3_INCLUDE_DIRS?:\w+=(.+)$", cache, re.M)
    return found[1] if found else sysconfig.get_path("include")


def check_extension(path, compiler, include):
    """The extension asks Python for nothing but the limited API."""
    wanted = {s.name for s in Elf(path).symbols() if not s.defined and
              re.match(r"_?Py", s.name)}
    if not wanted:
        yield f"{path}: expected symbols of Python, got none"
    for name in sorted(wanted - limited_api(compiler, include)):
        yield f"{path}: {name} is not in the limited API of Python 3.11"


def check_runs(stage):
    """The tools of the tree find each other's libraries, compile a kernel and run it."""
    kernel = stage.source / "docs/tutorials/01-vector-add.py"
    with tempfile.TemporaryDirectory(prefix="tegula-package-") as cache:
        # Settings of the caller's, a search path of plugins among them, would hide what is missing.
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("TEGULA_", "LD_"))}
        environment["TEGULA_CACHE_DIR"] = cache
        command = [stage.prefix / "bin/tegula-run", kernel, "-k", "add_kernel", "-g", "1",
                   *(f"--arg={text}" for text in ("x=arange:fp32[16]", "y=arange:fp32[16]",
                                                  "out=zeros:fp32[16]", "n=16", "BLOCK=16"))]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        yield f"bin/tegula-run: {(done.stderr or done.stdout).strip()}"


def check_build(build):
    """The build is the optimised one."""
    cache = (build / "CMakeCache.txt").read_text()
    found = re.search(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", cache, re.M)
    if not found or found[1] != "Release":
        yield f"{build}: expected build type Release, got '{found[1] if found else ''}'"
    for option in re.findall(r"^TEGULA_(ASAN|FUZZ|COVERAGE):BOOL=ON$", cache, re.M):
        yield f"{build}: expected a plain build, got one with TEGULA_{option}"


def check_tree(stage):
    """All problems of a tree."""
    files = stage.elf_files()
    problems = [*check_build(stage.build), *check_versions(files), *check_libraries(files),
                *check_paths(stage.root, {stage.build, stage.source}),
                *check_extension(stage.python / "_tegula.abi3.so", stage.llvm / "bin/clang",
                                 python_include(stage.build)),
                *check_runs(stage)]
    return [problem.replace(f"{stage.root}/", "") for problem in problems]
