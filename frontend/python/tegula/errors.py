# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of the package.

Every failure of a compile, a launch or a set-up is an `Error`; the subclass
says whose turn it is. `diagnostics` holds one dict per message, with file,
line, column, message, hint and notes.
"""

import json


class Error(Exception):
    """Base of all exceptions raised by Tegula."""

    def __init__(self, message, *, id="", hint="", diagnostics=()):
        super().__init__(message if not hint else f"{message}\nhint: {hint}")
        self.message = message
        self.id = id
        self.hint = hint
        self.diagnostics = list(diagnostics)


class CompilationError(Error):
    """The kernel is wrong: the text shows file, line, column and a caret."""


class TargetError(Error):
    """A target descriptor is wrong, or no target serves what was asked."""


class LaunchError(Error):
    """A kernel could not be started, or failed while running."""


class OutOfResources(LaunchError):
    """The device has too little memory, registers or grid space."""


class PluginError(Error):
    """A backend plugin is missing or does not fit."""


class InternalError(Error):
    """A fault of Tegula itself."""


# Codes of tg_code in tegula.h.
_CLASSES = {
    1: TargetError, 2: CompilationError, 3: TargetError, 4: TargetError, 5: PluginError,
    6: OutOfResources, 7: OutOfResources, 8: LaunchError, 9: LaunchError, 10: InternalError,
}


def raise_status(code, id, message, hint, diagnostics_json):
    """Raises the exception for a status of the C API."""
    cls = _CLASSES.get(code, InternalError)
    if cls is TargetError and code != 4 and not id and "target" not in message:
        cls = CompilationError
    raise cls(message, id=id, hint=hint, diagnostics=json.loads(diagnostics_json or "[]"))
