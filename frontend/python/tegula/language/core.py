# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.core`: the names of `tegula.language`, as programs that reach into it spell them."""

from tegula import language as _language


def __getattr__(name):
    return getattr(_language, name)


def __dir__():
    return list(_language.__all__)
