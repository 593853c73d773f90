# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small libraries in place of large ones that LLVM names and Tegula never calls.

Debian's libLLVM is linked to libraries for parts of LLVM that no kernel's compilation reaches.
The loader wants them all the same: with what they need in turn, 60 MB. A package has a library
of the same symbols and versions for each, in which every function reports failure.
"""

import collections
import subprocess

from .elf import Elf

# Library: (what LLVM has it for, what its functions return when it is not 0).
UNUSED = {
    "libedit.so.2": ("input lines of interactive tools", {}),
    "libffi.so.8": ("the interpreter of LLVM IR", {"ffi_prep_cif": 1}),
    "libxml2.so.2": ("manifests of Windows programs", {}),
    "libz3.so.4": ("the solver of the static analyser", {}),
}


def missing_symbols(users):
    """Names of the symbols that any of the files leaves to others."""
    return {symbol.name for user in users for symbol in Elf(user).symbols() if not symbol.defined}


def wanted_symbols(real, missing):
    """The symbols of the library `real` that are among the names `missing`."""
    found = {symbol.name: symbol for symbol in Elf(real).symbols() if symbol.defined}
    return [found[name] for name in sorted(missing & found.keys())]


def source_of(symbols, results):
    """C source that defines the symbols."""
    lines = []
    for symbol in symbols:
        if symbol.data:
            lines.append(f"char {symbol.name}[{max(symbol.size, 1)}] "
                         "__attribute__((aligned(16)));")
        else:
            lines.append(f"long {symbol.name}(void) {{ return {results.get(symbol.name, 0)}; }}")
    return "\n".join(lines) + "\n"


def version_script_of(symbols, soname):
    """The linker's version script: versions as the real library has them."""
    versions = collections.defaultdict(list)
    for symbol in symbols:
        # The version of unversioned libraries is their own name, or none.
        versions[symbol.version if symbol.version != soname else ""].append(symbol.name)
    unversioned = versions.pop("", [])
    text = "".join(f"{version} {{ global: {'; '.join(names)}; }};\n"
                   for version, names in sorted(versions.items()))
    if not text:
        text = f"{{ global: {'; '.join(unversioned)}; local: *; }};\n"
    return text


def build(name, real, missing, output, scratch, compiler):
    """Links the stand-in for the library `name`, whose file is `real`, as `output`."""
    symbols = wanted_symbols(real, missing)
    source, script = scratch / f"{name}.c", scratch / f"{name}.map"
    source.write_text(source_of(symbols, UNUSED[name][1]))
    script.write_text(version_script_of(symbols, name))
    subprocess.run([compiler, "-shared", "-fPIC", "-Os", "-w", "-fno-builtin", "-nostdlib",
                    "-fuse-ld=lld", "-s", f"-Wl,-soname,{name}", f"-Wl,--version-script={script}",
                    "-o", output, source], check=True)
    return len(symbols)
