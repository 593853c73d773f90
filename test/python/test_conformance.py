# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The conformance table (test/conformance, docs/conformance.md) on one target."""

import os

import pytest

from conformance import LONG, family_paths, load_family
from conformance_run import run_case
from conformance_text import TableError



def load():
    """The cases of all families, and the errors of families that cannot be read."""
    cases, errors = [], {}
    for path in family_paths():
        try:
            cases += [case for row in load_family(path) for case in row.cases]
            errors[path.stem] = None
        except TableError as error:
            errors[path.stem] = str(error)
    return cases, errors


CASES, ERRORS = load()


@pytest.fixture(scope="module")
def backend(request):
    """Name of the backend that the cases run on."""
    from tegula import _tegula
    target = request.config.getoption("--target") or ""
    before = os.environ.get("TEGULA_TARGET")
    if target:
        os.environ["TEGULA_TARGET"] = target
    yield _tegula.target(target)[1]
    if target and before is None:
        del os.environ["TEGULA_TARGET"]


@pytest.mark.parametrize("family", ERRORS)
def test_family(family):
    if ERRORS[family] is not None:
        pytest.fail(ERRORS[family], pytrace=False)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case, backend):
    data = case.row.data
    reason = data.get("unsupported", {}).get(backend)
    if reason:
        pytest.skip(f"not on {backend}: {reason}")
    if data.get("long") is True and not LONG:
        pytest.skip("long: TEGULA_LONG_TESTS=1 runs it")
    try:
        problem = run_case(case)
    except TableError as error:
        problem = str(error)
    if problem is not None:
        pytest.fail(problem, pytrace=False)
