# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of the language as host objects."""


class Member:
    """A function of the language: known to the compiler by its path."""

    _tegula_kind = "language"

    def __init__(self, path, doc=None):
        self._tegula_text = path
        if doc is not None:
            self.__doc__ = doc
        self.__name__ = path.rsplit(".", 1)[-1]

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self._tegula_text} can only be called inside a kernel")

    def __repr__(self):
        return f"<{self._tegula_text}>"
