#!/usr/bin/env python3
# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tortures the cache of compiled kernels; ends with 0 if it bore everything.

Processes with many threads compile and run the same kernels in one cold cache,
while this program kills some of them and damages entries. Every result must be
right, and a second round must find every kernel. Then: a disk that is full, a file
system that is read-only (both as root, who may mount), and a cache whose limit is
half of what it is given. Prints figures.

    PYTHONPATH=build/python test/fuzz/cache_torture.py [--kernels 50] [--processes 8]
        [--threads 8] [--kills 12] [--seed 1]
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

KERNEL = '''
@tegula.jit
def k{i}(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, i < n)
    for j in range({loops}):
        v = v * {i} + j
    tl.store(x + i, v + tl.max(v, 0), i < n)
'''


def expected(index, values):
    for j in range(index % 3 + 1):
        values = values * index + j
    return values + values.max()


# --- a process that compiles -------------------------------------------------------


def work(options):
    """Compiles and runs every kernel in every thread; prints its counts as JSON."""
    import numpy as np
    sys.path.insert(0, options.work)
    import torture_kernels as kernels

    import tegula
    wrong = []

    def run_all(seed):
        order = list(range(options.kernels))
        random.Random(seed).shuffle(order)
        for index in order:
            x = np.arange(64, dtype=np.int32)
            # A function of its own in each thread, which asks the cache by itself.
            tegula.jit(getattr(kernels, f"k{index}").fn)[(1,)](x, 64, BLOCK=64)
            if not (x == expected(index, np.arange(64, dtype=np.int32))).all():
                wrong.append(index)

    def guarded(seed):
        try:
            run_all(seed)
        except Exception as error:  # pylint: disable=broad-except
            wrong.append(repr(error))

    threads = [threading.Thread(target=guarded, args=(options.seed * 1000 + i,))
               for i in range(options.threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({**tegula.cache.info(), "wrong": wrong}), flush=True)


# --- the torturer -------------------------------------------------------------------


class Torture:
    def __init__(self, options, folder):
        self.options, self.work = options, folder
        self.random = random.Random(options.seed)
        self.failures = []
        (folder / "torture_kernels.py").write_text(
            "import tegula\nimport tegula.language as tl\n" + "".join(
                KERNEL.format(i=i, loops=i % 3 + 1) for i in range(options.kernels)))

    def check(self, holds, text):
        if not holds:
            self.failures.append(text)
            print(f"    WRONG: {text}", flush=True)

    def start(self, cache, seed, **environment):
        log = open(self.work / f"log-{seed}", "w+")
        process = subprocess.Popen(
            [sys.executable, __file__, "--worker", "--work", self.work, "--seed", str(seed),
             "--kernels", str(self.options.kernels), "--threads", str(self.options.threads)],
            stdout=subprocess.PIPE, stderr=log, text=True,
            env=os.environ | {"TEGULA_CACHE_DIR": str(cache)} | environment)
        process.log = log
        return process

    def finish(self, process, what, warnings=1):
        """The counts of a process that has to end well."""
        output, _ = process.communicate()
        process.log.seek(0)
        errors = process.log.read()
        process.log.close()
        self.check(process.returncode == 0, f"{what}: ended with {process.returncode}: {errors}")
        self.check(errors.count("\n") <= warnings, f"{what}: {errors}")
        counts = json.loads(output) if process.returncode == 0 else collections.defaultdict(int)
        self.check(not counts["wrong"], f"{what}: wrong results: {counts['wrong']}")
        return counts

    def run(self, cache, count, what, **environment):
        processes = [self.start(cache, 100 + i, **environment) for i in range(count)]
        return [self.finish(process, what) for process in processes]

    def files(self, cache, parts=False):
        return [p for p in (cache / "kernels").glob("*/*") if (p.suffix == ".part") == parts]

    def damage(self, cache):
        """Flips a bit of an entry, cuts it, or empties it, in place."""
        entries = self.files(cache)
        if not entries:
            return 0
        try:
            with open(self.random.choice(entries), "r+b") as file:
                data = file.read()
                at = self.random.randrange(len(data) or 1)
                way = self.random.randrange(4)
                if way < 2 and data:
                    file.seek(at)
                    file.write(bytes([data[at] ^ 1 << self.random.randrange(8)]))
                else:
                    file.truncate(at if way == 2 else 0)
        except OSError:
            return 0
        return 1

    # -- what happens ------------------------------------------------------------------

    def cold(self, cache):
        seed = 0
        processes, killed, damaged = [], 0, 0
        for seed in range(self.options.processes):
            processes.append(self.start(cache, seed))
        while killed < self.options.kills and any(p.poll() is None for p in processes):
            time.sleep(self.random.uniform(0.05, 0.4))
            damaged += self.damage(cache)
            place = self.random.choice([i for i, p in enumerate(processes) if p.poll() is None]
                                       or [0])
            # Early on they only import; kill those that are about to write.
            if processes[place].poll() is None and self.files(cache):
                processes[place].kill()
                processes[place].communicate()
                processes[place].log.close()
                seed += 1
                processes[place] = self.start(cache, seed)
                killed += 1
        while any(process.poll() is None for process in processes):
            damaged += self.damage(cache)
            time.sleep(0.05)
        counts = [self.finish(process, "cold") for process in processes]
        total = {name: sum(c[name] for c in counts)
                 for name in ("hits", "misses", "stored", "rebuilt", "failed")}
        self.check(total["failed"] == 0, f"cold: {total['failed']} entries failed")
        print(f"cold: {len(processes)} processes, {killed} killed, {damaged} entries damaged; of "
              f"those that ended {total}", flush=True)

    def warm(self, cache):
        self.run(cache, 1, "repair")
        wanted = self.options.kernels * self.options.threads
        for counts in self.run(cache, self.options.processes, "warm"):
            got = {name: counts[name] for name in ("hits", "misses", "rebuilt", "failed")}
            self.check(got == {"hits": wanted, "misses": 0, "rebuilt": 0, "failed": 0},
                       f"warm: expected {wanted} hits, got {got}")
        entries = self.files(cache)
        self.check(len(entries) == self.options.kernels, "warm: entries are missing")
        size = sum(p.stat().st_size for p in entries)
        print(f"warm: {self.options.processes} processes, {wanted} hits each; {len(entries)} "
              f"entries of {size // max(1, len(entries))} bytes on average", flush=True)

    def parts(self, cache):
        left = self.files(cache, parts=True)
        for path in left:
            os.utime(path, (time.time() - 7200,) * 2)
        self.run(cache, 1, "sweep", TEGULA_ALWAYS_COMPILE="1")
        self.check(not self.files(cache, parts=True), "parts of killed processes are left")
        print(f"parts: {len(left)} of killed processes, none after an hour", flush=True)

    def mounted(self, name, size, then):
        """Runs `then(folder)` with a small file system there, as far as we may mount."""
        folder = self.work / name
        folder.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder],
                              stderr=subprocess.DEVNULL)
        if done.returncode != 0:
            print(f"{name}: left out, needs the right to mount", flush=True)
            return
        try:
            then(folder)
        finally:
            subprocess.run(["umount", "-l", folder])

    def full(self, cache):
        for counts in self.run(cache, 2, "full disk"):
            self.check(counts["failed"] > 0, "full disk: nothing failed")
        self.check(not self.files(cache, parts=True), "full disk: parts are left")
        print(f"full disk: {len(self.files(cache))} of {self.options.kernels} entries fit",
              flush=True)

    def read_only(self, cache):
        self.run(cache, 1, "fill")
        for path in self.files(cache)[::2]:
            path.unlink()
        left = len(self.files(cache))
        subprocess.run(["mount", "-o", "remount,ro", cache], check=True)
        for counts in self.run(cache, 2, "read-only"):
            self.check(counts["failed"] > 0 and counts["stored"] == 0, f"read-only: {counts}")
            self.check(counts["hits"] >= left * self.options.threads, f"read-only: {counts}")
        print(f"read-only: {left} entries served, none written", flush=True)

    def limited(self, cache, size):
        limit = size // 2
        counts = self.run(cache, self.options.processes, "limit", TEGULA_CACHE_LIMIT=str(limit))
        # Each process looks at the size when a sixteenth of the limit is new.
        after = self.run(cache, 1, "limit", TEGULA_CACHE_LIMIT=str(limit))[0]
        most = limit * 17 // 16 + size // self.options.kernels * 2
        self.check(after["bytes"] <= most, f"limit: {after['bytes']} bytes are over {limit}")
        print(f"limit: {after['bytes']} bytes of {limit} after {len(counts)} processes and one",
              flush=True)

    def torture(self):
        cache = self.work / "cache"
        self.cold(cache)
        self.warm(cache)
        self.parts(cache)
        size = sum(p.stat().st_size for p in self.files(cache))
        self.mounted("full", max(size // 3, 24 << 10), self.full)
        self.mounted("read-only", size * 4 + (4 << 20), self.read_only)
        self.limited(self.work / "limited", size)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("kernels", 50), ("processes", 8), ("threads", 8), ("kills", 12),
                        ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options)
        return 0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cache-torture-"))
    begun = time.monotonic()
    torture = Torture(options, folder)
    try:
        torture.torture()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(torture.failures)} failures in {time.monotonic() - begun:.1f} s")
    return 1 if torture.failures else 0


if __name__ == "__main__":
    sys.exit(main())
