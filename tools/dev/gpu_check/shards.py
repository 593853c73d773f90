# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shards of each suite of gpu-check: a function by the suite's name makes them.

What running one returns: passed, skipped: numbers; failed: [[what, text]]; skip: a reason; notes:
lines for the summary; unfinished: it was ended by its time limit.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent
CASES, CHECKED_KERNELS = 40, 64  # of a shard of the conformance table; for the sanitizer
KERNELS_TOGETHER = 8             # in one process of the sanitizer
WARPS = (1, 4, 8)
SANITIZER_TOOLS = ("memcheck", "racecheck")
SHOWN = 3000                     # characters of output with a failure


class NotHere(Exception):
    """Something that a suite needs is missing."""


@dataclass
class Shard:
    name: str
    run: Callable
    limit: float | None = None  # seconds; None: as for all


class Context:
    """What a shard runs with: options of the command, a folder of its worker's, a limit."""

    def __init__(self, options, folder, env, limit):
        self.options, self.folder, self.env = options, folder, env
        self.deadline = time.monotonic() + limit

    def call(self, command, limit=None, **env):
        """(exit status, output); the status is None for what its time limit has ended."""
        process = subprocess.Popen([str(part) for part in command], text=True, cwd=ROOT,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, start_new_session=True,
                                   errors="replace", env={**self.env, **env})
        try:
            rest = max(1, self.deadline - time.monotonic())
            output, _ = process.communicate(timeout=min(limit, rest) if limit else rest)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the group is its own
            return None, process.communicate()[0]


def one(name, context, command, limit=None, **env):
    """The outcome of a command that is one test."""
    status, output = context.call(command, limit, **env)
    if status == 0:
        return {"passed": 1, "notes": [line[6:] for line in output.splitlines()
                                       if line.startswith("note: ")]}
    if status == 77:
        return {"skipped": 1, "skip": output.strip()[-200:]}
    why = "took longer than its limit" if status is None else f"exit status {status}"
    return {"failed": [[name, f"{why}\n{output[-SHOWN:]}"]], "unfinished": status is None}


# -- the device, and its errors -------------------------------------------------------------

CHECKS = ("facts", "arrays", "grid", "memory", "shared", "threads", "hidden", "fault", "torch",
          "graph")


def device(options, env):
    def shard(name):
        return Shard(f"device/{name}", lambda context: one(
            name, context, [options.python, HERE / "device_checks.py", name, options.device], 90))
    return [shard(name) for name in CHECKS]


# -- the conformance table ------------------------------------------------------------------

_known = {}


