# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong kernels and wrong calls: class, place and text of the error, and life after it."""

import importlib.util
import inspect

import numpy as np
import pytest

import tegula
import tegula.language as tl

WRONG = []


def wrong(column, message, identifier):
    """Registers a kernel whose `# <-- here` line has the error at `column`."""

    def register(kernel):
        WRONG.append(pytest.param(kernel, column, message, identifier, id=kernel.__name__))
        return kernel

    return register


@tegula.jit
def iota(p, n, BLOCK: tl.constexpr = 16):
    i = tl.arange(0, BLOCK)
    tl.store(p + i, i + n)


def assert_works():
    """A right kernel still compiles and runs, here with a key of its own."""
    assert_works.count += 1
    out = np.full(32, -7, np.int32)
    iota[(1,)](out, assert_works.count, num_stages=1 + assert_works.count % 32)
    np.testing.assert_array_equal(out[:16], np.arange(16) + assert_works.count)
    np.testing.assert_array_equal(out[16:], np.full(16, -7))


assert_works.count = 0


def marked(function):
    """File, line number and text of the line of `function` that ends in the mark."""
    lines, first = inspect.getsourcelines(function.fn)
    found = [i for i, line in enumerate(lines) if line.rstrip().endswith("# <-- here")]
    assert len(found) == 1
    return inspect.getsourcefile(function.fn), first + found[0], lines[found[0]].rstrip("\n")


def assert_reports(error, function, column, message, identifier):
    file, line, text = marked(function)
    shown = str(error).splitlines()
    assert shown[0] == f"{file}:{line}:{column}: error: {message} [{identifier}]"
    assert shown[1] == text
    assert shown[2].startswith(" " * (column - 1) + "^") and set(shown[2].strip()) <= {"^", "~"}
    assert len(shown[2]) <= len(text)
    first = error.diagnostics[0]
    assert (first["file"], first["line"], first["column"]) == (file, line, column)
    assert (first["severity"], first["message"], first["id"]) == ("error", message, identifier)
    assert first["notes"][-1]["message"].startswith("in kernel '")


@tegula.jit
def helper(a, b):
    return a + b


@tegula.jit
def two_shapes(n):
    if n > 0:
        return tl.arange(0, 16)
    return tl.arange(0, 32)  # <-- here


@tegula.jit
def half_a_value(n):
    if n > 0:
        return n  # <-- here


@tegula.jit
def forever(n):
    return forever(n)  # <-- here


@wrong(17, "name 'valeu' is not defined", "undefined-name")
@tegula.jit
def undefined_name(p, n):
    tl.store(p, valeu)  # <-- here


@wrong(9, "shapes do not fit each other: int32[64] and int32[32] (dimension 0 is 64 and 32)",
       "shape-mismatch")
@tegula.jit
def shapes_add(p, n):
    x = tl.arange(0, 64) + tl.arange(0, 32)  # <-- here
    tl.store(p + tl.arange(0, 64), x)


@wrong(22, "argument 'end' of tl.arange: expected a power of two or a multiple of 16 as the length "
       "of the range, got 40; the next larger one is 48: mask off what is too much",
       "invalid-shape")
@tegula.jit
def not_power(p, n):
    i = tl.arange(0, 40)  # <-- here
    tl.store(p + i, i)


@wrong(17, "missing argument 'b' of 'helper'", "missing-argument")
@tegula.jit
def arity(p, n):
    tl.store(p, helper(n))  # <-- here


@wrong(30, "'helper' takes 2 positional arguments, got 3", "unexpected-argument")
@tegula.jit
def arity2(p, n):
    tl.store(p, helper(n, n, n))  # <-- here


@wrong(27, "'helper' has no parameter 'c'", "unexpected-argument")
@tegula.jit
def arity3(p, n):
    tl.store(p, helper(n, c=n))  # <-- here


@wrong(9, "loop-carried variable 'x' is int32 before the loop and float32 after this assignment",
       "loop-carried-type")
@tegula.jit
def loop_carried_dtype(p, n):
    x = n
    for i in range(n):
        x = x + 1.5  # <-- here
    tl.store(p, x)


@wrong(5, "'del' is not supported inside a kernel; remove it: values need not be freed",
       "unsupported-syntax")
@tegula.jit
def deletes(p, n):
    m = n + 1
    tl.store(p, m)
    del m  # <-- here


@wrong(9, "a nested function is not supported inside a kernel; define it beside the kernel, "
       "decorated with jit, and call it", "unsupported-syntax")
@tegula.jit
def nested_def(p, n):
    def inner(x):  # <-- here
        return x
    tl.store(p, inner(n))


