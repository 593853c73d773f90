# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@tegula.jit`: kernels and their launch."""

import functools
import inspect
import json
import os
import threading

from . import _tegula
from ._launch_errors import (TOLERATED, check_jit_options, check_noalias, check_options,
                             check_target, launch_error, not_a_kernel, show_signature)
from ._resolver import Resolver
from .errors import CompilationError, LaunchTypeError

# Signature type -> code of a slot in the packed block (see ext/Launcher.cpp).
_SLOT_CODES = {
    "i1": "b", "u1": "b", "i8": "b", "u8": "b", "i16": "h", "u16": "h", "i32": "i", "u32": "i",
    "i64": "q", "u64": "q", "fp16": "e", "bf16": "B", "fp32": "f", "fp64": "d",
}


class CompiledKernel:
    """One kernel compiled for one set of argument facts.

    asm: dict-like, by stage name (`tile`, `lowered`, `llvm`, `asm`, `object`);
    metadata: the manifest as a dict.
    """

    def __init__(self, function, artifact, kernel):
        self.function = function
        self.name = function.__name__
        self._artifact = artifact
        self._kernel = kernel
        self.metadata = json.loads(artifact.manifest())
        self.asm = _Stages(artifact)
        self.n_regs = 0
        self.n_spills = 0

    def __repr__(self):
        return f"<tegula.CompiledKernel {self.name} for {self.metadata.get('backend')}>"


class _Stages:
    """Stages of an artifact, under any name that they have: text, or bytes of the object."""

    _NAMES = ("tile", "lowered", "llvm", "asm", "object")

    def __init__(self, artifact):
        self._artifact = artifact

    def __getitem__(self, name):
        data = self._artifact.stage(name)
        if data is None:
            raise KeyError(f"stage '{name}' was not kept, only {', '.join(self.keys())}; set "
                           "TEGULA_KEEP=all before compiling, or use tegulac --emit")
        return data

    def __contains__(self, name):
        return self._artifact.stage(name) is not None

    def keys(self):
        return [name for name in self._NAMES if name in self]


def _annotation_type(annotation):
    """Signature type named by a parameter's annotation, or ''."""
    if isinstance(annotation, str):
        text = annotation.strip("'\" ")
        if text.split(".")[-1] == "const":
            return "*kvoid"
        return text if text in _SLOT_CODES or text.startswith("*") else ""
    if getattr(annotation, "_tegula_kind", None) == "dtype":
        return annotation._tegula_text
    return getattr(annotation, "_tegula_annotation", "")


def _is_constexpr(annotation):
    if isinstance(annotation, str):
        return annotation.strip("'\" ").split(".")[-1] == "constexpr"
    return getattr(annotation, "_tegula_is_constexpr", False)


def debug_by_default():
    """Whether TEGULA_DEBUG asks for checks in kernels that say nothing about it."""
    return os.environ.get("TEGULA_DEBUG", "0").lower() not in ("", "0", "false", "off", "no")


