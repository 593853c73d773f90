# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The conformance table on the simulated GPU: what every GPU backend shares, run and checked.

The short run has a part of each family, in both orders of threads and with a look at races;
the long one has all.
"""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from conformance import LONG, ROOT, family_paths

BUILD = pathlib.Path(os.environ.get("TEGULA_BUILD", ROOT / "build"))
CTS = BUILD / "bin/tegula-cts"
PLUGIN = BUILD / "lib/tegula/simt/libtegula-simt.so"
FAMILIES = [path.stem for path in family_paths()]
ORDERS = ("forward", "reverse")
SHARE = 1 if LONG else 12  # one of so many cases

pytestmark = pytest.mark.skipif(not (CTS.exists() and PLUGIN.exists()),
                                reason="tegula-cts or the simulator is not built")


def cts(*arguments, target="simt", **variables):
    return subprocess.run(
        [str(CTS), "--plugin", "simt", "--target", target, *map(str, arguments)],
        capture_output=True, text=True, timeout=3000, check=False,
        env=os.environ | {"TEGULA_PLUGIN_PATH": str(PLUGIN.parent)} | variables)


@pytest.fixture(scope="module")
def names():
    done = cts("--group", "numerics", "--list")
    assert done.returncode == 0 and done.stdout, done.stderr
    return done.stdout.splitlines()


UNSUPPORTED = re.findall(r'case: "(.*)"', (ROOT / "plugins/simt/cts.yaml").read_text())


def run(names, target, **variables):
    """Runs those tests, a few hundred at a time: the names are one expression."""
    names = [name for name in names if name not in UNSUPPORTED]
    assert names
    for start in range(0, len(names), 200):
        escaped = [re.sub(r"([\[\]().*+?^$|{}\\])", r"\\\1", name)
                   for name in names[start:start + 200]]
        done = cts("--group", "numerics", "--jobs", 1, "--filter", "^(" + "|".join(escaped) + ")$",
                   target=target, **variables)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("family", FAMILIES)
def test_numerics(names, family):
    mine = [name for name in names if name.startswith(f"numerics/{family}/")]
    number = FAMILIES.index(family)
    wanted = mine[number % SHARE::SHARE] or mine[:1]
    if not wanted:
        pytest.skip("the table has no numerics of this family")
    for order in ORDERS if LONG else ORDERS[number % 2:][:1]:
        run(wanted, "simt", TEGULA_SIMT_ORDER=order, TEGULA_SIMT_RACES="1")


@pytest.mark.parametrize("family", ["elementwise", "reductions", "scans", "dot"])
def test_numerics_with_warps_of_64(names, family):
    mine = [name for name in names if name.startswith(f"numerics/{family}/")]
    run(mine[::1 if LONG else 20], "simt/simt-64", TEGULA_SIMT_RACES="1")


WIDE = """
import numpy as np, tegula, tegula.language as tl
@tegula.jit
def copy(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(x + i))
x = np.arange(8192.0)
o = np.zeros_like(x)
copy[(1,)](x, o, B=8192, num_warps=1)
assert (o == x).all()
"""


def test_wide_tiles_get_more_warps(tmp_path):
    program = tmp_path / "wide.py"
    program.write_text(WIDE)
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True,
                          timeout=300, check=False,
                          env=os.environ | {"TEGULA_PLUGIN_PATH": str(PLUGIN.parent),
                                            "TEGULA_TARGET": "simt"})
    assert done.returncode == 0, done.stdout + done.stderr
