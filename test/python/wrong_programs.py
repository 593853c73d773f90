#!/usr/bin/env python3
# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong programs and the whole text that answers them: test/wrong/*.case.

A file holds cases; a case starts with `=== name` and has sections, each headed
by a line `--- kind`:

    === misspelt-name
    --- kernel: *fp32, i32 ; num_warps=4
    @triton.jit
    def k(p, n):
        tl.store(p, valeu)
    --- expect
    k.py:3:17: error: name 'valeu' is not defined [undefined-name]
    ...

Kinds, one of the first three per case:
  kernel: SIGNATURE [; OPTION=VALUE ...]   a file k.py whose first kernel (or `k`) is compiled
          for the CPU; the answer is the message of the status, or the warnings. Imports of
          triton and tl are added at its end unless it imports something itself
  python  a program run with numpy as np, tegula, tl, tegula.jit as jit; the answer is
          `Class: text` of the exception that ends it
  command a shell script run in an empty folder; the answer is what it prints, and a last
          line `exit N` unless it ends with 0
  file: NAME  a file that the command finds in its folder
  expect  the whole answer

Lines `# ...` ahead of the first section are comments. Folders that differ from
machine to machine read <tmp>, <build> and <root>; addresses read 0x<address>.

To write the answers anew after a change, and then to read each of them:
    test/python/wrong_programs.py --rewrite [FILE...]
