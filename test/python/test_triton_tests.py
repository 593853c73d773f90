# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of Triton's tests that do not apply, and tools/dev/triton-tests on a small checkout."""

import json
import subprocess
import sys

import pytest
from conftest import BUILD, ROOT

sys.path.insert(0, str(ROOT / "test/triton"))
import triton_ids  # noqa: E402

yaml = pytest.importorskip("yaml", reason="yaml is not installed")
ASM, DRIVER, GATED = triton_ids.REASONS
CORE = "language/test_core.py"


def entries_of(*patterns, reason=ASM, file=CORE):
    return triton_ids.read_list({reason: {file: list(patterns)}})


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_committed_list(device):
    entries = triton_ids.read_list(
        yaml.safe_load((ROOT / f"test/triton/not_applicable_{device}.yaml").read_text()))
    assert all(entry.file in triton_ids.FILES for entry in entries)


def test_committed_effort():
    effort = yaml.safe_load((ROOT / "test/triton/effort.yaml").read_text())
    assert set(effort) <= set(triton_ids.FILES)
    for given in effort.values():
        assert given and set(given) <= {"sample", "timeout"}
        assert all(isinstance(number, int) and number > 1 for number in given.values())


@pytest.mark.parametrize(("pattern", "test", "expected"), [
    ("test_dot", "test_dot", True),
    ("test_dot", "test_dot[1-fp16]", True),
    ("test_dot", "test_dot3d[1]", False),
    ("test_dot[*fp16*]", "test_dot[1-fp16-2]", True),
    ("test_dot[*fp16*]", "test_dot[1-fp32-2]", False),
    ("test_dot[*fp16*]", "test_dot", False),
    ("test_dot[?-(a+b)]", "test_dot[1-(a+b)]", True),
    ("test_dot[?-(a+b)]", "test_dot[12-(a+b)]", False),
    ("test_dot[x[0]]", "test_dot[x[0]]", True),
    ("TestIt::test_this", "TestIt::test_this[1]", True),
    ("test_this", "TestIt::test_this[1]", False),
])
def test_patterns(pattern, test, expected):
    entry, = entries_of(pattern)
    assert entry.matches(f"{CORE}::{test}") is expected
    assert not entry.matches(f"language/test_tuple.py::{test}")


@pytest.mark.parametrize(("data", "text"), [
    ({"because": {}}, "expected one of the reasons .*needs the CUDA driver.* got 'because'"),
    ({ASM: {"language/test_x.py": []}}, "expected a file of .* got 'language/test_x.py'"),
    ({ASM: {CORE: "test_dot"}}, "expected a list of patterns for language/test_core.py, got 'te"),
    ({ASM: {CORE: ["test_*"]}}, r"expected a test or test\[parameters\], got 'test_\*'"),
    ({ASM: {CORE: ["test_dot[1"]}}, r"expected a test or test\[parameters\], got 'test_dot\[1'"),
    ({ASM: {CORE: ["test_a"]}, GATED: {CORE: ["test_a"]}},
     "expected each pattern once, got .*test_a"),
])
def test_wrong_lists(data, text):
    with pytest.raises(triton_ids.ListError, match=text):
        triton_ids.read_list(data)


def test_listed():
    ids = [f"{CORE}::test_a[1]", f"{CORE}::test_a[2]", f"{CORE}::test_b"]
    entries = triton_ids.read_list({ASM: {CORE: ["test_a[1]"]}, GATED: {
        CORE: ["test_gone"], "language/test_tuple.py": ["test_not_collected"]}})
    reasons, unmatched = triton_ids.listed(ids, entries)
    assert reasons == {ids[0]: ASM}
    assert [str(entry) for entry in unmatched] == [f"{CORE}::test_gone"]


def test_sample_is_fixed():
    ids = [f"a::test_{n:03}" for n in range(100)]
    assert triton_ids.sample(reversed(ids), 10) == ids[::10][::-1]
    assert triton_ids.sample(ids, 1) == ids


