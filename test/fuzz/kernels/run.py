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
from pathlib import Path

from .coverage import features
from .generate import generate
from .launch import Failure, Variant, check, variants_of
from .printing import kernel_text
from .reproduce import reproducer
from .shrink import shrink

FOLDER = Path(__file__).resolve().parents[1]
# The build is replaced while it is used; no fault of a kernel.
UNRELATED = re.compile(r"\[E142\]|\[cpu-scratch-limit\]")
LIMIT = 60  # seconds that one kernel may take, shrinking apart


def try_seed(seed):
    """(kernel, failure or None)."""
    kernel, arenas = generate(seed)
    failure = check(kernel, arenas, variants_of(seed))
    if failure and UNRELATED.search(failure.text):
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


def report(seed, kernel, failure, folder, seconds=90):
    """Shrinks, writes a reproducer, and returns the text to show."""
    crashed = failure.kind == "crash"
    checker = isolated_check if crashed else check
    if crashed:  # which variant?
        from .interpret import interpret
        arenas = [interpret(kernel, config) for config in kernel.configs]
        for variant in variants_of(seed):
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


def worker(first, step, count, folder, seconds):
    """Tries every `step`-th seed; one line of JSON each."""
    for seed in range(first, first + step * count, step):
        print(json.dumps({"start": seed}), flush=True)
        kernel, failure = try_seed(seed)
        line = {"done": seed, "features": sorted(features(kernel))}
        if failure:
            print(json.dumps({"failing": seed}), flush=True)
            line["failure"] = report(seed, kernel, failure, folder, seconds)
            line["kind"] = failure.kind
        print(json.dumps(line), flush=True)


def start_worker(first, step, count, folder, seconds):
    code = (f"import sys; sys.path[:0] = {sys.path!r}; from kernels.run import worker; "
            f"from pathlib import Path; worker({first}, {step}, {count}, Path({str(folder)!r}), "
            f"{seconds})")
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)


def run(seed, count, jobs, folder, seconds=90, show=print, stop_after=None):
    """Tries seeds `seed` to `seed + count`; returns {"tried", "features": counts, "failures"}."""
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
        if "start" in event:
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
        if not active:
            break
        for lane in active:
            if lane["process"] is None:
                left = -(-(end - lane["next"]) // jobs)
                lane["process"] = start_worker(lane["next"], jobs, left, folder, seconds)
                lane.update(data=b"", current=None, deadline=time.monotonic() + LIMIT)
        files = {lane["process"].stdout: lane for lane in active}
        for file in select.select(list(files), [], [], 1)[0]:
            lane = files[file]
            data = os.read(file.fileno(), 1 << 16)
            *lines, lane["data"] = (lane["data"] + data).split(b"\n")
            for line in lines:
                handle(lane, line)
            if not data:
                lost(lane, lane["process"].wait(), jobs, folder, seconds, failed)
        for lane in active:
            if lane["process"] and time.monotonic() > lane["deadline"]:
                lane["process"].kill()
                lane["process"].wait()
                lost(lane, "time-out", jobs, folder, seconds, failed)
    for lane in lanes:
        if lane["process"]:
            lane["process"].kill()
            lane["process"].wait()
    return result


def lost(lane, status, jobs, folder, seconds, failed):
    """A worker is gone: done, or it crashed on the kernel that it tried."""
    lane["process"].stdout.close()
    lane["process"] = None
    seed = lane["current"]
    if seed is None:
        return
    lane["next"] = seed + jobs
    try:
        kernel = generate(seed)[0]
    except Exception:  # a fault of ours
        failed(f"seed {seed}: the generator fails\n{traceback.format_exc()}")
        return
    failure = Failure("crash", Variant(), 0, f"worker ended with {status}", [])
    failed(report(seed, kernel, failure, folder, seconds))
