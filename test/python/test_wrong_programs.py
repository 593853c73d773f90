# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every wrong program of test/wrong is answered with exactly the text beside it."""

import pytest
import wrong_programs

FILES = sorted(wrong_programs.CASES.glob("*.case"))
ALL = [case for path in FILES for case in wrong_programs.parse(path)]


@pytest.mark.parametrize("case", ALL, ids=[f"{c.path.stem}-{c.name}" for c in ALL])
def test_answer(case):
    assert case.expected, "no answer is written down; see wrong_programs.py --rewrite"
    assert wrong_programs.answer(case) == case.expected


def test_names_are_unique():
    names = [(case.path.stem, case.name) for case in ALL]
    assert len(names) == len(set(names))
