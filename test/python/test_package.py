# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages run where there is no LLVM, no compiler and no build folder.

The tree of an archive and an uncompressed wheel are made once. With TEGULA_LONG_TESTS the real
archives are packed as well, which takes minutes each, and NumPy comes from PyPI.
"""

import base64
import csv
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import numpy
import pytest
from bare_machine import BareMachine, why_not
from conftest import BUILD, ROOT

LONG = os.environ.get("TEGULA_LONG_TESTS") == "1"
PACKAGE = [sys.executable, ROOT / "tools/dev/package", "--json", "--build-dir", BUILD]
TUTORIAL = ROOT / "docs/tutorials/01-vector-add.py"
RUN = ["-k", "add_kernel", "-g", "2", "-a", "x=arange:fp32[1000]", "-a", "y=ones:fp32[1000]", "-a",
       "out=zeros:fp32[1000]", "-a", "n=1000", "-a", "BLOCK=512"]

CACHE = (BUILD / "CMakeCache.txt").read_text() if (BUILD / "CMakeCache.txt").exists() else ""
pytestmark = pytest.mark.skipif(
    re.search(r"^CMAKE_BUILD_TYPE:\w+=Release$", CACHE, re.M) is None or
    re.search(r"^TEGULA_(ASAN|FUZZ|COVERAGE):BOOL=ON$", CACHE, re.M) is not None,
    reason="packages are made of release builds")


def package(*options):
    """Runs tools/dev/package; returns its result."""
    done = subprocess.run([*PACKAGE, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder for gigabytes, which pytest would keep for three runs."""
    where = tmp_path_factory.mktemp("package")
    yield where
    shutil.rmtree(where)


@pytest.fixture(scope="module")
def tree(folder):
    """(result, where it is now): it moves once it is made."""
    result = package("--tree", folder / "made")
    return result, (folder / "made").rename(folder / "moved")


@pytest.fixture(scope="module")
def wheel(folder):
    return pathlib.Path(package("--wheel", "--level", "0", "--output", folder)["file"])


def make_environment(where):
    """A virtual environment with nothing in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", where], check=True)
    return next(where.glob("lib/python3.*/site-packages"))


def pip(environment, *words):
    subprocess.run([sys.executable, "-m", "pip", "--python", environment / "bin/python", "-q",
                    "--disable-pip-version-check", *words], check=True)


def add_numpy(environment, site):
    """From PyPI in long tests, otherwise a copy of this environment's."""
    if LONG:
        pip(environment, "install", "numpy")
        return
    source = pathlib.Path(numpy.__file__).parents[1]
    for part in source.glob("numpy*"):
        shutil.copytree(part, site / part.name)


@pytest.fixture(scope="module")
def environment(folder):
    """An environment with NumPy and nothing else."""
    where = folder / "environment"
    add_numpy(where, make_environment(where))
    return where


@pytest.fixture
def machine(tmp_path):
    reason = why_not()
    if reason:
        pytest.skip(f"needs a mount namespace: {reason}")
    return BareMachine(tmp_path)


def check_tutorial(done):
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"'ok': (?:np\.bool_\()?(\w+)", done.stdout)
    assert rows == ["True", "True"], done.stdout


# --- The tree of an archive -----------------------------------------------------------------------


def test_tree_is_complete(tree):
    result, where = tree
    assert result["problems"] == []
    tools = [path.parent.name for path in (ROOT / "tools").glob("*/CMakeLists.txt")
             if re.search(rf"tegula_add_tool\({path.parent.name}\s", path.read_text())]
    assert result["commands"] == sorted(tools)
    for name in ("lib/libTegulaRuntime.so", "lib/tegula/plugins/libtegula-cpu.so",
                 "lib/tegula/plugins/libtegula-cpu-rt.so", "python/tegula/__init__.py",
                 "include/tegula/tegula.h", "include/tegula/plugin.h",
                 "lib/cmake/Tegula/TegulaConfig.cmake", "share/doc/tegula/LICENSE",
                 "share/doc/tegula/docs/tutorials/01-vector-add.py"):
        assert (where / name).is_file(), name


def test_tree_has_the_licence_of_every_library(tree):
    _, where = tree
    texts = {path.name: path.read_text()
             for path in (where / "share/tegula/licences").glob("*.txt")}
    for part, words in (("llvm", "LLVM Exceptions"), ("mlir", "LLVM Exceptions"),
                        ("lld", "LLVM Exceptions"), ("tbb", "Apache"), ("yaml", "MIT"),
                        ("zstd", "BSD")):
        assert any(part in name and words in text for name, text in texts.items()), part


def test_large_unused_libraries_are_stand_ins(tree):
    result, where = tree
    assert set(result["stand_ins"]) == {"libedit.so.2", "libffi.so.8", "libxml2.so.2",
                                        "libz3.so.4"}
    for name, symbols in result["stand_ins"].items():
        assert symbols > 0
        assert (where / "lib" / name.replace(".so.", ".tg.")).stat().st_size < 20_000


