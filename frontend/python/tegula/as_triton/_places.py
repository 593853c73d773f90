# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a `CompilationError` is, as programs written for Triton look at it.

Behind Tegula's text stands `at LINE:COLUMN:`, counted within the function, with
an excerpt of it. `src` is the text of the function, `node` has `lineno` and
`col_offset`. An error in a function that the kernel calls is the `__cause__` of
one at the call.
"""

import ast
import linecache
import textwrap
import types

_EXCERPT_LINES = 12


def _locate(place):
    """(text of the innermost function around a place, line and column in it), or None."""
    if "line" not in place:
        return None
    lines = linecache.getlines(place["file"])
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    line = place["line"]
    around = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
              and node.lineno <= line <= node.end_lineno]
    if not around:
        return None
    found = max(around, key=lambda node: node.lineno)
    text = textwrap.dedent("".join(lines[found.lineno - 1:found.end_lineno]))
    return text, line - found.lineno + 1, place["column"] - 1 - found.col_offset


def _evaluated(diagnostic):
    """The place of the call or operation that a message is about."""
    around = diagnostic.get("expression")
    if around is None or around["file"] != diagnostic.get("file"):
        return diagnostic
    at = diagnostic["line"], diagnostic["column"]
    begin, end = ((around[key + "line"], around[key + "column"]) for key in ("", "end_"))
    return around if begin <= at < end else diagnostic


def _form(place, message):
    text, line, column = place
    shown = text.split("\n")[:line][-_EXCERPT_LINES:]
    return "\n".join([f"at {line}:{column}:", *shown, " " * column + "^", message])


def add_places(error, message, cause):
    """Gives an error of the compiler its places; false if they cannot be told.

    message: the last line of the texts; cause: of the innermost error, or None.
    """
    first = next((one for one in error.diagnostics if one.get("severity") == "error"), None)
    if first is None:
        return False
    places = [_locate(_evaluated(first))]
    places += [_locate(note) for note in first.get("notes", ())
               if note["message"].endswith("called from here")]
    if None in places:
        return False
    outermost = places.pop()
    for place in places:
        inner = type(error)(_form(place, message), diagnostics=[first])
        _set(inner, place, cause)
        cause = inner
    error.args = (f"{error}\n{_form(outermost, message)}", *error.args[1:])
    _set(error, outermost, cause)
    return True


def _set(error, place, cause):
    error.message = error.args[0]
    error.src = place[0]
    error.node = types.SimpleNamespace(lineno=place[1], col_offset=place[2])
    error.__cause__ = cause
