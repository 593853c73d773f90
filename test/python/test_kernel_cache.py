# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache of compiled kernels on disk, seen from Python and across processes.

test/core/runtime/Cache*Test.cpp test the folder itself, and what keys are made of.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import BUILD, ROOT

import tegula
import tegula.language as tl
from tegula import _tegula

FACTOR = 3


@tegula.jit
def scale(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) * FACTOR, i < n)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache."""
    for name in ("TEGULA_CACHE", "TEGULA_CACHE_LIMIT", "TEGULA_ALWAYS_COMPILE", "TEGULA_LOG"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "cache"
    monkeypatch.setenv("TEGULA_CACHE_DIR", str(folder))
    return folder


def compile_text(text, file="kernels.py", target=None, **options):
    """Compiles function `k` of `text`, whose parameters are (x, B)."""
    return _tegula.compile(text, file, 1, "k", [("x", "*i32", False, None), ("B", None, True, 64)],
                           target, {key: str(value) for key, value in options.items()}, Names())


class Names:
    """Resolves nothing but the language."""

    used = ()

    def lookup(self, scope, name):
        return (tl,) if name == "tl" else None

    def attribute(self, value, name):
        return (getattr(value, name),)


PLAIN = "def k(x, B):\n    i = tl.arange(0, B)\n    tl.store(x + i, i * 3)\n"


class Counts:
    """What happens to the counts of tegula.cache.info() in the block."""

    names = ("hits", "misses", "stored", "rebuilt", "failed")

    def __enter__(self):
        self.before = tegula.cache.info()
        return self

    def __exit__(self, *_):
        after = tegula.cache.info()
        for name in self.names:
            setattr(self, name, after[name] - self.before[name])

    def __call__(self):
        return {name: getattr(self, name) for name in self.names if getattr(self, name)}


def test_info(cache):
    info = tegula.cache.info()
    assert info["folder"] == str(cache)
    assert (info["mode"], info["entries"], info["bytes"], info["limit"]) == ("on", 0, 0, 2 << 30)


def test_a_launch_stores_and_another_function_hits(cache):
    x = np.ones(64, np.int32)
    with Counts() as counts:
        scale[(1,)](x, 64, BLOCK=64)
    assert counts() == {"misses": 1, "stored": 1}
    # The same function anew, as another process would have it.
    again = tegula.jit(scale.fn)
    with Counts() as counts:
        again[(1,)](x, 64, BLOCK=64)
    assert counts() == {"hits": 1}
    assert (x == 9).all()
    assert tegula.cache.info()["entries"] == 1
    tegula.cache.clear()
    assert tegula.cache.info()["entries"] == 0


def test_keys_of_artifacts():
    first, second = compile_text(PLAIN), compile_text(PLAIN)
    assert re.fullmatch("[0-9a-f]{64}", first.key())
    assert first.key() == second.key()
    assert (first.is_cached(), second.is_cached()) == (False, True)
    assert compile_text(PLAIN.replace("3", "4")).key() != first.key()


def test_warnings_and_prints_come_with_hits(capfd):
    text = PLAIN + "    tl.static_print('compiled for', B)\n"
    shown = []
    for cached in (False, True):
        artifact = compile_text(text)
        assert artifact.is_cached() == cached
        shown.append((artifact.warnings(), capfd.readouterr()))
    assert shown[0] == shown[1]
    assert "compiled for 64" in shown[0][0] + "".join(shown[0][1])


def test_errors_are_not_kept():
    for _ in range(2):
        with pytest.raises(tegula.CompilationError, match="static_assert"):
            compile_text(PLAIN + "    tl.static_assert(B == 65, 'static_assert')\n")
    assert tegula.cache.info()["entries"] == 0


def test_blobs():
    key = hashlib.sha256(b"what they depend on").hexdigest()
    assert _tegula.cache_get("tests", key) is None
    assert _tegula.cache_put("tests", key, b"a\0b") is True
    assert _tegula.cache_get("tests", key) == b"a\0b"
    assert _tegula.cache_put("tests", key, memoryview(b"")) is True
    assert _tegula.cache_get("tests", key) == b""
    os.environ["TEGULA_CACHE"] = "off"
    try:
        assert _tegula.cache_get("tests", key) is None
        assert _tegula.cache_put("tests", key, b"a") is False
    finally:
        del os.environ["TEGULA_CACHE"]


def test_wrong_blobs():
    with pytest.raises(tegula.Error, match="expected a kind of letters") as caught:
        _tegula.cache_put("kernels", "0" * 64, b"")
    assert caught.value.id == "cache-argument"
    with pytest.raises(tegula.Error, match="expected a key of 64 hexadecimal digits"):
        _tegula.cache_get("tests", "0" * 63)


def test_wrong_variables(monkeypatch):
    monkeypatch.setenv("TEGULA_CACHE", "sometimes")
    with pytest.raises(tegula.Error, match="expected on, off or read-only, got 'sometimes'"):
        compile_text(PLAIN)


def test_the_log(monkeypatch, capfd):
    monkeypatch.setenv("TEGULA_LOG", "autotune, cache")
    key = compile_text(PLAIN).key()[:12]
    compile_text(PLAIN)
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == f"tegula: cache: miss: kernels {key}"
    assert re.fullmatch(rf"tegula: cache: stored: kernels {key}, \d+ bytes", lines[1])
    assert lines[2:] == [f"tegula: cache: hit: kernels {key}, kernel 'k'"]
    monkeypatch.setenv("TEGULA_LOG", "autotune")
    compile_text(PLAIN)
    assert capfd.readouterr().err == ""


def test_threads_compile_once():
    artifacts = []
    threads = [threading.Thread(target=lambda: artifacts.append(compile_text(PLAIN)))
               for _ in range(8)]
    with Counts() as counts:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert counts() == {"misses": 1, "hits": 7, "stored": 1}
    assert len({artifact.stage("object") for artifact in artifacts}) == 1


def test_threads_whose_compile_crashes_do_not_wait_for_ever(tmp_path, monkeypatch):
    """The first takes the others' turn with it; each of them crashes by itself."""
    monkeypatch.setenv("TEGULA_PLUGIN_PATH", str(BUILD / "test/plugins"))
    target = tmp_path / "faulty.yaml"
    target.write_text("schema: tegula.target/v1\nname: f\ntargets:\n  - {id: f, backend: faulty, "
                      "arch: any, emit: [text], options: {fault: trap, where: pass}}\n")
    errors = []

    def compile_it():
        try:
            compile_text(PLAIN, target=str(target))
        except tegula.InternalError as error:
            errors.append(error.id)

    threads = [threading.Thread(target=compile_it, daemon=True) for _ in range(4)]
    with Counts() as counts:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert errors == ["compiler-crash"] * 4
    assert counts() == {"misses": 4}