@wrong(33, "the language has no 'tl.float31'; did you mean tl.float32?", "no-attribute")
@tegula.jit
def bad_dtype(p, n):
    x = tl.zeros([16], dtype=tl.float31)  # <-- here
    tl.store(p + tl.arange(0, 16), x)


@wrong(14, "argument 'pointer' of tl.store: expected a pointer or a tile of pointers, got int32",
       "argument-type")
@tegula.jit
def store_int(p, n):
    tl.store(n, 1)  # <-- here


@wrong(25, "argument 'pointer' of tl.load: expected a pointer or a tile of pointers, got int32",
       "argument-type")
@tegula.jit
def load_int(p, n):
    tl.store(p, tl.load(n))  # <-- here


@wrong(24, "argument 'mask' of tl.store: expected a shape that broadcasts to that of the "
       "pointers, pointer<int32>[64], got int1[32]", "shape-mismatch")
@tegula.jit
def mask_shape(p, n):
    i = tl.arange(0, 64)
    tl.store(p + i, i, mask=tl.arange(0, 32) < n)  # <-- here


@wrong(24, "argument 'mask' of tl.load: expected a shape that broadcasts to that of the "
       "pointers, pointer<int32>[64], got int1[32]", "shape-mismatch")
@tegula.jit
def load_mask_shape(p, n):
    i = tl.arange(0, 64)
    x = tl.load(p + i, mask=tl.arange(0, 32) < n)  # <-- here
    tl.store(p + i, x)


@wrong(19, "argument 'other' of tl.dot: expected 32 rows, the columns of float32[16, 32], got "
       "float32[16, 16]", "shape-mismatch")
@tegula.jit
def dot_k(p, n):
    a = tl.zeros([16, 32], dtype=tl.float32)
    b = tl.zeros([16, 16], dtype=tl.float32)
    c = tl.dot(a, b)  # <-- here
    tl.store(p + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], c)


@wrong(17, "unsupported operands of '+': int32 and str 'one'", "operand-type")
@tegula.jit
def string_arithmetic(p, n):
    tl.store(p, n + "one")  # <-- here


@wrong(17, "variable 'x' may be undefined here: it is assigned on only some of the paths that "
       "lead here", "possibly-undefined")
@tegula.jit
def branch_only(p, n):
    if n > 3:
        x = n
    tl.store(p, x)  # <-- here


@wrong(17, "variable 'x' is defined only inside the loop, which may run zero times; give it a "
       "value before the loop", "possibly-undefined")
@tegula.jit
def loop_only(p, n):
    for i in range(n):
        x = i
    tl.store(p, x)  # <-- here


