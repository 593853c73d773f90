# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile through `as_triton`: kernels that Inductor writes, and what it asks for.

Without TEGULA_LONG_TESTS=1 the perceptron and a few cases of inductor_cases.py.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest
from conftest import BUILD
from fake_cuda import fake  # noqa: F401

HERE = pathlib.Path(__file__).parent
LONG = os.environ.get("TEGULA_LONG_TESTS") == "1"

if importlib.util.find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)
if importlib.util.find_spec("torch._inductor.config") is None:
    pytest.skip("this torch has no Inductor", allow_module_level=True)


def _names():
    text = (HERE / "inductor_cases.py").read_text()
    cases = text[text.index("CASES = {"):text.index("def main")]
    return [line.split('"')[1] for line in cases.splitlines() if line.startswith('    "')]


SHORT = ("perceptron", "softmax", "argmax", "scans", "dropout")


def run(folder, *command, **environment):
    keep = {name: value for name, value in os.environ.items()
            if name not in ("PYTHONPATH", "TRITON_INTERPRET", "TEGULA_TARGET")}
    keep |= {"PYTHONPATH": str(BUILD / "python"), "TORCHINDUCTOR_COMPILE_THREADS": "1",
             "TORCHINDUCTOR_CACHE_DIR": str(folder / "kernels"), **environment}
    return subprocess.run([sys.executable, "-m", "tegula.as_triton", *map(str, command)], env=keep,
                          cwd=folder, capture_output=True, text=True, timeout=600)


def run_code(folder, code, **environment):
    file = folder / "program.py"
    file.write_text(textwrap.dedent(code))
    done = run(folder, file, **environment)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def has_nvidia():
    return bool(list(BUILD.glob("lib/tegula/*/libtegula-nvidia.so")))


def test_cases(tmp_path):
    names = _names() if LONG else SHORT
    done = run(tmp_path, HERE / "inductor_cases.py", *names)
    said = done.stdout.splitlines()
    assert [line for line in said if line.endswith(": failed")] == [], done.stderr[-4000:]
    assert said[:len(names)] == [f"{name}: ok" for name in names], done.stderr[-4000:]


@pytest.mark.skipif(not has_nvidia(), reason="the plugin 'nvidia' is not built")
def test_kernels_compile_for_gpus(tmp_path):
    names = _names() if LONG else ("softmax", "argmax")
    done = run(tmp_path, HERE / "inductor_cases.py", *names,
               TEST_ALSO="80 90 120" if LONG else "90")
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    assert int(done.stdout.splitlines()[-1].split()[0]) >= len(names)


def test_compile_workers(tmp_path):
    """Kernels come back pickled from other processes, and are not compiled again."""
    out = run_code(tmp_path, """
        import torch, torch._inductor.config as config
        from torch._inductor.async_compile import AsyncCompile
        config.cpu_backend = "triton"
        import triton
        def compile(*args, **options):
            raise AssertionError("compiled in the parent")
        if __name__ == "__main__":
            AsyncCompile.wait_pool_ready()
            assert AsyncCompile.use_process_pool()
            triton.compile = compile
            x = torch.randn(1000)
            f = lambda x: torch.sin(x) * 3 + x.sum()
            # A sum of 1000 numbers below 4: each of some ten roundings is below 2**-24 * 4000.
            torch.testing.assert_close(torch.compile(f)(x).double(), f(x.double()), rtol=0,
                                       atol=10 * 4000 * 2.0**-24)
            print("same")
    """, TORCHINDUCTOR_COMPILE_THREADS="2")
    assert out == "same\n"


PICKLED = """
import pickle, sys, tempfile, threading
from torch._inductor.runtime.triton_heuristics import TritonCompileResult
from torch._inductor.runtime.triton_compat import CompiledKernel
import numpy as np, torch
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def add(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, i < n) + 1, i < n)

def make(target):
    return triton.compile(
        ASTSource(add, {"x": "*fp32", "y": "*fp32", "n": "i32", "B": "constexpr"}, {"B": 64},
                  {(0,): [["tt.divisibility", 16]], (1,): [["tt.divisibility", 16]]}),
        target=target, options={"num_warps": 2, "num_stages": 1})

def through_pickle(kernel):
    function = add.fn, add.__globals__, add.used_global_vals
    add.fn = add.__globals__ = add.used_global_vals = None
    data = pickle.dumps({**vars(kernel), "metadata": 1, "packed_metadata": 2, "module": None,
                         "function": None, "run": None})
    add.fn, add.__globals__, add.used_global_vals = function
    made = CompiledKernel.__new__(CompiledKernel)
    vars(made).update(pickle.loads(data))
    return made
"""


def test_pickled_kernel(tmp_path):
    out = run_code(tmp_path, PICKLED + textwrap.dedent("""
        kernel = make(GPUTarget("cpu", "", 1))
        kernel[(1,)](*(torch.zeros(8) for _ in "xy"), 8, 64)  # it is loaded here already
        made = through_pickle(kernel)
        assert made.function is None and made.hash == kernel.hash
        assert made.metadata.num_warps == 2 and made.packed_metadata == kernel.packed_metadata
        assert made.asm["object"] == kernel.asm["object"]
        assert made.src.fn.arg_names == ["x", "y", "n", "B"] and made.src.fn.fn is None
        assert [p.num for p in made.src.fn.params if p.is_constexpr] == [3]
        made._init_handles()
        x, y = torch.arange(100.), torch.zeros(100)
        made.run(2, 1, 1, 0, made.function, made.packed_metadata, None, None, None, x, y, 100, 64)
        print(torch.equal(y, x + 1))
        try:
            made[(1,)](x, y, 100.5, 64)
        except TypeError as error:
            print(str(error).splitlines()[0])
        from tegula import _tegula
        for wrong in (b"", b"nothing", pickle.dumps(kernel._artifact)):
            try:
                _tegula.artifact_from_bytes(wrong, "", "")
            except ValueError as error:
                print(error)
    """))
    lines = out.splitlines()
    assert lines[0] == "True" and "expected an integer" in lines[1]
    assert lines[2:] == ["artifact_from_bytes: expected bytes of a compiled kernel that this "
                         "version of Tegula wrote, got others"] * 3


