# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches ask for the target of the device that their arrays are on."""

import hashlib
import json

import numpy as np
import pytest
import tegula
import tegula.language as tl
from tegula import _tegula

TARGETS = """\
schema: tegula.target/v1
targets:
  - {id: gpu, backend: nvidia, arch: sm_90a}
  - {id: old, backend: cpu, arch: x86-64-v2, options: {threads: 1}}
  - {id: new, backend: cpu, arch: x86-64-v3}
"""


@tegula.jit
def fill(x, value, n: tl.constexpr):
    tl.store(x + tl.arange(0, n), value)


@pytest.fixture
def lab(tmp_path):
    def write(text):
        # A process takes a file of one name for the same.
        path = tmp_path / f"lab-{len(list(tmp_path.iterdir()))}.yaml"
        path.write_text(TARGETS + text)
        return str(path)

    return write


def launch(target=None):
    x = np.zeros(8, np.float32)
    handle = fill[(1,)](x, 2.0, 8, **({} if target is None else {"target": target}))
    assert (x == 2).all()
    return handle


def arch_of(handle):
    return handle.metadata.target.arch


def test_the_rule_for_the_cpu(lab):
    path = lab("select:\n  - {match: {kind: cuda}, use: gpu}\n  - {match: {kind: cpu}, use: new}\n")
    assert arch_of(launch(path)) == "x86-64-v3"
    assert arch_of(launch(path + ":old")) == "x86-64-v2"


def test_the_first_target_that_fits_without_rules(lab):
    assert arch_of(launch(lab(""))) == "x86-64-v2"


def test_the_environment(lab, monkeypatch):
    monkeypatch.setenv("TEGULA_TARGET", lab("select:\n  - {match: {kind: cpu}, use: new}\n"))
    assert arch_of(launch()) == "x86-64-v3"
    assert arch_of(launch("cpu/x86-64-v2")) == "x86-64-v2"
    assert tegula.runtime.driver.active.get_current_target().arch == "x86-64-v3"


def test_the_fallback(lab):
    rules = "select:\n  - {match: {kind: cuda}, use: gpu}\n"
    assert arch_of(launch(lab(rules + "runtime: {fallback: cpu}\n"))) == "x86-64-v2"
    with pytest.raises(tegula.TargetError) as caught:
        launch(lab(rules))
    assert caught.value.id == "no-rule-matches"
    text = str(caught.value)
    assert "gives no target to the device cpu:0 (" in text
    assert "select[0] {kind: cuda}     gpu     no: kind is cpu" in text


def test_a_target_of_another_device(lab):
    path = lab("")
    with pytest.raises(tegula.LaunchError) as caught:
        launch(path + ":gpu")
    assert caught.value.id == "wrong-device"


def test_code_for_another_processor(tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text("schema: tegula.target/v1\ntargets:\n"
                    "  - {id: arm, backend: cpu, arch: neoverse-v1, triple: aarch64-linux-gnu}\n"
                    "  - {id: host, backend: cpu, arch: native}\n")
    with pytest.raises(tegula.TargetError) as caught:
        launch(f"{path}:arm")
    assert caught.value.id == "target-device"
    assert "is for aarch64-linux-gnu, this CPU is" in str(caught.value)


def test_targets_by_device():
    assert _tegula.target("cpu", "cpu", 0)[:3] == ("cpu", "cpu", "native")
    with pytest.raises(tegula.TargetError) as caught:
        _tegula.target("cpu", "cpu", 1)
    assert caught.value.id == "no-such-device"


def test_the_manifest_has_the_hash_of_the_resolved_form(lab):
    handle = launch(lab("") + ":new")
    manifest = json.loads(handle._artifact.manifest())
    assert len(manifest["target_hash"]) == 64
    # From the cache or not, and whatever its name is.
    text = _tegula.target("cpu/x86-64-v3")[3]
    other = json.loads(launch("cpu/x86-64-v3")._artifact.manifest())
    assert other["target_hash"] != manifest["target_hash"]
    assert other["target_hash"] == hashlib.sha256(text.encode()).hexdigest()
