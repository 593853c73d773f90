# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `cmake --install` makes, and plugins/example built and run with nothing else.

Needs cmake, ninja, clang++-22 and a C compiler: what anybody needs who writes a backend.
"""

import json
import os
import pathlib
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import sdk as kit
from conftest import BUILD, ROOT


@pytest.fixture(scope="module")
def sdk(tmp_path_factory):
    if "TEGULA_ASAN:BOOL=ON" in (BUILD / "CMakeCache.txt").read_text():
        pytest.skip("plugins for a build with sanitizers need its flags")
    return kit.Sdk(tmp_path_factory.mktemp("sdk"))


@pytest.fixture(scope="module")
def example(sdk):
    return kit.Example(sdk)


# --- What is installed -------------------------------------------------------------


def test_layout(sdk):
    for name in ["bin/tegulac", "bin/tegula-opt", "bin/tegula-plugin", "lib/libTegulaRuntime.so",
                 "lib/libTegulaCompiler.so", "lib/tegula/plugins/libtegula-cpu.so",
                 "lib/tegula/plugins/libtegula-cpu-rt.so", "lib/cmake/Tegula/TegulaConfig.cmake",
                 "include/tegula/plugin.h", "include/tegula/tegula.h",
                 "include/tegula/Tile/IR/TileOps.h.inc", "python/tegula/__init__.py",
                 "share/tegula/example/CMakeLists.txt", "share/doc/tegula/LICENSE"]:
        assert (sdk.prefix / name).is_file(), name


def test_nothing_points_out_of_the_prefix(sdk):
    """Files are copies, and libraries are found beside them or in LLVM's folder."""
    for path in sdk.prefix.rglob("*"):
        assert not path.is_symlink(), path
        if path.suffix == ".so" or path.parent.name == "bin":
            dynamic = subprocess.run(["readelf", "-d", path], text=True, capture_output=True)
            assert str(BUILD) not in dynamic.stdout, path
            for line in dynamic.stdout.splitlines():
                if "RUNPATH" in line or "RPATH" in line:
                    for part in line.split("[")[1].rstrip("]").split(":"):
                        assert part.startswith(("$ORIGIN", "/usr/lib/llvm-")), (path, part)


def test_prefix_may_move(sdk, tmp_path):
    moved = tmp_path / "elsewhere"
    os.rename(sdk.prefix, moved)
    try:
        code, text = kit.run(["python3", "-c", "import tegula; print(tegula.__version__)"],
                             environment={"PYTHONPATH": str(moved / "python"),
                                          "PATH": os.path.dirname(os.sys.executable) + ":" +
                                          os.environ["PATH"]})
        assert code == 0 and text.strip() == "0.1.0", text
        code, text = kit.run([moved / "bin/tegula-target", "list"])
        assert code == 0 and str(moved / "lib/tegula/plugins/libtegula-cpu.so") in text, text
    finally:
        os.rename(moved, sdk.prefix)


def test_headers_stand_alone(sdk):
    """Each is compiled with nothing before it: C ones as C11 and C++20, others as C++20."""
    include = ["-I", sdk.prefix / "include"]
    headers = list(kit.installed_headers(sdk.prefix))
    assert {"tegula/plugin.h", "tegula/types.h", "tegula/tegula.h"} <= {
        name for name, is_c in headers if is_c}
    launcher, environment = kit.ccache(sdk.folder)
    jobs = []
    for name, is_c in headers:
        stem = sdk.folder / name.replace("/", "-")
        languages = [("c", "c11"), ("cc", "c++20")] if is_c else [("cc", "c++20")]
        for suffix, standard in languages:
            source = stem.with_suffix(f".alone.{suffix}")
            source.write_text(f'#include "{name}"\n')
            # No warning either; MLIR's own headers are a system's.
            jobs.append([*launcher, kit.CXX.replace("++", "") if suffix == "c" else kit.CXX,
                         f"-std={standard}", "-Wall", "-Wextra", "-Wno-unused-parameter",
                         "-Werror", "-pedantic" if is_c else "-O0", *include,
                         *([] if is_c else kit.MLIR_FLAGS if not name.endswith(".hpp") else []),
                         "-c", source, "-o", source.with_suffix(".o")])
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: kit.run(job, sdk.folder, environment), jobs))
    failures = [text[:600] for code, text in results if code != 0]
    assert not failures, "\n".join(failures)
    assert len(jobs) > 30


# --- The CMake package -------------------------------------------------------------