def test_no_library_answers_to_the_name_of_another(tree):
    _, where = tree
    own = re.compile(r"lib(LLVM|MLIR|Tegula\w+)\.so|.*\.tg\.")
    names = [path.name for path in (where / "lib").iterdir() if path.is_file()]
    assert [name for name in names if not own.match(name)] == []


def test_tools_run_on_a_bare_machine(tree, machine):
    machine.add("/opt/tegula", tree[1])
    machine.add("/kernels/add.py", TUTORIAL)
    variables = {"TEGULA_CACHE_DIR": "/user/cache"}
    done = machine.run(["/opt/tegula/bin/tegula-run", "/kernels/add.py", *RUN, "--json"],
                       **variables)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    done = machine.run(["/opt/tegula/bin/tegulac", "/kernels/add.py", "-k", "add_kernel", "-s",
                        "*fp32, *fp32, *fp32, i32, 64", "-o", "/user/add.o"], **variables)
    assert done.returncode == 0, done.stderr
    assert (machine.home / "add.o").read_bytes()[:4] == b"\x7fELF"
    done = machine.run(["/opt/tegula/bin/tegula-opt", "--version"])
    assert done.returncode == 0 and "22.1" in done.stdout, done.stderr
    done = machine.run(["/opt/tegula/bin/tegula-target", "list"])
    assert done.returncode == 0 and "cpu" in done.stdout, done.stderr


def test_tools_run_through_links(tree, tmp_path):
    for name in tree[0]["commands"]:
        (tmp_path / name).symlink_to(tree[1] / "bin" / name)
    done = subprocess.run([tmp_path / "tegula-run", TUTORIAL, *RUN], cwd="/", capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    for name in tree[0]["commands"]:
        done = subprocess.run([tmp_path / name, "--help"], capture_output=True, text=True)
        assert done.returncode == 0, f"{name}: {done.stderr}"


def test_tutorial_from_the_tree_on_a_bare_machine(tree, environment, machine):
    machine.add_python(environment)
    machine.add("/opt/tegula", tree[1])
    tutorial = "/opt/tegula/share/doc/tegula/docs/tutorials/01-vector-add.py"
    done = machine.run([environment / "bin/python", tutorial],
                       PYTHONPATH="/opt/tegula/python", TEGULA_CACHE_DIR="/user/cache")
    check_tutorial(done)
    assert any((machine.home / "cache").rglob("*"))


def test_bare_machine_has_no_compiler_and_no_llvm(environment, machine):
    machine.add_python(environment)
    program = ("import shutil, ctypes.util, os\n"
               "print([n for n in ('cc', 'gcc', 'clang', 'ld', 'as', 'sh') if shutil.which(n)])\n"
               f"print(os.path.exists('/usr/lib/llvm-22'), os.path.exists({str(BUILD)!r}))\n")
    done = machine.run([environment / "bin/python", "-c", program])
    assert done.stdout == "[]\nFalse False\n", done.stderr


# --- Programs in C and C++ ------------------------------------------------------------------------


def build_program(compiler, standard, source, where, output):
    """Builds a sample with nothing but the tree's headers and libraries."""
    if not shutil.which(compiler):
        pytest.skip(f"no compiler {compiler}")
    done = subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-I",
                           where / "include", source, "-L", where / "lib", "-lTegulaRuntime",
                           "-Wl,-rpath,/opt/tegula/lib", "-o", output],
                          capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("compiler", ["g++", "clang++-22"])
@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_program_in_cpp_on_a_bare_machine(compiler, standard, tree, machine):
    sample = ROOT / "samples/cpp-compile"
    build_program(compiler, standard, sample / "cpp-compile.cpp", tree[1], machine.home / "program")
    machine.add("/opt/tegula", tree[1])
    machine.add("/kernels", sample)
    done = machine.run(["/user/program", "/kernels/scale.py"], TEGULA_CACHE_DIR="/user/cache")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("scale: right\n")


@pytest.mark.parametrize("compiler", ["gcc", "clang-22"])
def test_program_in_c_on_a_bare_machine(compiler, tree, machine):
    sample = ROOT / "samples/c-bundle"
    build_program(compiler, "c11", sample / "c-bundle.c", tree[1], machine.home / "program")
    machine.add("/opt/tegula", tree[1])
    machine.add("/kernels", sample)
    done = machine.run(["/opt/tegula/bin/tegulac", "/kernels/kernels.py", "-k", "add", "-s",
                        "*fp32:16, *fp32:16, *fp32:16, i32, 256", "-t", "cpu", "--emit=bundle",
                        "-o", "/user/kernels.tgb"], TEGULA_CACHE_DIR="/user/cache")
    assert done.returncode == 0, done.stderr
    done = machine.run(["/user/program", "/user/kernels.tgb", "--libraries"])
    assert done.returncode == 0, done.stderr
    assert "add on cpu: right\n" in done.stdout
    mapped = re.findall(r"^mapped .*/(lib\w+)", done.stdout, re.M)
    assert "libTegulaRuntime" in mapped
    assert not any(re.match("lib(LLVM|MLIR|TegulaCompiler|python)", name) for name in mapped)