def table(options, env):
    """[id, family, kernel, kind, elements] of all cases."""
    if "table" not in _known:
        done = subprocess.run([options.python, HERE / "conformance_shard.py", "--list"], env=env,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotHere("the conformance table cannot be read: " + done.stderr[-500:])
        _known["table"] = [json.loads(line) for line in done.stdout.splitlines()]
    return _known["table"]


def run_cases(context, cases, prefix=(), **extra):
    """Runs cases in processes that are replaced when they die; each line of the log counts."""
    log, listed = context.folder / "log", context.folder / "cases"
    listed.write_text("\n".join(cases))
    log.write_text("")
    script = [context.options.python, HERE / "conformance_shard.py", log, "--cases", listed]
    for option, value in extra.items():
        script += [f"--{option.replace('_', '-')}", value]
    start, failed, status, output = 0, [], 0, ""
    while start < len(cases):
        status, output = context.call([*prefix, *script, "--start", start])
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        done = {line["done"] for line in lines if "done" in line}
        begun = max((line["start"] for line in lines if "start" in line), default=-1)
        if status is None:
            break
        if begun < start:
            failed.append([f"{len(cases) - start} cases",
                           f"the process did not start (status {status})\n{output[-SHOWN:]}"])
            break
        if begun not in done:
            failed.append([cases[begun], f"the process died (status {status})\n{output[-SHOWN:]}"])
        elif status not in (0, 75) and begun < len(cases) - 1:
            failed.append([f"after {cases[begun]}", f"the process died between two cases (status "
                                                    f"{status})\n{output[-SHOWN:]}"])
        # Behind the last case its exit status is the caller's affair.
        start = begun + 1
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    done = [line for line in lines if "done" in line]
    failed += [[line["id"], line["problem"]] for line in done if line.get("problem")]
    outcome = {"passed": sum(1 for line in done if "skip" not in line and not line["problem"]),
               "skipped": sum(1 for line in done if "skip" in line), "failed": failed}
    if status is None:
        outcome["unfinished"] = True
        rest = len(cases) - len(done)
        outcome["failed"] = failed + [[f"{rest} cases", "the shard's time limit came first"]]
    return outcome, status, output


def conformance(options, env):
    by_family = {}
    for name, family, _, kind, _ in table(options, env):
        if kind != "long":
            by_family.setdefault(family, []).append(name)
    made = []
    for family, names in sorted(by_family.items()):
        for at in range(0, len(names), CASES):
            chunk = names[at:at + CASES]
            made.append(Shard(f"conformance/{family}-{at // CASES}",
                              lambda context, chunk=chunk: run_cases(context, chunk)[0]))
    return made


# -- tools ----------------------------------------------------------------------------------

def cts(options, env):
    place = options.package or options.build_dir
    tool = place / "bin/tegula-cts"
    plugin = "nvidia" if options.device.startswith("cuda") else options.device.split(":")[0]

    def run(context, group):
        if not tool.exists():
            return {"skipped": 1, "skip": f"{tool} is not there"}
        report = context.folder / "cts.json"
        command = [tool, "--plugin", plugin, "--group", group, "--jobs", 4, "--json",
                   "--timeout", 60,
                   "--data", ROOT / "test/conformance"]
        # Warnings go to the standard error, which a call mixes in.
        status, output = context.call(["sh", "-c", 'out=$1; shift; exec "$@" >"$out"', "sh", report,
                                       *command])
        try:
            tests = json.loads(report.read_text())["tests"]
        except (OSError, ValueError, KeyError):
            return {"failed": [[group, f"exit status {status}\n{output[-SHOWN:]}"]],
                    "unfinished": status is None}
        states = {"pass": "passed", "xfail": "passed", "skip": "skipped", "unsupported": "skipped"}
        sorted_tests = {"passed": [], "skipped": [], "failed": []}
        for test in tests:
            sorted_tests[states.get(test["state"], "failed")].append(test)
        return {"passed": len(sorted_tests["passed"]), "skipped": len(sorted_tests["skipped"]),
                "failed": [[test["name"], json.dumps(test)[:SHOWN]]
                           for test in sorted_tests["failed"]]}

    groups = ("load", "register", "target", "compile", "artifact", "runtime", "numerics", "select")
    return [Shard(f"cts/{group}", lambda context, group=group: run(context, group))
            for group in groups]


# -- programs of others ---------------------------------------------------------------------

def corpus(options, env):
    if options.corpus is None:
        return []

    def run(context):
        report = context.folder / "corpus.json"
        report.unlink(missing_ok=True)
        status, output = context.call(
            [options.python, "-m", "tegula.as_triton", options.corpus / "run.py", "--device",
             options.device.split(":")[0], "--jobs", 8, "--json", report, "--timeout", 120])
        if not report.exists():
            return {"failed": [["corpus", f"exit status {status}\n{output[-SHOWN:]}"]],
                    "unfinished": status is None}
        entries = json.loads(report.read_text())
        failed = [[entry["name"], json.dumps(entry)[:SHOWN]] for entry in entries
                  if entry["status"] not in ("pass", "skip")]
        return {"passed": sum(entry["status"] == "pass" for entry in entries),
                "skipped": sum(entry["status"] == "skip" for entry in entries), "failed": failed,
                "unfinished": status is None}

    return [Shard("corpus/all", run, 600)]


def host(options, env):
    if options.triton is None:
        return []
    sys.path.insert(0, str(ROOT / "test/triton"))
    from triton_ids import FILES

    def run(context, name):
        report = context.folder / "tests.json"
        report.unlink(missing_ok=True)
        place = options.package or options.build_dir
        status, output = context.call(
            [options.python, ROOT / "tools/dev/triton-tests", "--checkout", options.triton,
             "--device", options.device.split(":")[0], "--file", name, "--python", options.python,
             "--build", place, "--json", report, "--jobs", 4])
        if not report.exists():
            return {"failed": [[name, f"exit status {status}\n{output[-SHOWN:]}"]],
                    "unfinished": status is None}
        outcomes = json.loads(report.read_text())
        return {"passed": sum(entry["outcome"] == "passed" for entry in outcomes),
                "failed": [[entry["id"], json.dumps(entry)[:SHOWN]] for entry in outcomes
                           if entry["outcome"] != "passed"],
                "unfinished": status is None}

    return [Shard(f"host/{name}", lambda context, name=name: run(context, name), 420)
            for name in FILES]


# -- the sanitizer --------------------------------------------------------------------------

def find_sanitizer():
    found = shutil.which("compute-sanitizer")
    for place in ("/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer"):
        path = Path(place) / "compute-sanitizer"
        found = found or (str(path) if path.exists() else None)
    return found


def sanitizer(options, env):
    smallest = {}
    for name, family, kernel, kind, size in table(options, env):
        # `extras` answers how many warps there are.
        if kind == "plain" and (family, kernel) != ("elementwise", "extras"):
            best = smallest.get((family, kernel))
            if best is None or size < best[1]:
                smallest[family, kernel] = (name, size)
    # Round by round one of each family, so that all of them are there.
    families = {}
    for (family, _), (name, _) in sorted(smallest.items()):
        families.setdefault(family, []).append(name)
    picked = [names[turn] for turn in range(max(map(len, families.values())))
              for names in families.values() if turn < len(names)][:CHECKED_KERNELS]

    def run(context, cases, tool, warps):
        program = find_sanitizer()
        if program is None:
            return {"skipped": len(cases), "skip": "compute-sanitizer is not installed"}
        prefix = [program, "--tool", tool, "--error-exitcode", 99, "--print-limit", 5]
        outcome, status, output = run_cases(context, cases, prefix, num_warps=warps)
        if status not in (0, 75, None):
            outcome["failed"].append([f"{tool}, {warps} warps: {', '.join(cases)}",
                                      f"exit status {status}\n{output[-SHOWN:]}"])
            outcome["passed"] = 0
        return outcome

    made = []
    for tool in SANITIZER_TOOLS:
        for warps in WARPS:
            for at in range(0, len(picked), KERNELS_TOGETHER):
                chunk = picked[at:at + KERNELS_TOGETHER]
                made.append(Shard(
                    f"sanitizer/{tool}-{warps}-{at // KERNELS_TOGETHER}",
                    lambda context, chunk=chunk, tool=tool, warps=warps: run(
                        context, chunk, tool, warps), 300))
    return made


# -- benchmarks -----------------------------------------------------------------------------

def bench(options, env):
    names = ("add", "softmax", "layer-norm", "matmul")
    return [Shard(f"bench/{name}", lambda context, name=name: one(
        name, context, [options.python, HERE / "bench.py", name, options.device], 200), 200)
        for name in names]