def test_runtime_needs_no_llvm(sdk):
    """Without the component Compiler nothing asks for MLIR."""
    source, configure = sdk.project("plain", """
find_package(Tegula 0.1 REQUIRED)
if(MLIR_FOUND OR TARGET MLIR OR TARGET Tegula::Compiler)
  message(FATAL_ERROR "MLIR was looked for")
endif()
add_executable(program main.c)
target_link_libraries(program PRIVATE Tegula::Runtime)
""")
    (source / "main.c").write_text("""
#include <stdio.h>
#include "tegula/tegula.h"
int main(void) { puts(tg_version()); return 0; }
""")
    code, text = configure()
    assert code == 0, text
    code, text = kit.run(["cmake", "--build", source / "build"])
    assert code == 0, text
    assert kit.run([source / "build/program"]) == (0, "0.1.0\n")


PACKAGE = "find_package(Tegula 0.1 REQUIRED COMPONENTS Compiler)\n"


@pytest.mark.parametrize("name, text, settings, expected", [
    ("gcc", PACKAGE + "tegula_add_backend_plugin(x COMPONENTS compiler SOURCES plugin.cpp)",
     ["-DCMAKE_CXX_COMPILER=g++"],
     "plugin x has a compiler half: expected clang++ 22 as the C++ compiler, got GNU"),
    ("parts", PACKAGE + "tegula_add_backend_plugin(x COMPONENTS compiler SOURCES plugin.cpp "
     "LINK MLIRIR)", [], "plugin tegula-x links MLIRIR, a part of LLVM or MLIR"),
    ("parts-behind", PACKAGE + "add_library(mine INTERFACE)\n"
     "target_link_libraries(mine INTERFACE LLVMSupport)\n"
     "tegula_add_backend_plugin(x COMPONENTS both SOURCES plugin.cpp LINK mine)", [],
     "plugin tegula-x links LLVMSupport, a part of LLVM or MLIR"),
    ("parts-later", PACKAGE + "tegula_add_backend_plugin(x COMPONENTS compiler SOURCES "
     "plugin.cpp)\ntarget_link_libraries(tegula-x PRIVATE MLIRSupport)", [],
     "plugin tegula-x links MLIRSupport, a part of LLVM or MLIR"),
    ("no-compiler", "find_package(Tegula REQUIRED)\n"
     "tegula_add_backend_plugin(x COMPONENTS compiler SOURCES plugin.cpp)", [],
     "plugin x has a compiler half, which needs find_package(Tegula COMPONENTS Compiler)"),
    ("id", PACKAGE + "tegula_add_backend_plugin(My_GPU COMPONENTS runtime SOURCES plugin.cpp)", [],
     "expected a plugin id of the form [a-z][a-z0-9-]*, got 'My_GPU'"),
    ("components", PACKAGE + "tegula_add_backend_plugin(x COMPONENTS all SOURCES plugin.cpp)", [],
     "expected COMPONENTS compiler, runtime or both, got 'all'"),
    ("version", "find_package(Tegula 0.2 REQUIRED)", [], "version: 0.1.0"),
])
def test_configuration_errors(sdk, name, text, settings, expected):
    _, configure = sdk.project("wrong-" + name, text)
    code, output = configure(*settings)
    assert code != 0
    assert expected in " ".join(output.split()), output


def test_edited_headers_are_noticed(sdk):
    path = sdk.prefix / "include/tegula/Compiler/BackendCompiler.h"
    before = path.read_text()
    path.write_text(before + "// edited\n")
    try:
        _, configure = sdk.project("edited", "find_package(Tegula REQUIRED)")
        code, output = configure()
    finally:
        path.write_text(before)
    assert code != 0
    assert "are not those that its libraries were built with" in " ".join(output.split())


# --- The tutorial ------------------------------------------------------------------


def test_tutorial_quotes_the_sources():
    """Every quoted piece stands in the file it names, in this order; `...` leaves out some."""
    quotes = [(text, name) for language, text, name in kit.blocks(kit.TUTORIAL)
              if language not in ("sh",)]
    assert len(quotes) > 12
    for text, name in quotes:
        source, at = (ROOT / name).read_text(), 0
        for piece in text.split("...\n"):
            found = source.find(piece, at)
            assert found >= 0, f"{name} has no longer:\n{piece}"
            at = found + len(piece)


