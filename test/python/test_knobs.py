# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tegula.knobs: settings that follow environment variables."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import tegula
import tegula.language as tl
from tegula import knobs


@pytest.fixture(autouse=True)
def unchanged():
    with knobs.cache.scope(), knobs.runtime.scope(), knobs.compilation.scope(), \
            knobs.autotuning.scope(), knobs.language.scope(), knobs.redis.scope():
        yield


def test_groups():
    for name in ("build", "redis", "cache", "compilation", "autotuning", "runtime", "language",
                 "amd", "proton"):
        group = getattr(knobs, name)
        assert group.knob_descriptors and group.knobs.keys() == group.knob_descriptors.keys()
        assert all(isinstance(k, knobs.env_base) and k.key for k in
                   group.knob_descriptors.values())
    assert "ptxas" in knobs.nvidia.knob_descriptors  # its value needs the program


def test_variables_are_documented():
    names = open(os.path.join(os.path.dirname(__file__), "../../docs/names.md")).read()
    for group in (knobs.cache, knobs.compilation, knobs.autotuning, knobs.runtime,
                  knobs.language):
        for knob in group.knob_descriptors.values():
            if knob.key.startswith("TEGULA_"):
                assert f"`{knob.key}`" in names, knob.key


def test_follows_the_variable(monkeypatch):
    monkeypatch.delenv("TEGULA_ALWAYS_COMPILE", raising=False)
    assert knobs.compilation.always_compile is False
    for text, value in (("1", True), ("0", False), ("YES", True), ("off", False), ("True", True)):
        monkeypatch.setenv("TEGULA_ALWAYS_COMPILE", text)
        assert knobs.compilation.always_compile is value
    monkeypatch.setenv("TEGULA_LOG", "recompile, cache")
    assert knobs.runtime.log == ("recompile", "cache")
    monkeypatch.setenv("TEGULA_CACHE_LIMIT", "500M")
    assert knobs.cache.limit == 500 << 20
    monkeypatch.setenv("TEGULA_REDIS_PORT", "17")
    assert knobs.redis.port == 17


def test_setting_writes_the_variable(monkeypatch):
    monkeypatch.setenv("TEGULA_CACHE_DIR", "/before")
    knobs.cache.dir = "/fresh"
    knobs.compilation.always_compile = True
    knobs.runtime.log = ["recompile", "cache"]
    knobs.cache.limit = 1024
    assert knobs.cache.dir == os.environ["TEGULA_CACHE_DIR"] == "/fresh"
    assert os.environ["TEGULA_ALWAYS_COMPILE"] == "1"
    assert os.environ["TEGULA_LOG"] == "recompile,cache"
    assert os.environ["TEGULA_CACHE_LIMIT"] == "1024"
    program = "import os; print(os.environ['TEGULA_CACHE_DIR'])"
    seen = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=True).stdout
    assert seen == "/fresh\n"
    del knobs.cache.dir
    assert knobs.cache.dir == os.environ["TEGULA_CACHE_DIR"] == "/before"


def test_a_change_by_others_stays(monkeypatch):
    monkeypatch.setenv("TEGULA_CACHE_DIR", "/before")
    knobs.cache.dir = "/fresh"
    os.environ["TEGULA_CACHE_DIR"] = "/other"
    assert knobs.cache.dir == "/fresh"
    knobs.cache.dir = knobs.env
    assert knobs.cache.dir == os.environ["TEGULA_CACHE_DIR"] == "/other"


def test_without_propagation(monkeypatch):
    monkeypatch.setenv("TEGULA_CACHE_DIR", "/before")
    monkeypatch.setattr(knobs, "propagate_env", False)
    knobs.cache.dir = "/fresh"
    assert knobs.cache.dir == "/fresh" and os.environ["TEGULA_CACHE_DIR"] == "/before"


def test_scope_copy_reset(monkeypatch):
    monkeypatch.delenv("TEGULA_CACHE_DIR", raising=False)
    with knobs.cache.scope() as cache:
        assert cache is knobs.cache
        knobs.cache.dir = "/inside"
        with knobs.cache.scope():
            knobs.cache.dir = "/deeper"
        assert knobs.cache.dir == os.environ["TEGULA_CACHE_DIR"] == "/inside"
        copy = knobs.cache.copy()
        monkeypatch.setattr(knobs, "propagate_env", False)
        copy.dir = "/copy"
        assert (knobs.cache.dir, copy.dir) == ("/inside", "/copy")
        assert copy.reset() is copy
    assert "TEGULA_CACHE_DIR" not in os.environ and knobs.cache.dir != "/inside"


def test_values_of_related_types():
    with knobs.cache.scope():
        knobs.cache.limit = "3K"
        assert knobs.cache.limit == 3072 and os.environ["TEGULA_CACHE_LIMIT"] == "3K"
        knobs.cache.dir = pathlib.Path("/a/b")
        assert knobs.cache.dir == os.environ["TEGULA_CACHE_DIR"] == "/a/b"
    with pytest.raises(knobs.KnobError, match="expected a knob of 'cache', got 'limits'"):
        del knobs.cache.limits


def test_scope_after_an_error():
    before = knobs.cache.dir
    with pytest.raises(ZeroDivisionError), knobs.cache.scope():
        knobs.cache.dir = "/inside"
        raise ZeroDivisionError
    assert knobs.cache.dir == before


