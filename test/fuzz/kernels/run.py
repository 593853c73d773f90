# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many seeds: in this process, or in workers that may crash."""

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

from .coverage import features
from .generate import Generator, generate
from .launch import Failure, Variant, check, variants_of, variants_of_stages
from .pipelines import Pipelines
from .printing import kernel_text
from .reproduce import reproducer
from .shrink import shrink

FOLDER = Path(__file__).resolve().parents[1]
# Limits of the machine that a kernel may reach; no fault of either.
LIMITS = re.compile(r"\[cpu-scratch-limit\]|\[[a-z]+-shared-memory\]")
LIMIT = 180  # seconds that one kernel may take on a busy machine, shrinking apart


class OtherBuild(Exception):
    """Plugins and compiler are of different builds, one of which is being made."""


@dataclass(frozen=True)
class What:
    """What is generated, and where it runs: see Variant; pipelines: see pipelines.py."""
    target: str = "cpu"
    pipelines: bool = False

    def generate(self, seed):
        return generate(seed, Pipelines if self.pipelines else Generator)

    def variants(self, seed):
        make = variants_of_stages if self.pipelines else variants_of
        return make(seed, target=self.target)


def try_seed(seed, what=What()):
    """(kernel, failure or None)."""
    kernel, arenas = what.generate(seed)
    failure = check(kernel, arenas, what.variants(seed))
    if failure and "[E142]" in failure.text:
        raise OtherBuild(failure.text)
    if failure and LIMITS.search(failure.text):
        failure = None
    return kernel, failure


def isolated_check(kernel, arenas, variants):
    """`check` in a process of its own, which may crash or hang."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(LIMIT)
        failure = check(kernel, arenas, variants)
        if failure:
            os.write(write, json.dumps([failure.kind, failure.text]).encode()[:4000])
        os._exit(0)
    os.close(write)
    data = os.read(read, 1 << 16)
    os.close(read)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return Failure("crash", variants[0], 0, f"signal {os.WTERMSIG(status)}", [])
    return Failure(json.loads(data)[0], variants[0], 0, json.loads(data)[1], []) if data else None


def report(seed, kernel, failure, folder, seconds=90, what=What()):
    """Shrinks, writes a reproducer, and returns the text to show."""
    crashed = failure.kind == "crash"
    checker = isolated_check if crashed else check
    if crashed:  # which variant?
        from .interpret import interpret
        arenas = [interpret(kernel, config) for config in kernel.configs]
        for variant in what.variants(seed):
            failure = isolated_check(kernel, arenas, [variant]) or failure
            if failure.kind == "crash" and failure.variant == variant:
                break
    small, last = shrink(kernel, failure, lambda k, a: checker(k, a, [failure.variant]), seconds)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"kernel-{seed}.py"
    variants = [Variant()] + ([failure.variant] if failure.variant != Variant() else [])
    small.configs = [small.configs[last.config if len(small.configs) > last.config else 0]]
    path.write_text(reproducer(small, variants, f"Found by seed {seed} of the kernel fuzzer."))
    return f"seed {seed}: {last}\n\n{kernel_text(small)}\n{small.configs[0]}\n{path}"


def worker(first, step, count, folder, seconds, what=What()):
    """Tries every `step`-th seed; one line of JSON each."""
    for seed in range(first, first + step * count, step):
        print(json.dumps({"start": seed}), flush=True)
        try:
            kernel, failure = try_seed(seed, what)
        except OtherBuild as error:
            print(json.dumps({"stop": str(error)}), flush=True)
            return
        line = {"done": seed, "features": sorted(features(kernel))}
        if failure:
            print(json.dumps({"failing": seed}), flush=True)
            line["failure"] = report(seed, kernel, failure, folder, seconds, what)
            line["kind"] = failure.kind
        print(json.dumps(line), flush=True)


def start_worker(first, step, count, folder, seconds, what=What()):
    code = (f"import sys; sys.path[:0] = {sys.path!r}; from kernels.run import What, worker; "
            f"from pathlib import Path; worker({first}, {step}, {count}, Path({str(folder)!r}), "
            f"{seconds}, {what!r})")
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)


def run(seed, count, jobs, folder, seconds=90, show=print, stop_after=None, what=What()):
    """Tries seeds `seed` to `seed + count`; returns {"tried", "features": counts, "failures"}.

    what: kernels of which kind, and where they run.
    """
    result = {"tried": 0, "features": {}, "failures": []}
    lanes = [{"next": seed + i, "process": None, "data": b""} for i in range(jobs)]
    end = seed + count
    started = time.monotonic()

    def failed(text):
        result["failures"].append(text)
        show(text + "\n")

    def handle(lane, line):
        event = json.loads(line)
        lane["deadline"] = time.monotonic() + LIMIT
        if "stop" in event:
            lane["current"] = None
            result["stopped"] = True
            failed(event["stop"])
        elif "start" in event:
            lane["current"] = event["start"]
        elif "failing" in event:
            lane["deadline"] += 2 * seconds
        else:
            lane["next"] = event["done"] + jobs
            lane["current"] = None
            result["tried"] += 1
            for name in event["features"]:
                result["features"][name] = result["features"].get(name, 0) + 1
            if "failure" in event:
                failed(event["failure"])
            if result["tried"] % 500 == 0:
                rate = result["tried"] / (time.monotonic() - started)
                show(f"{result['tried']} kernels, {rate:.1f} a second, "
                     f"{len(result['failures'])} failures")

    while True:
        active = [lane for lane in lanes if lane["next"] < end]
        if stop_after is not None and len(result["failures"]) >= stop_after:
            break
        if not active or result.get("stopped"):
            break
        for lane in active:
            if lane["process"] is None:
                left = -(-(end - lane["next"]) // jobs)
                lane["process"] = start_worker(lane["next"], jobs, left, folder, seconds, what)
                lane.update(data=b"", current=None, deadline=time.monotonic() + LIMIT)
        files = {lane["process"].stdout: lane for lane in active}
        for file in select.select(list(files), [], [], 1)[0]:
            lane = files[file]
            data = os.read(file.fileno(), 1 << 16)
            *lines, lane["data"] = (lane["data"] + data).split(b"\n")
            for line in lines:
                handle(lane, line)
            if not data:
                lost(lane, lane["process"].wait(), jobs, folder, seconds, failed, what)
        for lane in active:
            if lane["process"] and time.monotonic() > lane["deadline"]:
                lane["process"].kill()
                lane["process"].wait()
                lost(lane, "time-out", jobs, folder, seconds, failed, what)
    for lane in lanes:
        if lane["process"]:
            lane["process"].kill()
            lane["process"].wait()
    return result


def lost(lane, status, jobs, folder, seconds, failed, what):
    """A worker is gone: done, or it crashed on the kernel that it tried."""
    lane["process"].stdout.close()
    lane["process"] = None
    seed = lane["current"]
    if seed is None:
        return
    lane["next"] = seed + jobs
    try:
        kernel = what.generate(seed)[0]
    except Exception:  # a fault of ours
        failed(f"seed {seed}: the generator fails\n{traceback.format_exc()}")
        return
    failure = Failure("crash", Variant(), 0, f"worker ended with {status}", [])
    failed(report(seed, kernel, failure, folder, seconds, what))
