# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tools/dev/package refuses to pack: one planted fault each, and the parts it is made of."""

import os
import platform
import re
import subprocess
import sys
import tarfile
import types

import pytest
from conftest import BUILD, ROOT

sys.path.insert(0, str(ROOT / "tools/dev"))
from tegula_package import check, pack, stage, standins  # noqa: E402
from tegula_package.elf import Elf, ElfError  # noqa: E402

MAJOR = re.search(r'TEGULA_LLVM_MAJOR "(\d+)"', (ROOT / "cmake/LLVMVersion.cmake").read_text())[1]
CLANG = f"/usr/lib/llvm-{MAJOR}/bin/clang"
pytestmark = pytest.mark.skipif(not os.path.exists(CLANG), reason=f"no {CLANG}")


def library(path, source, *options):
    """Builds a shared library of a few lines of C."""
    code = path.with_name(path.name + ".c")
    code.write_text(source)
    done = subprocess.run([CLANG, "-shared", "-fPIC", "-w", "-fuse-ld=lld", code, "-o", path,
                           *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return path


# --- Reading and renaming -------------------------------------------------------------------------


def test_elf_facts(tmp_path):
    library(tmp_path / "libother.so.1", "int other(void) { return 1; }",
            "-Wl,-soname,libother.so.1")
    path = library(tmp_path / "libmine.so", "int other(void);"
                   "__attribute__((weak)) int maybe(void); int counter = 3;"
                   "int mine(void) { return other() + maybe(); }",
                   tmp_path / "libother.so.1", "-Wl,-soname,libmine.so.2", "-Wl,-rpath,/a/b")
    elf = Elf(path)
    assert elf.soname == "libmine.so.2"
    assert "libother.so.1" in elf.needed
    assert elf.runpath.split(":")[-1] == "/a/b"
    symbols = {symbol.name: symbol for symbol in elf.symbols()}
    assert symbols["mine"].defined and not symbols["mine"].data
    assert symbols["counter"].defined and symbols["counter"].data and symbols["counter"].size == 4
    assert not symbols["other"].defined and symbols["maybe"].weak


def test_renamed_libraries_load(tmp_path):
    library(tmp_path / "libother.so.1", "int other(void) { return 41; }",
            "-Wl,-soname,libother.so.1")
    user = library(tmp_path / "libmine.so",
                   "int other(void); int mine(void) { return other() + 1; }",
                   tmp_path / "libother.so.1", "-Wl,-rpath,/somewhere/that/is/long")
    for path in (tmp_path / "libother.so.1", user):
        elf = Elf(path)
        elf.rename_libraries(stage.package_name)
        if path == user:
            elf.set_runpath("$ORIGIN")
        elf.write()
    (tmp_path / "libother.so.1").rename(tmp_path / "libother.tg.1")
    assert Elf(tmp_path / "libother.tg.1").soname == "libother.tg.1"
    assert "libother.tg.1" in Elf(user).needed and Elf(user).runpath == "$ORIGIN"
    assert b"somewhere" not in user.read_bytes()
    program = f"import ctypes; print(ctypes.CDLL({str(user)!r}).mine())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "42\n", done.stderr


def test_names_that_stay():
    assert stage.package_name("libLLVM.so.22.1") == "libLLVM.so.22.1"
    assert stage.package_name("libMLIR.so.22.1") == "libMLIR.so.22.1"
    assert stage.package_name("libTegulaRuntime.so") == "libTegulaRuntime.so"
    assert stage.package_name("libc.so.6") == "libc.so.6"
    assert stage.package_name("libyaml-cpp.so.0.7") == "libyaml-cpp.tg.0.7"


def test_longer_runpath_does_not_fit(tmp_path):
    path = library(tmp_path / "libmine.so", "int f;", "-Wl,-rpath,/a")
    elf = Elf(path)
    with pytest.raises(ElfError, match="expected room for"):
        elf.set_runpath("$ORIGIN/" + "x" * 5000)


@pytest.mark.parametrize("data", [b"", b"\x7fELF\x01\x01", b"#!/bin/sh\n"],
                         ids=["empty", "32-bit", "script"])
def test_not_an_elf_file(tmp_path, data):
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(ElfError, match="expected a 64-bit little-endian ELF file"):
        Elf(tmp_path / "file")


# --- Stand-ins ------------------------------------------------------------------------------------


def test_stand_in_has_symbols_and_versions(tmp_path):
    script = tmp_path / "map"
    script.write_text("FFI_1 { global: ffi_*; };\n")
    real = library(tmp_path / "libffi.so.8", "int ffi_call(void) { return 7; } long ffi_table[4];"
                   "int ffi_prep_cif(void) { return 0; } int ffi_more(void) { return 0; }",
                   f"-Wl,--version-script={script}", "-Wl,-soname,libffi.so.8")
    user = library(tmp_path / "libuser.so", "int ffi_call(void), ffi_prep_cif(void);"
                   "extern long ffi_table[]; long f(void) { return ffi_call() + 10 * ffi_prep_cif()"
                   " + ffi_table[3]; }", real)
    output = tmp_path / "new/libffi.so.8"
    output.parent.mkdir()
    count = standins.build("libffi.so.8", real, standins.missing_symbols([user]), output, tmp_path,
                           CLANG)
    symbols = {s.name: s for s in Elf(output).symbols() if s.defined and s.name.startswith("ffi")}
    assert count == 3 and set(symbols) == {"ffi_call", "ffi_prep_cif", "ffi_table"}
    assert {s.version for s in symbols.values()} == {"FFI_1"}
    assert symbols["ffi_table"].size == 32
    for path in (user, output):  # Python itself needs the real one
        elf = Elf(path)
        elf.rename_libraries(stage.package_name)
        elf.write()
    output.rename(output.with_name("libffi.tg.8"))
    program = f"import ctypes; print(ctypes.CDLL({str(user)!r}).f())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": str(output.parent)})
    assert done.stdout == "10\n", done.stderr  # preparing a call fails, the rest is zero


