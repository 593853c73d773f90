# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m tegula.as_triton`: as the command `python`, with Tegula for `import triton`."""

import sys

from . import VERSION, install, path
from ._program import run

_USAGE = """usage: python -m tegula.as_triton PROGRAM.py [ARGUMENTS...]
       python -m tegula.as_triton -m MODULE [ARGUMENTS...]
       python -m tegula.as_triton -c CODE [ARGUMENTS...]
       python -m tegula.as_triton - [ARGUMENTS...]      the program is the standard input
       python -m tegula.as_triton --path                prints a folder for PYTHONPATH

Runs a program whose imports say 'triton' on Tegula, and the processes that it starts."""


def main(argv):
    if not argv:
        print(_USAGE, file=sys.stderr)
        return 2
    first = argv[0]
    if first in ("-h", "--help"):
        print(_USAGE)
    elif first == "--version":
        import tegula

        print(f"tegula {tegula.__version__}, as triton {VERSION}")
    elif first == "--path":
        print(path())
    elif first in ("-c", "-m") and len(argv) < 2:
        print(f"tegula.as_triton: expected {'code' if first == '-c' else 'a module'} after {first}",
              file=sys.stderr)
        return 2
    elif first.startswith("-") and first not in ("-", "-c", "-m"):
        print(f"tegula.as_triton: expected -c, -m, - or a program, got {first}\n{_USAGE}",
              file=sys.stderr)
        return 2
    else:
        install(children=True)
        return run(argv)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
