# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tools/dev/fuzz kernels`; `python -m kernels --show SEED` prints a kernel."""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("TEGULA_BUILD", ROOT / "build"))
sys.path.insert(0, str(BUILD / "python"))

from .generate import generate  # noqa: E402
from .printing import kernel_text  # noqa: E402
from .run import run, try_seed, report  # noqa: E402


def main():
    parser = argparse.ArgumentParser(prog="tools/dev/fuzz kernels")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--found", type=Path, default=ROOT / "build-fuzz/found")
    parser.add_argument("--shrink", type=int, default=90, metavar="SECONDS")
    parser.add_argument("--features", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if options.show:
        kernel, _ = generate(options.seed)
        print(kernel_text(kernel), *kernel.configs, *kernel.regions, *kernel.pointers, sep="\n")
        kernel, failure = try_seed(options.seed)
        if failure:
            print(report(options.seed, kernel, failure, options.found, options.shrink))
        return bool(failure)
    result = run(options.seed, options.runs, options.jobs, options.found, options.shrink,
                 lambda text: print(text, flush=True))
    if options.features:
        for name, count in sorted(result["features"].items()):
            print(f"{count:7} {name}")
    print(f"{result['tried']} kernels, {len(result['failures'])} failures")
    return 1 if result["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
