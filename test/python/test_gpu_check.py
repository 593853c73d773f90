# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/dev/gpu-check without a GPU: its shards, its results, and what a dying process costs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TEGULA_BUILD", ROOT / "build"))
TOOL = ROOT / "tools/dev/gpu-check"
sys.path.insert(0, str(ROOT / "tools/dev"))


def check(*options, **variables):
    return subprocess.run([sys.executable, TOOL, "--build-dir", BUILD, *options], text=True,
                          capture_output=True, timeout=500, check=False,
                          env={**os.environ, **variables})


@pytest.fixture(scope="module")
def names():
    done = check("--list")
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_shards(names):
    assert len(set(names)) == len(names)
    by_suite = {suite: sum(name.startswith(suite + "/") for name in names)
                for suite in ("device", "conformance", "cts", "sanitizer", "bench")}
    assert all(by_suite.values())
    assert by_suite["sanitizer"] >= 2 * 3 * 60 // 8


def test_results_are_kept(tmp_path):
    results = tmp_path / "results.jsonl"
    options = ("--suite", "conformance", "--only", "conformance/selection-0", "--results", results,
               "--commit", "one", "--jobs", "1", "--minutes", "4", "--device", "simt:0")
    simt = BUILD / "lib/tegula/simt"
    if not simt.is_dir():
        pytest.skip("the plugin 'simt' is not built")
    done = check(*options, TEGULA_PLUGIN_PATH=str(simt))
    entry = json.loads(results.read_text())
    assert done.returncode == 0 and "1 of 1 shards to run" in done.stdout, done.stdout
    assert entry["passed"] == 40 and entry["commit"] == "one" and not entry["failed"]
    again = check(*options, TEGULA_PLUGIN_PATH=str(simt))
    assert again.returncode == 0 and "0 of 1 shards to run" in again.stdout
    assert len(results.read_text().splitlines()) == 1


def test_no_time(tmp_path):
    done = check("--suite", "conformance", "--only", "conformance/selection-0", "--minutes", "0",
                 "--results", tmp_path / "results")
    assert done.returncode == 3 and "1 shards left: call again" in done.stdout


def test_wrong_folders(tmp_path):
    for option in ("--corpus", "--triton"):
        done = check(option, tmp_path / "none")
        assert done.returncode == 2 and f"{option}: expected a folder" in done.stderr
    done = subprocess.run([sys.executable, TOOL, "--package", tmp_path], text=True,
                          capture_output=True, timeout=60, check=False)
    assert done.returncode == 1 and "expected the Python package in" in done.stderr


def test_a_dying_process_costs_one_case(tmp_path, monkeypatch):
    from gpu_check import shards

    script = tmp_path / "conformance_shard.py"
    script.write_text('''
import json, os, sys
log, cases, start = sys.argv[1], open(sys.argv[3]).read().split(), int(sys.argv[5])
with open(log, "a", buffering=1) as file:
    for index, name in enumerate(cases[start:], start):
        print(json.dumps({"start": index, "id": name}), file=file)
        if name == "dies":
            os.abort()
        problem = "device-lost" if name == "loses" else None
        print(json.dumps({"done": index, "id": name, "problem": problem}), file=file)
        if problem:
            sys.exit(75)
''')
    monkeypatch.setattr(shards, "HERE", tmp_path)

    class Options:
        python = sys.executable

    context = shards.Context(Options, tmp_path, dict(os.environ), 60)
    outcome, status, _ = shards.run_cases(context, ["a", "dies", "b", "loses", "c", "d"])
    assert outcome["passed"] == 4 and status == 0
    assert [name for name, _ in outcome["failed"]] == ["dies", "loses"]


def test_a_process_that_does_not_start(tmp_path, monkeypatch):
    from gpu_check import shards

    (tmp_path / "conformance_shard.py").write_text("raise SystemExit('no yaml')")
    monkeypatch.setattr(shards, "HERE", tmp_path)

    class Options:
        python = sys.executable

    outcome = shards.run_cases(shards.Context(Options, tmp_path, dict(os.environ), 60),
                               ["a", "b"])[0]
    assert outcome["passed"] == 0 and len(outcome["failed"]) == 1
    assert "no yaml" in outcome["failed"][0][1]
