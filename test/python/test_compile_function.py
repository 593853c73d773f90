# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tegula.compile: compiling without a launch."""

import re

import numpy as np
import pytest

import tegula
import tegula.language as tl
from tegula.compiler import ASTSource, AttrsDescriptor, GPUTarget, IRSource


@tegula.jit
def add(x, y, out, n, BLOCK: tl.constexpr = 32):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


SIGNATURE = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}


def check(kernel, n=60):
    x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    out = np.zeros(n, np.float32)
    kernel[(2,)](x, y, out, n)
    assert (out == x + 1).all()


def test_types_and_constants():
    kernel = tegula.compile(ASTSource(add, SIGNATURE, {"BLOCK": 64}))
    assert isinstance(kernel, tegula.CompiledKernel) and kernel.name == "add"
    assert "tensor<64x" in kernel.asm["tile"] and kernel.src.fn is add
    check(kernel)
    assert len(add.device_caches[0][0]) == 0  # no launch of the function itself


def test_keys_of_constants():
    texts = {tegula.compile(ASTSource(add, {**SIGNATURE, "BLOCK": "constexpr"}, constants)).hash
             for constants in ({"BLOCK": 64}, {4: 64}, {(4,): 64}, {"BLOCK": tl.constexpr(64)})}
    assert len(texts) == 1


def test_defaults_and_no_parameters():
    @tegula.jit
    def nothing():
        pass

    check(tegula.compile(ASTSource(add, SIGNATURE)))
    tegula.compile(ASTSource(fn=nothing, signature={}, constexprs={}))[(3,)]()


def test_facts():
    plain = tegula.compile(ASTSource(add, SIGNATURE))
    by_attrs = tegula.compile(ASTSource(add, SIGNATURE, attrs={(0,): [["tt.divisibility", 16]]}))
    by_type = tegula.compile(ASTSource(add, {**SIGNATURE, "x": "*fp32:16"}))
    by_positions = tegula.compile(ASTSource(add, SIGNATURE, attrs=AttrsDescriptor((0,))))
    assert by_attrs.hash == by_type.hash == by_positions.hash != plain.hash
    one = tegula.compile(ASTSource(add, SIGNATURE, attrs=AttrsDescriptor((), (3,))))
    assert [arg["name"] for arg in one.metadata["args"]] == ["x", "y", "out"]
    assert by_attrs.src.attrs == {(0,): [["tt.divisibility", 16]]}
    with pytest.raises(tegula.LaunchTypeError, match="'x'.*expected a multiple of 16"):
        x = np.zeros(65, np.float32)
        by_attrs[(1,)](x[1:], x, x, 64)


def test_options_and_targets():
    kernel = tegula.compile(ASTSource(add, SIGNATURE), options={"num_warps": 8, "maxnreg": 32})
    assert kernel.metadata.num_warps == 8
    target = kernel.metadata.target
    assert isinstance(target, GPUTarget) and target.backend == "cpu"
    for same in (target, GPUTarget("cpu", "native", 1), "cpu"):
        assert tegula.compile(ASTSource(add, SIGNATURE), target=same).asm["tile"]
    with pytest.raises(tegula.LaunchTypeError, match="got keyword 'num_warp'; did you mean"):
        tegula.compile(ASTSource(add, SIGNATURE), options={"num_warp": 8})


@pytest.mark.parametrize("target", [GPUTarget("metal", "m4", 32), GPUTarget("hip", "gfx942", 64),
                                    "no-such-target", "/no/such/file.yaml"])
def test_targets_that_are_not_here(target):
    with pytest.raises(tegula.TargetError):
        tegula.compile(ASTSource(add, SIGNATURE), target=target)


def test_hash():
    one, two = ASTSource(add, SIGNATURE), ASTSource(add, SIGNATURE)
    assert one.hash() == two.hash() != ASTSource(add, SIGNATURE, {"BLOCK": 64}).hash()
    assert re.fullmatch("[0-9a-f]{64}", one.hash())


def test_autotuned_and_heuristic():
    tuned = tegula.autotune([tegula.Config({"BLOCK": 64})], key=["n"])(add)
    assert ASTSource(tuned, SIGNATURE).fn is add
    assert ASTSource(tegula.heuristics({"BLOCK": lambda args: 8})(tuned), SIGNATURE).fn is add


@pytest.mark.parametrize("make, text", [
    (lambda: ASTSource(len, {}), "expected a jit function, got builtin_function"),
    (lambda: ASTSource(add, ["*fp32"]), "expected a dict as signature, got list"),
    (lambda: ASTSource(add, {"z": "i32"}), "expected parameters of 'add' in signature, got 'z'"),
    (lambda: ASTSource(add, SIGNATURE, {7: 1}),
     "expected parameters of 'add' in constexprs, got 7"),
    (lambda: ASTSource(add, {"x": "*fp32"}).specs(), "expected 'y' in signature, got nothing"),
    (lambda: ASTSource(add, {**SIGNATURE, "n": "constexpr"}).specs(),
     "expected 'n' in constexprs, got nothing"),
    (lambda: ASTSource(add, {**SIGNATURE, "n": "int"}).specs(), "expected a type such as .*'int'"),
    (lambda: ASTSource(add, {**SIGNATURE, "n": int}).specs(), "expected a type such as"),
    (lambda: tegula.compile(add), "expected an ASTSource, an IRSource or the path .* JITFunction"),
    (lambda: tegula.compile("/no/file.mlir"), "IRSource: expected a file of tile IR"),
    (lambda: tegula.compile(ASTSource(add, SIGNATURE), target=3), "as target, got int"),
])
def test_wrong_sources(make, text):
    with pytest.raises(tegula.LaunchError, match=text):
        make()


