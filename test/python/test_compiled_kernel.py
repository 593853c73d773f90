# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CompiledKernel: stages, metadata, launching it again."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import tegula
import tegula.language as tl


@tegula.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


def compiled(n=64, block=32, **options):
    x = np.arange(n, dtype=np.float32)
    out = np.zeros(n, np.float32)
    return scale[(2,)](x, out, n, 3.0, BLOCK=block, **options), x, out


def test_stages():
    kernel, _, _ = compiled()
    assert kernel.asm.keys() == ["tile", "lowered", "llvm", "asm", "object"]
    assert list(kernel.asm) == kernel.asm.keys() and len(kernel.asm) == 5
    assert "tile.load" in kernel.asm["tile"] and "tile.load" not in kernel.asm["llvm"]
    assert kernel.asm["object"][:4] == b"\x7fELF"
    for alias, name in (("ttir", "tile"), ("ttgir", "lowered"), ("llir", "llvm"), ("ptx", "asm"),
                        ("cubin", "object")):
        assert kernel.asm[alias] == kernel.asm[name] and alias in kernel.asm
    assert kernel.kernel == kernel.asm["object"]
    assert dict(kernel.asm.items())["tile"] == kernel.asm["tile"]


@pytest.mark.parametrize("name", ["tiles", "", 3, None])
def test_no_such_stage(name):
    kernel, _, _ = compiled()
    assert name not in kernel.asm and kernel.asm.get(name) is None
    assert kernel.asm.get(name, "no") == "no"
    with pytest.raises(KeyError, match="expected a stage .* got " + re.escape(repr(name))):
        kernel.asm[name]


def test_stages_are_of_the_compile():
    """A stage that is made later is the one of these facts, not of the last launch."""
    first, _, _ = compiled(block=32)
    second, _, _ = compiled(block=64)
    assert "tensor<32x" in first.asm["tile"] and "tensor<64x" in second.asm["tile"]


def test_metadata():
    kernel, _, _ = compiled(num_warps=8, num_stages=2)
    facts = kernel.metadata
    assert facts.name == facts["name"] == kernel.name == "scale"
    assert (facts.num_warps, facts.num_stages, facts.num_ctas) == (8, 2, 1)
    assert facts.backend == "cpu" and facts.target.backend == "cpu"
    assert facts.target.warp_size == facts.warp_size == 1
    assert facts.hash == kernel.hash and re.fullmatch("[0-9a-f]{64}", kernel.hash)
    assert facts.shared >= 0 and kernel.packed_metadata == (8, 1, facts.shared)
    assert facts.debug is False and facts.enable_fp_fusion is True
    assert [arg["name"] for arg in facts["args"]] == ["x", "out", "n", "factor"]
    assert facts._asdict()["num_warps"] == 8
    assert (kernel.n_regs, kernel.n_spills) == (0, 0) and kernel.n_max_threads >= 1
    with pytest.raises(AttributeError, match="expected one of .*num_warps.* got 'num_warp'"):
        facts.num_warp


def test_hash_says_what_was_compiled():
    again = tegula.jit(scale.fn)
    x, out = np.zeros(64, np.float32), np.zeros(64, np.float32)
    one, _, _ = compiled(block=32)
    assert again[(2,)](x, out, 64, 3.0, BLOCK=32).hash == one.hash
    assert again[(2,)](x, out, 64, 3.0, BLOCK=16).hash != one.hash


def test_source():
    kernel, _, _ = compiled()
    assert kernel.src.fn is scale and kernel.src.name == "scale"
    assert kernel.src.signature == {"x": "*fp32", "out": "*fp32", "n": "i32", "factor": "fp32",
                                    "BLOCK": "constexpr"}
    assert kernel.src.constants == {"BLOCK": 32} and kernel.src.constexprs == {(4,): 32}
    assert kernel.src.attrs[(2,)] == [["tt.divisibility", 16]]


def test_loads_late():
    x = np.zeros(64, np.float32)
    kernel = tegula.jit(scale.fn).warmup(x, x, 64, 2.0, BLOCK=32)
    assert kernel.function is None and kernel.module is None
    kernel._init_handles()
    assert kernel.function is not None
    loaded = kernel.function
    kernel._init_handles()
    assert kernel.function is loaded


