# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tegula-bench: every kernel on odd sizes, what it writes, how it answers mistakes.

Times are looked at nowhere.
"""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from conftest import BUILD, ROOT

import tegula

sys.path.append(str(ROOT / "tools/tegula-bench"))

from tegula_bench import benchmark, cli, measure, providers, report  # noqa: E402

CASES = ROOT / "test/tools/tegula-bench/Inputs"
LIMITS = tegula.testing.DeviceLimits("a processor", "cpu", 2, 2.0, {3: 1 << 20}, 10.0,
                                     {"float32": 0.1, "float64": 0.05})
BENCHMARKS = benchmark.load_folder(cli.KERNELS)
SIZES = {"N": ("1", "97", "10007"), "MxN": ("1x1", "3x70", "65x129"), "ARGS": ("5", "19"),
         "MxNxK": ("1x1x1", "67x33x130"), "HxSxD": ("1x1x16", "2x77x32")}


@pytest.fixture
def bench(monkeypatch, capsys):
    """Runs the tool in this process with limits that are known: (status, output, errors)."""
    for name in cli.THREAD_VARIABLES:
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.setattr(tegula.testing, "device_limits", lambda device=None: LIMITS)
    monkeypatch.setattr(measure, "flush_caches", lambda: None)

    def run(*arguments):
        try:
            status = cli.main([str(argument) for argument in arguments])
        except SystemExit as error:
            status = error.code
        return (status, *capsys.readouterr())

    return run


# -- the kernels ---------------------------------------------------------------------

ALL = [(bench, dtype) for bench in BENCHMARKS.values() for dtype in bench.dtypes]


@pytest.mark.parametrize("bench, dtype", ALL, ids=[b.full_name(dtype) for b, dtype in ALL])
def test_results_are_right(bench, dtype):
    ready, _ = providers.load(None)
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    for size in SIZES[bench.form]:
        results = measure.measure(bench, dtype, size, bench.parse_size(size), ready, 1, False,
                                  "numpy")
        assert {result.provider for result in results} >= {"tegula", "numpy"}
        for result in results:
            assert result.status == "right", (size, result.provider, result.message)
            assert len(result.times_ms) == len(result.ratios) == 1


@pytest.mark.parametrize("bench", BENCHMARKS.values(), ids=BENCHMARKS)
def test_sizes_and_work(bench):
    assert bench.summary and bench.sizes and bench.bound in ("memory", "compute", "")
    for text in bench.sizes:
        sizes = bench.parse_size(text)
        assert sizes is not None
        amounts = dict(zip(("memory", "compute"), bench.work(sizes, 4)))
        assert not bench.bound or amounts[bench.bound] > 0


def test_the_kernels_that_there_must_be():
    assert set(BENCHMARKS) >= {
        "vector-add", "copy", "softmax", "layer-norm", "rms-norm", "matmul", "attention", "sum",
        "column-sum", "cumsum", "gather", "cross-entropy", "dropout", "random", "launch"}
    assert BENCHMARKS["matmul"].dtypes == ("float32", "float16", "bfloat16")


def test_wrong_results_are_seen():
    inputs = BENCHMARKS["random"].inputs((1000,), "float32", None)
    error = BENCHMARKS["random"].error
    assert error(inputs, np.linspace(0, 0.999, 1000), None) == 0
    for wrong in (np.linspace(0, 1, 1000), np.zeros(1000), np.full(1000, np.nan), np.ones(3)):
        assert error(inputs, wrong, None) == float("inf")
    dropout = BENCHMARKS["dropout"]
    x = np.ones(1000, np.float32)
    expected = dropout.reference({"x": x})
    keep = np.arange(1000) % 10 >= 3
    assert dropout.error({"x": x}, expected * keep, expected) == 0
    assert dropout.error({"x": x}, x * keep, expected) == pytest.approx(0.3)
    assert dropout.error({"x": x}, expected, expected) == float("inf")
    plain = BENCHMARKS["copy"].error
    assert plain({}, np.array([1.0, 3.0]), np.array([1.0, 4.0])) == 0.25
    assert plain({}, np.array([np.nan]), np.array([1.0])) == float("inf")


# -- measuring -----------------------------------------------------------------------

def test_providers_take_turns(monkeypatch):
    events = []
    monkeypatch.setattr(measure, "flush_caches", lambda: events.append("flush"))

    class Case(benchmark.Benchmark):
        name, form = "case", "N"
        calls = 2

        def inputs(self, sizes, dtype, rng):
            return {}

        def reference(self, inputs):
            return 1.0

        def tegula(self, inputs):
            return lambda: events.append("A") or 1.0

        def numpy(self, inputs):
            return lambda: events.append("B") or 1.0

    ready = [providers.Provider("tegula", "tegula"), providers.Provider("numpy", "numpy")]
    a, b = measure.measure(Case(), "float32", "1", (1,), ready, 3, True, "numpy")
    # Checks, a round that does not count, then the three rounds.
    rounds = "".join(events[2:]).replace("flush", "-")
    assert rounds == "-BB-AA" + "-AA-BB" + "-BB-AA" + "-AA-BB"
    assert len(a.times_ms) == len(b.times_ms) == 3
    assert b.ratio == [1, 1, 1]
    assert a.ratios == [y / x for x, y in zip(a.times_ms, b.times_ms)]
    events.clear()
    measure.measure(Case(), "float32", "1", (1,), ready, 1, False, "numpy")
    assert "flush" not in events


def test_figures_of_a_result():
    result = measure.Result("k", "1", "float32", "tegula", times_ms=[4.0, 1.0, 2.0, 3.0, 5.0],
                            bytes=6 * 10**6, operations=3 * 10**9, bound="memory")
    assert result.spread == [1, 2, 3, 4, 5]
    assert result.rate == pytest.approx(2)
    assert report.share(result, LIMITS) == pytest.approx(0.2)
    assert (report.rate_text(result), report.share_text(result, LIMITS)) == ("2 GB/s", "20 %")
    result.bound = "compute"
    assert result.rate == pytest.approx(1000)
    assert report.share(result, LIMITS) == pytest.approx(10)
    result.dtype = "float64"
    assert report.share(result, LIMITS) == pytest.approx(20)
    result.bound = ""
    assert result.rate is None and report.share_text(result, LIMITS) == ""


# -- the command line ----------------------------------------------------------------

def test_json(bench, tmp_path):
    path = tmp_path / "out.json"
    status, output, _ = bench("vector-add-f32", "softmax-f16", "--sizes", "10,3x5", "--pairs", 3,
                              "--providers", "numpy,tegula", "--json", path)
    assert status == 0 and "ratios are to numpy" in output
    document = json.loads(path.read_text())
    assert list(tmp_path.iterdir()) == [path]
    assert document["schema"] == "tegula.bench/v1"
    assert document["machine"]["name"] == "a processor"
    assert document["limits"]["gbps"] == 10
    assert document["versions"]["tegula"] == tegula.__version__
    assert document["settings"]["pairs"] == 3 and document["settings"]["cold"] is True
    assert document["settings"]["reference"] == "numpy"
    rows = [(r["kernel"], r["dtype"], r["size"], r["provider"]) for r in document["results"]]
    assert rows == [("vector-add", "float32", "10", "numpy"),
                    ("vector-add", "float32", "10", "tegula"),
                    ("softmax", "float16", "3x5", "numpy"), ("softmax", "float16", "3x5", "tegula")]
    for row in document["results"]:
        times = row["times_ms"]
        assert row["status"] == "right" and len(times) == 3 and row["ms"]["min"] == min(times)
        assert row["ms"]["q1"] <= row["ms"]["median"] <= row["ms"]["q3"] <= row["ms"]["max"]
        assert row["error"] <= row["tolerance"]
        assert set(row["ratio"]) == {"q1", "median", "q3"}


def test_json_to_standard_output(bench):
    status, output, _ = bench("copy", "--sizes", 10, "--pairs", 1, "--providers", "tegula",
                              "--json", "-")
    assert status == 0
    (row,) = json.loads(output)["results"]
    assert row["provider"] == "tegula" and row["ratio"]["median"] == 1


def test_pictures(bench, tmp_path):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "a" / "b"
    status, _, errors = bench("good", "wrong", "failing-f32", "--folder", CASES, "--pairs", 1,
                              "--providers", "tegula,numpy", "--png", folder)
    assert status == 1
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["failing-f32.png", "good-f32.png", "wrong-f32.png"]
    assert all((folder / name).read_bytes()[:4] == b"\x89PNG" for name in names)
    assert "good-f32.png" in errors


def test_others_go_on_when_one_fails(bench, tmp_path):
    path = tmp_path / "out.json"
    status, output, _ = bench("--folder", CASES, "--pairs", 1, "--providers", "tegula,numpy",
                              "--json", path)
    assert status == 1
    results = {(r["kernel"], r["size"], r["dtype"], r["provider"]): r
               for r in json.loads(path.read_text())["results"]}
    states = {key: value["status"] for key, value in results.items() if key[1] in ("3", "2x2")}
    assert states == {
        ("good", "3", "float32", "tegula"): "right", ("good", "3", "float32", "numpy"): "right",
        ("wrong", "3", "float32", "tegula"): "wrong", ("wrong", "3", "float32", "numpy"): "right",
        ("failing", "3", "float32", "tegula"): "right",
        ("failing", "3", "float32", "numpy"): "failed",
        ("failing", "3", "float64", "tegula"): "right",
        ("failing", "3", "float64", "numpy"): "failed",
        ("shape", "3", "float32", "tegula"): "wrong", ("shape", "3", "float32", "numpy"): "failed",
        ("missing", "2x2", "float32", "tegula"): "missing",
        ("missing", "2x2", "float32", "numpy"): "missing"}
    assert results["shape", "3", "float32", "tegula"]["error"] == "inf"
    assert results["shape", "3", "float32", "numpy"]["message"] == "ValueError: first line"
    assert results["wrong", "3", "float32", "tegula"]["times_ms"] == []
    assert "FAILED: StopIteration" in output and "WRONG: error 0.5" in output


def test_nothing_but_missing_things(bench):
    status, output, _ = bench("missing", "--folder", CASES, "--providers", "numpy")
    assert status == 3 and "MISSING: no such package" in output


def test_a_default_provider_may_be_missing(bench, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    status, output, _ = bench("copy", "--sizes", 10, "--pairs", 1)
    assert status == 0
    assert "note: provider 'torch' is not to be had: " in output
    status, _, errors = bench("copy", "--providers", "torch")
    assert status == 3
    assert errors.splitlines()[0].startswith("tegula-bench: error: provider 'torch' is not to be "
                                             "had: ")
    assert errors.splitlines()[1] == "hint: pip install torch"


def test_bfloat16_may_be_missing(bench, monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    status, output, _ = bench("matmul-bf16", "matmul-f32", "--sizes", "3x3x3", "--pairs", 1)
    assert status == 0
    assert "MISSING: bfloat16 needs the package 'ml_dtypes'; 'pip install ml_dtypes' installs it" \
        in output


def test_matplotlib_may_be_missing(bench, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    status, _, errors = bench("copy", "--png", tmp_path / "x")
    assert status == 3 and not (tmp_path / "x").exists()
    assert "tegula-bench: error: option '--png' needs the package matplotlib: " in errors


@pytest.mark.parametrize("arguments, status, text", [
    (["matmull"], 1, "no kernel 'matmull'; did you mean 'matmul'?; there are launch, vector-add"),
    (["matmul-f64"], 1, "no kernel 'matmul-f64'; did you mean 'matmul-f"),
    (["matmul", "--sizes", "5x5"], 1, "option '--sizes': expected MxNxK for matmul, numbers from 1 "
     "to 2^39, got '5x5' [invalid-value]"),
    (["copy", "--sizes", "0"], 1, "got '0' [invalid-value]"),
    (["copy", "--sizes", "2^80"], 1, "got '2^80' [invalid-value]"),
    (["copy", "--sizes", "-3"], 1, "got '-3' [invalid-value]"),
    (["copy", "softmax", "--sizes", "5x5"], 1, "option '--sizes': kernel 'copy' expects N, got no "
     "size of this form [invalid-value]"),
    (["copy", "--providers", "torsh"], 1, "option '--providers': no provider 'torsh'; did you mean "
     "'torch'?; there are tegula, numpy, torch, triton [invalid-value]"),
    (["copy", "--providers", "triton"], 3, "provider 'triton' is not to be had: it needs a GPU"),
    (["copy", "--providers", "numpy", "--reference", "tegula"], 1, "option '--reference': expected "
     "one of the providers, numpy, got 'tegula' [invalid-value]"),
    (["copy", "--pairs", "none"], 2, "argument --pairs: expected a number from 1 to 1000000, got "
     "'none' [usage]"),
    (["copy", "--sizes", ","], 2, "argument --sizes: expected names separated by commas, got ','"),
    (["--nonsuch"], 2, "unrecognized arguments: --nonsuch [usage]"),
    (["copy", "--json", "/nonsuch/x.json"], 1, "option '--json': cannot write '/nonsuch/x.json': "
     "No such file or directory [file-access]"),
    (["copy", "--json", "/"], 1, "option '--json': cannot write '/': Is a directory"),
    (["copy", "--png", "/dev/null/x"], 1, "option '--png': cannot write to folder '/dev/null/x': "
     "Not a directory [file-access]"),
    (["--folder", "/nonsuch"], 1, "option '--folder': expected a folder with benchmarks, files "
     "*.py, got '/nonsuch' [file-access]"),
])
def test_mistakes(bench, arguments, status, text):
    if "--png" in arguments:
        pytest.importorskip("matplotlib")
    got, output, errors = bench(*arguments)
    assert got == status and not output
    assert "tegula-bench: error: " in errors and text in errors


def test_too_many_threads(bench):
    processors = len(os.sched_getaffinity(0))
    status, _, errors = bench("copy", "--threads", processors + 1)
    assert status == 3
    assert errors == (
        f"tegula-bench: error: option '--threads': expected at most {processors}, the processors "
        f"that this process may use, got {processors + 1} [no-such-device]\n")


def test_a_broken_file_of_benchmarks(bench, tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("1 / 0\n")
    status, _, errors = bench("--folder", tmp_path)
    assert status == 1
    assert f"cannot load '{path}': ZeroDivisionError: division by zero [invalid-file]" in errors


def test_faults(bench, monkeypatch):
    def fail(*_):
        raise RuntimeError("out of order")

    monkeypatch.setattr(tegula.testing, "device_limits", fail)
    status, _, errors = bench("copy", "--providers", "tegula")
    assert status == 4
    assert errors == "tegula-bench: error: RuntimeError: out of order [internal-fault]\n"
    monkeypatch.setenv("TEGULA_TARGET", "nonsuch")
    monkeypatch.setattr(tegula.testing, "device_limits", lambda: tegula._tegula.target("nonsuch"))
    status, _, errors = bench("copy", "--providers", "tegula")
    assert status == 3 and "nonsuch" in errors and "[no-such-target]" in errors


def test_commit(tmp_path):
    assert report.commit_of(str(tmp_path / "nonsuch")) is None
    known = report.commit_of(str(ROOT))
    assert known is None or len(known.split("-")[0]) in (40, 64)


@pytest.mark.skipif(not (BUILD / "bin/tegula-bench").exists(), reason="tegula-bench is not built")
def test_threads_and_the_command_itself():
    """As a user runs it: one processor for everything."""
    done = subprocess.run(
        [sys.executable, BUILD / "bin/tegula-bench", "vector-add-f32", "--sizes", "100", "--pairs",
         "1", "--threads", "1", "--providers", "tegula,numpy", "--json", "-"],
        capture_output=True, text=True, check=False, env=os.environ | {
            "PYTHONPATH": str(BUILD / "python")})
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["settings"]["threads"] == document["machine"]["processors"] == 1
    assert [row["status"] for row in document["results"]] == ["right", "right"]
    assert pathlib.Path(BUILD / "bin/tegula-bench").resolve().parent.name == "tegula-bench"
