# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A machine with nothing but the C and C++ libraries and a Python: a root folder of its own.

Commands run there through `chroot` in a mount namespace of their own. No LLVM, no compiler and no
build folder can be found, since they are not there, whatever this machine has.
"""

import glob
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

# What the smallest images of Debian 12 and Ubuntu have.
LIBRARIES = ["libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0",
             "librt.so.1", "libstdc++.so.6", "libutil.so.1", "libz.so.1"]


def why_not():
    """Why commands cannot run in such a root here, or None."""
    if not shutil.which("unshare"):
        return "no command unshare"
    probe = subprocess.run(["unshare", "--mount", "--map-root-user", "sh", "-c",
                            "mount -t tmpfs none /mnt && chroot / true"],
                           capture_output=True, text=True)
    return None if probe.returncode == 0 else f"unshare: {probe.stderr.strip()}"


def needed_files(paths):
    """Files of libraries that the ELF files `paths` are loaded with."""
    found = set()
    for path in paths:
        text = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
        found |= set(re.findall(r"(?:=> )?(/\S+) \(0x", text))
    return found


class BareMachine:
    """The root folder. `mounts` are {path inside: path here}, read-only but for `home`."""

    def __init__(self, folder):
        self.root = folder / "root"
        self.home = folder / "home"  # writable, at /user inside
        self.mounts = {}
        for name in ("dev", "proc", "tmp", "user", "lib64", "usr/lib", "opt"):
            (self.root / name).mkdir(parents=True)
        self.home.mkdir()
        (self.root / "lib").symlink_to("usr/lib")
        known = needed_files([sys.executable, *glob.glob("/usr/lib/*/libstdc++.so.6"),
                              *glob.glob("/usr/lib/*/libz.so.1")])
        folders = {os.path.dirname(path) for path in known}
        for name in LIBRARIES:
            for place in folders:
                if os.path.exists(f"{place}/{name}"):
                    known.add(f"{place}/{name}")
        for path in known:
            self.add_library(path)

    def add_library(self, path):
        """Copies a library to where the loader looks for it."""
        if "ld-linux" in path:
            target = self.root / "lib64" / os.path.basename(path)
        else:
            target = self.root / "usr/lib" / os.path.basename(path)
        if not target.exists():
            shutil.copy(os.path.realpath(path), target)

    def add(self, inside, here):
        """Makes a folder or file of this machine appear as `inside`."""
        point = self.root / inside.lstrip("/")
        if os.path.isdir(here):
            point.mkdir(parents=True, exist_ok=True)
        else:
            point.parent.mkdir(parents=True, exist_ok=True)
            point.touch()
        self.mounts[inside] = here

    def add_python(self, environment):
        """A virtual environment at its own path, with the Python that it was made from."""
        base = pathlib.Path(os.path.realpath(environment / "bin/python"))
        version = subprocess.run([base, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                                 capture_output=True, text=True, check=True).stdout.strip()
        library = base.parents[1] / f"lib/python{version}"
        self.add(str(base), str(base))
        link = environment / "bin/python"  # may lead to other links before it comes to the program
        while link.is_symlink():
            link = pathlib.Path(os.path.normpath(link.parent / os.readlink(link)))
            inside = self.root / str(link).lstrip("/")
            if link.is_symlink() and not link.is_relative_to(environment):
                inside.parent.mkdir(parents=True, exist_ok=True)
                inside.symlink_to(os.readlink(link))
        self.add(str(library), str(library))
        self.add(str(environment), str(environment))
        modules = glob.glob(f"{library}/lib-dynload/*.so")
        for path in needed_files([str(base), *modules]):
            self.add_library(path)

    def run(self, command, **variables):
        """Runs a command inside, with `variables` as all of its environment."""
        script = [f"mount --rbind /{name} {self.root}/{name}" for name in ("dev", "proc")]
        script.append(f"mount --bind {self.home} {self.root}/user")
        for inside, here in self.mounts.items():
            script.append(f"mount --bind -o ro {shlex.quote(str(here))} {self.root}{inside}")
        environment = {"HOME": "/user", "PATH": "/usr/bin:/bin"} | variables
        words = ["/usr/bin/env", "-i", *(f"{k}={v}" for k, v in environment.items()),
                 *map(str, command)]
        # `env` is this machine's: a bare one has no programs but those that were added.
        if not (self.root / "usr/bin/env").exists():
            self.copy_program("/usr/bin/env")
        script.append(f"exec chroot {self.root} {shlex.join(words)}")
        return subprocess.run(["unshare", "--mount", "--map-root-user", "sh", "-e", "-c",
                               "\n".join(script)], capture_output=True, text=True, timeout=240,
                              stdin=subprocess.DEVNULL)

    def copy_program(self, path):
        """Copies a program and its libraries."""
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.realpath(path), target)
        for library in needed_files([path]):
            self.add_library(library)
