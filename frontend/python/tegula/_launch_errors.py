# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts of the errors of launches, and checks that only a new set of facts needs.

A note shows the kernel's signature and where it is defined.
"""

import difflib
import operator
import os
import re

from . import _tegula, knobs
from .errors import (AutotunerError, CompileTimeAssertionFailure, LaunchError, LaunchOverflowError,
                     LaunchTypeError, LaunchValueError, OutOfResources, PluginError, TargetError)

# Options of a launch. The second group is meant for other vendors' compilers
# and is accepted without effect, so that portable kernels can pass it.
OPTIONS = ("num_warps", "num_stages", "num_ctas", "debug", "sanitize_overflow",
           "enable_fp_fusion", "target")
TOLERATED = frozenset((
    "maxnreg", "launch_cooperative_grid", "launch_pdl", "extern_libs",
    "ptx_version", "ptx_options", "ir_override", "min_shared_mem", "clc",
    "enable_reflect_ftz", "instrumentation_mode", "waves_per_eu", "matrix_instr_nonkdim", "kpack",
    "schedule_hint", "allow_flush_denorm", "llvm_fn_attrs", "num_buffers_warp_spec",
    "num_consumer_groups", "reg_dec_producer", "reg_inc_consumer",
))

JIT_OPTIONS = ("do_not_specialize", "do_not_specialize_on_alignment", "debug", "noinline",
               "noalias", "repr", "launch_metadata", "version")


class NumWarpsError(LaunchValueError, AssertionError):
    """num_warps is no power of 2; programs of old expect a failed assertion."""


_CLASSES = {"t": LaunchTypeError, "v": LaunchValueError, "o": LaunchOverflowError, "l": LaunchError}


def _short(text):
    """Types by the short names that kernels use."""
    return re.sub(r"\b(tegula|triton)\.language\.", "tl.", text)


def _show_annotation(annotation):
    if isinstance(annotation, str):
        return annotation.strip("'\" ").split(".")[-1]
    if getattr(annotation, "_tegula_kind", None) == "dtype":
        return _short(repr(annotation))
    return getattr(annotation, "__name__", type(annotation).__name__)


def _show_default(value):
    try:
        text = _short(repr(value))
    except Exception:  # pylint: disable=broad-except
        return "..."
    return text if len(text) <= 30 else "..."


def show_signature(function):
    """`note: k(x, n, BLOCK: constexpr = 16) is defined at FILE:LINE`."""
    shown = []
    for name, param in function.signature.parameters.items():
        text = ("*" if param.kind is param.VAR_POSITIONAL else
                "**" if param.kind is param.VAR_KEYWORD else "") + name
        if param.annotation is not param.empty:
            text += ": " + _show_annotation(param.annotation)
        if param.default is not param.empty:
            text += (" = " if ":" in text else "=") + _show_default(param.default)
        shown.append(text)
    fn = getattr(function, "base_fn", function.fn)
    if fn is None:  # it came from another process
        return f"note: {function.__name__}({', '.join(shown)})"
    code = fn.__code__
    return (f"note: {function.__name__}({', '.join(shown)}) is defined at "
            f"{code.co_filename}:{code.co_firstlineno}")


def one_line(error):
    """What an exception says, for the end of a line."""
    try:
        lines = str(getattr(error, "message", error)).strip().splitlines()
    except Exception:  # pylint: disable=broad-except
        lines = []
    text = lines[0].strip() if lines else ""
    text = text if len(text) <= 200 else text[:200] + "..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def launch_error(function, id, kind, index, text, cause):
    """The exception for a launch of `function` that cannot be done.

    index: of the parameter, or -1; cause: the exception that led to it, or None.
    """
    names = function.arg_names
    if cause is not None:
        text += " " + one_line(cause)
        if id == "invalid-grid" and isinstance(cause, KeyError):
            text += f"; it gets a dict of the arguments: {', '.join(names)}"
    if id.startswith("launch-argument") and names and names[0] in ("self", "cls") and index <= 0:
        text = (text.split(";")[0] + "; a kernel is no method: write @staticmethod above its "
                f"decorator, and drop '{names[0]}'")
    subject = f"argument '{names[index]}' of kernel" if index >= 0 else "kernel"
    message = f"{subject} '{function.__name__}': {text}"
    if id != "invalid-grid":
        message += "\n" + show_signature(function)
    return _CLASSES[kind](message, id=id)


def not_a_kernel(fn):
    """The exception for a decorated object that is no function."""
    kind = type(fn).__name__
    text = f"expected a function for jit, got {'the class' if isinstance(fn, type) else kind}"
    if isinstance(fn, (staticmethod, classmethod)):
        text += f"; write @{kind} above the decorator" if kind == "staticmethod" else (
            "; a kernel is no method: write @staticmethod above the decorator")
    elif kind == "function":
        text = "expected a function with a name for jit, got a lambda; write it with def"
    elif isinstance(fn, type):
        text += f" '{fn.__name__}'"
    elif hasattr(fn, "base_fn"):
        text += "; write @jit below it"
    return LaunchTypeError(text, id="not-a-kernel")


def check_jit_options(options):
    """Options of the decorator, by name only."""
    for key in options:
        if key not in JIT_OPTIONS:
            raise LaunchTypeError(
                f"expected an option of jit, got keyword '{key}'{_suggest(key, JIT_OPTIONS)}"
                f"\nnote: options of jit are {', '.join(JIT_OPTIONS)}", id="unknown-option")


def check_noalias(function, noalias):
    """Names of the parameters that `noalias` promises about, or True for all."""
    if noalias is None or isinstance(noalias, bool):
        return bool(noalias) or ()
    given = (noalias,) if isinstance(noalias, str) else noalias
    try:
        given = tuple(given)
    except TypeError:
        given = (noalias,)
    for name in given:
        if not isinstance(name, str) or name not in function.arg_names:
            raise LaunchTypeError(
                f"option 'noalias' of kernel '{function.__name__}': expected True or names of "
                f"parameters, got {name!r}{_suggest(name, function.arg_names)}"
                f"\n{show_signature(function)}", id="invalid-option")
    return given


def not_tunable(fn, decorator):
    """The exception for what autotune or heuristics decorate, if it is no kernel."""
    kind = type(fn).__name__
    if kind in ("function", "type"):
        kind = f"the {'class' if kind == 'type' else kind} '{fn.__name__}'"
    return LaunchTypeError(f"expected a kernel for {decorator}, got {kind}; write it above "
                           "@tegula.jit", id="not-a-kernel")


def invalid_autotune(owner, option, expected, value, known=()):
    """The exception for a wrong option of autotune, Config or heuristics."""
    shown = _show_default(value)
    got = shown if isinstance(value, str) else type(value).__name__ + (
        f" {shown}" if isinstance(value, (int, float)) else "")
    return LaunchTypeError(f"option '{option}' of {owner}: expected {expected}, got {got}"
                           f"{_suggest(value, known)}", id="invalid-option")


def unknown_key_text(tuner, name):
    """A warning: the choice cannot depend on what is no parameter."""
    return (f"autotune of kernel '{tuner.__name__}': expected names of parameters as key, got "
            f"{name!r}, which is ignored{_suggest(name, tuner.arg_names)}")


def array_as_key_text(tuner, name):
    """A warning: every array would be a key of its own."""
    return (f"autotune of kernel '{tuner.__name__}': expected a value as key '{name}', got an "
            "array, which is ignored; element types of arrays are part of the key anyway")


def unhashable_key(tuner, name, value):
    """The exception for a key that cannot be looked up."""
    return LaunchTypeError(
        f"autotune of kernel '{tuner.__name__}': expected a hashable value of the key '{name}', "
        f"got {type(value).__name__}", id="launch-argument-type")


def config_clash(tuner, names):
    """The exception for arguments that the configurations give too."""
    shown = ", ".join(f"'{name}'" for name in names)
    return LaunchValueError(
        f"kernel '{tuner.__name__}': expected {shown} from its autotune configurations, got "
        f"{'it' if len(names) == 1 else 'them'} from the launch too; leave "
        f"{'it' if len(names) == 1 else 'them'} out\n{show_signature(tuner)}",
        id="launch-arguments")


def no_config_left(tuner):
    """The exception for a pruning function that leaves nothing."""
    return AutotunerError(
        f"autotune of kernel '{tuner.__name__}': expected at least one configuration from "
        "early_config_prune, got none", id="no-configuration")


def all_configs_failed(tuner, failures):
    """The exception when no configuration works; the one of all if all say the same.

    Only the first lines count: what follows shows the constants of each. What a kernel
    asserts of its constants, and resources, are matters of configurations all the same.
    """
    errors = list(failures.values())
    is_about_them = isinstance(errors[0], (CompileTimeAssertionFailure, OutOfResources))
    if not is_about_them and len(
            {(type(error), str(error).partition("\n")[0]) for error in errors}) == 1:
        if len(errors) > 1:
            errors[0].add_note(f"in all {len(errors)} configurations of autotune")
        return errors[0]
    text = f"autotune of kernel '{tuner.__name__}': none of {len(errors)} configurations works"
    for config, error in failures.items():
        text += f"\nnote: {config!r}: {one_line(error)}"
    return LaunchError(text, id="no-configuration")


def _suggest(name, known):
    near = difflib.get_close_matches(name, known, 1) if isinstance(name, str) else []
    return f"; did you mean '{near[0]}'?" if near else ""


def _invalid_option(function, key, expected, value, cls=LaunchTypeError):
    shown = _show_default(value)
    got = f"{type(value).__name__} {shown}" if shown != "..." else type(value).__name__
    return cls(f"option '{key}' of kernel '{function.__name__}': expected {expected}, got {got}",
               id="invalid-option")


def check_options(function, options):
    """The options of a launch as plain ints, bools and text."""
    result = {}
    for key, value in options.items():
        if key not in OPTIONS:
            near = _suggest(key, [*function.arg_names, *OPTIONS, *TOLERATED])
            raise LaunchTypeError(
                f"kernel '{function.__name__}': expected a parameter or a launch option, got "
                f"keyword '{key}'{near}\n{show_signature(function)}"
                f"\nnote: launch options are {', '.join(OPTIONS)}", id="unknown-option")
        if value is None:
            continue
        if key == "target":
            if not isinstance(value, (str, os.PathLike)):
                raise _invalid_option(
                    function, key, "the name of a target or the path of a descriptor", value)
            value = os.fsdecode(value)
        elif key in ("debug", "sanitize_overflow", "enable_fp_fusion"):
            is_bool = type(value).__name__ in ("bool", "bool_")  # NumPy's too
            if not is_bool and not (isinstance(value, int) and value in (0, 1)):
                raise _invalid_option(function, key, "True or False", value)
            value = bool(value)
        else:
            least = 0 if key == "num_stages" else 1
            expected = f"an integer from {least} to 1024"
            try:
                number = operator.index(value)
            except TypeError:
                raise _invalid_option(function, key, expected, value) from None
            if isinstance(value, bool):
                raise _invalid_option(function, key, expected, value)
            if not least <= number <= 1024:
                raise _invalid_option(function, key, expected, value, LaunchValueError)
            if key == "num_warps" and number & (number - 1):
                raise NumWarpsError(
                    f"option 'num_warps' of kernel '{function.__name__}': must be a power of 2, "
                    f"got {number}", id="invalid-option")
            value = number
        result[key] = value
    return result


def check_target(function, target, specs, device):
    """The target must serve the device of the arrays; an error names both."""
    if target is None and not knobs.runtime.target:
        return
    wanted = target or knobs.runtime.target
    if target is None and wanted == os.environ.get("TEGULA_TARGET"):
        wanted = None  # so that an error names the variable
    try:
        _tegula.target(wanted, *device)
        return
    except TargetError as error:
        if error.id != "target-device":
            raise
        failure = error
    identity, backend = _tegula.target(wanted)[:2]
    if backend == "cpu" or device[0] != "cpu":
        raise failure  # of the right backend, but code that does not run here
    for index, (_, type_, _, _) in enumerate(specs):
        if type_ is not None and type_.startswith("*"):
            source = "option 'target'" if target is not None else "TEGULA_TARGET"
            raise launch_error(
                function, "wrong-device", "v", index,
                f"expected memory of a device that target '{identity}' ({source}, backend "
                f"'{backend}') serves, got an array in host memory, which backend 'cpu' serves; "
                "choose a target for the CPU, or move the array", None) from None
    raise failure
