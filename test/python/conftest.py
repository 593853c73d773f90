# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the built package; shared fixtures."""

import os
import pathlib
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TEGULA_BUILD", ROOT / "build"))
sys.path.insert(0, str(BUILD / "python"))


@pytest.fixture
def rng():
    return np.random.default_rng(1234)


@pytest.fixture
def torch():
    """torch, or a skip with the reason."""
    return pytest.importorskip("torch", reason="torch is not installed")
