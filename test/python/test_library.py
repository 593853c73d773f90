# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The library of the language (frontend/library): its files share one namespace."""

import ast
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "frontend/library"


def functions():
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                yield path.name, node


def test_names_are_unique():
    seen = {}
    for file, node in functions():
        assert node.name not in seen, f"{node.name} is in {seen[node.name]} and in {file}"
        seen[node.name] = file


def test_files_are_built_in():
    listed = (FOLDER.parent / "Semantics/CMakeLists.txt").read_text()
    for path in FOLDER.glob("*.py"):
        assert f"  {path.name}" in listed, f"{path.name} is not listed in CMakeLists.txt"


def test_public_functions_say_what_they_do():
    for file, node in functions():
        if not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{file}: {node.name} has no docstring"


def test_every_name_of_libdevice_resolves():
    """What Python offers is in the compiler's tables, in the library, or refused by name."""
    from tegula.language.extra import libdevice
    library = {node.name for _, node in functions()}
    semantics = FOLDER.parent / "Semantics"
    tables = "".join((semantics / name).read_text()
                     for name in ("BuiltinTable.cpp", "MathBuiltins.cpp"))
    for name in libdevice.__all__:
        known = f"libdevice_{name}" in library or any(
            f'"{prefix}{name}"' in tables for prefix in ("libdevice.", ""))
        assert known, f"libdevice.{name} is unknown to the compiler"