@wrong(17, "'//' needs integers, got float32 and float 2.0; use tl.floor(x / y)", "operand-type")
@tegula.jit
def float_floordiv(p, n):
    x = n * 1.5
    tl.store(p, x // 2.0)  # <-- here


@wrong(17, "'+' mixes uint32 with the negative number -1; cast one of them, for example with "
       ".to(tl.int32)", "literal-range")
@tegula.jit
def neg_uint(p, n):
    x = n.to(tl.uint32)
    tl.store(p, x + -1)  # <-- here


@wrong(29, "argument 'value' of tl.full: int -1 is out of range for uint32", "literal-range")
@tegula.jit
def neg_uint_full(p, n):
    tl.store(p, tl.full([], -1, tl.uint32))  # <-- here


@wrong(23, "division by zero: 4 // 0", "constant-arithmetic")
@tegula.jit
def constexpr_zero(p, n):
    k: tl.constexpr = 0
    x: tl.constexpr = 4 // k  # <-- here
    tl.store(p, x)


@wrong(17, "division by zero: 7 % 0", "constant-arithmetic")
@tegula.jit
def constexpr_mod_zero(p, n):
    tl.store(p, 7 % 0)  # <-- here


@wrong(20, "the language has no 'tl.maxmum'; did you mean tl.maximum?", "no-attribute")
@tegula.jit
def unknown_tl(p, n):
    tl.store(p, tl.maxmum(n, 1))  # <-- here


@wrong(5, "'try' is not supported inside a kernel; kernels raise no exceptions, so write its "
       "body alone", "unsupported-syntax")
@tegula.jit
def tries(p, n):
    try:  # <-- here
        tl.store(p, n)
    except ValueError:
        pass


@wrong(9, "a lambda is not supported inside a kernel; define a function beside the kernel, "
       "decorated with jit, and name it", "unsupported-syntax")
@tegula.jit
def lambdas(p, n):
    f = lambda x: x + 1  # <-- here
    tl.store(p, f(n))


@wrong(11, "a class is not supported inside a kernel; use a tuple of values", "unsupported-syntax")
@tegula.jit
def classes(p, n):
    class A:  # <-- here
        pass
    tl.store(p, n)


@wrong(10, "expected an aggregate with __enter__ and __exit__ after 'with', got int32",
       "unsupported-syntax")
@tegula.jit
def withs(p, n):
    with n:  # <-- here
        tl.store(p, n)


@wrong(8, "expected a scalar for the condition of 'if', got int1[16]; use it as a mask or in "
       "tl.where, or reduce it with tl.max", "tile-condition")
@tegula.jit
def tile_if(p, n):
    i = tl.arange(0, 16)
    if i < n:  # <-- here
        tl.store(p + i, i)


@wrong(34, "argument 'axis' of tl.sum: expected an axis from -1 to 0 for int32[16], got 1",
       "invalid-axis")
@tegula.jit
def bad_axis(p, n):
    x = tl.sum(tl.arange(0, 16), axis=1)  # <-- here
    tl.store(p, x)


@wrong(38, "argument 'shape' of tl.reshape: expected a power of two or a multiple of 16 as "
       "dimension 0, got 3; the next larger one is 4", "invalid-shape")
@tegula.jit
def bad_reshape(p, n):
    x = tl.reshape(tl.arange(0, 16), (3, 5))  # <-- here
    tl.store(p, x)


@wrong(31, "argument 'axis' of tl.program_id: expected 0, 1 or 2, got 3", "invalid-axis")
@tegula.jit
def pid_axis(p, n):
    tl.store(p, tl.program_id(3))  # <-- here


@wrong(22, "argument 'end' of tl.arange: expected a compile-time integer, got int32, which is "
       "known only at run time; annotate the parameter with tl.constexpr", "not-constexpr")
@tegula.jit
def arange_runtime(p, n):
    i = tl.arange(0, n)  # <-- here
    tl.store(p + i, i)


@wrong(22, "static assertion failed: four is more", "static-assert")
@tegula.jit
def static_assert_fails(p, n):
    tl.static_assert(4 < 3, "four is more")  # <-- here
    tl.store(p, n)


@wrong(19, "int32 has no attribute 'shap'", "no-attribute")
@tegula.jit
def attr(p, n):
    tl.store(p, n.shap)  # <-- here


@wrong(17, "invalid operands of type int32 and float 1.5 for '&', expected integers",
       "operand-type")
@tegula.jit
def mod_float(p, n):
    tl.store(p, n & 1.5)  # <-- here


@wrong(5, "'del' is not supported inside a kernel; remove it: values need not be freed",
       "unsupported-syntax")
@tegula.jit
def del_use(p, n):
    x = n
    del x  # <-- here
    tl.store(p, x)


@wrong(5, "'global' is not supported inside a kernel; pass values as arguments and return them",
       "unsupported-syntax")
@tegula.jit
def global_stmt(p, n):
    global some_list  # <-- here
    tl.store(p, n)


@wrong(17, "'**' needs operands known at compile time, got int32 and int 2; multiply instead",
       "not-constexpr")
@tegula.jit
def starstar(p, n):
    tl.store(p, n ** 2)  # <-- here


@wrong(20, "expected a compile-time value in an f-string, got int32; print it with "
       "tl.device_print", "not-constexpr")
@tegula.jit
def fstr(p, n):
    tl.store(p, f"{n}")  # <-- here


@wrong(5, "'yield' is not supported inside a kernel; return a tuple of values",
       "unsupported-syntax")
@tegula.jit
def yields(p, n):
    yield n  # <-- here


@wrong(5, "a kernel returns nothing, got int32; write results with tl.store",
       "kernel-returns-value")
@tegula.jit
def kernel_returns(p, n):
    tl.store(p, n)
    return n  # <-- here


@pytest.mark.parametrize("kernel, column, message, identifier", WRONG)
def test_kernel(kernel, column, message, identifier):
    out = np.full(4096, 99, np.int32)
    # Twice: a failed compile leaves nothing behind that the next one would find.
    for _ in range(2):
        with pytest.raises(tegula.CompilationError) as caught:
            kernel[(1,)](out, 5)
        assert_reports(caught.value, kernel, column, message, identifier)
    np.testing.assert_array_equal(out, np.full(4096, 99))
    assert_works()


@tegula.jit
def calls_two_shapes(p, n):
    tl.store(p, two_shapes(n))


@tegula.jit
def calls_half_a_value(p, n):
    tl.store(p, half_a_value(n))


@tegula.jit
def calls_forever(p, n):
    tl.store(p, forever(n))


@pytest.mark.parametrize("kernel, function, column, message, identifier", [
    (calls_two_shapes, two_shapes, 5,
     "'two_shapes' returns int32[32] here and int32[16] on another path", "return-type"),
    (calls_half_a_value, half_a_value, 9,
     "'half_a_value' returns int32 here and nothing on another path", "return-type"),
    (calls_forever, forever, 12,
     "calls are nested more than 200 deep at 'forever'; a recursion must end at compile time",
     "recursion-limit"),
])
def test_error_in_a_function_that_the_kernel_calls(kernel, function, column, message, identifier):
    with pytest.raises(tegula.CompilationError) as caught:
        kernel[(1,)](np.zeros(64, np.int32), 5)
    assert_reports(caught.value, function, column, message, identifier)
    assert "called from here" in str(caught.value)
    # A recursion is not shown two hundred times.
    assert len(str(caught.value).splitlines()) < 30
    assert_works()


def test_all_errors_of_a_kernel_are_reported():
    @tegula.jit
    def several(p, n):
        tl.store(p, first_missing)  # noqa: F821
        tl.store(p, second_missing)  # noqa: F821

    with pytest.raises(tegula.CompilationError) as caught:
        several[(1,)](np.zeros(1, np.int32), 5)
    assert [d["message"] for d in caught.value.diagnostics] == [
        "name 'first_missing' is not defined", "name 'second_missing' is not defined"]


def test_constant_that_does_not_fit():
    for block, shown in [(40, "a power of two or a multiple of 16 as the length of the range, got "
                              "40; the next larger one is 48: mask off what is too much "
                              "[invalid-shape]"),
                         ("16", "an integer, got str '16' [argument-type]"),
                         (object(), "an integer, got an object of type object [argument-type]")]:
        with pytest.raises(tegula.CompilationError) as caught:
            iota[(1,)](np.zeros(64, np.int32), 5, BLOCK=block)
        line = iota.first_line + 2
        assert str(caught.value).splitlines()[0] == (
            f"{iota.file}:{line}:22: error: argument 'end' of tl.arange: expected {shown}")
        assert_works()


OUT = np.zeros(64, np.int32)


@pytest.mark.parametrize("kwargs, message", [
    ({"num_warps": 0},
     "num_warps' of kernel 'iota': expected an integer from 1 to 1024, got int 0"),
    ({"target": 3}, "target' of kernel 'iota': expected the name of a target or the path of a "
                    "descriptor, got int 3"),
])
def test_option(kwargs, message):
    for _ in range(2):
        with pytest.raises(tegula.LaunchError) as caught:
            iota[(1,)](OUT, 3, **kwargs)
        assert str(caught.value) == f"option '{message} [invalid-option]"
    assert_works()


def test_unknown_target(monkeypatch):
    rest = "no target or file 'nope'; built-in targets: "
    with pytest.raises(tegula.TargetError) as caught:
        iota[(1,)](OUT, 3, target="nope")
    assert str(caught.value).startswith(rest)
    assert caught.value.hint == "name a built-in target or the path of a YAML descriptor"
    assert_works()
    monkeypatch.setenv("TEGULA_TARGET", "nope")
    with pytest.raises(tegula.TargetError) as caught:
        iota[(1,)](OUT, 3)
    assert str(caught.value).startswith("TEGULA_TARGET: " + rest)
    monkeypatch.delenv("TEGULA_TARGET")
    assert_works()


def test_wrong_target_file(tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text("schema: tegula.target/v1\nid: a\nid: b\n")
    with pytest.raises(tegula.TargetError) as caught:
        iota[(1,)](OUT, 3, target=str(file))
    assert str(caught.value).startswith(f"{file}:3:")
    assert_works()


SOURCE = """import tegula
import tegula.language as tl


@tegula.jit
def kernel(p, n):
    tl.store(p, n)
"""


def test_deleted_source(tmp_path):
    file = tmp_path / "deleted.py"
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("deleted", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    file.unlink()
    with pytest.raises(tegula.CompilationError) as caught:
        module.kernel[(1,)](OUT, 3)
    first, hint = str(caught.value).splitlines()
    assert first.startswith(f"{file}:5:1: error: the source of kernel 'kernel' cannot be read: ")
    assert hint == "hint: define kernels in a file, a notebook cell or through linecache"
    assert_works()


def test_source_without_file():
    namespace = {}
    exec(SOURCE, namespace)
    with pytest.raises(tegula.CompilationError) as caught:
        namespace["kernel"][(1,)](OUT, 3)
    assert str(caught.value).startswith(
        "<string>:5:1: error: the source of kernel 'kernel' cannot be read")
    assert_works()