"""

import argparse
import ctypes
import linecache
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TEGULA_BUILD", ROOT / "build"))
CASES = ROOT / "test/wrong"


@dataclass
class Case:
    name: str
    path: pathlib.Path
    line: int
    kind: str = ""
    argument: str = ""
    body: str = ""
    files: dict = field(default_factory=dict)
    expected: str = ""


def parse(path):
    """The cases of a file; raises ValueError with the place of a malformed one."""
    cases, section, lines = [], None, []

    def close():
        if section is None:
            return
        text = "".join(f"{line}\n" for line in lines)
        kind, _, argument = section.partition(":")
        case, argument = cases[-1], argument.strip()
        if kind in ("kernel", "python", "command"):
            if case.kind:
                raise ValueError(f"{path}:{case.line}: case {case.name} has two programs")
            case.kind, case.argument, case.body = kind, argument, text
        elif kind == "file":
            case.files[argument] = text
        elif kind == "expect":
            case.expected = text
        else:
            raise ValueError(f"{path}:{case.line}: no section {kind!r} (case {case.name})")

    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("=== "):
            close()
            section, lines = None, []
            cases.append(Case(line[4:].strip(), path, number))
        elif line.startswith("--- ") and cases:
            close()
            section, lines = line[4:].strip(), []
        elif section is not None:
            lines.append(line)
    close()
    for case in cases:
        if not case.kind:
            raise ValueError(f"{path}:{case.line}: case {case.name} has no program")
    return cases


# --- Kernels, through the C API ----------------------------------------------------


class _Source(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("text", ctypes.c_char_p),
                ("text_size", ctypes.c_size_t), ("file", ctypes.c_char_p),
                ("first_line", ctypes.c_uint32)]


class _KeyValue(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class _Request(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("source", _Source), ("kernel", ctypes.c_char_p),
                ("params", ctypes.c_void_p), ("num_params", ctypes.c_size_t),
                ("signature", ctypes.c_char_p), ("target", ctypes.c_void_p),
                ("options", ctypes.POINTER(_KeyValue)), ("num_options", ctypes.c_size_t),
                ("resolver", ctypes.c_void_p), ("emit", ctypes.c_char_p),
                ("keep", ctypes.c_char_p)]


def _library():
    if not hasattr(_library, "loaded"):
        library = ctypes.CDLL(str(BUILD / "lib/libTegulaRuntime.so"))
        library.tg_compile.restype = ctypes.c_void_p
        library.tg_compile.argtypes = [ctypes.POINTER(_Request), ctypes.POINTER(ctypes.c_void_p)]
        for name in ("tg_status_message", "tg_status_hint", "tg_artifact_warnings"):
            function = getattr(library, name)
            function.restype, function.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
        library.tg_target_resolve.restype = ctypes.c_void_p
        library.tg_target_resolve.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)]
        for name in ("tg_status_free", "tg_artifact_free", "tg_target_free"):
            getattr(library, name).argtypes = [ctypes.c_void_p]
        _library.loaded = library
    return _library.loaded


def compile_text(text, signature, options=(), kernel=None, emit="object", file="k.py",
                 target=None):
    """What the compiler says of a file: the message of its status, or its warnings.

    target: a name or a descriptor file; without one, as the environment says.
    """
    library = _library()
    if kernel is None:
        names = re.findall(r"jit[^\n]*\n(?:@[^\n]*\n)*def (\w+)", text)
        kernel = "k" if "k" in names or not names else names[0]
    data = text.encode("utf-8", "surrogateescape")
    pairs = (_KeyValue * max(len(options), 1))(
        *[_KeyValue(k.encode(), v.encode()) for k, v in options])
    source = _Source(ctypes.sizeof(_Source), data, len(data), file.encode(), 1)
    resolved = ctypes.c_void_p()
    if target:
        problem = library.tg_target_resolve(str(target).encode(), ctypes.byref(resolved))
        assert not problem, library.tg_status_message(problem)
    request = _Request(ctypes.sizeof(_Request), source, kernel.encode(), None, 0,
                       signature.encode(), resolved, pairs, len(options), None, emit.encode(), None)
    artifact = ctypes.c_void_p()
    status = library.tg_compile(ctypes.byref(request), ctypes.byref(artifact))
    library.tg_target_free(resolved)
    if status:
        message = library.tg_status_message(status).decode()
        hint = library.tg_status_hint(status).decode()
        library.tg_status_free(status)
        return message.rstrip("\n") + (f"\nhint: {hint}\n" if hint else "\n")
    warnings = library.tg_artifact_warnings(artifact).decode()
    library.tg_artifact_free(artifact)
    return warnings or "compiled\n"


def run_kernel(case):
    signature, _, rest = case.argument.partition(" ;")
    options = [tuple(word.split("=", 1)) for word in rest.split()]
    kernel = dict(options).get("kernel")
    emit = dict(options).get("emit", "object")
    options = [o for o in options if o[0] not in ("kernel", "emit")]
    # `\xNN` stands for a byte that the case file itself cannot hold.
    text = re.sub(r"<\\x([0-9a-f]{2})>",
                  lambda m: bytes([int(m[1], 16)]).decode("utf-8", "surrogateescape"), case.body)
    if "import" not in text:
        text += "\nimport tegula as triton\nimport tegula.language as tl\n"
    return compile_text(text, signature.strip(), options, kernel, emit)


# --- Python and commands -------------------------------------------------------------


def run_python(case):
    if str(BUILD / "python") not in sys.path:
        sys.path.insert(0, str(BUILD / "python"))
    import numpy as np
    import tegula
    import tegula.language as tl
    file = f"{case.name}.py"
    linecache.cache[file] = (len(case.body), None, case.body.splitlines(keepends=True), file)
    names = {"np": np, "tegula": tegula, "tl": tl, "jit": tegula.jit, "__name__": case.name}
    try:
        exec(compile(case.body, file, "exec"), names)  # pylint: disable=exec-used
    except Exception as error:  # pylint: disable=broad-except
        return f"{type(error).__name__}: {error}\n"
    return "no error\n"


def run_command(case):
    with tempfile.TemporaryDirectory(prefix="tegula-wrong-") as folder:
        for name, text in case.files.items():
            target = pathlib.Path(folder, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        keep = {k: v for k, v in os.environ.items() if not k.startswith("TEGULA_")}
        environment = keep | {"PATH": f"{BUILD / 'bin'}:{keep.get('PATH', '/usr/bin:/bin')}",
                              "TEGULA_CACHE_DIR": f"{folder}/cache",
                              "PYTHONPATH": str(BUILD / "python"), "PYTHON": sys.executable}
        done = subprocess.run(["/bin/sh", "-c", case.body], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120, check=False)
        text = done.stdout.decode(errors="replace").replace(folder, "<tmp>")
    if text and not text.endswith("\n"):
        text += "\n"
    return text + (f"exit {done.returncode}\n" if done.returncode else "")


def answer(case):
    """What the case is answered with now, without what differs between machines."""
    runner = {"kernel": run_kernel, "python": run_python, "command": run_command}[case.kind]
    text = runner(case).replace(str(BUILD), "<build>").replace(str(ROOT), "<root>")
    text = re.sub(r"0x[0-9a-f]{8,}", "0x<address>", text)
    return "".join(line.rstrip() + "\n" for line in text.rstrip("\n").splitlines())


def rewrite(path):
    """Replaces the answers in a file; returns how many changed."""
    changed = 0
    text = path.read_text()
    for case in parse(path):
        got = answer(case)
        if got == case.expected:
            continue
        changed += 1
        head = f"=== {case.name}\n"
        begin = text.index(head)
        end = text.find("\n=== ", begin)
        end = len(text) if end < 0 else end + 1
        block = text[begin:end]
        at = block.find("\n--- expect\n")
        body = block if at < 0 else block[:at + 1]
        text = text[:begin] + body.rstrip("\n") + "\n--- expect\n" + got + text[end:]
    path.write_text(text)
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rewrite", action="store_true", help="write the answers into the files")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    for path in options.files or sorted(CASES.glob("*.case")):
        if options.rewrite:
            print(f"{path}: {rewrite(path)} answers changed")
            continue
        for case in parse(path):
            print(f"=== {case.name}\n{case.body}---\n{answer(case)}")


if __name__ == "__main__":
    main()
