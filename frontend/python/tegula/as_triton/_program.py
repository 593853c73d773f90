# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program as the main module: a file, a folder, a module, code or the standard input.

The program's own module is `__main__` of the process until its end, so that
pickling, `atexit` and processes that are spawned see what they see under `python`.
"""

import importlib.util
import io
import linecache
import os
import runpy
import sys
import types

_OURS = (__file__, runpy.__file__, "<frozen runpy>", importlib.util.__file__)


def run(argv):
    """Runs what `argv` says, like the arguments of `python`; returns the exit status."""
    try:
        _start(argv)
    except Exception as error:
        trace = error.__traceback__
        while trace is not None and _is_ours(trace.tb_frame.f_code.co_filename):
            trace = trace.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return 1
    return 0


def _is_ours(file):
    return file in _OURS or file.startswith("<frozen importlib")


def _start(argv):
    first = argv[0]
    if first == "-c":
        sys.argv = ["-c", *argv[2:]]
        _first_folder("")
        _run_text(argv[1] + "\n", "<string>")
    elif first == "-":
        sys.argv = argv
        _first_folder("")
        _run_text(sys.stdin.read(), "<stdin>")
    elif first == "-m":
        _first_folder(os.getcwd())
        _run_module(argv[1], argv[2:])
    else:
        sys.argv = argv
        _run_path(first)


def _first_folder(folder):
    if not sys.flags.safe_path:  # else Python has put none there
        sys.path[0] = folder


def _main_module(**names):
    module = types.ModuleType("__main__")
    module.__builtins__ = __builtins__
    vars(module).update(names)
    sys.modules["__main__"] = module
    return module


def _run_text(text, name):
    # Kernels are compiled from their source, which there is no file to read again from.
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    code = compile(text, name, "exec", dont_inherit=True)
    exec(code, vars(_main_module()))


def _run_path(name):
    if os.path.isdir(name) or _is_archive(name):
        sys.path.insert(0, name)
        runpy.run_path(name, run_name="__main__")
        return
    try:
        with io.open_code(name) as file:
            text = file.read()
    except OSError as error:
        raise SystemExit(_refuse(f"cannot read '{name}': {error.strerror}")) from None
    _first_folder(os.path.dirname(os.path.realpath(name)))
    code = compile(text, name, "exec", dont_inherit=True)
    loader = importlib.machinery.SourceFileLoader("__main__", name)
    exec(code, vars(_main_module(__file__=name, __loader__=loader, __cached__=None)))


def _is_archive(name):
    try:
        with open(name, "rb") as file:
            return file.read(4) == b"PK\3\4"
    except OSError:
        return False


def _run_module(name, arguments):
    sys.argv = ["-m", *arguments]
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(name + ".__main__")
            name += ".__main__"
    except (ImportError, ValueError) as error:
        if getattr(error, "name", None) not in _prefixes(name):
            raise  # the package is there, and something that it imports is not
        spec = None
    code = spec.loader.get_code(name) if spec is not None and hasattr(
        spec.loader, "get_code") else None
    if code is None:
        raise SystemExit(_refuse(f"no module '{name}' that can be run"))
    sys.argv[0] = spec.origin
    exec(code, vars(_main_module(__file__=spec.origin, __spec__=spec, __loader__=spec.loader,
                                 __package__=spec.parent, __cached__=spec.cached)))


def _prefixes(name):
    parts = name.split(".")
    return {".".join(parts[:end]) for end in range(1, len(parts) + 1)} | {None}


def _refuse(text):
    print(f"tegula.as_triton: {text}", file=sys.stderr)
    return 2
