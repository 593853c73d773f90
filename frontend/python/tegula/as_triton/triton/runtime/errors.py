# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of launches and of tuning, under Triton's names."""

from tegula.errors import AutotunerError, Error, OutOfResources

__all__ = ["AutotunerError", "InterpreterError", "OutOfResources", "PTXASError"]


class _Named(Error):
    """An error made from a text alone, or from nothing."""

    _prefix = ""

    def __init__(self, error_message=None):
        super().__init__(self._prefix + (error_message or ""))
        self.error_message = error_message

    def __reduce__(self):
        return type(self), (self.error_message,)


class InterpreterError(_Named):
    """Never raised: there is no interpreter, kernels run compiled on the CPU too."""


class PTXASError(_Named):
    """The assembler of NVIDIA refused what was compiled."""

    _prefix = "PTXAS error: "
