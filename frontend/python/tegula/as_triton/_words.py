# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors in the words that programs written for Triton look for.

Such programs, tests above all, match the text of an error or of its cause. An
error that has a row here says it a second time, in a last line and as its
`__cause__`; the first text is ours. One about an argument of a function of the
language has a cause in any case.
"""

import re

from .. import errors
from ._places import add_places

# identifier -> [(pattern of our message, the same in other words)]
_WORDS = {
    "type-mismatch": [
        (r"operands of '(.+)' differ in signedness: (\w+) and (\w+)",
         r"Cannot use \1 on \2 and \3 because they have different signedness")],
    "invalid-axis": [
        (r"expected an axis from .* got (-?\d+)", r"invalid axis \1"),
        (r"expected distinct axes, got .* which are (\[.*\])",
         r"duplicate axes, normalized axes = \1"),
        (r"tl\.program_id: expected .* got (-?\d+)",
         r"program_id axis must be 0, 1, or 2 but got \1")],
    "invalid-subscript": [(r"", "unsupported tensor index")],
    "device-assert": [(r"", "device-side assert triggered")],
    "store-to-const": [(r"", "Cannot store to a constant pointer")],
    "possibly-undefined": [(r"'(\w+)' is used before it is assigned", r"\1 is not defined")],
    "undefined-name": [(r"name '(\w+)' is not defined", r"\1 is not defined")],
    "unused-result": [(r"expected the result of '(\w+)' to be used",
                       r"The result of \1 is not being used.")],
    "invalid-shape": [
        (r"of tl\.arange: expected .*power of two", "arange's range must be a power of 2"),
        (r"'shape' of tl\.\w+: expected a power of two .* as dimension (\d+), got",
         r"Shape element \1 must be a power of 2")],
    "invalid-argument": [
        (r"'max_num_imprecise_acc' of tl\.dot: expected 0 to (\d+), .*, got (\d+)",
         r"max_num_imprecise_acc (\2) must be <= K (\1)")],
    "shape-mismatch": [
        (r"'(\w+_scale)' of tl\.dot_scaled: expected \w+\[([^\]]*)\], .*, got \w+\[([^\]]*)\]",
         lambda found: f"{found[1]} must be a tensor of shape [{found[2]}]. "
                       f"Got {found[3].split(', ')}")],
}


def words(error):
    """What Triton's programs look for in the text of `error`, or None."""
    for pattern, other in _WORDS.get(error.id, ()):
        found = re.search(pattern, error.error_message)
        if found:
            text = other(found) if callable(other) else found.expand(other)
            return " ".join([text, *_extra(error)])
    return None


def _extra(error):
    """What `must_use_result` adds to the message of a dropped result."""
    if error.id != "unused-result":
        return []
    return [note["message"] for note in error.diagnostics[0]["notes"]
            if "line" not in note and not note["message"].startswith("in kernel '")]


def add_words(error):
    """Gives `error` its other words."""
    other = words(error)
    if other is not None:
        error.error_message = other
    cause = other
    if cause is None and error.error_message.startswith("argument '"):
        cause = error.error_message
    cause = ValueError(cause) if cause is not None else None
    if isinstance(error, errors.CompilationError) and add_places(
            error, other if other is not None else error.error_message, cause):
        return
    if other is not None:
        error.args = (f"{error}\nin Triton's words: {other}", *error.args[1:])
        error.__cause__ = ValueError(other)


def use(on=True):
    """Errors raised from now on have them, or no more."""
    errors.before_raising = add_words if on else None
