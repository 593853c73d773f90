# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tegula.compile`."""

import inspect
import os

from .. import _hooks, _tegula, knobs
from .._compiled import CompiledKernel
from .._launch_errors import check_options
from .._timing import Stopwatch
from ..errors import LaunchTypeError, TargetError
from ..runtime.driver import Target as GPUTarget
from .sources import ASTSource, IRSource


def _target_name(target):
    """The name of a target for the compiler; None for the machine's own."""
    if target is None or isinstance(target, str):
        return target
    if isinstance(target, os.PathLike):
        return os.fspath(target)
    backend, arch = getattr(target, "backend", None), getattr(target, "arch", None)
    if not isinstance(backend, str):
        raise LaunchTypeError(
            f"compile: expected a GPUTarget, the name of a target or the path of a descriptor as "
            f"target, got {type(target).__name__}", id="invalid-option")
    if backend == "cpu":
        return "cpu"
    if backend in ("cuda", "nvidia"):
        return _chip(arch)
    return f"{backend}-{arch}"


def _chip(arch):
    """A target for an NVIDIA chip: 90, "90" or "sm_90a"; from 90 on with what is the chip's own."""
    name = str(arch)
    if name.isdigit():
        name = f"sm_{name}{'a' if int(name) >= 90 else ''}"
    return f"nvidia/{name}"


class _TileFunction:
    """Stands for the function of a kernel that is given as tile IR."""

    debug = None
    launch_metadata = None

    def __init__(self, name, args, path):
        self.__name__, self.name, self.path = name, name, path
        self.arg_names = [arg["name"] for arg in args]
        self.signature = inspect.Signature(
            [inspect.Parameter(arg, inspect.Parameter.POSITIONAL_OR_KEYWORD)
             for arg in self.arg_names])
        self.fn = _launch_this

    def _parameter_facts(self):
        return [(name, False, False, True, False, "", False, None) for name in self.arg_names]


def _launch_this():
    """What errors of launches point to for a kernel given as tile IR."""


def _given_options(function, options):
    if options is not None and not hasattr(options, "items"):
        raise LaunchTypeError(f"compile: expected a dict of launch options as options, got "
                              f"{type(options).__name__}", id="invalid-option")
    options = dict(options) if options is not None else {}
    from .._launch_errors import TOLERATED
    return check_options(function, {key: value for key, value in options.items()
                                    if key not in TOLERATED})


def _at_launch(options):
    """Those options that say how launches are done: with these, all of the kernel's are."""
    return {key: True for key in ("launch_cooperative_grid", "launch_pdl")
            if options and options.get(key)}


class _Named:
    """What errors about options of a file show."""

    arg_names = ()
    signature = inspect.Signature()

    def __init__(self, name):
        self.__name__ = name
        self.fn = _launch_this


def _compile_file(source, target, options):
    options = _given_options(_Named(source.name), options)
    target = options.pop("target", target)
    knobs.publish_settings()
    watch = Stopwatch()
    path = source.path if source.path.endswith(".mlir") else source.path + ".mlir"
    text = {key: str(value) for key, value in options.items() if key != "enable_fp_fusion"}

    def run(keep):
        return _tegula.compile(source.src, path, 1, source.name, [], target, text, None, None, keep)

    artifact = run(",".join(knobs.compilation.keep) or None)
    is_cached = artifact.is_cached()
    handle = CompiledKernel(None, artifact, src=source, options=options, target=target,
                            remake=lambda: run("all"))
    args = handle.metadata["args"]
    handle.jit_function = _TileFunction(source.name, args, source.path)
    handle.specs = [(arg["name"], arg["type"] + (":16" if arg.get("divisibility", 1) >= 16 else ""),
                     False, None) for arg in args]
    _hooks.compiled(handle, watch.times(is_cached), is_cached)
    return handle


def compile(src, target=None, options=None):
    """Compiles without a launch; returns a CompiledKernel, which `[grid](*args)` launches.

    src: an ASTSource, an IRSource, or the path of a file of tile IR; target: a
    GPUTarget, the name of a target or the path of a descriptor, None for the
    machine's own; options: a dict of launch options (num_warps, ...).
    Raises CompilationError for a wrong kernel, TargetError for a target that is
    not here. Kernels compiled so are not kept in the kernel's own cache.
    """
    if isinstance(src, (str, os.PathLike)):
        src = IRSource(src)
    if not isinstance(src, (ASTSource, IRSource)):
        raise LaunchTypeError(
            "compile: expected an ASTSource, an IRSource or the path of a file of tile IR, got "
            f"{type(src).__name__}; write ASTSource(kernel, signature, constexprs)",
            id="invalid-source")
    name = _target_name(target)
    if isinstance(src, IRSource):
        return _compile_file(src, name, options)
    function = src.fn
    specs = src.specs()
    given, options = options, _given_options(function, options)
    options.setdefault("target", name)
    if options["target"] is None:
        del options["target"]
    facts = function._facts(specs, options, None, _tegula.torch_device(), False)
    handle, _, times, is_cached = function._build(facts)
    handle._launch_with(_at_launch(given))
    _hooks.compiled(handle, times, is_cached)
    return handle


class Backend:
    """What a target compiles to, for code that asks a compiler's backend."""

    binary_ext = "object"

    def __init__(self, target):
        self.target = target

    def parse_options(self, options):
        """The options that a compile would have, as attributes."""
        return _Options(_given_options(_Named("parse_options"), options))

    def hash(self):
        return f"tegula-{_tegula.version}-{self.target.backend}-{self.target.arch}"


class _Options:
    def __init__(self, given):
        self.__dict__.update({"num_warps": 4, "num_stages": 3, "num_ctas": 1, "debug": False,
                              "sanitize_overflow": False, "enable_fp_fusion": True, **given})

    def hash(self):
        import hashlib

        return hashlib.sha256(repr(sorted(self.__dict__.items())).encode()).hexdigest()


def make_backend(target):
    """The Backend of a GPUTarget."""
    _tegula.target(_target_name(target))  # raises for one that is not here
    return Backend(target)


__all__ = ["ASTSource", "CompiledKernel", "GPUTarget", "IRSource", "compile", "make_backend"]
