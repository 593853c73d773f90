# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs under `tegula.as_triton` find in a CompilationError."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

PROGRAM = textwrap.dedent("""\
    import json, sys, warnings
    import numpy as np
    import triton
    import triton.language as tl
    from triton.compiler.errors import CompilationError, CompileTimeAssertionFailure

    SIZE = 16
    FIXED: tl.constexpr = 16
    Known = tl.constexpr(16)

    @triton.jit
    def missing():
        # a comment ahead of what is wrong
        return absent + 1

    @triton.jit
    def calls(p):
        tl.store(p, missing())

    @triton.jit
    def range_of_7(p):
        x = p
        tl.store(x + tl.arange(0, 7), 1)

    @triton.jit
    def asserts(p):
        tl.static_assert(isinstance(0, tl.tensor))

    @triton.jit
    def different(n):
        if n == 0:
            return tl.arange(0, 4)
        else:
            return tl.arange(0, 8)

    @triton.jit
    def differs(p):
        different(tl.load(p))

    @triton.jit
    def plain_global(p):
        tl.store(p, SIZE)

    @triton.jit
    def annotated_global(p):
        tl.store(p, FIXED)

    @triton.jit
    def constexpr_global(p):
        tl.store(p, Known)

    @triton.must_use_result("It has no effect.")
    @triton.jit
    def cube(x):
        return x * x * x

    @triton.jit
    def drops(p):
        cube(tl.load(p))

    @triton.jit
    def at_top_level(p):
        tl.store(p,
                 undefined)

    def look(error):
        if error is None:
            return None
        node = getattr(error, "node", None)
        return {"type": type(error).__name__, "text": str(error), "cause": look(error.__cause__),
                "at": node and [node.lineno, node.col_offset], "src": getattr(error, "src", None)}

    result = {}
    for name in sys.argv[1:]:
        try:
            globals()[name][(1,)](np.zeros(16, np.int32))
            result[name] = None
        except CompilationError as error:
            result[name] = look(error)
    print(json.dumps(result))
    """)
KERNELS = ("calls", "range_of_7", "asserts", "differs", "plain_global", "annotated_global",
           "constexpr_global", "drops", "at_top_level")


def run(folder, *names, **environment):
    program = folder / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, "-m", "tegula.as_triton", str(program), *names],
                          stdout=subprocess.PIPE, check=True, timeout=300,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path),
                               **environment})
    return json.loads(done.stdout.decode().strip().splitlines()[-1])


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    return run(tmp_path_factory.mktemp("errors"), *KERNELS)


def test_place_of_call_and_of_what_it_calls(errors):
    error = errors["calls"]
    assert error["at"] == [2, 16]
    assert error["src"] == "def calls(p):\n    tl.store(p, missing())\n"
    assert "program.py:14:12: error: name 'absent' is not defined" in error["text"]
    assert "at 2:16:\ndef calls(p):\n    tl.store(p, missing())\n" + " " * 16 + "^" in error["text"]
    cause = error["cause"]
    assert (cause["type"], cause["at"]) == ("CompilationError", [3, 11])
    assert cause["text"].splitlines()[0] == "at 3:11:"
    assert cause["text"].splitlines()[-1] == "absent is not defined"


def test_argument_has_a_cause(errors):
    error = errors["range_of_7"]
    assert error["at"] == [3, 17]  # the call, not its argument
    assert error["cause"]["type"] == "ValueError"
    assert error["cause"]["text"] == "arange's range must be a power of 2"


def test_static_assert_has_none(errors):
    error = errors["asserts"]
    assert (error["type"], error["at"], error["cause"]) == (
        "CompileTimeAssertionFailure", [2, 4], None)


def test_second_return_is_the_wrong_one(errors):
    assert errors["differs"]["at"] == [2, 4]
    assert errors["differs"]["cause"]["at"] == [5, 8]


def test_expression_over_lines(errors):
    assert errors["at_top_level"]["at"] == [3, 13]


def test_dropped_result(errors):
    assert errors["drops"]["text"].splitlines()[-1] == (
        "The result of cube is not being used. It has no effect.")


@pytest.mark.parametrize("name", ["plain_global", "annotated_global"])
def test_globals_must_be_constexpr(errors, name):
    variable = {"plain_global": "SIZE", "annotated_global": "FIXED"}[name]
    assert (f"Cannot access global variable {variable} that is not tl.constexpr(...); make it one, "
            "or set TRITON_ALLOW_NON_CONSTEXPR_GLOBALS=1") in errors[name]["text"]


def test_constexpr_globals(errors):
    assert errors["constexpr_global"] is None


def test_plain_globals_by_environment(tmp_path):
    found = run(tmp_path, "plain_global", "annotated_global",
                TRITON_ALLOW_NON_CONSTEXPR_GLOBALS="1")
    assert found == {"plain_global": None, "annotated_global": None}
