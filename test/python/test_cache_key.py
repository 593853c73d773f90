# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cache_key of functions, and globals that kernels have read."""

import importlib.util
import re

import numpy as np
import pytest

import tegula
import tegula.language as tl
from tegula import knobs

HEADER = "import tegula, tegula.language as tl\n"


@pytest.fixture
def load(tmp_path):
    """A module with a text; each call makes another one, of the same name."""
    count = iter(range(1000))

    def make(text):
        path = tmp_path / f"module{next(count)}.py"
        path.write_text(HEADER + text)
        spec = importlib.util.spec_from_file_location("kernels", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return make


BASE = """
N = tl.constexpr(3)
OTHER = 1
@tegula.jit
def inner(i):
    return i + N
@tegula.constexpr_function
def double(n):
    return n * 2
@tegula.jit
def kernel(x, BLOCK: tl.constexpr = 16):
    i = tl.arange(0, BLOCK)
    tl.store(x + inner(i), double(2))
"""


def test_the_same_text_has_the_same_key(load):
    one, two = load(BASE).kernel, load(BASE).kernel
    assert re.fullmatch("[0-9a-f]{64}", one.cache_key) and one.cache_key == two.cache_key
    assert one.hash == one.cache_key


@pytest.mark.parametrize("old, new", [
    ("tl.arange(0, BLOCK)\n", "tl.arange(0, BLOCK) + 1\n"),   # the kernel itself
    ("return i + N", "return i - N"),                          # a function that it calls
    ("return n * 2", "return n * 3"),                          # a constexpr function
    ("N = tl.constexpr(3)", "N = tl.constexpr(4)"),            # a global of a called function
    ("BLOCK: tl.constexpr = 16", "BLOCK: tl.constexpr = 32"),  # a default
    ("(x, BLOCK: tl.constexpr", "(x: tl.const, BLOCK: tl.constexpr"),
    ("\n@tegula.jit\ndef kernel", "\n\n@tegula.jit\ndef kernel"),  # where it stands
    ("@tegula.jit\ndef inner", "@tegula.jit(noinline=True)\ndef inner"),
])
def test_what_changes_the_key(load, old, new):
    assert BASE.count(old) == 1
    assert load(BASE).kernel.cache_key != load(BASE.replace(old, new)).kernel.cache_key


@pytest.mark.parametrize("old, new", [
    ("OTHER = 1", "OTHER = 2"),       # a global that it does not read
])
def test_what_leaves_the_key(load, old, new):
    assert load(BASE).kernel.cache_key == load(BASE.replace(old, new)).kernel.cache_key


def test_modules_and_locals(load):
    text = """
import types
settings = types.ModuleType("settings")
settings.SIZE = {value}
FIRST = {value}
@tegula.jit
def kernel(x):
    FIRST = 1
    tl.store(x, FIRST + settings.SIZE)
@tegula.jit
def other(x):
    FIRST = 1
    tl.store(x, FIRST)
"""
    one, two = load(text.format(value=1)), load(text.format(value=2))
    assert one.kernel.cache_key != two.kernel.cache_key
    assert one.other.cache_key == two.other.cache_key


def test_recursion_and_closures(load):
    module = load("""
def make(n):
    c = tl.constexpr(n)
    @tegula.jit
    def kernel(x):
        tl.store(x, c)
    return kernel
@tegula.jit
def left(n: tl.constexpr):
    return 0 if n == 0 else right(n - 1)
@tegula.jit
def right(n: tl.constexpr):
    return 0 if n == 0 else left(n - 1)
""")
    assert module.make(1).cache_key != module.make(2).cache_key
    assert module.make(1).cache_key == module.make(1).cache_key
    assert len({module.left.cache_key, module.right.cache_key}) == 2


def test_changed_text(load):
    kernel = load(BASE).kernel
    x = np.zeros(64, np.int32)
    kernel[(1,)](x)
    assert x[3] == 4
    key = kernel.cache_key
    kernel._unsafe_update_src(kernel.src.replace("double(2)", "double(5)"))
    assert kernel.cache_key != key
    kernel[(1,)](x)
    assert x[3] == 10
    kernel._unsafe_update_src(kernel.src.replace("double(5)", "double(2)"))
    assert kernel.cache_key == key


def test_sources(load):
    kernel = load("""
def tag(text):
    return lambda fn: fn
if True:
    @tag("def0aeffabe53")
    @tegula.jit
    def kernel(x):  # def
        pass
""").kernel
    assert kernel.src.startswith("def kernel(x):") and kernel.src.endswith("pass\n")
    assert kernel.raw_src[0].strip() == '@tag("def0aeffabe53")'
    assert kernel.fullname == "kernels.kernel" and kernel.name == "kernel"
    assert kernel.file.endswith(".py") and kernel.definition_line == kernel.first_line + 2


def test_a_function_that_no_key_can_name():
    @tegula.constexpr_function
    def capability():
        return np.lib.add_newdoc("x", "y", "z")

    with pytest.raises(tegula.LaunchError, match="cache_key of '.*capability': expected functions "
                       "of the language.* got 'np.lib.add_newdoc'") as caught:
        capability.cache_key
    assert caught.value.id == "no-cache-key" and isinstance(caught.value, RuntimeError)


def test_parameters():
    @tegula.jit(do_not_specialize=["n"], do_not_specialize_on_alignment=[0])
    def kernel(x: tl.const, n: tl.int64, BLOCK: tl.constexpr = 8):
        pass

    x, n, block = kernel.params
    assert [p.name for p in kernel.params] == kernel.arg_names == ["x", "n", "BLOCK"]
    assert (x.num, n.num, block.num) == (0, 1, 2)
    assert block.is_constexpr and block.has_default and block.default == 8
    assert x.is_const and not x.has_default and x.do_not_specialize_on_alignment
    assert n.do_not_specialize and n.annotation_type == "i64" and not block.do_not_specialize
    assert kernel.constexprs == [2]


# -- globals that have changed ----------------------------------------------------

def test_a_changed_global_is_compiled_again(load):
    module = load("N = tl.constexpr(3)\n@tegula.jit\ndef kernel(x):\n    tl.store(x, N)\n")
    x = np.zeros(1, np.int32)
    module.kernel[(1,)](x)
    assert x[0] == 3 and list(module.kernel.used_global_vals) == [("N", id(vars(module)))]
    first = module.kernel.device_caches[0][0].copy()
    module.N = tl.constexpr(3)  # equal: nothing to do
    module.kernel[(1,)](x)
    assert module.kernel.device_caches[0][0] == first
    module.N = tl.constexpr(4)
    module.kernel[(1,)](x)
    assert x[0] == 4
    module.N.value = 5
    module.kernel[(1,)](x)
    assert x[0] == 5


def test_a_changed_variable_of_a_function():
    n = tl.constexpr(1)

    @tegula.jit
    def kernel(x):
        tl.store(x, n)

    x = np.zeros(1, np.int32)
    kernel[(1,)](x)
    n = tl.constexpr(2)
    kernel[(1,)](x)
    assert x[0] == 2


def test_a_changed_function(load):
    module = load(BASE)
    x = np.zeros(64, np.int32)
    module.kernel[(1,)](x)
    module.inner = load(BASE.replace("i + N", "i + N + 10")).inner
    x[:] = 0
    module.kernel[(1,)](x)
    assert x[3] == 0 and x[13] == 4


@pytest.fixture
def errors():
    with knobs.compilation.scope():
        knobs.compilation.changed_globals_are_errors = True
        yield


def test_changed_globals_as_errors(load, errors):
    module = load("N = tl.constexpr(3)\n@tegula.jit\ndef kernel(x):\n    tl.store(x, N)\n")
    x = np.zeros(1, np.int32)
    module.kernel[(1,)](x)
    module.N.value = 4
    for _ in range(2):
        with pytest.raises(tegula.LaunchError, match="global variable N has changed since we "
                           r"compiled this kernel, from constexpr\[3\] to "
                           r"constexpr\[4\]") as caught:
            module.kernel[(1,)](x)
        assert caught.value.id == "changed-global"
    assert x[0] == 3
    module.N.value = 3
    module.kernel[(1,)](x)


def test_a_global_of_two_kernels(load, errors):
    module = load("""
N = tl.constexpr(3)
@tegula.jit
def inner(x):
    tl.store(x, N)
@tegula.jit
def one(x):
    inner(x)
@tegula.jit
def two(x):
    inner(x)
""")
    x = np.zeros(1, np.int32)
    module.one[(1,)](x)
    module.N = tl.constexpr(4)
    with pytest.raises(tegula.LaunchError, match=r"Global variable N has value constexpr\[4\] when "
                       r"compiling two, but the function inner, .* with constexpr\[3\]"):
        module.two[(1,)](x)


def test_device_caches(load):
    kernel = load(BASE).kernel
    kernels, _, target = kernel.device_caches[0][:3]
    assert len(kernels) == 0 and target.backend == "cpu" and list(kernel.device_caches) == [0]
    x = np.zeros(64, np.int32)
    compiled = kernel[(1,)](x)
    assert list(kernels.values()) == [compiled]
    assert kernel[(1,)](x) is compiled
    kernel.device_caches.clear()
    assert len(kernels) == 0
    again = kernel[(1,)](x)
    assert again is not compiled and again.hash == compiled.hash and len(kernels) == 1
    (key, _), = kernels.items()
    del kernels[key]
    assert kernel[(1,)](x) is not again


def test_guards_hold(monkeypatch):
    """A launch with nothing changed finds so without asking Python."""
    asked = []
    n = tl.constexpr(1)

    @tegula.jit
    def kernel(x):
        tl.store(x, n + GLOBAL)
        helper(x)

    monkeypatch.setattr(type(kernel), "_guards_failed", lambda self: asked.append(1))
    x = np.zeros(1, np.int32)
    for _ in range(3):
        kernel[(1,)](x)
    assert len(kernel._guards) >= 4 and not asked


GLOBAL = tl.constexpr(3)


@tegula.jit
def helper(x):
    tl.store(x, GLOBAL)
