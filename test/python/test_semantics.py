# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of docs/semantics.md and their tests belong together."""

import importlib
import pathlib
import re

import pytest

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parents[1] / "docs" / "semantics.md"


def documented_rows():
    """Names in the first column of the tables, in order."""
    rows = re.findall(r"^\| ([a-z][a-z0-9-]*) \|.*\|.*\|$", DOCUMENT.read_text(), re.M)
    return [row for row in rows if row != "name"]


def rows_with_tests():
    """Name of a row -> tests marked with it."""
    tests = {}
    for file in sorted(HERE.glob("test_semantics_*.py")):
        module = importlib.import_module(file.stem)
        for name, function in vars(module).items():
            if not name.startswith("test_") or not callable(function):
                continue
            marks = [m for m in getattr(function, "pytestmark", []) if m.name == "semantics"]
            assert marks, f"{file.name}: {name} names no row of docs/semantics.md"
            for mark in marks:
                for row in mark.args:
                    tests.setdefault(row, []).append(f"{file.name}::{name}")
    return tests


def test_rows_are_named_once():
    rows = documented_rows()
    assert len(rows) > 70
    assert len(rows) == len(set(rows)), sorted(r for r in rows if rows.count(r) > 1)


def test_every_table_has_the_same_columns():
    tables = re.findall(r"^\|(.*)\|\n\|(?:-+\|)+$", DOCUMENT.read_text(), re.M)
    assert tables and set(tables) == {" name | case | result "}


def test_every_row_has_a_test():
    missing = [row for row in documented_rows() if row not in rows_with_tests()]
    assert not missing, f"no test is marked with {missing}"


def test_every_test_names_a_row():
    rows = documented_rows()
    unknown = {row: tests for row, tests in rows_with_tests().items() if row not in rows}
    assert not unknown, f"no row of docs/semantics.md is called {unknown}"
