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
            output, _ = process.communicate(
                timeout=limit or max(1, self.deadline - time.monotonic()))
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
        elif status not in (0, 75):
            break  # all is done: its exit status is the caller's affair
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
        status, output = context.call([tool, "--plugin", plugin, "--group", group, "--jobs", 4,
                                       "--json", "--timeout", 60, "--data",
                                       ROOT / "test/conformance"])
        try:
            report = json.loads(output[output.index("{"):])
            tests = report["tests"]
        except (ValueError, KeyError):
            return {"failed": [[group, f"exit status {status}\n{output[-SHOWN:]}"]],
                    "unfinished": status is None}
        passed = [t for t in tests if str(t.get("outcome", t.get("result"))).startswith("pass")]
        skipped = [t for t in tests
                   if str(t.get("outcome", t.get("result"))) in ("skip", "skipped", "unsupported")]
        failed = [[t.get("name", "?"), json.dumps(t)[:SHOWN]] for t in tests
                  if t not in passed and t not in skipped]
        return {"passed": len(passed), "skipped": len(skipped), "failed": failed}

    groups = ("load", "register", "target", "compile", "artifact", "runtime", "numerics", "select")
    return [Shard(f"cts/{group}", lambda context, group=group: run(context, group))
            for group in groups]


def tutorials(options, env):
    files = sorted((ROOT / "docs/tutorials").glob("[0-9]*.py"))
    return [Shard(f"tutorials/{path.stem}", lambda context, path=path: one(
        path.stem, context, [options.python, ROOT / "tools/dev/run-tutorials", path]))
        for path in files]


# -- programs of others ---------------------------------------------------------------------

def corpus(options, env):
    if options.corpus is None:
        return []

    def run(context, index, parts):
        report = context.folder / "corpus.json"
        report.unlink(missing_ok=True)
        status, output = context.call(
            [options.python, options.corpus / "run.py", "--device", options.device.split(":")[0],
             "--jobs", 8, "--json", report, "--timeout", 120], 580)
        found = re.search(r"(\d+)\s*/\s*(\d+)[^\n]*$", output.strip())
        if report.exists():
            entries = json.loads(report.read_text())
            entries = entries.get("results", entries) if isinstance(entries, dict) else entries
            entries = list(entries.values()) if isinstance(entries, dict) else entries
            good = [e for e in entries if isinstance(e, dict) and
                    str(e.get("status", e.get("ok"))).lower() in ("ok", "pass", "passed", "true")]
            bad = [[str(e.get("name", e.get("id", "?"))), json.dumps(e)[:SHOWN]] for e in entries
                   if e not in good]
            return {"passed": len(good), "failed": bad, "unfinished": status is None}
        if status == 0:
            return {"passed": int(found[1]) if found else 1}
        return {"failed": [["corpus", f"exit status {status}\n{output[-SHOWN:]}"]],
                "unfinished": status is None}

    return [Shard("corpus/all", lambda context: run(context, 0, 1), 600)]


def host(options, env):
    if options.triton is None:
        return []
    tests = [path.name for path in sorted((options.triton / "python/test/unit").rglob("test_*.py"))]

    def run(context, name):
        report = context.folder / "tests.json"
        report.unlink(missing_ok=True)
        place = options.package or options.build_dir
        status, output = context.call(
            [options.python, ROOT / "tools/dev/triton-tests", "--checkout", options.triton,
             "--file", name, "--python", options.python, "--build", place,
             "--json", report, "--jobs", 4],
            400, TEGULA_TRITON_TESTS_DEVICE=options.device)
        if status == 2:
            return {"skipped": 1}  # a file that is not among those that apply
        if not report.exists():
            return {"failed": [[name, f"exit status {status}\n{output[-SHOWN:]}"]],
                    "unfinished": status is None}
        outcomes = json.loads(report.read_text())
        outcomes = outcomes.get("tests", outcomes)
        items = outcomes.items() if isinstance(outcomes, dict) else [
            (entry.get("id"), entry) for entry in outcomes]
        good, bad = 0, []
        for test, entry in items:
            text = entry if isinstance(entry, str) else json.dumps(entry)
            if "passed" in text:
                good += 1
            elif "skip" not in text:
                bad.append([str(test), text[:SHOWN]])
        return {"passed": good, "failed": bad, "unfinished": status is None}

    return [Shard(f"host/{name}", lambda context, name=name: run(context, name), 420)
            for name in tests]


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
