# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.standard`: the names of `tegula.language`, and helpers that programs borrow from there."""

from tegula import language as _language

from ._members import Member

_log2 = Member("tl._log2")


def __getattr__(name):
    return getattr(_language, name)


def __dir__():
    return [*_language.__all__, "_log2"]
