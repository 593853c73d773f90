# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lays out the files of a package in a folder: stripped, relocatable, complete.

    bin/                      the tools
    lib/                      our libraries, LLVM's, and what these need
    lib/tegula/plugins/       the backends
    python/tegula/            the Python package; in a wheel the rest is in its folder _dist
    include/ lib/cmake/       for programs and plugins in C and C++ (archive only)
    share/tegula/licences/    the licences of all that is in it
    share/doc/tegula/         licence, documentation, tutorials (archive only)

cmake/TegulaInstall.cmake says which files of ours there are, and where.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import standins
from .elf import Elf, ElfError, is_elf

# What every machine has that runs glibc 2.35 or later: the libraries that the tag manylinux_2_36
# allows, as far as we need them.
ON_EVERY_MACHINE = {
    "ld-linux-aarch64.so.1", "ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libgcc_s.so.1",
    "libm.so.6", "libpthread.so.0", "librt.so.1", "libstdc++.so.6", "libz.so.1",
}
# Plugins that were built elsewhere ask for these by name and must meet the ones here.
KEEP_NAMES = re.compile(r"lib(LLVM|MLIR|Tegula\w+)\.so")
COMPONENTS = {
    "archive": ["runtime", "compiler", "tools", "python", "sdk", "doc"],
    "device": ["runtime", "compiler", "tools", "python"],
    "wheel": ["runtime", "compiler", "tools", "python"],
}
# Linked in as archives, so no needed library tells of them.
STATIC_PACKAGES = ["liblld-{major}"]


class StageError(Exception):
    """Something that a package needs is not there."""


def package_name(library):
    """The name of a bundled library: as long as before, and nobody else's.

    A process holds one library of a name. Under Debian's names ours could be found by, or
    replaced with, those that another package brings into the same process.
    """
    if library in ON_EVERY_MACHINE or KEEP_NAMES.match(library):
        return library
    return library.replace(".so.", ".tg.")


