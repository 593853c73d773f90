# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launch side of a kernel: from a grid and arguments to the launcher.

`kernel[grid](...)` runs in C (ext/LauncherType.cpp, ext/Launch.cpp): it binds
arguments, looks for a kernel that was compiled for their facts, asks `_compile` for
one on a miss, and starts it. Here is what it asks for seldom.
"""

from . import _tegula, knobs
from ._launch_errors import TOLERATED, check_options, launch_error, show_signature
from ._mock import mocked, placed
from .errors import CompilationError, LaunchTypeError

# Signature type -> code of a slot in the packed block (see ext/Packing.cpp).
SLOT_CODES = {
    "i1": "b", "u1": "b", "i8": "b", "u8": "b", "i16": "h", "u16": "h", "i32": "i", "u32": "i",
    "i64": "q", "u64": "q", "fp16": "e", "bf16": "B", "fp32": "f", "fp64": "d",
}


def annotation_type(annotation):
    """Signature type named by a parameter's annotation, or ''."""
    if isinstance(annotation, str):
        text = annotation.strip("'\" ")
        if text.split(".")[-1] == "const":
            return "*kvoid"
        return text if text in SLOT_CODES or text.startswith("*") else ""
    if getattr(annotation, "_tegula_kind", None) == "dtype" and not isinstance(annotation, type):
        return annotation._tegula_text
    return getattr(annotation, "_tegula_annotation", "")


def is_constexpr(annotation):
    """Whether a parameter's annotation says that it is known at compile time."""
    if isinstance(annotation, str):
        return annotation.strip("'\" ").split(".")[-1] == "constexpr"
    return getattr(annotation, "_tegula_is_constexpr", False)


def debug_by_default():
    """Whether TEGULA_DEBUG asks for checks in kernels that say nothing about it."""
    return knobs.runtime.debug


def _settings():
    """What every kernel is compiled for beside its arguments."""
    return knobs.runtime.target, debug_by_default()


_tegula.watch_settings(("TEGULA_TARGET", "TEGULA_DEBUG", "TRITON_DEBUG"), _settings)


# What stays of a kernel without its function: enough to launch what was compiled of it.
_WITHOUT_FUNCTION = (
    "__name__", "__qualname__", "__module__", "name", "module", "hash", "_source", "debug",
    "noinline", "version", "repr", "_tegula_text", "_do_not_specialize", "_do_not_align",
    "do_not_specialize", "do_not_specialize_on_alignment", "signature", "arg_names", "params",
    "constexpr_names", "constexprs", "_rest", "_noalias",
)


def _without_function(cls, facts):
    """A kernel of which there are only facts; for pickle."""
    kernel = cls.__new__(cls)
    kernel._begin_without_function()
    vars(kernel).update(facts)
    return kernel


class Launching(_tegula.Launcher):
    """Base of JITFunction: binding, launching, warming up."""

    _tolerated_options = TOLERATED

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
            facts.append((name, is_constexpr(annotation), value, align, noalias,
                          annotation_type(annotation), has_default, default, is_rest))
        return facts

    # The launcher asks for these where it finds something wrong.

    def _check_options(self, options):
        check_options(self, options)

    def _launch_error(self, id, kind, index, text, cause):
        return launch_error(self, id, kind, index, text, cause)

    def run(self, *args, grid, warmup=False, **kwargs):
        """Launches over `grid`; with warmup only compiles. Returns the kernel."""
        if warmup:
            return self.warmup(*args, grid=grid, **kwargs)
        return self._launch(grid, args, kwargs)

    def warmup(self, *args, grid=(1,), **kwargs):
        """Compiles for these arguments without running.

        An array may be given by its element type alone, as of any library: it counts as one
        whose address is a multiple of 16.
        """
        args, kwargs = mocked(self, args, kwargs)
        with self._warming_up() as pending, placed(args, kwargs):
            handle = self._launch(grid, args, kwargs, True)
        return pending.future if handle is None else handle

    def __reduce__(self):
        if self.fn is None:  # what is left without its function: names and facts
            facts = {name: vars(self)[name] for name in _WITHOUT_FUNCTION if name in vars(self)}
            return _without_function, (type(self), facts)
        return self.__qualname__  # as a function: copies are the kernel itself

    def __call__(self, *args, **kwargs):
        raise LaunchTypeError(
            f"kernel '{self.__name__}': expected a grid, got a plain call; write "
            f"{self.__name__}[grid](...), or call it from another kernel"
            f"\n{show_signature(self)}", id="no-grid")
