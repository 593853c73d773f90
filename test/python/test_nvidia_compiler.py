# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler half of the NVIDIA backend, which needs neither device nor driver."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("TEGULA_BUILD", Path(__file__).resolve().parents[2] / "build"))
PLUGINS = BUILD / "lib/tegula/plugins"
CHIPS = ("sm_80", "sm_90a", "sm_120")
KERNEL = '''
import tegula
import tegula.language as tl

@tegula.jit
def softmax(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=-float("inf"))
    v = tl.exp(v - tl.max(v, 0))
    tl.store(out + tl.program_id(0) * n + i, v / tl.sum(v, 0), mask=i < n)
'''
pytestmark = pytest.mark.skipif(not (PLUGINS / "libtegula-nvidia.so").exists(),
                                reason="libtegula-nvidia.so is not built")


def find_ptxas():
    return shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")


def run(tmp_path, *arguments, **environment):
    """Standard output and errors of a tool, and whether it succeeded."""
    env = {**os.environ, "TEGULA_PLUGIN_PATH": str(PLUGINS), "TEGULA_CACHE": "0",
           "TEGULA_CACHE_DIR": str(tmp_path / "cache"), **environment}
    done = subprocess.run([BUILD / "bin" / arguments[0], *arguments[1:]], env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=300, check=False)
    return done.stdout.decode(errors="replace"), done.returncode == 0


def target_of(tmp_path, text):
    path = tmp_path / "target.yaml"
    path.write_text("schema: tegula.target/v1\ntargets:\n"
                    f"  - {{id: x, backend: nvidia, {text}}}\n")
    return path


def compile_softmax(tmp_path, target, stage="asm", **environment):
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL)
    return run(tmp_path, "tegulac", str(path), "-k", "softmax", "-s",
               "*fp32:16,*fp32:16,i32,1024", "-t", str(target), "-e", stage, "-o",
               str(tmp_path / "out"), **environment)


@pytest.mark.parametrize("chip", CHIPS)
def test_ptx(tmp_path, chip):
    text, succeeded = compile_softmax(tmp_path, f"nvidia/{chip}")
    assert succeeded, text
    ptx = (tmp_path / "out").read_text()
    for part in (f".target {chip}\n", ".reqntid 128", "shfl.sync.bfly", "bar.sync", "ex2.approx",
                 "div.rn.f32", ".loc"):
        assert part in ptx, part


@pytest.mark.parametrize("chip", CHIPS)
def test_assembler_accepts(tmp_path, chip):
    ptxas = find_ptxas()
    if not ptxas:
        pytest.skip("ptxas is not installed")
    text, succeeded = compile_softmax(tmp_path, f"nvidia/{chip}", "object", TEGULA_PTXAS=ptxas)
    assert succeeded, text
    assert (tmp_path / "out").read_bytes()[:4] == b"\x7fELF"


@pytest.mark.parametrize("text, message", [
    ("arch: native", "expected a named arch such as 'sm_90a', got 'native', which needs a device "
     "of NVIDIA on this machine [nvidia-target-arch]"),
    ("arch: sm_9a", "expected the name of a chip from 'sm_80' on, got 'sm_9a'; did you mean "
     "'sm_90'? [nvidia-target-arch]"),
    ("arch: sm_90, triple: x86_64-linux-gnu", "expected triple 'nvptx64-nvidia-cuda', got "
     "'x86_64-linux-gnu' [nvidia-target-triple]"),
    ("arch: sm_90, features: [+sse]", "expected no features, got '+sse' [nvidia-target-feature]"),
    ("arch: sm_90, options: {ptx_version: '6.5'}", "expected a version of PTX from 7.0 to 9.0 for "
     "option 'ptx_version', got '6.5' [nvidia-target-option]"),
    ("arch: sm_90, options: {ptx_version: '7.0'}", "expected PTX 7.8 or later for arch 'sm_90', "
     "got '7.0' [nvidia-target-option]"),
], ids=["native", "arch", "triple", "features", "unknown-ptx", "old-ptx"])
def test_wrong_targets(tmp_path, text, message):
    out, succeeded = compile_softmax(tmp_path, target_of(tmp_path, text))
    assert not succeeded and message in out, out


def test_assembler_fails(tmp_path):
    """What it says is in the message, with the kernel's line."""
    tool = tmp_path / "ptxas"
    tool.write_text("#!/bin/sh\necho ptxas fatal: no luck\nexit 3\n")
    tool.chmod(0o755)
    out, succeeded = compile_softmax(tmp_path, "nvidia/sm_90", "object", TEGULA_PTXAS=str(tool))
    assert not succeeded
    assert f"expected '{tool}' to assemble the kernel, got: it exited with status 3" in out
    assert "ptxas fatal: no luck" in out and "[nvidia-assembler]" in out


def test_assembler_writes_nothing(tmp_path):
    out, succeeded = compile_softmax(tmp_path, "nvidia/sm_90", "object", TEGULA_PTXAS="true")
    assert not succeeded and "expected 'true' to write a file, got none [nvidia-assembler]" in out


def test_no_assembler(tmp_path):
    """Without it PTX is the artifact, unless machine code alone was asked for."""
    if Path("/usr/local/cuda/bin/ptxas").exists():
        pytest.skip("the assembler is where it is always found")
    both = target_of(tmp_path, "arch: sm_90, emit: [cubin, ptx]")
    out, succeeded = compile_softmax(tmp_path, both, "object", PATH="/usr/bin:/bin")
    assert succeeded and (tmp_path / "out").read_text().startswith("//"), out
    cubin = target_of(tmp_path, "arch: sm_90, emit: [cubin]")
    out, succeeded = compile_softmax(tmp_path, cubin, "object", PATH="/usr/bin:/bin")
    assert not succeeded
    assert ("expected the assembler ptxas for format 'cubin', found none in the option ptxas, "
            "TEGULA_PTXAS, PATH and /usr/local/cuda/bin [nvidia-assembler]") in out
