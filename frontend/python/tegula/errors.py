# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of the package.

Every failure of a compile, a launch or a set-up is an `Error`; the subclass
says whose turn it is. `id` names the kind of error (docs/errors.md);
`diagnostics` holds one dict per message, with id, file, line, column, message,
hint and notes; `error_message` is the first message by itself.
"""

import json
import re


class Error(Exception):
    """Base of all exceptions raised by Tegula."""

    def __init__(self, message, *, id="", hint="", diagnostics=()):
        text = message = message.rstrip("\n")
        if id and not diagnostics:  # diagnostics have theirs in the text
            first, newline, rest = message.partition("\n")
            text = f"{first} [{id}]{newline}{rest}"
        super().__init__(f"{text}\nhint: {hint}" if hint else text)
        self.message = message
        self.id = id or (diagnostics[0]["id"] if diagnostics else "")
        self.hint = hint
        self.diagnostics = list(diagnostics)
        self.error_message = (self.diagnostics or [{}])[0].get("message", message)


class CompilationError(Error):
    """The kernel is wrong: the text shows file, line, column and a caret."""


class CompileTimeAssertionFailure(CompilationError):
    """`tl.static_assert` of the kernel, or of a function that it calls, does not hold."""


class UnsupportedLanguageConstruct(CompilationError):
    """The kernel says something in Python that the language does not have."""


class TargetError(Error):
    """A target descriptor is wrong, or no target serves what was asked."""


class LaunchError(Error, RuntimeError):
    """A kernel could not be started, or failed while running."""


class LaunchTypeError(LaunchError, TypeError):
    """The arguments of a launch do not bind, or are of a kind that cannot be passed."""


class LaunchValueError(LaunchError, ValueError):
    """An argument of a launch, or its grid, is of the right kind but cannot be used."""


class LaunchOverflowError(LaunchValueError, OverflowError):
    """An integer argument of a launch does not fit the type that it would have."""


class AutotunerError(LaunchValueError):
    """Pruning leaves no configuration of an autotuned kernel."""


class OutOfResources(LaunchError):
    """The device has too little memory, registers or grid space.

    Programs that raise it say `OutOfResources(required, limit, name)`, which are
    its attributes then; else they are None.
    """

    def __init__(self, message, limit=None, name=None, **options):
        self.required, self.limit, self.name = None, limit, name
        if limit is not None:
            self.required = message
            message = (f"out of resource: {name}: expected at most {limit}, got {message}; smaller "
                       "blocks or fewer stages may help")
        super().__init__(message, **options)

    def _read_limits(self, kind):
        """What was asked for and what there is, where the message tells."""
        numbers = _LIMITS.search(self.error_message)
        if numbers:
            self.limit, self.required = map(int, numbers.groups())
            self.name = {"tilegpu-shared-memory": "shared memory",
                         "tilegpu-num-warps": "warps"}.get(kind, "resources")


class DeviceAssertionError(LaunchError, AssertionError):
    """A program found that what it asserts does not hold."""


class KnobError(Error, RuntimeError, ValueError):
    """A setting of `tegula.knobs`, or the environment variable behind it, is wrong."""


class PluginError(Error):
    """A backend plugin, or the compiler, is missing or does not fit."""


class InternalError(Error):
    """A fault of Tegula itself."""


# By tg_code in tegula/types.h. What is not exact enough there, the identifiers say.
_CLASSES = {
    1: CompilationError, 2: CompilationError, 3: CompilationError, 4: TargetError, 5: PluginError,
    6: OutOfResources, 7: OutOfResources, 8: LaunchError, 9: LaunchError, 10: InternalError,
    11: TargetError, 12: DeviceAssertionError, 13: LaunchError,
}
_CLASSES_BY_ID = {
    "E100": PluginError, "compiler-unavailable": PluginError, "invalid-grid": LaunchError,
    "launch-arguments": LaunchError, "static-assert": CompileTimeAssertionFailure,
    "unsupported-syntax": UnsupportedLanguageConstruct, "misaligned": LaunchError,
    "wrong-artifact": LaunchError,
    # Of the compiler, but about the device: tuning goes on without such a configuration.
    "tilegpu-num-warps": OutOfResources, "tilegpu-shared-memory": OutOfResources,
}
_LIMITS = re.compile(r"at most (\d+)\D.*?got (\d+)", re.DOTALL)


# Called with an error that `raise_status` is about to raise; `as_triton` sets it.
before_raising = None


def raise_status(code, id, message, hint, diagnostics_json):
    """Raises the exception for a status of the C API."""
    diagnostics = json.loads(diagnostics_json or "[]")
    kind = id if id in _CLASSES_BY_ID or not diagnostics else diagnostics[0].get("id", id)
    cls = _CLASSES_BY_ID.get(kind) or _CLASSES.get(code, InternalError)
    error = cls(message, id=id, hint=hint, diagnostics=diagnostics)
    if cls is OutOfResources:
        error._read_limits(kind)
    if before_raising is not None:
        before_raising(error)
    raise error