class Stage:
    """One tree. `root` is where it is; `libraries` where everything but Python is."""

    def __init__(self, source, build, root, kind, llvm_major):
        self.source, self.build, self.root, self.kind = source, build, root, kind
        self.llvm = Path(f"/usr/lib/llvm-{llvm_major}")
        self.llvm_major = llvm_major
        if kind == "wheel":
            # First beside the package, then in it. The loader's path from there to the libraries
            # must not be longer than that of other trees.
            self.python = root / "tegula"
            self.prefix = root / "_dist"
        else:
            self.python = root / "python/tegula"
            self.prefix = root
        self.owners = set()  # Debian packages of what is bundled
        self.standins = {}  # name: number of symbols

    def fill(self):
        """Makes the whole tree."""
        self.install()
        self.bundle_libraries()
        self.make_relocatable()
        self.copy_licences()

    @property
    def libraries(self):
        """Where the shared libraries are."""
        return self.prefix / "lib"

    def elf_files(self):
        """Everything in the tree that the loader reads."""
        return [path for path in sorted(self.root.rglob("*"))
                if path.is_file() and not path.is_symlink() and is_elf(path)]

    def commands(self):
        """Names of the tools in the tree."""
        return sorted(path.name for path in (self.prefix / "bin").iterdir())

    def copy(self, source, target):
        """Copies a file and its permissions, but not its age, so that trees are repeatable."""
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(0o755 if os.access(source, os.X_OK) else 0o644)

    def install(self):
        """What `cmake --install` knows, less what belongs to the tree of sources."""
        for component in COMPONENTS[self.kind]:
            done = subprocess.run(["cmake", "--install", self.build, "--prefix", self.prefix,
                                   "--component", component], capture_output=True, text=True)
            if done.returncode != 0:
                reason = re.search(r'cannot find\s+"(.+?)"', done.stderr)
                reason = f"{reason[1]}: no such file" if reason else done.stderr.strip()
                raise StageError(f"{reason}; build everything first: ninja -C {self.build}")
        for tool in (self.prefix / "bin").iterdir():
            # Programs for developers have no folder of their own name, or need the sources.
            if not (self.source / "tools" / tool.name).is_dir() or not is_elf(tool):
                tool.unlink()
        if self.kind != "archive":
            self.remove_test_plugins()
        if self.kind == "wheel":
            (self.prefix / "python/tegula").rename(self.python)
            (self.prefix / "python").rmdir()
            self.prefix = self.prefix.rename(self.python / self.prefix.name)
        for path in self.root.rglob("*.so"):
            path.chmod(0o755)
        strip = [self.llvm / "bin/llvm-strip", "--strip-unneeded"]
        subprocess.run(strip + self.elf_files(), check=True)

    def remove_test_plugins(self):
        """Keeps the plugins that come with sources in backends/."""
        backends = {path.name for path in (self.source / "backends").iterdir() if path.is_dir()}
        for plugin in (self.libraries / "tegula/plugins").glob("*.so"):
            if re.fullmatch(r"libtegula-([\w-]+?)(-rt)?\.so", plugin.name)[1] not in backends:
                plugin.unlink()

    def bundle_libraries(self):
        """Copies the libraries that machines lack, or makes stand-ins of those never called."""
        ours = {path.name for path in self.libraries.rglob("*.so")}
        waiting, seen, unused = self.elf_files(), set(), set()
        while waiting:
            file = waiting.pop()
            for name in Elf(file).needed:
                if name in ON_EVERY_MACHINE or name in ours or name in seen:
                    continue
                seen.add(name)
                real = self.find_library(name)
                if name in standins.UNUSED:
                    unused.add((name, real))
                    continue
                self.copy(real, self.libraries / name)
                (self.libraries / name).chmod(0o644)
                self.owners.add(owner_of(real))
                waiting.append(self.libraries / name)
        missing = standins.missing_symbols(self.elf_files())
        compiler = self.llvm / "bin/clang"
        with tempfile.TemporaryDirectory(prefix="tegula-package-") as scratch:
            for name, real in sorted(unused):
                self.standins[name] = standins.build(name, real, missing, self.libraries / name,
                                                     Path(scratch), compiler)

    def find_library(self, name):
        """The file of a shared library, as the loader of this machine finds it."""
        folders = [self.llvm / "lib", *loader_folders()]
        for folder in folders:
            if (folder / name).exists():
                return (folder / name).resolve()
        raise StageError(f"{name}: no such library in {', '.join(map(str, folders))}")

    def make_relocatable(self):
        """Names and search paths that hold wherever the tree is."""
        for path in self.elf_files():
            elf = Elf(path)
            elf.rename_libraries(package_name)
            bundled = any((self.libraries / name).exists() for name in elf.needed)
            if elf.runpath or bundled:
                up = os.path.relpath(self.libraries, path.parent)
                elf.set_runpath("$ORIGIN" if up == "." else f"$ORIGIN/{up}")
            elf.write()
            renamed = package_name(path.name)
            if path.parent == self.libraries and renamed != path.name:
                path.rename(path.with_name(renamed))

    def copy_licences(self):
        """Ours, and those of everything that is bundled."""
        folder = self.prefix / "share/tegula/licences"
        self.copy(self.source / "LICENSE", folder / "tegula.txt")
        static = {name.format(major=self.llvm_major) for name in STATIC_PACKAGES}
        for owner in sorted(self.owners | static):
            text = Path("/usr/share/doc") / owner / "copyright"
            self.copy(text, folder / f"{owner}.txt")
            # Debian's files quote some licences by the path of a common copy.
            for name in re.findall(r"/usr/share/common-licenses/([\w.+-]*\w)",
                                   text.read_text(errors="replace")):
                common = Path("/usr/share/common-licenses") / name
                if common.is_file():
                    self.copy(common, folder / "common-licenses" / name)


def loader_folders():
    """Folders that the loader of this machine knows."""
    ldconfig = shutil.which("ldconfig", path=os.environ.get("PATH", "") + ":/sbin:/usr/sbin")
    text = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=True).stdout
    return sorted({Path(path).parent for path in re.findall(r"=> (\S+)", text)})


def owner_of(path):
    """The Debian package that a file is of."""
    # Debian merges /lib into /usr/lib; its lists may have either.
    for name in (str(path), str(path).removeprefix("/usr")):
        found = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    raise StageError(f"{path}: of no Debian package, so its licence is unknown")


__all__ = ["ElfError", "Stage", "StageError"]