def test_launch_again():
    kernel, x, out = compiled()
    out[:] = 0
    kernel[(2,)](x, out, 64, 5.0)
    assert (out == x * 5).all()
    kernel[(2,)](x, out, 64, 7.0, 32)
    assert (out == x * 7).all()
    kernel[lambda args: (args["n"] // args["BLOCK"],)](x, out, n=64, factor=2.0)
    assert (out == x * 2).all()
    kernel.run(2, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, x, out, 64,
               4.0)
    assert (out == x * 4).all()
    kernel[(0,)](x, out, 64, 9.0)
    assert (out == x * 4).all()


def test_launch_again_with_other_arguments():
    kernel, x, out = compiled()
    for args, text in (
            ((x.astype(np.float64), out, 64, 5.0), r"'x'.*expected \*fp32.*got \*fp64"),
            ((x, out, 63, 5.0), "'n'.*expected a multiple of 16.*got another value"),
            ((x, out, 64, 5.0, 64), "'BLOCK'.*expected the value 32.*got 64"),
            ((x[1:], out, 64, 5.0), "'x'.*expected a multiple of 16")):
        with pytest.raises(tegula.LaunchTypeError, match=text) as caught:
            kernel[(2,)](*args)
        assert caught.value.id == "compiled-for-other"
    with pytest.raises(tegula.LaunchTypeError, match=r"scale\(x, out, n, factor"):
        kernel[(2,)](x, out)
    with pytest.raises(tegula.LaunchTypeError, match="got keyword 'num_warps'"):
        kernel[(2,)](x, out, 64, 5.0, num_warps=8)
    with pytest.raises(tegula.LaunchError, match="grid"):
        kernel[(2, -1)](x, out, 64, 5.0)


def test_a_number_of_the_right_type():
    """An i64 stays one, a small value too."""
    @tegula.jit
    def store(out, n):
        tl.store(out, n)

    out = np.zeros(1, np.int64)
    kernel = store[(1,)](out, 2**40 + 1)
    kernel[(1,)](out, 3)
    assert out[0] == 3
    one = store[(1,)](out, 1)
    one[(1,)](out)
    assert out[0] == 1
    with pytest.raises(tegula.LaunchTypeError, match="'n'.*expected the value 1.*got 5"):
        one[(1,)](out, 5)


def test_repr_names_the_kernel():
    def name(specialization):
        return f"add_{specialization.signature['x'][1:]}_{specialization.constants['BLOCK']}"

    @tegula.jit(repr=name)
    def add(x, BLOCK: tl.constexpr):
        tl.store(x + tl.arange(0, BLOCK), 1)

    kernel = add[(1,)](np.zeros(16, np.int16), BLOCK=16)
    assert kernel.name == kernel.metadata.name == "add_i16_16"
    assert kernel.metadata.entry == "add" and "add_i16_16" in repr(kernel)


def test_warm_up_with_types():
    x = np.zeros(64, np.float32)
    kernel = tegula.jit(scale.fn)
    by_type = kernel.warmup(np.float32, np.dtype("float32"), 64, 2.0, BLOCK=32)
    assert len(kernel.device_caches[0][0]) == 1
    assert kernel.warmup(x, x, 64, 2.0, BLOCK=32) is by_type
    mock = tegula.MockTensor(tl.float16, (4, 8))
    assert mock.stride() == (8, 1) and mock.stride(0) == 8 and mock.size() == (4, 8)
    assert kernel.warmup(mock, x, 64, 2.0, BLOCK=32).src.signature["x"] == "*fp16"
    with pytest.raises(tegula.LaunchTypeError):
        kernel.warmup(object, x, 64, 2.0, BLOCK=32)
    with pytest.raises(tegula.LaunchTypeError, match="got a MockTensor, which is for warmup"):
        kernel[(1,)](mock, x, 64, 2.0, BLOCK=32)


def test_types_as_constants_stay():
    @tegula.jit
    def fill(out, kind: tl.constexpr):
        tl.store(out, tl.full((), 3, kind))

    kernel = fill.warmup(np.float32, tl.int8, grid=(1,))
    assert kernel.src.constants == {"kind": tl.int8}


def test_stages_in_another_process(tmp_path):
    """Kernels from the disk cache have the same stages and the same hash."""
    program = tmp_path / "program.py"
    program.write_text("""
import json, numpy as np, tegula, tegula.language as tl
@tegula.jit
def k(x):
    tl.store(x, tl.load(x) + 1)
kernel = k[(1,)](np.zeros(1, np.float32))
print(json.dumps([kernel.hash, kernel.asm["tile"], kernel.asm["llvm"]]))
""")
    env = {**os.environ, "TEGULA_CACHE_DIR": str(tmp_path / "cache"),
           "PYTHONPATH": os.pathsep.join(sys.path)}
    first, second = (json.loads(subprocess.run([sys.executable, program], env=env, check=True,
                                               capture_output=True).stdout) for _ in range(2))
    assert first == second and "tile.load" in first[1]


def test_number_of_warps():
    kernel, x, out = compiled()
    for value in (3, 6, 1000):
        with pytest.raises(tegula.LaunchValueError, match="'num_warps' of kernel 'scale': must be "
                           f"a power of 2, got {value}") as caught:
            scale[(1,)](x, out, 64, 1.0, BLOCK=32, num_warps=value)
        assert isinstance(caught.value, AssertionError) and caught.value.id == "invalid-option"


def test_options_of_other_compilers():
    kernel, _, _ = compiled(enable_fp_fusion=False, maxnreg=64, launch_pdl=True,
                            launch_cooperative_grid=False, waves_per_eu=2, num_ctas=2)
    assert kernel.metadata.enable_fp_fusion is False and kernel.metadata.num_ctas == 2
    with pytest.raises(tegula.LaunchTypeError, match="'enable_fp_fusion'.*True or False"):
        compiled(enable_fp_fusion="no")
    with pytest.raises(tegula.LaunchTypeError, match="'launch_pd'; did you mean 'launch_pdl'"):
        compiled(launch_pd=True)


def test_stages_of_a_kernel_that_has_changed(monkeypatch):
    n = tl.constexpr(1)

    @tegula.jit
    def store(x):
        tl.store(x, n)

    x = np.zeros(1, np.int32)
    first = store[(1,)](x)
    seen = first.asm["tile"]
    second = tegula.jit(store.fn)[(1,)](x)
    monkeypatch.setenv("TEGULA_KEEP", "tile")
    third = tegula.jit(store.fn)[(1,)](x)
    n.value = 2
    with pytest.raises(KeyError) as caught:
        second.asm["tile"]
    assert caught.value.args == ("stage 'tile' was not kept, and the kernel has changed since; set "
                                 "TEGULA_KEEP=all before it is compiled",)
    assert first.asm["tile"] == third.asm["tile"] == seen and second.asm["object"]
