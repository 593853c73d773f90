# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every kernel of the conformance table, compiled for GPUs that need not be there.

The short run compiles one row in forty for one chip, the long one all rows for all chips;
TEGULA_JOBS says how many at a time. Kernels that are compiled for the same are compiled once.
Where the assembler of the vendor is installed, it must take them; without it the code in text
form is all that is made.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from conformance import LONG, ROOT

BUILD = pathlib.Path(os.environ.get("TEGULA_BUILD", ROOT / "build"))
CTS = BUILD / "bin/tegula-cts"
CHIPS = [("nvidia", "sm_80"), ("nvidia", "sm_90a"), ("nvidia", "sm_120")]
SHARE = 1 if LONG else 40  # one of so many rows
JOBS = int(os.environ.get("TEGULA_JOBS", os.cpu_count() or 1))
ASSEMBLERS = {"nvidia": ("ptxas", "/usr/local/cuda/bin")}


def plugin_of(backend):
    return BUILD / f"lib/tegula/plugins/libtegula-{backend}.so"


def assembler_of(backend):
    name, usual = ASSEMBLERS[backend]
    return os.environ.get(f"TEGULA_{name.upper()}") or shutil.which(name) or shutil.which(
        name, path=usual)


def cts(backend, chip, *arguments):
    return subprocess.run(
        [str(CTS), "--plugin", str(plugin_of(backend)), "--target", f"{backend}/{chip}",
         "--group", "compile", *map(str, arguments)], capture_output=True, text=True,
        timeout=4 * 3600, check=False, env=os.environ | {"TEGULA_CACHE": "0"})


def exactly(names):
    escaped = [re.sub(r"([\[\]().*+?^$|{}\\])", r"\\\1", name) for name in names]
    return "^(" + "|".join(escaped) + ")$"


@pytest.mark.parametrize("backend, chip", CHIPS, ids=[chip for _, chip in CHIPS])
def test_rows_compile(backend, chip):
    if not CTS.exists() or not plugin_of(backend).exists():
        pytest.skip(f"tegula-cts or libtegula-{backend}.so is not built")
    if not assembler_of(backend):
        pytest.skip(f"{ASSEMBLERS[backend][0]} is not installed")
    listed = cts(backend, chip, "--list")
    assert listed.returncode == 0, listed.stderr
    rows = [name for name in listed.stdout.splitlines() if name.count("/") == 2]
    names = [name for name in rows if "/same-bytes/" not in name]
    assert len(names) > 400
    wanted = names[[c for _, c in CHIPS].index(chip)::SHARE]
    done = cts(backend, chip, "--jobs", JOBS, "--json", "--filter", exactly(wanted))
    report = json.loads(done.stdout)
    failed = [f"{test['name']}: {test['message']}" for test in report["tests"]
              if test["state"] not in ("pass", "unsupported", "skip")]
    assert not failed, "\n".join(failed)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
