# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statuses of the C API as exceptions, and stages under all their names."""

import numpy as np
import pytest

import tegula
import tegula.language as tl
from tegula.errors import raise_status


@pytest.mark.parametrize("code, id, cls", [
    (1, "unknown-option", tegula.CompilationError),
    (1, "invalid-grid", tegula.LaunchError),
    (1, "misaligned", tegula.LaunchError),
    (2, "undefined-name", tegula.CompilationError),
    (3, "E100", tegula.PluginError),
    (3, "wrong-artifact", tegula.LaunchError),
    (4, "no-such-device", tegula.TargetError),
    (4, "compiler-unavailable", tegula.PluginError),
    (5, "E111", tegula.PluginError),
    (5, "version-mismatch", tegula.PluginError),
    (5, "wrong-artifact", tegula.LaunchError),
    (6, "out-of-memory", tegula.OutOfResources),
    (7, "out-of-resources", tegula.OutOfResources),
    (7, "invalid-grid", tegula.LaunchError),
    (8, "device-failure", tegula.LaunchError),
    (9, "device-failure", tegula.LaunchError),
    (10, "internal-fault", tegula.InternalError),
    (11, "no-such-target", tegula.TargetError),
    (11, "E190", tegula.TargetError),
    (11, "file-access", tegula.TargetError),
    (12, "device-assert", tegula.DeviceAssertionError),
    (13, "device-lost", tegula.LaunchError),
    (99, "of-a-later-version", tegula.InternalError),
])
def test_classes(code, id, cls):
    with pytest.raises(tegula.Error) as caught:
        raise_status(code, id, "the target is in the text", "", "[]")
    assert type(caught.value) is cls
    assert caught.value.id == id


def test_text():
    with pytest.raises(tegula.Error) as caught:
        raise_status(11, "no-such-target", "one\ntwo", "three", "[]")
    assert str(caught.value) == "one [no-such-target]\ntwo\nhint: three"
    assert caught.value.message == "one\ntwo"
    assert caught.value.hint == "three"
    # Diagnostics have their identifiers in the text.
    with pytest.raises(tegula.Error) as caught:
        raise_status(11, "E190", "f:1:1: error: x [E190]", "", '[{"id": "E190"}]')
    assert str(caught.value) == "f:1:1: error: x [E190]"
    assert caught.value.diagnostics == [{"id": "E190"}]


@tegula.jit
def one(p):
    tl.store(p, 1.0)


def test_stages(monkeypatch):
    monkeypatch.setenv("TEGULA_KEEP", "tile,asm")
    asm = one.warmup(np.zeros(1, np.float32)).asm
    assert asm.keys() == ["tile", "lowered", "llvm", "asm", "object"]
    assert asm["tile"] == asm["ttir"] and "tile.store" in asm["tile"]
    assert asm["asm"] == asm["ptx"] and "one:" in asm["asm"]
    assert asm["object"] == asm["cubin"] and asm["object"].startswith(b"\x7fELF")
    assert "ttir" in asm and "ttgir" in asm and "nonsense" not in asm
    assert "define" in asm["llir"]  # was not kept: made by compiling again