class JITFunction:
    """A function of the kernel language; see `jit`."""

    _tegula_kind = "function"

    def __init__(self, fn, *, do_not_specialize=(), do_not_specialize_on_alignment=(), debug=None,
                 noinline=False, repr=None, launch_metadata=None, version=None,
                 noalias=False):
        if isinstance(fn, JITFunction):
            fn = fn.fn
        if not inspect.isfunction(fn) or fn.__name__ == "<lambda>":
            raise not_a_kernel(fn)
        self.fn = fn
        self.debug = debug
        self.noinline = noinline
        self._tegula_text = fn.__name__
        self._do_not_specialize = set(do_not_specialize or ())
        self._do_not_align = set(do_not_specialize_on_alignment or ())
        functools.update_wrapper(self, fn)
        self.signature = inspect.signature(fn)
        self.arg_names = list(self.signature.parameters)
        self._rest = next((index for index, param in enumerate(self.signature.parameters.values())
                           if param.kind is param.VAR_POSITIONAL), None)
        self._noalias = check_noalias(self, noalias)
        self._launchers = {}
        self._used = []
        self._source = None
        self._lock = threading.RLock()

    # -- source --------------------------------------------------------------

    def _read_source(self):
        if self._source is None:
            try:
                lines, first = inspect.getsourcelines(self.fn)
            except (OSError, TypeError) as error:
                code = self.fn.__code__
                raise CompilationError(
                    f"{code.co_filename}:{code.co_firstlineno}:1: error: the source of kernel "
                    f"'{self.__name__}' cannot be read: {error}", id="no-source",
                    hint="define kernels in a file, a notebook cell or through linecache") from None
            self._source = ("".join(lines), inspect.getsourcefile(self.fn) or
                            self.fn.__code__.co_filename, max(first, 1))
        return self._source

    @property
    def source(self):
        return self._read_source()[0]

    src = source

    @property
    def file(self):
        return self._read_source()[1]

    @property
    def first_line(self):
        return self._read_source()[2]

    def closure_variables(self):
        code = self.fn.__code__
        cells = self.fn.__closure__ or ()
        values = {}
        for name, cell in zip(code.co_freevars, cells):
            try:
                values[name] = cell.cell_contents
            except ValueError:
                pass  # not bound yet
        return values

    # -- launching -------------------------------------------------------------

    def _parameter_facts(self):
        facts = []
        for index, (name, param) in enumerate(self.signature.parameters.items()):
            if param.kind is param.VAR_KEYWORD:
                raise CompilationError(
                    f"{self.file}:{self.first_line}:1: error: expected named parameters of kernel "
                    f"'{self.__name__}', got '**{name}'; pass values as parameters of their own",
                    id="not-a-kernel")
            annotation = "" if param.annotation is param.empty else param.annotation
            named = {index, name}
            value = not (named & self._do_not_specialize)
            align = value and not (named & self._do_not_align)
            is_rest = param.kind is param.VAR_POSITIONAL
            has_default = is_rest or param.default is not param.empty
            default = () if is_rest else param.default if has_default else None
            if getattr(default, "_tegula_kind", None) == "constexpr":
                default = default.value
            noalias = self._noalias is True or name in self._noalias
            facts.append((name, _is_constexpr(annotation), value, align, noalias,
                          _annotation_type(annotation), has_default, default))
        return facts

    def _launcher(self):
        target = os.environ.get("TEGULA_TARGET"), debug_by_default()
        launcher = self._launchers.get(target)
        if launcher is None:
            with self._lock:
                launcher = self._launchers.setdefault(
                    target, _tegula.Launcher(self._parameter_facts(), self, TOLERATED))
        for namespace, name, value in self._used:
            if namespace.get(name, self) is not value:
                launcher.clear()
                self._used = []
                break
        return launcher

    def _compile(self, specs, options):
        """Compiles for one set of facts; called by the launcher on a new key."""
        options = check_options(self, options)
        target = options.pop("target", None)
        check_target(self, target, specs)
        if "debug" not in options and (debug_by_default() if self.debug is None else self.debug):
            options["debug"] = True
        resolver = Resolver(self)
        text = {key: str(value) for key, value in options.items() if value is not None}
        artifact = _tegula.compile(self.source, self.file, self.first_line, self.fn.__name__, specs,
                                   target, text, resolver, None, os.environ.get("TEGULA_KEEP"))
        warnings = artifact.warnings()
        if warnings:
            import sys
            print(warnings, file=sys.stderr, end="")
        kernel = artifact.load()
        handle = CompiledKernel(self, artifact, kernel)
        slots = []
        for arg in handle.metadata["args"]:
            code = "p" if arg["type"].startswith("*") else _SLOT_CODES[arg["type"]]
            slots.append((arg["name"], arg["offset"], code, arg.get("access", "")))
        self._used.extend(resolver.used)
        return handle, kernel, slots, handle.metadata["args_size"]

    # The launcher asks for these where it finds something wrong.

    def _check_options(self, options):
        check_options(self, options)

    def _launch_error(self, id, kind, index, text, cause):
        return launch_error(self, id, kind, index, text, cause)

    def _gather(self, args):
        """Positional arguments with what `*name` takes as one tuple."""
        rest = self._rest
        return args if rest is None or len(args) < rest else (*args[:rest], args[rest:])

    def run(self, *args, grid, warmup=False, **kwargs):
        """Launches over `grid`; with warmup only compiles. Returns the kernel."""
        return self._launcher().launch(grid, self._gather(args), kwargs, warmup)

    def warmup(self, *args, grid=(1,), **kwargs):
        """Compiles for these arguments without running."""
        return self._launcher().launch(grid, self._gather(args), kwargs, True)

    def __getitem__(self, grid):
        launcher = self._launcher()
        if self._rest is not None:
            return lambda *args, **kwargs: launcher.launch(grid, self._gather(args), kwargs)

        def start(*args, **kwargs):
            return launcher.launch(grid, args, kwargs)

        return start

    def __call__(self, *args, **kwargs):
        raise LaunchTypeError(
            f"kernel '{self.__name__}': expected a grid, got a plain call; write "
            f"{self.__name__}[grid](...), or call it from another kernel"
            f"\n{show_signature(self)}", id="no-grid")

    def __repr__(self):
        return f"<tegula.JITFunction {self.__module__}.{self.__qualname__}>"


def must_use_result(fn):
    """Makes it a compile error to call the jit function `fn` and drop what it returns."""
    if isinstance(fn, str):  # the text of a message, as an argument of the decorator
        return must_use_result
    fn._tegula_must_use_result = True
    return fn


def jit(fn=None, **options):
    """Makes a kernel of a function: `@jit`, `@jit(...)` or `f = jit(f)`.

    options: do_not_specialize (names or positions whose value is never compiled
    in), do_not_specialize_on_alignment, debug, noinline, repr, launch_metadata,
    noalias (True, or names of pointer parameters whose memory no other argument
    reaches: a promise that lets the compiler reorder, checked at each launch).
    Start it with `kernel[grid](*args, **constants)`; the grid is 1 to 3 sizes,
    or a function of the bound arguments that returns them.
    """
    check_jit_options(options)
    if fn is None:
        return functools.partial(jit, **options)
    made = JITFunction(fn, **options)
    made._tegula_must_use_result = getattr(fn, "_tegula_must_use_result", False)
    return made
