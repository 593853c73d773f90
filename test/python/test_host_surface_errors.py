# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts of errors about compiled kernels, sources, knobs and hooks, in full."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tegula
import tegula.language as tl
from tegula import knobs
from tegula.compiler import ASTSource, IRSource


@tegula.jit
def add(x, n, BLOCK: tl.constexpr = 16):
    tl.store(x + tl.arange(0, BLOCK), n)


@tegula.jit
def plain(x):
    tl.store(x, 1)


@tegula.constexpr_function
def shape():
    return np.shape(3)


X = np.zeros(64, np.int32)
SIGNATURE = {"x": "*i32", "n": "i32"}


def compiled():
    return add[(1,)](X, 48)


def data(**changes):
    seen = []
    with knobs.runtime.scope():
        knobs.runtime.jit_cache_hook = lambda **facts: seen.append(
            facts["compile"]["specialization_data"]) and None
        tegula.jit(add.fn).warmup(X, 48)
        knobs.runtime.jit_cache_hook = None
    return json.dumps({**json.loads(seen[0]), **changes})


def nested():
    with ThreadPoolExecutor(1) as pool, tegula.AsyncCompileMode(pool), \
            tegula.AsyncCompileMode(pool):
        pass


def changed_global():
    n = tl.constexpr(3)

    @tegula.jit
    def reads(x):
        tl.store(x, n)

    with knobs.compilation.scope():
        knobs.compilation.changed_globals_are_errors = True
        reads[(1,)](X)
        n.value = 4
        reads[(1,)](X)


def two_kernels():
    n = tl.constexpr(3)

    @tegula.jit
    def inner(x):
        tl.store(x, n)

    @tegula.jit
    def one(x):
        inner(x)

    @tegula.jit
    def two(x):
        inner(x)

    with knobs.compilation.scope():
        knobs.compilation.changed_globals_are_errors = True
        one[(1,)](X)
        n.value = 4
        two[(1,)](X)


def set_knob(group, name, value):
    with group.scope():
        setattr(group, name, value)


