# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tegula-cts: that C++ and Python read the table alike, and that no plugin ends it."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from conformance import FOLDER, LONG, ROOT, family_paths, load_family
from conformance_values import GENERATORS, TYPES, generate

BUILD = pathlib.Path(os.environ.get("TEGULA_BUILD", ROOT / "build"))
CTS = BUILD / "bin/tegula-cts"
FIXTURES = sorted((BUILD / "test/unit/plugins").glob("libtegula-*.so"))

pytestmark = pytest.mark.skipif(not CTS.exists(), reason="tegula-cts is not built")


def cts(*arguments, **variables):
    return subprocess.run([str(CTS), *map(str, arguments)], capture_output=True, text=True,
                          env=os.environ | variables, timeout=1500, check=False)


def test_the_same_cases_in_the_same_order():
    listed = cts("--plugin", "cpu", "--group", "numerics", "--list").stdout.splitlines()
    wanted = [f"numerics/{case.id}" for path in family_paths() for row in load_family(path)
              if row.data.get("long") is not True and "expect_error" not in row.data
              for case in row.cases]
    if LONG:  # longer axes are pytest's alone
        wanted = [name for name in wanted if name in set(listed)]
    assert listed == wanted


@pytest.mark.parametrize("family", [p.stem for p in family_paths()])
def test_an_answer_is_recorded_for_each_case(family):
    recorded = [line.split(";")[0] for line in
                (FOLDER / f"expected/{family}.txt").read_text().splitlines()]
    cases = [case.id for row in load_family(FOLDER / f"{family}.yaml")
             if row.data.get("long") is not True for case in row.cases]
    if LONG:
        cases = [case for case in cases if case in set(recorded)]
    assert recorded == cases


@pytest.mark.parametrize("families", [
    pytest.param(["casts", "dot", "elementwise", "mathematics", "scans"], id="some"),
    pytest.param([], id="all", marks=pytest.mark.skipif(not LONG, reason="long"))])
def test_recorded_answers_are_those_of_the_table(families):
    run = subprocess.run([sys.executable, ROOT / "tools/dev/conformance-expected", "--check",
                          *families], capture_output=True, text=True, check=False,
                         env=os.environ | {"TEGULA_LONG_TESTS": ""})
    assert (run.returncode, run.stderr) == (0, "")


# -- generators ---------------------------------------------------------------------

KERNEL = '''
import tegula
import tegula.language as tl


@tegula.jit
def nothing(x):
    pass
'''
PARAMETERS = {"full": "3", "values": "1,2,-3", "uniform": "-1.5,2", "linear": "-3,5.5",
              "randint": "-7,100", "index": "0,77", "adversarial": "2"}
RUN_NAMES = {"int1": "i1", "float16": "fp16", "bfloat16": "bf16", "float32": "fp32",
             "float64": "fp64"} | {f"{u}int{b}": f"{u or 'i'}{b}" for u in ("", "u") for b in
                                   (8, 16, 32, 64)}


def number(text):
    return float(text) if "." in text else int(text)


@pytest.mark.parametrize("generator", GENERATORS)
def test_tegula_run_generates_the_same(generator, tmp_path):
    """Two of the types; the digests of inputs in `expected` hold for all that rows use."""
    (tmp_path / "kernel.py").write_text(KERNEL)
    for type_name in ("float32", "int16", "uint64"):
        type_, text = TYPES[type_name], PARAMETERS.get(generator, "")
        parameters = [number(p) for p in text.split(",")] if text else []
        wrong = any(isinstance(p, float) for p in parameters) and not type_.is_float
        if type_.kind not in GENERATORS[generator][4] or wrong or (
                type_name == "uint64" and min(parameters, default=0) < 0):
            continue
        spec = f"x={generator}{f'({text})' if text else ''}:{RUN_NAMES[type_name]}[40,41]"
        out = tmp_path / f"{type_name}.npy"
        run = subprocess.run(
            [BUILD / "bin/tegula-run", tmp_path / "kernel.py", "-k", "nothing", "-g", "1", "-a",
             spec, "--seed", "77", "--out", f"x={out}"], capture_output=True, text=True,
            check=False)
        assert run.returncode == 0, run.stderr
        wanted = generate(generator, parameters, type_, (40, 41), 77, "x")
        assert np.load(out).tobytes() == wanted.tobytes(), (generator, type_name)


# -- plugins that are wrong ---------------------------------------------------------


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_no_plugin_ends_it(path):
    """Refused with its own error, or tested; never a crash or a hang."""
    if "crash" in path.stem or "asan" in path.stem:
        pytest.skip("is made to end its process, or needs another one")
    run = cts("--plugin", path, "--group", "load", "--group", "register")
    assert run.returncode in (0, 1, 3), run.stderr + run.stdout
    if run.returncode == 3:
        assert " [E1" in run.stderr


def test_a_target_of_another_backend():
    path = BUILD / "test/unit/plugins/libtegula-both.so"
    if not path.exists():
        pytest.skip("the plugins of the unit tests are not built")
    run = cts("--plugin", path, "--target", "cpu", "--list")
    assert run.returncode == 1
    assert "target 'cpu' is of backend 'cpu', expected one of 'both' [invalid-value]" in run.stderr


def test_the_cpu_backend_passes():
    """A part of the table; all of it with TEGULA_LONG_TESTS=1."""
    some = "/(casts|control|shapes2|sorting)/.*" if not LONG else ""
    run = cts("--plugin", "cpu", "--verify-xfail", "--json", "--filter",
              f"^(compile|numerics){some}")
    report = json.loads(run.stdout)
    wrong = [t for t in report["tests"] if t["state"] != "pass"]
    assert (run.returncode, wrong) == (0, [])
    assert report["groups"]["numerics"]["passed"] > 500
