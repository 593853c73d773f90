# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Some cases of the conformance table, in a process of their own.

  conformance_shard.py LOG --cases FILE [--start N] [--num-warps W]

FILE has ids of cases, one a line. LOG gets a line of JSON ahead of each case and one with what
became of it, so that whoever started this process knows where it died. Exits with 75 when the
device is lost: the rest needs another process. `--list` prints all ids with family and kernel.
"""

import argparse
import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test/python"))
LOST = 75


def all_cases(families=None):
    from conformance import family_paths, load_family

    return [case for path in family_paths() if families is None or path.stem in families
            for row in load_family(path) for case in row.cases]


def list_cases():
    for case in all_cases():
        data = case.row.data
        kind = "long" if data.get("long") is True else (
            "error" if "expect_error" in data else "plain")
        size = sum(int(__import__("numpy").prod(spec.shape)) for spec in case.arrays.values())
        print(json.dumps([case.id, data.path.stem, data["kernel"], kind, size]))


def is_lost(problem):
    return problem is not None and ("device-lost" in problem or "is lost" in problem)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("log", nargs="?")
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--num-warps", type=int)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        return list_cases()
    from conformance_run import run_case
    import tegula

    backend = {"cuda": "nvidia"}.get(tegula.runtime.driver.active.get_current_target().backend, "")
    wanted = options.cases.read_text().split("\n")
    wanted = [line for line in wanted if line]
    found = {case.id: case for case in all_cases({name.partition("/")[0] for name in wanted})}
    with open(options.log, "a", buffering=1) as log:
        for index, name in enumerate(wanted[options.start:], options.start):
            case = found[name]
            print(json.dumps({"start": index, "id": name}), file=log)
            reason = case.row.data.get("unsupported", {}).get(backend)
            if reason:
                print(json.dumps({"done": index, "id": name, "skip": reason}), file=log)
                continue
            if options.num_warps:
                case.options["num_warps"] = options.num_warps
            begin = time.monotonic()
            try:
                problem = run_case(case)
            except Exception as error:  # pylint: disable=broad-except
                problem = f"{name}: {type(error).__name__}: {error}"
            seconds = round(time.monotonic() - begin, 3)
            print(json.dumps({"done": index, "id": name, "problem": problem, "s": seconds}),
                  file=log)
            if is_lost(problem):
                return LOST
    return 0


if __name__ == "__main__":
    sys.exit(main())
