# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors under as_triton have the words, too, that programs written for Triton match."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import BUILD


@pytest.fixture(scope="module")
def told():
    program = pathlib.Path(__file__).with_name("as_triton_errors.py")
    done = subprocess.run([sys.executable, "-m", "tegula.as_triton", program], text=True,
                          env={**os.environ, "PYTHONPATH": str(BUILD / "python")},
                          capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("kernel, ours, other", [
    ("signedness", "differ in signedness: int32 and uint32",
     "Cannot use .* because they have different signedness"),
    ("axis", "expected an axis from -2 to 1", "invalid axis -3"),
    ("axes", "expected distinct axes", r"duplicate axes, normalized axes = \[0, 0\]"),
    ("program", "expected 0, 1 or 2", "program_id axis must be 0, 1, or 2 but got 20"),
    ("index", "cannot subscript", "unsupported tensor index"),
    ("constant", "cannot store through", "Cannot store to a constant pointer"),
])
def test_words(told, kernel, ours, other):
    text, cause, message, _ = told[kernel]
    assert ours in text.split("\n")[0]
    assert re.search(other, text.split("\n", 1)[1])
    assert re.search(other, cause) and re.search(other, message)


def test_words_that_are_ours(told):
    text, cause, message, identifier = told["bits"]
    assert "invalid operands of type int32 and float 1.5 for '&'" in text.split("\n")[0]
    assert message.startswith("invalid operands of type") and identifier == "operand-type"


def test_error_of_an_inner_function(told):
    text, cause, message, identifier = told["outer"]
    assert identifier == "shape-mismatch" and message in text.split("\n")[0]
    assert "at 2:4:" in text and "at 2:" in cause and message in cause
