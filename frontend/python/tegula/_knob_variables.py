# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Environment variables of knobs: ours, and Triton's where those are understood."""

import os

# Variables that a knob has written: name -> (text before or None, text written).
written = {}


def _settings():
    from . import knobs

    return knobs


def triton_name(key):
    """The variable that means the same to programs written for Triton, or None."""
    if _settings().understands_triton and key.startswith("TEGULA_"):
        return _TRITON_NAMES.get(key, "TRITON_" + key[len("TEGULA_"):])
    return None


_TRITON_NAMES = {"TEGULA_CACHE": None, "TEGULA_AUTOTUNE_CACHE": "TRITON_CACHE_AUTOTUNING"}


def getenv(key, default=None):
    """The text of a variable of ours, or of Triton's where those are understood."""
    value = os.environ.get(key)
    other = triton_name(key)
    if value is None or (other and published.get(key) == value):
        value = os.environ.get(other, value if key not in published else None) if other else value
    return default if value is None else value


# Variables that carry Triton's setting to the compiler: name -> text.
published = {}


def publish(key, text):
    """Tells the compiler, which reads variables of ours, what another setting means."""
    if os.environ.get(key) in (None, published.get(key)):
        os.environ[key] = published[key] = text


def _write(key, text):
    now = os.environ.get(key)
    before, ours = written.get(key, (None, None))
    written[key] = (before if key in written and ours == now else now, text)
    if text is not None:
        os.environ[key] = text
    else:
        os.environ.pop(key, None)


def setenv(key, text):
    """Writes a variable (None removes it), unless `knobs.propagate_env` is off."""
    if _settings().propagate_env:
        published.pop(key, None)
        for name in (key, triton_name(key)):
            if name:
                _write(name, text)


def restore(key):
    """Gives a variable back what it was before a knob wrote it, if nobody else has since."""
    for name in (key, triton_name(key)):
        if name not in written:
            continue
        before, text = written.pop(name)
        if os.environ.get(name) == text:
            if before is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = before