# --- Checks ---------------------------------------------------------------------------------------


def test_absolute_runpath_is_refused(tmp_path):
    path = library(tmp_path / "libmine.so", "int f;", "-Wl,-rpath,/usr/lib/elsewhere")
    problems = list(check.check_libraries([path]))
    assert any("RUNPATH /usr/lib/elsewhere does not move" in problem for problem in problems)


def test_missing_library_is_refused(tmp_path):
    other = library(tmp_path / "libother.so.1", "int other(void) { return 1; }",
                    "-Wl,-soname,libother.so.1")
    path = library(tmp_path / "libmine.so", "int other(void); int f(void) { return other(); }",
                   other, "-Wl,-rpath,$ORIGIN")
    elf = Elf(path)
    elf.set_runpath("$ORIGIN")
    elf.write()
    assert list(check.check_libraries([path])) == []
    other.unlink()
    (problem,) = check.check_libraries([path])
    assert problem.endswith("libother.so.1 is not in $ORIGIN")


def test_build_folder_in_a_file_is_refused(tmp_path):
    (tmp_path / "a.py").write_text("HERE = '/some/build/lib'\n")
    (tmp_path / "b.py").write_text("HERE = '/some/buildings'\n")
    (problem,) = check.check_paths(tmp_path, ["/some/build"])
    assert problem == f"{tmp_path}/a.py: names the folder /some/build"


def test_new_symbols_are_refused(tmp_path, monkeypatch):
    path = library(tmp_path / "libmine.so", "int getpid(void); int f(void) { return getpid(); }")
    assert list(check.check_versions([path])) == []
    monkeypatch.setitem(check.NEWEST, "GLIBC", (2, 1))
    (problem,) = check.check_versions([path])
    assert re.search(r"expected GLIBC_2.1 at most, got GLIBC_2\.\d+", problem)


@pytest.mark.parametrize("function, found", [("PyObject_GetAttr", []),
                                             ("_PyObject_GetDictPtr", ["_PyObject_GetDictPtr"])],
                         ids=["limited", "private"])
def test_functions_beyond_the_limited_api_are_refused(tmp_path, function, found):
    path = library(tmp_path / "x.so",
                   f"void *{function}(); void *f(void) {{ return {function}(); }}")
    problems = check.check_extension(path, CLANG, check.python_include(BUILD))
    assert [re.search(r": (\w+) is not", p)[1] for p in problems] == found


def test_extension_without_python_is_refused(tmp_path):
    path = library(tmp_path / "x.so", "int f;")
    (problem,) = check.check_extension(path, CLANG, check.python_include(BUILD))
    assert problem.endswith("expected symbols of Python, got none")