def test_tutorial_commands(example):
    """What the commands print; that all succeed is what `example` sees to."""
    assert "example:0 this processor, one program at a time" in example.log
    assert "void kernel_add(const char *args" in example.log
    assert "out: fp32[1000] min=" in example.log
    code, text = example.shell(f"export TEGULA_PLUGIN_PATH={example.plugins}\n" + example.suite)
    assert code == 0, text[-3000:]
    summary = re.findall(r"^example: load (\d+)/(\d+), register (\d+)/(\d+), target (\d+)/(\d+), "
                         r"runtime (\d+)/(\d+), select (\d+)/(\d+)", text, re.M)
    assert summary, text[-2000:]
    numbers = [int(number) for number in summary[0]]
    assert numbers[::2] == numbers[1::2] and min(numbers) > 0


# --- The example backend -----------------------------------------------------------


def test_conformance(example):
    """Some rows of each kind; all of them take minutes: tegula-cts --group numerics."""
    code, text = example.tool(
        "tegula-cts", "--plugin", "example", "-t", example.target, "--expectations",
        example.sdk.folder / "example/cts.yaml", "--group", "numerics",
        "--filter", "/(control/(while|carried)|dot/(accumulator-|int8|out-)|selection/float-ex)")
    assert code == 0, text[-3000:]



def test_example_is_inspected_when_built(example):
    for half in ["example", "example-rt"]:
        assert f"Inspecting plugin tegula-{half}" in example.log
        code, text = example.tool("tegula-plugin", "inspect",
                                  example.plugins / f"libtegula-{half}.so")
        assert code == 0, text


def test_example_is_listed(example):
    code, text = example.tool("tegula-target", "list")
    assert code == 0, text
    assert "example:0 this processor, one program at a time" in text
    assert str(example.plugins / "libtegula-example.so") in text


def test_runtime_half_needs_no_llvm(example):
    text = subprocess.run(["readelf", "-d", example.plugins / "libtegula-example-rt.so"],
                          text=True, capture_output=True, check=True).stdout
    assert "LLVM" not in text and "MLIR" not in text and "Tegula" not in text


def launch(example, kernel, grid, arguments, outputs, target=None):
    """Runs a kernel of the example with tegula-run; arrays go and come as files."""
    folder = example.sdk.folder
    command = [example.kernels / "kernels.py", "-k", kernel, "-g", grid,
               "-t", target or example.target]
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            np.save(folder / f"{name}.npy", value)
            value = f"{name}.npy"
        command += ["-a", f"{name}={value}"]
    for name in outputs:
        command += ["--out", f"{name}={name}-out.npy"]
    code, text = example.tool("tegula-run", *command)
    assert code == 0, text
    return [np.load(folder / f"{name}-out.npy") for name in outputs]


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int32", "int8"])
def test_vector_add(example, rng, dtype):
    x, y = (rng.standard_normal((2, 1000)) * 50).astype(dtype)
    out = np.full(1024, 77, dtype)
    result, = launch(example, "add", 8, {"x": x, "y": y, "out": out, "n": 1000, "BLOCK": 128},
                     ["out"])
    np.testing.assert_array_equal(result[:1000], x + y)
    np.testing.assert_array_equal(result[1000:], out[1000:])


def test_softmax(example, rng):
    x = (rng.standard_normal((5, 300)) * 4).astype(np.float32)
    result, = launch(example, "softmax", 5, {"x": x, "out": np.zeros_like(x), "columns": 300,
                                             "BLOCK": 512}, ["out"])
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(result, e / e.sum(1, keepdims=True), rtol=2e-6)


@pytest.mark.parametrize("dtype, rtol", [("float16", 1e-3), ("float32", 2e-6)])
def test_matmul(example, rng, dtype, rtol):
    a, b = (rng.standard_normal((2, 64, 64)) / 8).astype(dtype)
    result, = launch(example, "matmul", "2,2", {"a": a, "b": b, "c": np.zeros_like(a), "k": 64,
                                                "BLOCK": 32}, ["c"])
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(result, expected, rtol=rtol, atol=rtol)


def compile_kernel(example, *arguments):
    return example.tool("tegulac", *arguments)


def test_stages(example):
    """asm is the C source, lowered the IR it was written from, llvm says that it is not."""
    kernel = [example.kernels / "kernels.py", "-k", "add", "-s", "*fp32, *fp32, *fp32, i32, 128",
              "-t", example.target]
    code, text = compile_kernel(example, *kernel, "--emit=asm")
    assert code == 0 and "void kernel_add(const char *args" in text
    code, text = compile_kernel(example, *kernel, "--emit=lowered")
    assert code == 0 and "tile.program_id" in text and "#tile_example.target<" in text
    code, text = compile_kernel(example, *kernel, "--emit=llvm")
    assert code == 0 and text.startswith("; the example backend")
    code, text = compile_kernel(example, *kernel, "--emit=manifest")
    manifest = json.loads(text)
    assert code == 0 and manifest["format"] == "c-so" and manifest["scratch_bytes"] > 0


