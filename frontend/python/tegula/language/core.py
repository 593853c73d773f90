# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.core`: the names of `tegula.language`, as programs that reach into it spell them."""

from tegula import language as _language
from tegula.language._types import constexpr, constexpr_type

CONSTEXPR_0 = constexpr(0)  # a default of parameters

__all__ = ["CONSTEXPR_0", "constexpr_type"]


def __getattr__(name):
    return getattr(_language, name)


def __dir__():
    return [*_language.__all__, *__all__]