@pytest.mark.parametrize("group, name, value, expected", [
    ("cache", "dir", 3, "'cache.dir': expected text, got 3"),
    ("cache", "mode", "offf", "'cache.mode': expected on, off or read-only, got 'offf'"),
    ("cache", "limit", -1, "'cache.limit': expected bytes, or a number with K, M or G, got -1"),
    ("cache", "limit", True, "expected bytes, or a number with K, M or G, got True"),
    ("cache", "limit", "2X", "expected bytes, or a number with K, M or G, got '2X'"),
    ("compilation", "always_compile", "yes", "expected 1 or 0"),
    ("compilation", "always_compile", np.zeros(2), "expected 1 or 0"),
    ("redis", "port", "80", "expected an integer, got '80'"),
    ("runtime", "log", "recompile", "expected a list of texts, got 'recompile'"),
    ("cache", "manager_class", dict, "expected a class derived from CacheManager"),
])
def test_wrong_values(group, name, value, expected):
    group = getattr(knobs, group)
    before = getattr(group, name)
    with pytest.raises(knobs.KnobError, match=expected) as caught:
        setattr(group, name, value)
    assert caught.value.id == "invalid-knob" and isinstance(caught.value, ValueError)
    assert getattr(group, name) == before


@pytest.mark.parametrize("variable, text, group, name, expected", [
    ("TEGULA_ALWAYS_COMPILE", "maybe", "compilation", "always_compile", "expected 1 or 0"),
    ("TEGULA_REDIS_PORT", "eighty", "redis", "port", "expected an integer, got 'eighty'"),
    ("TEGULA_CACHE", "of", "cache", "mode", "expected on, off or read-only, got 'of'"),
    ("TEGULA_CACHE_LIMIT", "2 gigs", "cache", "limit", "expected bytes, or .*got '2 gigs'"),
    ("TEGULA_CACHE_MANAGER", "collections:OrderedDict", "cache", "manager_class",
     "expected a class derived from CacheManager, as MODULE:CLASS"),
    ("TEGULA_CACHE_MANAGER", "nothing", "cache", "manager_class",
     "expected .* got 'nothing'"),
])
def test_wrong_variables(monkeypatch, variable, text, group, name, expected):
    monkeypatch.setenv(variable, text)
    with pytest.raises(knobs.KnobError, match=f"environment variable {variable}: {expected}"):
        getattr(getattr(knobs, group), name)


def test_unknown_knobs():
    for use in (lambda: knobs.cache.dri, lambda: setattr(knobs.cache, "dri", "/x")):
        with pytest.raises(knobs.KnobError, match="expected a knob of 'cache', got 'dri'; did you "
                                                  "mean 'dir'") as caught:
            use()
        assert caught.value.id == "unknown-knob" and isinstance(caught.value, AttributeError)
    assert not hasattr(knobs.runtime, "no_such_knob")


def test_a_tool_that_is_not_there(monkeypatch):
    monkeypatch.setenv("TEGULA_NVDISASM_PATH", "/no/nvdisasm")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(knobs.KnobError, match="'nvidia.nvdisasm': expected the path of nvdisasm"):
        knobs.nvidia.nvdisasm


def test_debug_reaches_kernels(monkeypatch):
    monkeypatch.delenv("TEGULA_DEBUG", raising=False)

    @tegula.jit
    def check(x):
        tl.device_assert(tl.load(x) == 1, "x is 1")

    x = np.zeros(1, np.int32)
    check[(1,)](x)
    knobs.runtime.debug = True
    with pytest.raises(tegula.DeviceAssertionError, match="x is 1"):
        check[(1,)](x)
    knobs.runtime.debug = False
    check[(1,)](x)


def test_triton_names(monkeypatch):
    monkeypatch.setattr(knobs, "understands_triton", False)
    monkeypatch.delenv("TEGULA_F32_DEFAULT", raising=False)
    monkeypatch.setenv("TRITON_F32_DEFAULT", "ieee")
    assert knobs.language.fp32_default is None
    knobs.use_triton_names()
    assert knobs.language.fp32_default == "ieee"
    monkeypatch.setenv("TEGULA_F32_DEFAULT", "tf32")
    assert knobs.language.fp32_default == "tf32"
    monkeypatch.setenv("TRITON_REDIS_PORT", "x")
    with pytest.raises(knobs.KnobError, match="environment variable TRITON_REDIS_PORT"):
        knobs.redis.port
    knobs.language.fp32_default = "tf32x3"
    assert os.environ["TRITON_F32_DEFAULT"] == os.environ["TEGULA_F32_DEFAULT"] == "tf32x3"
    monkeypatch.setenv("TRITON_CACHE_DIR", "/of/triton")
    monkeypatch.delenv("TEGULA_CACHE_DIR", raising=False)
    knobs.publish_settings()
    assert os.environ["TEGULA_CACHE_DIR"] == "/of/triton"
    monkeypatch.setenv("TRITON_CACHE_DIR", "/of/triton/2")
    assert knobs.cache.dir == "/of/triton/2"
    knobs.publish_settings()
    assert os.environ["TEGULA_CACHE_DIR"] == "/of/triton/2"


def test_debug_without_the_variable(monkeypatch):
    monkeypatch.delenv("TEGULA_DEBUG", raising=False)
    monkeypatch.setattr(knobs, "propagate_env", False)

    @tegula.jit
    def check(x):
        tl.device_assert(tl.load(x) == 1, "x is 1")

    x = np.zeros(1, np.int32)
    check[(1,)](x)
    knobs.runtime.debug = True
    with pytest.raises(tegula.DeviceAssertionError, match="x is 1"):
        check[(1,)](x)
    del knobs.runtime.debug
    check[(1,)](x)


def test_none(monkeypatch):
    monkeypatch.setenv("TEGULA_TARGET", "cpu")
    knobs.runtime.target = None
    assert knobs.runtime.target is None and "TEGULA_TARGET" not in os.environ
    knobs.runtime.target = "host"
    del knobs.runtime.target
    assert knobs.runtime.target == os.environ["TEGULA_TARGET"] == "cpu"