def test_shards_cover_all():
    ids = [str(n) for n in range(1001)]
    parts = triton_ids.shards(ids, 2)
    assert [id for part in parts for id in part] == ids
    assert len(parts) == 6
    assert triton_ids.shards([], 2) == []


def summary(collected, listed, passed, failed=0, skipped=0):
    made = triton_ids.Summary("all")
    made.collected = collected
    made.listed[GATED] = listed
    made.outcomes.update(passed=passed, failed=failed, skipped=skipped)
    return made


def test_conditions():
    assert triton_ids.problems(summary(100, 35, 90, failed=10), [], []) == []
    assert triton_ids.problems(summary(100, 36, 90, failed=10), [], []) == [
        "expected at most 35 % of the tests on the list, got 36.0 %"]
    assert triton_ids.problems(summary(100, 0, 89, failed=5, skipped=6), [], []) == [
        "expected at least 90 % of the rest to pass, got 89.0 %"]
    assert triton_ids.problems(summary(1, 0, 1), ["f::test_a"], ["f::test_b"]) == [
        "f::test_a of the list matches no test", "f::test_b is on the list, but passes"]


# -- the tool, on files of our own in the places of Triton's -------------------------

CONFTEST = """
import pytest
def pytest_addoption(parser):
    parser.addoption("--device", default="cuda")
@pytest.fixture
def device(request):
    return request.config.getoption("--device")
"""
TESTS = """
import os, time, pytest, triton
def test_fine(device):
    assert device == "cpu" and "tegula" in triton.__file__
@pytest.mark.parametrize("n", [1, 2])
def test_wrong(n):
    assert n == 1
def test_skips():
    pytest.skip("only for GPUs")
def test_crashes():
    os.abort()
def test_hangs():
    time.sleep(60)
def test_last():
    pass
"""


@pytest.fixture
def checkout(tmp_path):
    language = tmp_path / "python/test/unit/language"
    language.mkdir(parents=True)
    (tmp_path / "python/test/conftest.py").write_text(CONFTEST)
    (language / "test_tuple.py").write_text(TESTS)
    return tmp_path


def run_tool(*arguments):
    return subprocess.run(
        [sys.executable, ROOT / "tools/dev/triton-tests", "--build", BUILD, "--python",
         sys.executable, *arguments], capture_output=True, text=True, timeout=300)


def test_tool(checkout, tmp_path):
    result = tmp_path / "result.json"
    done = run_tool("--checkout", checkout, "--file", "test_tuple.py", "--timeout", "5", "--sample",
                    "1", "--json", result)
    assert "7 collected" in done.stdout and "7 run: 3 passed, 3 failed, 1 skipped" in done.stdout
    outcomes = {r["id"].partition("::")[2]: (r["outcome"], r["text"])
                for r in json.loads(result.read_text())}
    assert {name for name, (outcome, _) in outcomes.items() if outcome == "passed"} == {
        "test_fine", "test_wrong[1]", "test_last"}
    assert "signal 6 (SIGABRT)" in outcomes["test_crashes"][1]
    assert "no end after 5 s" in outcomes["test_hangs"][1]
    assert outcomes["test_skips"][0] == "skipped" and "only for GPUs" in outcomes["test_skips"][1]


def test_tool_collects(checkout):
    done = run_tool("--checkout", checkout, "--file", "test_tuple.py", "--collect")
    assert done.returncode == 0 and "language/test_tuple.py::test_wrong[2]" in done.stdout


def test_tool_check_fails(checkout):
    done = run_tool("--checkout", checkout, "--file", "test_tuple.py", "--check", "--only",
                    "fine|wrong")
    assert done.returncode == 1
    assert "expected at least 90 % of the rest to pass, got 66.7 %" in done.stderr


@pytest.mark.parametrize(("arguments", "text"), [
    (("--checkout", "/nowhere"), "expected a checkout of Triton with python/test/unit"),
    (("--sample", "0"), "--sample: expected 1 or more, got 0"),
    (("--file", "test_x.py"), "--file: expected some of"),
])
def test_tool_wrong_use(checkout, arguments, text):
    done = run_tool("--checkout", checkout, *arguments)
    assert done.returncode == 2 and text in done.stderr
