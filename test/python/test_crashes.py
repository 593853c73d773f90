# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiler that crashes: the process lives, says where, and leaves what repeats it.

Backend `faulty` (test/core/compiler/FaultyBackend.cpp) crashes as its target says.
"""

import os
import pathlib
import re
import shlex
import subprocess
import threading

import numpy as np
import pytest
import wrong_programs

import tegula
import tegula.language as tl

PLUGINS = wrong_programs.BUILD / "test/plugins"
BIN = wrong_programs.BUILD / "bin"
KERNEL = """@triton.jit
def k(p, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, i + n)

import tegula as triton
import tegula.language as tl
"""
REASONS = {
    "segv": "invalid memory access or stack overflow",
    "overflow": "invalid memory access or stack overflow",
    "abort": "abort",
    "trap": "a failed internal check",
    "fatal": "the planted fault",
    "quiet-fatal": "the planted fault that would exit",
}


@tegula.jit
def right(p, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, i * 3 + n)


def assert_works(key):
    """A right kernel compiles and runs; `key` makes it a new compile."""
    out = np.zeros(64, np.int32)
    right[(1,)](out, key, B=64, num_stages=1 + key % 32)
    np.testing.assert_array_equal(out, np.arange(64) * 3 + key)


@pytest.fixture(autouse=True)
def always_compile(monkeypatch):
    """What works afterwards has to be compiled, not found."""
    monkeypatch.setenv("TEGULA_ALWAYS_COMPILE", "1")


@pytest.fixture
def faulty(tmp_path, monkeypatch):
    """Compiles KERNEL for a target that crashes; gives the message."""
    monkeypatch.setenv("TEGULA_PLUGIN_PATH", str(PLUGINS))
    monkeypatch.setenv("TEGULA_CACHE_DIR", str(tmp_path / "cache"))

    def compile_faulty(fault, where):
        target = tmp_path / "faulty.yaml"
        target.write_text("schema: tegula.target/v1\nname: f\ntargets:\n"
                          "  - {id: f, backend: faulty, arch: any, emit: [text], "
                          f"options: {{fault: {fault}, where: {where}}}}}\n")
        monkeypatch.setenv("TEGULA_TARGET", str(target))
        text = wrong_programs.compile_text(KERNEL, "*i32, i32, 64")
        monkeypatch.delenv("TEGULA_TARGET")
        return text

    return compile_faulty


def replay(message):
    """Runs the command that a message offers; returns its status and output."""
    command = message.split("to repeat it: ")[1].strip()
    command = shlex.split(command)
    command[0] = str(BIN / command[0])
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env=os.environ | {"TEGULA_PLUGIN_PATH": str(PLUGINS)}, timeout=60)
    return done.returncode, done.stdout.decode()


@pytest.mark.parametrize("where", ["pass", "emit"])
@pytest.mark.parametrize("fault", REASONS)
def test_crash(faulty, fault, where, tmp_path):
    message = faulty(fault, where)
    place = "in pass 'faulty-crash'" if where == "pass" else "while emitting code"
    first, hint = message.splitlines()
    assert first == (f"internal error: the compiler crashed {place}, compiling kernel 'k': "
                     f"{REASONS[fault]}")
    files = sorted((tmp_path / "cache/reproducers").iterdir())
    assert len(files) == (1 if where == "pass" else 2)
    assert re.fullmatch(r"k-[0-9a-f]{16}\.mlir", files[0].name)
    tool = "tegula-opt --run-reproducer" if where == "pass" else "tegulac"
    rest = "" if where == "pass" else f" -k k -t {files[-1]}"
    assert hint == ("hint: this is a fault of Tegula, please report it with the reproducer "
                    f"{files[0]}; to repeat it: {tool} {files[0]}{rest}")
    assert_works(1000 + len(fault))

    status, output = replay(message)
    assert status == 4, output
    if where == "pass":
        assert output == ("tegula-opt: error: the compiler crashed in pass 'faulty-crash': "
                          f"{REASONS[fault]} [compiler-crash]\nhint: this is a fault of the pass, "
                          "please report it with this reproducer\n")
    else:
        assert output.startswith("tegulac: error: internal error: the compiler crashed while "
                                 f"emitting code, compiling kernel 'k': {REASONS[fault]} "
                                 "[compiler-crash]\nhint: this is a fault of Tegula")


@pytest.mark.parametrize("where, place", [("target", "in the backend's check of the target"),
                                          ("key", "in the backend's part of the cache key"),
                                          ("list", "in the backend's list of passes")])
def test_crash_ahead_of_the_passes(faulty, where, place):
    message = faulty("segv", where)
    assert message.startswith(f"internal error: the compiler crashed {place}, compiling kernel "
                              f"'k': {REASONS['segv']}\nhint: this is a fault of Tegula")
    status, output = replay(message)
    assert status == 4 and place in output, output
    assert_works(3)


def test_failure_without_a_message(faulty):
    assert faulty("silent", "pass") == ("internal error: lowering of kernel 'k' failed in pass "
                                        "'faulty-crash' without a message\n")
    assert_works(1)


def test_reproducer_cannot_be_written(faulty, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TEGULA_CACHE_DIR", str(tmp_path / "file"))
    first, hint = faulty("abort", "pass").splitlines()
    assert first.endswith("compiling kernel 'k': abort")
    assert re.fullmatch(r"hint: please report it with the kernel; a reproducer could not be "
                        rf"written to {tmp_path}/file/reproducers/k-[0-9a-f]+\.mlir: "
                        r"Not a directory", hint)
    assert_works(2)


def test_crashes_beside_right_compiles(faulty):
    """Threads that crash and threads that do not are no trouble to each other."""
    faulty("abort", "pass")
    target = pathlib.Path(os.environ["TEGULA_CACHE_DIR"]).parent / "faulty.yaml"
    failures = []

    def crash():
        for _ in range(5):
            done = subprocess.run([BIN / "tegulac", "-k", "k", "-t", target, "/dev/stdin", "-s",
                                   "*i32,i32,64"], input=KERNEL.encode(), check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if done.returncode != 4:
                failures.append(done.stderr.decode())

    def crash_here():
        for i in range(10):
            text = wrong_programs.compile_text(KERNEL, f"*i32, i32, {1 << i}", target=target)
            if "in pass 'faulty-crash'" not in text:
                failures.append(text)

    def work(start):
        for i in range(10):
            try:
                assert_works(start + i)
            except BaseException as error:  # pylint: disable=broad-except
                failures.append(repr(error))

    threads = [threading.Thread(target=crash), threading.Thread(target=crash_here),
               threading.Thread(target=work, args=(2000,)),
               threading.Thread(target=work, args=(3000,))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