# --- The wheel ------------------------------------------------------------------------------------


def test_wheel_format(wheel):
    assert re.fullmatch(r"tegula-[\d.]+-cp311-abi3-manylinux_2_36_\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        info = next(n for n in names if n.endswith("/RECORD")).removesuffix("/RECORD")
        rows = list(csv.reader(io.StringIO(file.read(f"{info}/RECORD").decode())))
        assert [row[0] for row in rows] == names
        assert rows[-1] == [f"{info}/RECORD", "", ""]
        for name, digest, size in rows[:-1]:
            data = file.read(name)
            found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            assert (f"sha256={found}", str(len(data))) == (digest, size), name
        assert f"Tag: {wheel.stem.split('-', 2)[2]}\n" in file.read(f"{info}/WHEEL").decode()
        head = file.read(f"{info}/METADATA").decode()
        assert "Name: tegula\n" in head and "Requires-Python: >=3.11\n" in head
        assert f"{info}/licenses/tegula.txt" in names
        programs = [n for n in names if "/bin/" in n]
        assert programs and all(file.getinfo(n).external_attr >> 16 & 0o111 for n in programs)


def test_wheel_installs_runs_and_leaves_nothing(wheel, folder, machine):
    where = folder / "wheel-environment"
    site = make_environment(where)

    def listing():
        return sorted(str(p) for p in where.rglob("*") if "__pycache__" not in p.parts)

    before = listing()
    pip(where, "install", "--no-index", "--no-deps", wheel)
    machine.add_python(where)
    # Neither NumPy nor a GPU nor a compiler is needed to import it.
    done = machine.run([where / "bin/python", "-c", "import tegula; print(tegula.__version__)"])
    assert (done.returncode, done.stdout) == (0, wheel.name.split("-")[1] + "\n"), done.stderr
    machine.add("/kernels/add.py", TUTORIAL)
    done = machine.run([where / "bin/tegula-run", "/kernels/add.py", *RUN, "--json"],
                       TEGULA_CACHE_DIR="/user/cache")
    assert done.returncode == 0, done.stderr
    done = machine.run([where / "bin/tegulac", "missing.py", "-k", "f", "-s", "i32"])
    assert done.returncode == 1
    assert machine.run([where / "bin/tegulac", "--wrong"]).returncode == 2
    add_numpy(where, site)
    check_tutorial(machine.run([where / "bin/python", "/kernels/add.py"],
                               TEGULA_CACHE_DIR="/user/cache"))
    pip(where, "uninstall", "-y", "tegula")
    shutil.rmtree(site / "numpy")
    for extra in site.glob("numpy*"):
        shutil.rmtree(extra)
    left = [name for name in listing() if name not in before and "/bin/f2py" not in name
            and "/bin/numpy-config" not in name]
    assert left == []


def test_command_without_programs_says_so(tmp_path):
    shutil.copy(ROOT / "tools/dev/tegula_package/commands.py", tmp_path / "_tegula_commands.py")
    done = subprocess.run([sys.executable, "-c", "import sys, _tegula_commands\n"
                           "sys.exit(_tegula_commands.tegula_opt())"], cwd=tmp_path,
                          capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 3
    assert done.stderr.startswith("tegula-opt: error: the package tegula of this Python has no")


# --- Real archives --------------------------------------------------------------------------------


@pytest.mark.timeout(1500)
@pytest.mark.skipif(not LONG, reason="long: packs an archive for minutes (TEGULA_LONG_TESTS=1)")
@pytest.mark.parametrize("kind", ["archive", "device"])
def test_archive_keeps_its_limit(kind, folder, environment, machine):
    # Less time than the default level takes; what keeps the limit so keeps it there.
    result = package(*(["--for-device"] if kind == "device" else []), "--output", folder,
                     "--level", "4")
    assert result["bytes"] <= {"archive": 64_000_000, "device": 56_000_000}[kind]
    target = folder / f"unpacked-{kind}"
    target.mkdir()
    subprocess.run(["tar", "xf", result["file"], "-C", target], check=True)
    (top,) = target.iterdir()
    assert top.name == pathlib.Path(result["file"]).name.split(".tar")[0].removesuffix("-device")
    with tarfile.open(result["file"]) as archive:
        assert {member.uid for member in archive} == {0}
    machine.add_python(environment)
    machine.add("/opt/tegula", top)
    machine.add("/kernels/add.py", TUTORIAL)
    check_tutorial(machine.run([environment / "bin/python", "/kernels/add.py"],
                               PYTHONPATH="/opt/tegula/python", TEGULA_CACHE_DIR="/user/cache"))
