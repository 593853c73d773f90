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

from .printing import kernel_text  # noqa: E402
from .run import What, report, run, try_seed  # noqa: E402


def main():
    parser = argparse.ArgumentParser(prog="tools/dev/fuzz kernels")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--found", type=Path, default=ROOT / "build-fuzz/found")
    parser.add_argument("--shrink", type=int, default=90, metavar="SECONDS")
    parser.add_argument("--target", default="cpu", choices=("cpu", "simt", "cuda"))
    parser.add_argument("--pipelines", action="store_true")
    parser.add_argument("--features", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    what = What(options.target, options.pipelines)
    if options.target == "simt":  # the simulator is no plugin of a user
        os.environ["TEGULA_PLUGIN_PATH"] = str(BUILD / "lib/tegula/simt")
    if options.show:
        kernel, _ = what.generate(options.seed)
        print(kernel_text(kernel), *kernel.configs, *kernel.regions, *kernel.pointers, sep="\n")
        kernel, failure = try_seed(options.seed, what)
        if failure:
            print(report(options.seed, kernel, failure, options.found, options.shrink,
                         what))
        return bool(failure)
    result = run(options.seed, options.runs, options.jobs, options.found, options.shrink,
                 lambda text: print(text, flush=True), what=what)
    if options.features:
        for name, count in sorted(result["features"].items()):
            print(f"{count:7} {name}")
    print(f"{result['tried']} kernels, {len(result['failures'])} failures")
    return 1 if result["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
