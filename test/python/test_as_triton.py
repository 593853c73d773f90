# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose imports say triton: how they start, what they find, what they are told."""

import os
import subprocess
import sys
import textwrap

import pytest
from conftest import BUILD

KERNEL = """
import sys
import numpy as np
import triton
import triton.language as tl

@triton.jit
def add_one(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.load(x + i) + 1)

def run(n=4):
    x = np.arange(n, dtype=np.int32)
    add_one[(1,)](x, N=n)
    return x.tolist()
"""


def start(*arguments, folder=None, text=None, command=("-m", "tegula.as_triton"), **environment):
    """Runs the command; returns (exit status, its output, its errors)."""
    keep = {k: v for k, v in os.environ.items() if k not in ("TRITON_INTERPRET", "PYTHONPATH")}
    keep |= {"PYTHONPATH": str(BUILD / "python"), **environment}
    if "TRITON_CACHE_DIR" in environment:
        keep.pop("TEGULA_CACHE_DIR", None)  # which counts first
    done = subprocess.run([sys.executable, *command, *map(str, arguments)], cwd=folder, env=keep,
                          input=text, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def run_code(code, **options):
    """What a program prints, which must end well."""
    status, out, errors = start("-c", textwrap.dedent(code), **options)
    assert status == 0, errors
    return out


@pytest.fixture
def program(tmp_path):
    """Writes a program with KERNEL ahead of it; returns its path."""
    def write(code="", name="prog.py"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(KERNEL + textwrap.dedent(code))
        return file

    return write


# -- ways to start ---------------------------------------------------------------

SHOW = "print(run(), __name__, sys.argv[1:])\nsys.exit(7)\n"
SHOWN = "[1, 2, 3, 4] __main__ ['a', '-b']\n"


def test_file(program):
    file = program("print(sys.argv[0], sys.path[0], __file__)\n" + SHOW)
    status, out, errors = start(file, "a", "-b")
    assert (status, out, errors) == (7, f"{file} {file.parent} {file}\n" + SHOWN, "")


def test_file_of_another_folder(program, tmp_path):
    file = program(SHOW)
    (tmp_path / "elsewhere").mkdir()
    status, out, _ = start(os.path.join("..", file.name), "a", "-b", folder=tmp_path / "elsewhere")
    assert (status, out) == (7, SHOWN)


def test_module(program, tmp_path):
    program("print(sys.argv[0] == __file__, __spec__.name)\n" + SHOW)
    status, out, _ = start("-m", "prog", "a", "-b", folder=tmp_path)
    assert (status, out) == (7, "True prog\n" + SHOWN)


def test_package(program, tmp_path):
    program(SHOW, "pack/__main__.py")
    (tmp_path / "pack/__init__.py").write_text("")
    status, out, _ = start("-m", "pack", "a", "-b", folder=tmp_path)
    assert (status, out) == (7, SHOWN)


def test_folder(program, tmp_path):
    program(SHOW, "app/__main__.py")
    status, out, _ = start("app", "a", "-b", folder=tmp_path)
    assert (status, out) == (7, SHOWN)


def test_code():
    status, out, _ = start("-c", KERNEL + "print(sys.argv[0])\n" + SHOW, "a", "-b")
    assert (status, out) == (7, "-c\n" + SHOWN)


def test_standard_input():
    status, out, _ = start("-", "a", "-b", text=KERNEL + SHOW)
    assert (status, out) == (7, SHOWN)


@pytest.mark.parametrize(("arguments", "expected", "text"), [
    ((), 2, "usage: python -m tegula.as_triton"),
    (("-x",), 2, "expected -c, -m, - or a program, got -x"),
    (("-c",), 2, "expected code after -c"),
    (("-m",), 2, "expected a module after -m"),
    (("-m", "no_such_module"), 2, "no module 'no_such_module' that can be run"),
    (("-m", "json.no_such"), 2, "no module 'json.no_such' that can be run"),
    (("/no/such.py",), 2, "cannot read '/no/such.py': No such file or directory"),
])
def test_wrong_use(arguments, expected, text):
    status, out, errors = start(*arguments)
    assert (status, out) == (expected, "") and text in errors


def test_questions():
    assert start("--help")[:2][0] == 0 and "usage:" in start("--help")[1]
    assert start("--version")[1].endswith(", as triton 3.6.0\n")
    assert os.path.isfile(os.path.join(start("--path")[1].strip(), "triton.py"))


# -- ways to end --------------------------------------------------------------------

def test_exception_shows_the_program_only(program):
    file = program("def fail():\n    return 1 // 0\nfail()\n")
    status, _, errors = start(file)
    assert status == 1
    assert errors.startswith(f'Traceback (most recent call last):\n  File "{file}", line ')
    assert errors.endswith("ZeroDivisionError: integer division or modulo by zero\n")
    assert "as_triton" not in errors and "runpy" not in errors


def test_syntax_error(tmp_path):
    (tmp_path / "wrong.py").write_text("def f(:\n")
    status, _, errors = start(tmp_path / "wrong.py")
    assert status == 1 and errors.startswith('  File "') and "SyntaxError" in errors
    assert "as_triton" not in errors


def test_module_that_imports_what_is_not_there(tmp_path):
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "prog.py").write_text("import no_such_thing\n")
    status, _, errors = start("-m", "prog", folder=tmp_path)
    assert status == 1 and "No module named 'no_such_thing'" in errors


@pytest.mark.parametrize(("code", "expected"), [
    ("sys.exit(3)", 3), ("sys.exit()", 0), ("sys.exit('text')", 1), ("", 0)])
def test_exit_status(code, expected):
    assert start("-c", f"import sys\n{code}")[0] == expected


def test_globals_live_until_the_end():
    out = run_code("""
        import atexit, math
        atexit.register(lambda: print("end", math.floor(2.5)))
    """)
    assert out == "end 2\n"


# -- other processes -----------------------------------------------------------------

@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(program, method):
    file = program(f"""
        if __name__ == "__main__":
            import multiprocessing
            with multiprocessing.get_context("{method}").Pool(1) as pool:
                print(pool.map(run, [2, 4]))
    """)
    status, out, errors = start(file)
    assert (status, out) == (0, "[[1, 2], [1, 2, 3, 4]]\n"), errors


def test_subprocess():
    out = run_code("""
        import subprocess, sys
        code = ("import triton.language as tl, tegula.language, triton, sys;"
                "print(tl is tegula.language, triton.__version__, triton.runtime.driver.active)")
        print(subprocess.check_output([sys.executable, "-c", code], text=True))
    """)
    assert out.startswith("True 3.6.0 <tegula.runtime.driver.Driver")


def test_path_for_other_programs():
    folder = start("--path")[1].strip()
    status, out, errors = start("import triton, triton.language as tl; print(tl.float32)",
                                command=("-c",),
                                PYTHONPATH=os.pathsep.join([folder, str(BUILD / "python")]))
    assert (status, out) == (0, "fp32\n") or out == "float32\n", errors


def test_pickle(program):
    status, out, errors = start(program(
        "import pickle\n"
        "print(pickle.loads(pickle.dumps(run)) is run, pickle.loads(pickle.dumps(tl.int8)))\n"))
    assert (status, out) == (0, "True int8\n"), errors


# -- what is found -------------------------------------------------------------------

NAMES = """
triton: JITFunction KernelInterface MockTensor TensorWrapper TritonError CompilationError
    InterpreterError OutOfResources AsyncCompileMode FutureKernel Config autotune heuristics cdiv
    compile constexpr_function jit language must_use_result next_power_of_2 reinterpret runtime
    set_allocator testing tools knobs backends compiler profiler __version__
triton.errors: TritonError
triton.language.core: constexpr tensor constexpr_type dtype
triton.language.extra.libdevice: rsqrt fast_expf
triton.language.extra.cuda.libdevice: rsqrt
triton.language.extra.hip.libdevice: rsqrt
triton.runtime: Autotuner Config Heuristics JITFunction KernelInterface MockTensor OutOfResources
    RedisRemoteCacheBackend RemoteCacheBackend TensorWrapper autotune driver reinterpret
triton.runtime.jit: JITFunction JITCallable KernelInterface MockTensor TensorWrapper jit
    constexpr_function reinterpret type_canonicalisation_dict get_jit_fn_file_line
triton.runtime.autotuner: Autotuner Config Heuristics autotune OutOfResources AutotunerError
triton.runtime.errors: InterpreterError OutOfResources PTXASError AutotunerError
triton.runtime.driver: driver active
triton.runtime.cache: FileCacheManager CacheManager get_cache_manager triton_key
triton.runtime.build: compile_module_from_src
triton.runtime.interpreter: InterpretedFunction
triton.runtime._allocation: NullAllocator set_allocator
triton.runtime._async_compile: AsyncCompileMode
triton.compiler: ASTSource IRSource CompiledKernel CompilationError compile make_backend
triton.compiler.compiler: ASTSource CompiledKernel make_backend triton_key LazyDict max_shared_mem
triton.compiler.errors: CompilationError CompileTimeAssertionFailure UnsupportedLanguageConstruct
triton.backends: backends BaseBackend DriverBase
triton.backends.compiler: BaseBackend GPUTarget Language
triton.backends.driver: DriverBase GPUDriver
triton.knobs: runtime cache compilation autotuning base_knobs
triton.tools.mxfp: MXFP4Tensor MXScaleTensor
triton.tools.tensor_descriptor: TensorDescriptor
triton.testing: do_bench
triton.profiler: start finalize scope
triton._C.libtriton: getenv
"""


def test_names():
    pytest.importorskip("torch", reason="torch is not installed")
    listed = [line.split(": ") for line in NAMES.replace("\n    ", " ").strip().splitlines()]
    code = "".join(f"from {module} import {', '.join(names.split())}\n" for module, names in listed)
    assert run_code(code + "print('fine')") == "fine\n"


def test_same_objects():
    assert run_code("""
        import tegula, triton, triton.language as tl, triton.testing, triton.runtime.driver as d
        import tegula.runtime.driver
        print(triton.jit is tegula.jit, tl is tegula.language, triton.testing is tegula.testing,
              d is tegula.runtime.driver, issubclass(triton.CompilationError, triton.TritonError),
              issubclass(triton.OutOfResources, triton.TritonError), repr(tl.float32))
    """) == "True True True True True True triton.language.float32\n"


def test_metadata():
    assert run_code("""
        import importlib.metadata, importlib.util
        print(importlib.metadata.version("triton"), importlib.util.find_spec("triton").name,
              importlib.util.find_spec("triton.language") is not None,
              importlib.util.find_spec("triton.ops"))
        import triton
        print(triton.__version__)
    """) == "3.6.0 triton True None\n3.6.0\n"


@pytest.mark.parametrize(("code", "text"), [
    ("import triton.foo", "no module 'triton.foo': Tegula runs this program's Triton, and has in "
                          "triton: backends, "),
    ("from triton.runtime.foo import bar", "has in triton.runtime: autotuner, build, "),
    ("import triton.experimental.gluon", "Gluon and other languages with explicit layouts are not"),
    ("from triton.experimental import gluon", "cannot import name 'gluon' from 'triton.experiment"),
    ("from triton.experimental import gluon", "Gluon and other languages"),
    ("from triton.runtime import foo", "has no such name there"),
    ("import triton.backends.nvidia.compiler", "no module 'triton.backends.nvidia': Tegula's"),
    ("import triton.ops.matmul", "no module 'triton.ops': removed from Triton"),
    ("from triton._C.libtriton import ir", "triton._C.libtriton.ir is not here: Tegula runs"),
    ("import triton._C.libtriton as l; l.ir", "triton._C.libtriton.ir is not here: Tegula runs"),
    ("import triton; triton.no_such", "module 'triton' has no attribute 'no_such' (Tegula "
     "runs this program's Triton, with the names of version 3.6.0)"),
    ("import triton.profiler.viewer as v; v.parse([], '')",
     "triton.profiler.viewer: expected a profile, but Tegula writes none; measure with "
     "triton.testing.do_bench"),
    ("from triton.runtime.interpreter import InterpretedFunction as I; I(None)",
     "InterpretedFunction: there is no interpreter; kernels run compiled on the CPU, where "
     "TRITON_INTERPRET=1 asks for it too"),
    ("from triton.runtime._allocation import NullAllocator as N; N()(8, 1, None)",
     "expected an allocator, got none: a kernel asks for 8 bytes; set one with "
     "triton.set_allocator"),
    ("import triton.backends as b\n"
     "c = b.backends['cpu'].compiler(b.backends['cpu'].driver().get_current_target())\n"
     "assert c.hash() and c.parse_options({'a': 1}) == {'a': 1} and c.get_module_map() == {}\n"
     "c.add_stages({}, {})",
     "TegulaBackend.add_stages: the stages of a kernel are made by Tegula's compiler; "
     "triton.compile returns all of them"),
    ("import triton.backends as b\n"
     "b.backends['cpu'].compiler(b.compiler.GPUTarget('cuda', 90, 32))",
     "CpuBackend: expected a target that it supports, got GPUTarget(backend='cuda', arch=90"),
    ("import triton.runtime.cache as c; c.RemoteCacheManager('key')",
     "expected TRITON_REMOTE_CACHE_BACKEND to name a class, got none"),
    ("import os, triton.runtime.build as b\n"
     "os.environ['PATH'] = ''; os.environ.pop('CC', None)\n"
     "b.compile_module_from_src('', 'x')", "expected a C compiler on the PATH, got none; set CC"),
    ("from triton import knobs; from triton.runtime.cache import FileCacheManager\n"
     "knobs.cache.dir = ''; FileCacheManager('key')",
     "expected a folder for the cache, got none; set TRITON_CACHE_DIR or knobs.cache.dir"),
])
def test_what_is_not_here(code, text):
    status, _, errors = start("-c", code)
    assert status == 1 and text in errors, errors


def test_questions_about_what_is_not_here():
    assert run_code("""
        import triton, triton._C.libtriton as lib
        print(hasattr(lib, "ir"), hasattr(triton, "no_such"), hasattr(triton, "backends"))
    """) == "False False True\n"


def test_interpret_runs_compiled():
    out = start("-c", KERNEL + "print(run(), type(add_one).__name__)", TRITON_INTERPRET="1")[1]
    assert out == "[1, 2, 3, 4] JITFunction\n"


def test_errors_by_their_classes():
    assert run_code("""
        import pickle, triton
        from triton.runtime.errors import InterpreterError, PTXASError
        e = triton.OutOfResources(5, 4, "shared memory")
        print(e.required, e.limit, e.name, isinstance(e, triton.TritonError))
        print(PTXASError("text"), isinstance(PTXASError(), triton.TritonError))
        print(pickle.loads(pickle.dumps(InterpreterError("why"))).error_message)
    """).splitlines() == ["5 4 shared memory True", "PTXAS error: text True", "why"]


def test_profiler_does_nothing():
    assert run_code("""
        import triton.profiler as proton
        session = proton.start("name", hook="triton")
        with proton.scope("part", {"flops": 1}):
            pass
        @proton.scope("all")
        def f(): return 3
        proton.deactivate(session); proton.finalize()
        print(session, f(), proton.profile(f)(), proton.profile(name="x")(f)())
    """) == "0 3 3 3\n"


def test_utilities():
    assert run_code("""
        from triton._utils import canonicalize_dtype, canonicalize_ptr_dtype as pointer
        from triton._utils import get_primitive_bitwidth as bits, validate_block_shape as check
        import numpy as np, triton.language as tl
        print(canonicalize_dtype("torch.float8_e5m2"), canonicalize_dtype(tl.int1),
              canonicalize_dtype(np.dtype("float32")), pointer(tl.bfloat16, True), bits("bool"),
              bits("fp64"), check([4, 8]))
        for shape in ([4, 8.5], [4, 6], [1 << 20, 2]):
            try:
                check(shape)
            except (TypeError, ValueError) as error:
                print(type(error).__name__, error)
    """).splitlines() == [
        "fp8e5 u1 fp32 *kbf16 1 64 32",
        "TypeError expected an integer as shape[1] of a block, got float",
        "ValueError expected a power of 2 as shape[1] of a block, got 6",
        "ValueError expected at most 1048576 elements in a block, got 2097152"]


def test_helpers_of_tests():
    pytest.importorskip("torch", reason="torch is not installed")
    assert run_code("""
        import numpy as np, torch, triton, triton.language as tl
        from triton._internal_testing import *
        from triton._internal_testing import _fresh_knobs_impl
        for name in dtypes_with_bfloat16 + ["bool"]:
            x = numpy_random((3, 5), name)
            assert x.shape == (3, 5) and np.array_equal(x, numpy_random((3, 5), name))
            back = to_numpy(to_triton(x, "cpu", name))
            assert np.array_equal(back, x) and back.dtype == x.dtype, name
            if name in integral_dtypes:
                assert (x != 0).all() and x.dtype == name
        assert (numpy_random(100, "int8", low=-2, high=2) < 2).all()
        f8 = to_triton(numpy_random(4, "float8_e5m2"), "cpu", "float8e5")
        print(f8.dtype == tl.float8e5, torch_dtype_name(f8.dtype), unwrap_tensor(f8).dtype,
              str_to_triton_dtype("float8_e4m3fn") == tl.float8e4nv, torch_dtype_name(torch.int8))
        print(is_cuda(), is_hip(), is_xpu(), is_interpreter(), is_hopper(), is_hip_cdna(),
              supports_tma(), supports_ws(), default_alloc_fn(8, 1, None).device)
        for call in (lambda: numpy_random(1, "int3"), lambda: to_numpy(3),
                     lambda: torch_dtype_name(3)):
            try:
                call()
            except (RuntimeError, ValueError, TypeError) as error:
                print(type(error).__name__, error)
        import os
        from triton import knobs
        enter, leave = _fresh_knobs_impl()
        before, knobs.autotuning.print = knobs.autotuning.print, True
        inside = enter().autotuning.print
        leave()
        print(before, inside, knobs.autotuning.print)
    """).splitlines() == [
        "True float8e5 torch.int8 True int8",
        "False False False False False False True False cpu",
        "RuntimeError expected a type of int8, int16, int32, int64, uint8, uint16, uint32, "
        "uint64, float16, float32, float64, bfloat16, got 'int3'",
        "ValueError expected a tensor, got int",
        "TypeError expected a type of torch or of the language, got int",
        "False False True"]


# -- install ------------------------------------------------------------------------

def test_install():
    status, out, errors = start("""if True:
        import tegula.as_triton
        tegula.as_triton.install(children=True)
        tegula.as_triton.install()
        import triton
        print(triton.__version__)
        tegula.as_triton.uninstall()
        try:
            import triton
        except ImportError as error:
            print(error)
    """, command=("-c",))
    assert (status, out) == (0, "3.6.0\nNo module named 'triton'\n"), errors


def test_install_after_another_triton(tmp_path):
    (tmp_path / "triton.py").write_text("")
    status, _, errors = start("import triton, tegula.as_triton; tegula.as_triton.install()",
                              command=("-c",), folder=tmp_path)
    assert status == 1
    assert ("tegula.as_triton.install: expected to be called ahead of the first 'import triton', "
            f"but {tmp_path}/triton.py is imported already") in errors


def test_install_ahead_of_another_triton(tmp_path):
    (tmp_path / "triton.py").write_text("raise SystemExit('wrong one')")
    status, out, _ = start(
        "import tegula.as_triton; tegula.as_triton.install(); import triton; print(triton.jit)",
        command=("-c",), folder=tmp_path)
    assert status == 0 and "function jit" in out


# -- files and modules that programs keep ------------------------------------------------

def test_file_cache(tmp_path):
    assert run_code("""
        import os, sys
        from triton import knobs
        from triton.runtime.cache import FileCacheManager, get_cache_manager, get_dump_manager
        c = get_cache_manager("00ff")
        assert c.get_file("a.txt") is None
        path = c.put("text", "a.txt", binary=False)
        c.put(b"data", "b.bin")
        assert path == c.get_file("a.txt") and open(path).read() == "text"
        assert get_cache_manager("00ff").has_file("b.bin") and os.listdir(c.cache_dir)
        assert c.get_group("g") is None
        c.put_group("g", {"a.txt": path, "gone": path + "x"})
        assert c.get_group("g") == {"a.txt": path}
        print(os.path.dirname(c.cache_dir), sorted(os.listdir(c.cache_dir)))
    """, TRITON_CACHE_DIR=str(tmp_path)) == f"{tmp_path} ['__grp__g', 'a.txt', 'b.bin']\n"


def test_remote_cache(tmp_path):
    (tmp_path / "far.py").write_text(textwrap.dedent("""
        from triton.runtime.cache import RemoteCacheBackend
        FILES = {}
        class Far(RemoteCacheBackend):
            def get(self, names): return {n: FILES[n] for n in names if n in FILES}
            def put(self, name, data): FILES[name] = data
    """))
    assert run_code("""
        import far, os, shutil
        from triton.runtime.cache import RemoteCacheManager
        c = RemoteCacheManager("key")
        path = c.put("text", "a")
        c.put_group("g", {"a": path})
        shutil.rmtree(os.path.dirname(path)); os.mkdir(os.path.dirname(path))
        print(sorted(far.FILES), c.get_file("none"), c.get_group("none"))
        print(c.get_group("g") == {"a": path}, open(c.get_file("a")).read())
    """, folder=tmp_path, TRITON_CACHE_DIR=str(tmp_path / "cache"),
        TRITON_REMOTE_CACHE_BACKEND="far:Far") == "['__grp__g', 'a'] None None\nTrue text\n"


def test_module_in_c(tmp_path):
    code = r'''
        from triton.runtime.build import compile_module_from_src
        source = """
        #include <Python.h>
        static PyObject *three(PyObject *s, PyObject *a) { return PyLong_FromLong(3); }
        static PyMethodDef m[] = {{"three", three, METH_NOARGS, ""}, {0}};
        static PyModuleDef d = {PyModuleDef_HEAD_INIT, "thing", 0, -1, m};
        PyMODINIT_FUNC PyInit_thing(void) { return PyModule_Create(&d); }
        """
        module = compile_module_from_src(source, "thing")
        print(module.three(), module.__file__)
    '''
    first = run_code(code, TRITON_CACHE_DIR=str(tmp_path))
    assert first.startswith(f"3 {tmp_path}")
    assert run_code(code, TRITON_CACHE_DIR=str(tmp_path), CC="/no/such/compiler") == first
