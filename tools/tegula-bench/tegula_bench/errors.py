# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of the tool, each with its exit code."""

import difflib


class BenchError(Exception):
    """A mistake of the user: exit code 1. id: as in docs/errors.md."""

    code = 1

    def __init__(self, message, id, hint=""):
        super().__init__(f"{message} [{id}]")
        self.hint = hint


class UnavailableError(BenchError):
    """Something that is not there: exit code 3."""

    code = 3


def suggest(name, known):
    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean '{near[0]}'?" if near else ""
