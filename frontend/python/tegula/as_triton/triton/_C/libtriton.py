# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The name of Triton's extension module. Its IR and passes are not here: Tegula has its own."""

import dis
import os
import sys

_IMPORT_FROM = dis.opmap["IMPORT_FROM"]


def getenv(key, default=None):
    """The value of an environment variable."""
    return os.environ.get(key, default)


def getenv_bool(key, default=False):
    """Whether an environment variable says yes."""
    value = os.environ.get(key)
    return default if value is None else value.lower() in ("1", "true", "on", "yes", "y")


def __getattr__(name):
    text = (f"triton._C.libtriton.{name} is not here: Tegula runs this program's Triton, and has "
            "none of Triton's IR, passes or drivers; tegula.compile gives the stages of a kernel")
    caller = sys._getframe(1)
    if caller.f_code.co_code[max(caller.f_lasti, 0)] == _IMPORT_FROM:
        raise ImportError(text, name=__name__)
    raise AttributeError(text, name=name)
