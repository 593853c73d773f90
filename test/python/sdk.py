# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The installed SDK, and the example backend built with it outside the tree."""

import os
import pathlib
import re
import shutil
import subprocess

from conftest import BUILD, ROOT

TUTORIAL = ROOT / "docs/writing-a-backend.md"
CXX = shutil.which("clang++-22") or "clang++"
# Flags that every file with MLIR's headers needs: what Tegula::Compiler carries.
MLIR_FLAGS = ["-fno-exceptions", "-isystem", "/usr/lib/llvm-22/include"]


def run(command, folder=None, environment=None):
    """Return code and all output of a command."""
    done = subprocess.run([str(part) for part in command], cwd=folder, text=True,
                          env={**os.environ, **(environment or {})}, timeout=280,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def ccache(folder):
    """Launcher and environment for compiles in a folder that has another name each time."""
    launcher = shutil.which("ccache")
    return ([launcher] if launcher else [],
            {"CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"} if launcher else {})


class Sdk:
    """`cmake --install` of the build under test into a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.prefix = folder / "prefix"
        code, text = run(["cmake", "--install", BUILD, "--prefix", self.prefix])
        assert code == 0, text[-2000:]

    def configure(self, source, build, *settings):
        launcher, _ = ccache(self.folder)
        extra = [f"-DCMAKE_{lang}_COMPILER_LAUNCHER={launcher[0]}" for lang in ("C", "CXX")
                 if launcher]
        return run(["cmake", "-S", source, "-B", build, "-G", "Ninja",
                    f"-DCMAKE_CXX_COMPILER={CXX}", f"-DCMAKE_PREFIX_PATH={self.prefix}", *extra,
                    *settings])

    def project(self, name, text):
        """A project with that CMakeLists.txt, configured: return code, output."""
        source = self.folder / name
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(Test LANGUAGES C CXX)\n" + text)
        (source / "plugin.cpp").write_text("")
        return source, lambda *settings: self.configure(source, source / "build", *settings)


class Example:
    """A copy of plugins/example, made and built by the commands of the tutorial."""

    def __init__(self, sdk):
        self.sdk = sdk
        source = sdk.folder / "example"
        self.plugins = sdk.folder / "example-build"
        launcher, environment = ccache(sdk.folder)
        if launcher:  # CMake takes these from the environment
            environment |= {f"CMAKE_{lang}_COMPILER_LAUNCHER": launcher[0] for lang in ("C", "CXX")}
        self.environment = environment | {"PREFIX": str(sdk.prefix)}
        # The last block runs the conformance suite: a test of its own.
        *steps, self.suite = commands(TUTORIAL)
        code, self.log = self.shell("".join(steps))
        assert code == 0, self.log[-4000:]
        self.kernels = source / "kernels"
        self.target = self.write_target("example.yaml")

    def write_target(self, name, arch="native", options="{}", features="[]"):
        path = self.sdk.folder / name
        path.write_text("schema: tegula.target/v1\nname: example\ntargets:\n"
                        f"  - {{id: c, backend: example, arch: {arch}, emit: [c-so], "
                        f"features: {features}, options: {options}}}\n")
        return path

    def shell(self, text):
        script = self.sdk.folder / "tutorial.sh"
        script.write_text("set -ex\n" + text)
        return run(["bash", script], self.sdk.folder, self.environment)

    def tool(self, name, *arguments):
        """An installed tool, which sees the example backend."""
        return run([self.sdk.prefix / "bin" / name, *arguments], self.sdk.folder,
                   {"TEGULA_PLUGIN_PATH": str(self.plugins)})


def blocks(path):
    """(language, text, file named in the line above or None) of the fenced code of a page."""
    fence = re.compile(r"(?:^<!-- (\S+) -->\n)?^```(\w+)\n(.*?)^```$", re.M | re.S)
    found = fence.finditer(path.read_text())
    return [(match[2], match[3], match[1]) for match in found]


def commands(path):
    return [text for language, text, _ in blocks(path) if language == "sh"]


def installed_headers(prefix):
    """(path below include/, whether it is C), of all headers that may be included alone."""
    include = pathlib.Path(prefix) / "include"
    for path in sorted(include.rglob("*.h")) + sorted(include.rglob("*.hpp")):
        name = path.relative_to(include).as_posix()
        yield name, path.suffix == ".h" and name.count("/") == 1