def test_equal_input_gives_equal_bytes(example):
    kernel = [example.kernels / "kernels.py", "-k", "softmax", "-s", "*fp32, *fp32, i32, 128",
              "-t", example.target, "-o"]
    codes = []
    for name in ["first.so", "second.so"]:
        code, text = kit.run([example.sdk.prefix / "bin/tegulac", *kernel, name],
                             example.sdk.folder, {"TEGULA_PLUGIN_PATH": str(example.plugins),
                                                  "TEGULA_CACHE": "off"})
        assert code == 0, text
        codes.append((example.sdk.folder / name).read_bytes())
    assert codes[0] == codes[1] and codes[0][:4] == b"\x7fELF"


def test_unsupported_op(example):
    code, text = compile_kernel(example, example.kernels / "kernels.py", "-k", "unsupported", "-s",
                                "*i32", "-t", example.target)
    assert code == 1
    source = (example.kernels / "kernels.py").read_text().splitlines()
    line = 1 + next(i for i, text in enumerate(source) if "tl.atomic_add(" in text)
    assert f"kernels.py:{line}:" in text, text
    assert ("error: expected what the example backend supports, got op 'tile.atomic_rmw' "
            "[example-unsupported]") in text


@pytest.mark.parametrize("name, target, identifier, expected", [
    ("arch", {"arch": "riscv64"}, "example-arch",
     "expected arch x86_64, aarch64 or native, got 'riscv64'"),
    ("feature", {"features": '["+sse4.2"]'}, "example-feature",
     "expected no features, got '+sse4.2'"),
    ("compiler", {"options": "{cc: no-such-cc}"}, "example-no-compiler",
     "expected a C compiler at 'no-such-cc', which cannot be started: No such file or directory"),
    ("fails", {"options": "{cc: \"false\"}"}, "example-compiler-failed",
     "the C compiler 'false' exited with status 1"),
    ("nothing", {"options": "{cc: \"true\"}"}, "example-compiler-failed",
     "the C compiler 'true' wrote no library"),
    ("machine", {"arch": {"x86_64": "aarch64"}.get(os.uname().machine, "x86_64")},
     "example-wrong-machine", "but the C compiler 'cc' makes code for another processor"),
])
def test_target_errors(example, name, target, identifier, expected):
    path = example.write_target(f"wrong-{name}.yaml", **target)
    code, text = compile_kernel(example, example.kernels / "kernels.py", "-k", "add", "-s",
                                "*fp32, *fp32, *fp32, i32, 128", "-t", path)
    assert code == 1, text
    assert expected in text and f"[{identifier}]" in text, text


@pytest.mark.parametrize("options, expected", [
    ("{optimize: 4}", "optimize"),
    ("{optimise: 2}", "optimise"),
    ("{timeout_s: 0}", "timeout_s"),
])
def test_options_are_checked_against_the_table(example, options, expected):
    path = example.write_target("wrong-options.yaml", options=options)
    code, text = example.tool("tegula-target", "check", path)
    assert code == 1 and "wrong-options.yaml:4:" in text and expected in text, text


def test_pass_runs_alone(example):
    """The plugin's passes are there by name in tegula-opt."""
    path = example.sdk.folder / "kernel.mlir"
    path.write_text("func.func @k(%p: !tile.ptr<i32>) attributes {tile.kernel} {\n"
                    "  %x = tile.load %p : !tile.ptr<i32>\n"
                    "  return\n}\n")
    code, text = example.tool("tegula-opt", path, "--pass-pipeline=builtin.module(example-write-c)")
    assert code == 0 and "tile_example.source = " in text and "void kernel_k(" in text, text


def test_save_temps(example, tmp_path):
    code, text = example.tool("tegulac", example.kernels / "kernels.py", "-k", "add", "-s",
                              "*fp32, *fp32, *fp32, i32, 64", "-t", example.target,
                              f"--save-temps={tmp_path}", "-o", tmp_path / "add.so")
    assert code == 0, text
    assert any("void kernel_add" in path.read_text(errors="replace")
               for path in pathlib.Path(tmp_path).rglob("*kernel.c"))