# --- other processes ------------------------------------------------------------

PROGRAM = """
import sys, numpy as np, tegula, tegula.language as tl
from tegula import _tegula
NAMES = {"b": 2, "a": 1, "c": 3}

@tegula.jit
def helper(a, b):
    return a * 2 + b, tl.maximum(a, b)

@tegula.jit
def k(x, y, n, s, BLOCK: tl.constexpr, TYPES: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b = helper(tl.load(x + i, i < n), tl.load(y + i, i < n))
    for j in range(4):
        a += tl.sum(a + j, 0) * s
        if j > n:
            b = b + a
    for j in tl.static_range(TYPES[1]):
        b += tl.exp(b.to(tl.float32)).to(b.dtype)
    tl.atomic_add(x + i, a, i < n)
    tl.store(y + i, tl.sort(b), i < n)

x, y = np.ones(128, np.float32), np.ones(128, np.float32)
kernel = k.warmup(x, y, 128, 0.5, BLOCK=128, TYPES=("a", 2))
print(kernel._artifact.key(), kernel._artifact.is_cached())
"""


def run(program, **environment):
    return subprocess.run([sys.executable, str(program)], check=True, stdout=subprocess.PIPE,
                          text=True, env=os.environ | environment
                          | {"PYTHONPATH": str(BUILD / "python")}).stdout.split()


def test_keys_are_the_same_in_every_process(tmp_path):
    """Whatever the order of hashes and addresses."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    key, cached = run(program, PYTHONHASHSEED="1")
    assert cached == "False"
    for seed in ("2", "3", "random"):
        assert run(program, PYTHONHASHSEED=seed, MALLOC_PERTURB_="7") == [key, "True"]


def patch_build_id(path):
    """Another build of a library, as far as its build id tells."""
    text = subprocess.run(["readelf", "-n", path], check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    build_id = bytes.fromhex(re.search(r"Build ID: ([0-9a-f]+)", text).group(1))
    data = path.read_bytes()
    assert data.count(build_id) == 1
    path.write_bytes(data.replace(build_id, bytes(reversed(build_id))))


@pytest.mark.parametrize("name", ["libTegulaRuntime.so", "libTegulaCompiler.so",
                                  "tegula/plugins/libtegula-cpu.so", None])
def test_another_build_does_not_hit(tmp_path, name):
    """Libraries that are linked anew make other entries; the same ones elsewhere do not."""
    shutil.copytree(BUILD / "lib", tmp_path / "lib", ignore=shutil.ignore_patterns("*.a"))
    (tmp_path / "bin").mkdir()
    shutil.copy(BUILD / "bin/tegulac", tmp_path / "bin")
    kernel = tmp_path / "k.py"
    kernel.write_text("import tegula.language as tl\n"
                      + PLAIN.replace("B)", "B: tl.constexpr)", 1))

    def logged():
        done = subprocess.run([tmp_path / "bin/tegulac", kernel, "-k", "k", "-s", "*i32, 64", "-o",
                               tmp_path / "k.so"], check=True, stderr=subprocess.PIPE, text=True,
                              env=os.environ | {"TEGULA_LOG": "cache"})
        return re.findall(r"(hit|miss): kernels ([0-9a-f]+)", done.stderr)

    (outcome, key), = logged()
    assert outcome == "miss"
    if name:
        patch_build_id(tmp_path / "lib" / name)
        (outcome, other), = logged()
        assert (outcome, other != key) == ("miss", True)
    assert logged()[0][0] == "hit"


def test_torture():
    """Processes that are killed, a full disk and flipped bits: the short version."""
    done = subprocess.run([sys.executable, ROOT / "test/fuzz/cache_torture.py", "--kernels", "8",
                           "--processes", "2", "--threads", "4", "--kills", "2"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=os.environ | {"PYTHONPATH": str(BUILD / "python")})
    assert done.returncode == 0, done.stdout
