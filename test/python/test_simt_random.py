# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts, conversions and collectives at random on the simulated GPU; cases that once failed."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import simt_random
from conformance import LONG, ROOT

BUILD = Path(os.environ.get("TEGULA_BUILD", ROOT / "build"))
PLUGINS = BUILD / "lib/tegula/simt"
SEED = int(os.environ.get("TEGULA_SEED", "1"))
needs_simt = pytest.mark.skipif(not (PLUGINS / "libtegula-simt.so").exists(),
                                reason="the simulator is not built")


def run(*command, **variables):
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True,
                          timeout=3000, check=False,
                          env=os.environ | {"TEGULA_PLUGIN_PATH": str(PLUGINS)} | variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_simt
def test_chains():
    count = 3000 if LONG else 30
    assert f"{count} chains" in run(simt_random.__file__, SEED, count)


def test_what_chains_contain():
    """Every operation occurs, extents that are no powers of two do, and a seed says it all."""
    with np.errstate(all="ignore"):
        chains = [simt_random.Chain(seed) for seed in range(200)]
        again = simt_random.Chain(7)
    text = "".join(chain.text() for chain in chains)
    for part in ("reshape", "permute", "join", "split", "cat", "sum", "reduce", "cumsum", "sort",
                 "associative_scan", "gather", "flip", "histogram", "broadcast_to", "48"):
        assert part in text, part
    assert again.text() == chains[7].text() and (again.expected() == chains[7].expected()).all()


WRONG = """
import sys, numpy, simt_random
real = simt_random.Chain.expected
def wrong(chain):
    values = real(chain).copy()
    values[-1] += 1
    return values
simt_random.Chain.expected = wrong
assert "1 wrong" in simt_random.check(5), simt_random.check(5)
"""


@needs_simt
def test_wrong_values_are_found(tmp_path):
    program = tmp_path / "wrong.py"
    program.write_text(WRONG)
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    run(program, PYTHONPATH=path)


HEAD = """
import numpy as np, tegula, tegula.language as tl
"""
CASES = {
    "scalars_of_a_split": """
@tegula.jit
def kernel(x, o):
    a, b = tl.split(tl.load(x + tl.arange(0, 2)) * 3)
    tl.store(o, b)
    tl.store(o + 1, a)
x, o = np.array([5.0, 7.0], np.float32), np.zeros(2, np.float32)
kernel[(1,)](x, o, num_warps=W)
assert o.tolist() == [21.0, 15.0], o
""",
    # Offsets that wrap meet in memory: the last element in row-major order stays.
    "offsets_of_8_bits": """
@tegula.jit
def kernel(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + 128 + i.to(tl.int8), tl.load(x + i))
x, o = np.arange(2048, dtype=np.int32), np.zeros(256, np.int32)
kernel[(1,)](x, o, B=2048, num_warps=W)
expected = np.zeros(256, np.int32)
expected[128 + np.arange(2048).astype(np.int8).astype(int)] = x
assert (o == expected).all(), np.flatnonzero(o != expected)
""",
    "rows_of_8_bits": """
@tegula.jit
def kernel(x, o, A: tl.constexpr, B: tl.constexpr):
    i, j = tl.arange(0, A)[:, None], tl.arange(0, B)[None, :]
    at = (i * B + j * 3).to(tl.uint8)
    tl.store(o + at, tl.load(x + i * B + j))
x, o = np.arange(32 * 64, dtype=np.int32), np.full(256, -1, np.int32)
kernel[(1,)](x, o, A=32, B=64, num_warps=W)
expected = np.full(256, -1, np.int32)
at = np.arange(32)[:, None] * 64 + np.arange(64)[None, :] * 3
expected[(at % 256).reshape(-1)] = x
assert (o == expected).all(), np.flatnonzero(o != expected)
""",
    # Of 16 bits, whose numbers do not meet here.
    "offsets_of_16_bits": """
@tegula.jit
def kernel(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i.to(tl.int16), tl.load(x + i))
x, o = np.arange(2048, dtype=np.int32), np.zeros(2048, np.int32)
kernel[(1,)](x, o, B=2048, num_warps=W)
assert (o == x).all()
""",
}


@needs_simt
@pytest.mark.parametrize("order", ["forward", "reverse"])
@pytest.mark.parametrize("target", ["simt/simt-32", "simt/simt-64"])
@pytest.mark.parametrize("case", sorted(CASES))
def test_case(tmp_path, case, target, order):
    program = tmp_path / "case.py"
    program.write_text(HEAD + "for W in (1, 4, 8):\n" + "".join(
        f"    {line}\n" for line in CASES[case].strip().splitlines()))
    run(program, TEGULA_TARGET=target, TEGULA_SIMT_ORDER=order)