@pytest.mark.parametrize("attrs, text", [
    ([1], "expected a dict as attrs, got list"),
    ({(0,): 5}, "expected facts such as .* for 'x' in attrs, got 5"),
    ({0: [["tt.divisibility"]]}, "expected facts such as"),
    ({(9,): [["tt.divisibility", 16]]}, "expected parameters of 'add' in attrs, got 9"),
])
def test_wrong_facts(attrs, text):
    with pytest.raises(tegula.LaunchTypeError, match=text):
        ASTSource(add, SIGNATURE, attrs=attrs)


def test_facts_by_name():
    source = ASTSource(add, SIGNATURE, attrs={"x": [["tt.divisibility", 16]]})
    assert source.specs()[0][1] == "*fp32:16" and source.attrs == {(0,): [["tt.divisibility", 16]]}


@pytest.mark.parametrize("options", [[1], "num_warps", 4])
def test_options_that_are_no_dict(options):
    with pytest.raises(tegula.LaunchTypeError, match="expected a dict of launch options"):
        tegula.compile(ASTSource(add, SIGNATURE), options=options)


def test_tile_ir(tmp_path):
    original = tegula.compile(ASTSource(add, SIGNATURE, {"BLOCK": 64}))
    for name in ("add.mlir", "add.ttir"):
        path = tmp_path / name
        path.write_text(original.asm["tile"])
        kernel = tegula.compile(path)
        assert kernel.name == "add" and isinstance(kernel.src, IRSource)
        assert kernel.src.hash() == IRSource(str(path)).hash()
        assert "tile.load" in kernel.asm["tile"] and kernel.asm["object"]
        check(kernel)
        with pytest.raises(tegula.LaunchTypeError, match=r"'x'.*expected \*fp32.*got \*fp64"):
            x = np.zeros(64, np.float64)
            kernel[(1,)](x, x, x, 64)


def test_wrong_tile_ir(tmp_path):
    path = tmp_path / "wrong.mlir"
    path.write_text("func.func @k() {")
    with pytest.raises(tegula.CompilationError, match="wrong.mlir:1:"):
        tegula.compile(path)


# -- errors of kernels --------------------------------------------------------------

def test_classes_of_errors():
    @tegula.jit
    def asserts(n: tl.constexpr):
        tl.static_assert(n > 3, "n is small")

    @tegula.jit
    def unsupported(x):
        try:
            tl.store(x, 1)
        finally:
            pass

    @tegula.jit
    def wrong(x):
        tl.store(x, unknown)  # noqa: F821

    from tegula.compiler import errors

    with pytest.raises(errors.CompileTimeAssertionFailure, match="n is small") as caught:
        tegula.compile(ASTSource(asserts, {}, {"n": 2}))
    assert isinstance(caught.value, errors.CompilationError)
    assert "tl.static_assert(n > 3" in str(caught.value) and caught.value.message
    tegula.compile(ASTSource(asserts, {}, {"n": 4}))
    with pytest.raises(errors.UnsupportedLanguageConstruct) as caught:
        tegula.compile(ASTSource(unsupported, {"x": "*i32"}))
    assert re.search(r"test_compile_function.py:\d+:\d+: error: .*\n.*try:\n.*\^",
                     str(caught.value))
    with pytest.raises(errors.CompilationError, match="unknown") as caught:
        tegula.compile(ASTSource(wrong, {"x": "*i32"}))
    assert type(caught.value) is errors.CompilationError


def test_backend():
    backend = tegula.compiler.make_backend(GPUTarget("cpu", "native", 1))
    assert backend.parse_options({"num_warps": 2}).num_warps == 2
    assert backend.parse_options({}).hash() != backend.parse_options({"num_warps": 2}).hash()
    assert backend.binary_ext == "object" and "cpu" in backend.hash()
    with pytest.raises(tegula.TargetError):
        tegula.compiler.make_backend(GPUTarget("metal", "m4", 32))


def test_tile_ir_of_several_functions(tmp_path):
    path = tmp_path / "two.mlir"
    path.write_text("""
func.func private @helper(%x: i32) -> i32 { return %x : i32 }
func.func @store(%out: !tile.ptr<i32>, %value: i32) attributes {tile.kernel} {
  tile.store %out, %value : !tile.ptr<i32>
  return
}
""")
    out = np.zeros(1, np.int32)
    kernel = tegula.compile(path)
    assert kernel.name == "store"
    kernel[(1,)](out, 5)
    assert out[0] == 5
