# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the built package; shared fixtures."""

import os
import pathlib
import re
import shutil
import sys
import tempfile

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TEGULA_BUILD", ROOT / "build"))
sys.path.insert(0, str(BUILD / "python"))


def pytest_addoption(parser):
    parser.addoption("--target", metavar="NAME", default=os.environ.get("TEGULA_TARGET"),
                     help="target of the conformance table (default: TEGULA_TARGET, or cpu)")


def pytest_configure(config):
    # Not the user's cache. Processes of xdist and of tests inherit it.
    if "TEGULA_CACHE_DIR" not in os.environ:
        folder = tempfile.mkdtemp(prefix="tegula-test-")
        os.environ["TEGULA_CACHE_DIR"] = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    config.addinivalue_line("markers", "semantics(*names): tests these rows of docs/semantics.md")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With `--dist loadfile` each family of the conformance table counts as a file."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByFamily(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.split("::", 1)[0]
            family = re.search(r"::test_case\[(\w+)/", nodeid)
            return f"{file}/{family.group(1)}" if family else file

    return ByFamily(config, log)


@pytest.fixture
def rng():
    return np.random.default_rng(1234)


@pytest.fixture
def torch():
    """torch, or a skip with the reason."""
    return pytest.importorskip("torch", reason="torch is not installed")


@pytest.fixture(scope="session")
def machine(tmp_path_factory):
    """Runs kernels for AArch64 under qemu-user, on the oldest of its processors."""
    from aarch64 import Machine
    if shutil.which("qemu-aarch64") is None:
        pytest.skip("qemu-aarch64 is not installed (tools/dev/packages)")
    return Machine(BUILD / "test/unit/aarch64-loader", tmp_path_factory.mktemp("aarch64"),
                   qemu_cpu="cortex-a53")