def test_tools_that_do_not_run_are_refused(tmp_path):
    (tmp_path / "bin").mkdir()
    tool = tmp_path / "bin/tegula-run"
    tool.write_text("#!/bin/sh\necho 'tegula-run: error: broken' >&2\nexit 3\n")
    tool.chmod(0o755)
    tree = types.SimpleNamespace(source=ROOT, prefix=tmp_path)
    assert list(check.check_runs(tree)) == ["bin/tegula-run: tegula-run: error: broken"]


@pytest.mark.parametrize("cache, problem", [
    ("CMAKE_BUILD_TYPE:STRING=Release\nTEGULA_ASAN:BOOL=OFF\n", None),
    ("CMAKE_BUILD_TYPE:STRING=\n", "expected build type Release, got ''"),
    ("CMAKE_BUILD_TYPE:STRING=Debug\n", "expected build type Release, got 'Debug'"),
    ("CMAKE_BUILD_TYPE:STRING=Release\nTEGULA_ASAN:BOOL=ON\n",
     "expected a plain build, got one with TEGULA_ASAN")], ids=["release", "none", "debug", "asan"])
def test_other_builds_are_refused(tmp_path, cache, problem):
    (tmp_path / "CMakeCache.txt").write_text(cache)
    assert list(check.check_build(tmp_path)) == ([f"{tmp_path}: {problem}"] if problem else [])


# --- Packing --------------------------------------------------------------------------------------


def test_archive_of_a_small_tree(tmp_path):
    (tmp_path / "tree/bin").mkdir(parents=True)
    (tmp_path / "tree/bin/tool").write_text("#!/bin/sh\n")
    (tmp_path / "tree/bin/tool").chmod(0o755)
    (tmp_path / "tree/text").write_bytes(b"abc" * 1000)
    pack.write_archive(tmp_path / "tree", "tegula-1", tmp_path / "a.tar.xz", 1)
    subprocess.run(["tar", "xf", "a.tar.xz"], cwd=tmp_path, check=True)
    assert os.access(tmp_path / "tegula-1/bin/tool", os.X_OK)
    assert (tmp_path / "tegula-1/text").read_bytes() == b"abc" * 1000
    with tarfile.open(tmp_path / "a.tar.xz") as archive:
        assert {(m.uid, m.gid, m.uname) for m in archive} == {(0, 0, "root")}


def test_archives_are_repeatable(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    (tmp_path / "tree").mkdir()
    for name in ("a", "b"):
        (tmp_path / "tree/file").write_text("x")
        pack.write_archive(tmp_path / "tree", "t", tmp_path / name, 1)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_metadata_follows_pyproject():
    project = pack.read_project(ROOT)
    text = pack.metadata(project, "# Read me\n")
    head, body = text.split("\n\n", 1)
    assert body == "# Read me\n"
    assert f"Version: {project['version']}" in head.splitlines()
    assert "Requires-Dist: matplotlib ; extra == 'plots'" in head.splitlines()
    assert not any(line.endswith("==") for line in head.splitlines())


def test_entry_points():
    assert pack.entry_points(["tegula-opt", "tegulac"]) == (
        "[console_scripts]\ntegula-opt = _tegula_commands:tegula_opt\n"
        "tegulac = _tegula_commands:tegulac\n")
    assert pack.wheel_tag() == f"cp311-abi3-manylinux_2_36_{platform.machine()}"


# --- The command ----------------------------------------------------------------------------------


def package(*options):
    return subprocess.run([sys.executable, ROOT / "tools/dev/package", *options],
                          capture_output=True, text=True)


def test_build_folder_without_a_build(tmp_path):
    (tmp_path / "cmake_install.cmake").write_text(
        'file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/lib" TYPE FILE FILES "/missing/lib.so")')
    done = package("--build-dir", tmp_path, "--tree", tmp_path / "tree")
    assert done.returncode == 1
    assert done.stderr == ("package: error: /missing/lib.so: no such file; build everything first: "
                           f"ninja -C {tmp_path}\n")


def test_tree_that_exists(tmp_path):
    done = package("--tree", tmp_path)
    assert done.returncode == 1 and "File exists" in done.stderr


def test_wrong_usage():
    done = package("--wheel", "--for-device")
    assert done.returncode == 2 and "not allowed with" in done.stderr