CASES = [
    (lambda: tegula.AsyncCompileMode(3), "AsyncCompileMode: expected a pool such as "
     "ThreadPoolExecutor, got int [invalid-option]"),
    (nested, "AsyncCompileMode: expected to be outside of another one, got nested modes "
     "[invalid-option]"),
    (lambda: compiled()[(1,)](X, 48, num_warps=2), "kernel 'add': expected arguments for a "
     "compiled kernel, got keyword 'num_warps'; options are those that it was compiled with "
     "[unknown-option]"),
    (lambda: compiled()[(1,)](X, 47), "argument 'n' of kernel 'add': expected a multiple of 16, "
     "which this kernel was compiled for, got another value; launch add[grid](...) to have it "
     "compiled for all arguments [compiled-for-other]"),
    (changed_global, "global variable n has changed since we compiled this kernel, from "
     "constexpr[3] to constexpr[4]; pass it as a tl.constexpr parameter of 'reads' "
     "[changed-global]"),
    (two_kernels, "Global variable n has value constexpr[4] when compiling two, but the function "
     "inner, which it calls, was compiled with constexpr[3]; pass it as a tl.constexpr parameter "
     "[changed-global]"),
    (lambda: set_knob(knobs.cache, "dir", 3), "knob 'cache.dir': expected text, got 3 "
     "[invalid-knob]"),
    (lambda: set_knob(knobs.runtime, "launch_exit_hook", print), "knob 'runtime.launch_exit_hook': "
     "expected a HookChain; add(fn) adds to the one there is, got builtin_function_or_method "
     "[invalid-knob]"),
    (lambda: add[(1,)](tegula.MockTensor(tl.int32), 48), "argument 'x' of kernel 'add': its "
     "data_ptr() raised LaunchTypeError: expected an array with memory, got a MockTensor, which is "
     "for warmup [launch-argument-type]"),
    (lambda: tegula.compile(ASTSource(add, SIGNATURE), options=[1]), "compile: expected a dict of "
     "launch options as options, got list [invalid-option]"),
    (lambda: ASTSource(add, SIGNATURE, attrs={(0,): 5}), "ASTSource: expected facts such as "
     "[['tt.divisibility', 16]] for 'x' in attrs, got 5 [invalid-source]"),
    (lambda: set_knob(knobs.cache, "dri", 3), "expected a knob of 'cache', got 'dri'; did you mean "
     "'dir'? [unknown-knob]"),
    (lambda: knobs.runtime.launch_exit_hook.add(3), "hook: expected a function, got int "
     "[invalid-knob]"),
    (lambda: add.preload(data(specs=[["x", "*i32", False, None]])), "preload of kernel 'add': "
     "expected the parameters x, n, BLOCK, got x: the kernel has changed [invalid-preload]"),
    (lambda: add.preload(data(specs=[["x", "*i32", False, None], ["n", "i32", False, None],
                                     ["BLOCK", None, True, {"object": "Setting"}]])),
     "preload of kernel 'add': expected a value that text can name for parameter 'BLOCK', got "
     "object Setting [invalid-preload]"),
    (lambda: add.preload("[]"), "preload of kernel 'add': expected the specialization_data of a "
     "hook, got str (TypeError: list indices must be integers or slices, not str) "
     "[invalid-preload]"),
    (lambda: plain.preload(data()), f"Specialization data is for {add.fullname}, expected "
     f"{plain.fullname} [invalid-preload]"),
    (lambda: tegula.compile(ASTSource(add, SIGNATURE), target=3), "compile: expected a GPUTarget, "
     "the name of a target or the path of a descriptor as target, got int [invalid-option]"),
    (lambda: tegula.compile(add), "compile: expected an ASTSource, an IRSource or the path of a "
     "file of tile IR, got JITFunction; write ASTSource(kernel, signature, constexprs) "
     "[invalid-source]"),
    (lambda: ASTSource(len, {}), "ASTSource: expected a jit function, got "
     "builtin_function_or_method [invalid-source]"),
    (lambda: ASTSource(add, {"z": "i32"}), "ASTSource: expected parameters of 'add' in signature, "
     "got 'z' [invalid-source]"),
    (lambda: ASTSource(add, []), "ASTSource: expected a dict as signature, got list "
     "[invalid-source]"),
    (lambda: ASTSource(add, {"x": "*int", "n": "i32"}).specs(), "ASTSource: expected a type such "
     "as *fp32 or i32 for 'x', got '*int' [invalid-source]"),
    (lambda: ASTSource(add, {"x": "*i32"}).specs(), "ASTSource: expected 'n' in signature, got "
     "nothing for it [invalid-source]"),
    (lambda: IRSource("/no/file"), "IRSource: expected a file of tile IR, got /no/file: [Errno 2] "
     "No such file or directory: '/no/file' [invalid-source]"),
    (lambda: add.warmup(X, 1, num_warps=6), "option 'num_warps' of kernel 'add': must be a power "
     "of 2, got 6 [invalid-option]"),
    (lambda: shape.cache_key, "cache_key of 'shape': expected functions of the language, jit and "
     "constexpr functions, got 'np.shape', a function of numpy, whose results no key can name "
     "[no-cache-key]"),
    (lambda: add.add_pre_run_hook(3), "add_pre_run_hook: expected a function, got int "
     "[invalid-option]"),
]


@pytest.mark.parametrize("make, text", CASES, ids=range(len(CASES)))
def test_text(make, text):
    with pytest.raises(tegula.Error) as caught:
        make()
    assert str(caught.value).split("\n")[0] == text
    assert not isinstance(caught.value, tegula.InternalError)


def test_tool(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("TEGULA_CUOBJDUMP_PATH", raising=False)
    with pytest.raises(knobs.KnobError) as caught:
        knobs.nvidia.cuobjdump
    assert str(caught.value) == ("knob 'nvidia.cuobjdump': expected the path of cuobjdump in "
                                 "TEGULA_CUOBJDUMP_PATH or in PATH, got none [invalid-knob]")


def test_variable(monkeypatch):
    monkeypatch.setenv("TEGULA_CACHE", "of")
    with pytest.raises(knobs.KnobError) as caught:
        knobs.cache.mode
    assert str(caught.value) == ("environment variable TEGULA_CACHE: expected on, off or "
                                 "read-only, got 'of' [invalid-knob]")


def test_keys_and_attributes():
    kernel = compiled()
    with pytest.raises(KeyError) as caught:
        kernel.asm["sass"]
    assert caught.value.args[0] == ("expected a stage (tile, lowered, llvm, asm, object, or "
                                    "Triton's name for one), got 'sass'")
    with pytest.raises(AttributeError) as caught:
        kernel.metadata.num_warp
    known = ", ".join(kernel.metadata)
    assert str(caught.value) == f"metadata: expected one of {known}, got 'num_warp'"