def test_hooks_run_once(tmp_path):
    out = run_code(tmp_path, """
        import torch, torch._inductor.config as config
        import triton
        config.cpu_backend = "triton"
        seen = []
        triton.knobs.runtime.launch_enter_hook.add(lambda facts: seen.append(facts.get()["name"]))
        torch.compile(lambda x: x.sin() + 1)(torch.randn(100))
        print(len(seen), seen[0].startswith("triton_poi_fused"))
    """)
    assert out == "1 True\n"


def test_settings_of_the_compile_are_kept(tmp_path):
    """What Inductor passes on to the compiler, and what it reads of the result."""
    out = run_code(tmp_path, PICKLED + textwrap.dedent("""
        kernel = make(GPUTarget("cpu", "", 1))
        m = kernel.metadata
        print(m.num_warps, m.num_stages, m.num_ctas, m.cluster_dims, m.name, kernel.n_regs,
              kernel.n_spills, isinstance(m.shared, int), hasattr(kernel, "num_warps"),
              hasattr(kernel, "launch_metadata"))
        from torch._inductor.utils import triton_version_uses_attrs_dict
        from torch._inductor.runtime import triton_helpers
        import triton.backends
        triton_helpers.set_driver_to_cpu()
        print(triton_version_uses_attrs_dict(), sorted(triton.backends.backends),
              triton_helpers.get_backend_options()["num_warps"])
    """))
    assert out == ("2 1 1 (1, 1, 1) add 0 0 True False True\n"
                   "True ['amd', 'cpu', 'nvidia'] 4\n")


def test_functions_evaluated_at_compile_time(tmp_path):
    out = run_code(tmp_path, """
        import torch, triton, triton.language as tl
        from torch._inductor.runtime import triton_helpers

        @triton.jit
        def total(x, o, N: tl.constexpr):
            PADDED: tl.constexpr = triton_helpers.constexpr_next_power_of_2(N)
            i = tl.arange(0, PADDED)
            if N == PADDED:
                mask: tl.constexpr = None
            else:
                mask = i < N
            v = tl.load(x + i, mask, other=triton_helpers.if_mask(mask, 0.0))
            tl.store(o, tl.sum(v, 0))

        o = torch.zeros(1)
        for n in (8, 7):
            total[(1,)](torch.ones(8), o, N=n)
            print(o.item())
    """)
    assert out == "8.0\n7.0\n"


def test_kernels_of_the_program(tmp_path):
    """A program's own kernel inside of what is compiled."""
    (tmp_path / "twice.py").write_text(textwrap.dedent("""
        import triton, triton.language as tl
        @triton.jit
        def twice(x, o, n, B: tl.constexpr):
            i = tl.program_id(0) * B + tl.arange(0, B)
            tl.store(o + i, tl.load(x + i, i < n) * 2, i < n)
    """))
    out = run_code(tmp_path, """
        import torch, torch._inductor.config as config, triton
        config.cpu_backend = "triton"
        from twice import twice
        def f(x):
            o = torch.empty_like(x)
            twice[(triton.cdiv(x.numel(), 128),)](x, o, x.numel(), B=128)
            return o + 1
        x = torch.randn(1000)
        print(torch.equal(torch.compile(f)(x), x * 2 + 1))
    """)
    assert out == "True\n"


def test_launch_for_gpus(fake, tmp_path):  # noqa: F811
    """The launch of Inductor for CUDA, by a driver that notes what it is asked for."""
    out = fake.run(textwrap.dedent("""
        import tegula.as_triton
        tegula.as_triton.install()
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource
        kernel = triton.compile(
            ASTSource(store, {"x": "*i32", "n": "i32"}, {}, {(0,): [["tt.divisibility", 16]]}),
            target=GPUTarget("cuda", 90, 32),
            options={"num_warps": 8, "num_stages": 3, "debug": False, "sanitize_overflow": False,
                     "launch_cooperative_grid": True, "launch_pdl": False})
        kernel._init_handles()
        print(kernel.metadata.num_warps, isinstance(kernel.n_spills, int),
              isinstance(kernel.n_regs, int), kernel.metadata.launch_cooperative_grid)
        kernel.run(7, 2, 1, 0, kernel.function, kernel.packed_metadata, None,
                   triton.knobs.runtime.launch_enter_hook, triton.knobs.runtime.launch_exit_hook,
                   Tensor("cuda:0"), 5)
        drivers = [triton.backends.backends[name].driver for name in ("nvidia", "amd")]
        print(*(driver.is_active() for driver in drivers))
        sys.modules["torch"] = torch = types.ModuleType("torch")  # as a worker that torch forked
        torch.cuda = types.SimpleNamespace(is_available=lambda: True)
        torch.version = types.SimpleNamespace(hip=None)
        _tegula.devices = lambda kind=None: []
        print(*(driver.is_active() for driver in drivers))
        torch.cuda = types.SimpleNamespace()  # a stand-in for torch, without its functions
        print(*(driver.is_active() for driver in drivers))
    """))
    assert out == ["8 True True True", "True False", "True False", "False False"]
    launches = [line for line in fake.trace if line.startswith("launch")]
    assert len(launches) == 1 and "7" in launches[0] and "256" in launches[0], fake.trace
