# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a function takes."""

import ctypes
import glob
import mmap
import os
import statistics
import threading
import time

from .. import _tegula
from ._errors import choice, function, number, wrong
from ..errors import LaunchValueError

_MODES = ("mean", "min", "max", "median", "all")
# A flush that takes as long as many runs would leave too few of them.
_LEAST_COLD_RUNS = 5


# -- the caches ----------------------------------------------------------------------

def _read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def _size(text):
    unit = {"K": 10, "M": 20, "G": 30}.get(text[-1:], 0)
    digits = text[:-1] if unit else text
    return int(digits) << unit if digits.isdigit() else 0


def cache_sizes():
    """Bytes by level of all data caches that this process can use: {1: ..., 2: ..., 3: ...}."""
    seen, sizes = set(), {}
    for cpu in sorted(os.sched_getaffinity(0)):
        for folder in glob.glob(f"/sys/devices/system/cpu/cpu{cpu}/cache/index*"):
            level, kind, size, shared = (_read(f"{folder}/{name}") for name in (
                "level", "type", "size", "shared_cpu_list"))
            if kind == "Instruction" or not level.isdigit() or (level, shared) in seen:
                continue
            seen.add((level, shared))
            sizes[int(level)] = sizes.get(int(level), 0) + _size(size)
    return sizes


class _Flusher:
    """Reads a buffer as large as all caches of the last two levels together.

    Reading is enough: each line that comes in pushes another one out. Every thread
    reads a part of its own, so that the private caches are emptied as well.
    """

    # Where the sizes are unknown, and what is the most that is spent on them.
    DEFAULT, MOST = 64 << 20, 512 << 20

    def __init__(self):
        sizes = sorted(cache_sizes().items())[-2:]
        size = sum(size for _, size in sizes) or self.DEFAULT
        self.size = min(size, self.MOST) & -4096
        self._memory = mmap.mmap(-1, self.size)
        self._begin = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        # Pages that were never written are all one page, which would stay in the cache.
        ctypes.memset(self._begin, 1, self.size)
        self._find = ctypes.CDLL(None).memchr
        self._find.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)
        self._find.restype = ctypes.c_void_p

    def __call__(self):
        parts = max(1, len(os.sched_getaffinity(0)))
        step = -(-self.size // parts)
        threads = [threading.Thread(target=self._read_part, args=(part * step, step))
                   for part in range(1, parts)]
        for thread in threads:
            thread.start()
        self._read_part(0, step)
        for thread in threads:
            thread.join()

    def _read_part(self, at, count):
        self._find(self._begin + at, 0, max(0, min(count, self.size - at)))


_flusher = None
_lock = threading.Lock()


def flush_caches():
    """Empties the processor's caches of the caller's data, by reading other memory.

    The buffer, as large as the caches (at most 512 MiB), stays until the process
    ends. Threads may call it at the same time.
    """
    global _flusher
    with _lock:
        if _flusher is None:
            _flusher = _Flusher()
        _flusher()


# -- timing --------------------------------------------------------------------------

def quantiles_of(times, fractions):
    """Quantiles of a list of numbers, between two of them where they fall there."""
    ordered = sorted(times)
    picked = []
    for q in fractions:
        at = q * (len(ordered) - 1)
        low = int(at)
        high = min(low + 1, len(ordered) - 1)
        picked.append(ordered[low] + (ordered[high] - ordered[low]) * (at - low))
    return picked


class GpuTimer:
    """Times of work of one GPU, on the stream that launches use."""

    LEAST = 256 << 20  # bytes to flush where the cache is smaller

    def __init__(self, device):
        self.device = device
        self._flushed = None

    def event(self):
        made = _tegula.Event(*self.device)
        made.record(_tegula.current_stream(*self.device))
        return made

    def once(self, fn):
        """Milliseconds that `fn` and what it launches take."""
        begin = self.event()
        fn()
        end = self.event()
        end.synchronize()
        return begin.until(end) / 1e6

    def flush(self):
        """Queues writes of as much memory as the cache holds, twice."""
        if self._flushed is None:
            size = max(self.LEAST, 2 * _tegula.device_info(*self.device)["l2_bytes"])
            self._flushed = size, _tegula.Buffer(*self.device, size)
        self._flushed[1].fill(0, 0, self._flushed[0])

    def measure(self, fn, before, warmup, rep, cold):
        """As the function `measure`; nothing is waited for between the runs."""
        _tegula.synchronize(*self.device)
        pace = self.once(lambda: [fn() for _ in range(5)]) / 5

        def run():
            if before is not None:
                before()
            if cold:
                self.flush()
            begin = self.event()
            fn()
            return begin, self.event()

        for _ in range(max(1, int(warmup / max(pace, 1e-3)))):
            run()
        events = [run() for _ in range(max(1, int(rep / max(pace, 1e-3))))]
        _tegula.synchronize(*self.device)
        return [begin.until(end) / 1e6 for begin, end in events]


def gpu_timer(device=None):
    """A GpuTimer, or None where no GPU has had work. device: which, if the caller knows."""
    device = device or _tegula.torch_device() or _tegula.last_device()
    return GpuTimer(device) if device[0] in ("cuda", "hip") else None


def measure(fn, before=None, warmup=25, rep=100, quantiles=None, cold=False):
    """Times of runs of `fn` in milliseconds: all, or the quantiles asked for.

    before: called ahead of each run, outside of its time. warmup, rep: milliseconds
    to spend before and while measuring; at least one run each, and one ahead. cold:
    flush the caches ahead of each timed run.
    """
    clock = time.perf_counter

    def run():
        if before is not None:
            before()
        begin = clock()
        fn()
        return clock() - begin

    def run_cold():
        if before is not None:
            before()
        flush_caches()
        begin = clock()
        fn()
        return clock() - begin

    run()
    timer = gpu_timer()
    if timer is not None:
        times = timer.measure(fn, before, warmup, rep, cold)
        return times if quantiles is None else quantiles_of(times, quantiles)
    start, spent = clock(), []
    while not spent or clock() - start < warmup / 1e3:
        spent.append(run())
    pace = (clock() - start) / len(spent)
    count = max(1, int(rep / 1e3 / max(pace, 1e-9)))
    if cold:
        flush_caches()  # the first one makes the buffer
        start = clock()
        flush_caches()
        pace += clock() - start
        count = min(count, max(_LEAST_COLD_RUNS, int(rep / 1e3 / pace)))
        run = run_cold
    times = [run() * 1e3 for _ in range(count)]
    return times if quantiles is None else quantiles_of(times, quantiles)


def _summary(times, quantiles, return_mode):
    if quantiles is not None:
        picked = quantiles_of(times, quantiles)
        return picked[0] if len(picked) == 1 else picked
    if return_mode == "all":
        return times
    return {"mean": statistics.fmean, "median": statistics.median, "min": min,
            "max": max}[return_mode](times)


def _fractions(owner, quantiles):
    if quantiles is None:
        return None
    expected = "a list of fractions from 0 to 1"
    try:
        fractions = [float(q) for q in quantiles]
    except (TypeError, ValueError):
        raise wrong(owner, "quantiles", expected, quantiles) from None
    if not fractions or not all(0 <= q <= 1 for q in fractions):
        raise wrong(owner, "quantiles", expected, quantiles, LaunchValueError)
    return fractions


def _dropper(owner, grad_to_none):
    """A function that drops the gradients, or None."""
    if grad_to_none is None:
        return None
    try:
        tensors = list(grad_to_none)
    except TypeError:
        raise wrong(owner, "grad_to_none", "a list of tensors", grad_to_none) from None

    def drop():
        for tensor in tensors:
            tensor.grad = None

    return drop


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean",
             cold=True):
    """Runs `fn` repeatedly and returns its time in milliseconds.

    warmup, rep: milliseconds to spend before and while measuring; at least one call
    each, and one ahead that is not counted, as it compiles. grad_to_none: tensors
    whose `grad` is dropped ahead of each call. quantiles: a list of fractions; then
    their times are returned, as a list, or as a number if there is one. return_mode:
    'mean', 'min', 'max', 'median' or 'all'.

    cold: the caches are flushed ahead of each timed call, so that its data comes from
    memory; on the CPU the flushes count to `rep`, but leave at least five calls. With False the
    caches are as the call before left them: right for data that stays in them, and
    for what a launch costs. What `fn` raises goes through.
    """
    function("do_bench", "fn", fn)
    choice("do_bench", "return_mode", return_mode, _MODES)
    warmup, rep = number("do_bench", "warmup", warmup), number("do_bench", "rep", rep)
    quantiles = _fractions("do_bench", quantiles)
    before = _dropper("do_bench", grad_to_none)
    return _summary(measure(fn, before, warmup, rep, cold=cold), quantiles, return_mode)


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """The time of one of many calls in a row, without what surrounds a call.

    On a GPU that is a graph of launches. On the CPU there is nothing to record: ten
    batches of calls are timed, each `rep` / 10 milliseconds long and at least one
    call, and the caches are as the calls leave them. Arguments as for `do_bench`.
    """
    owner = "do_bench_cudagraph"
    function(owner, "fn", fn)
    choice(owner, "return_mode", return_mode, _MODES)
    rep = number(owner, "rep", rep)
    quantiles = _fractions(owner, quantiles)
    before = _dropper(owner, grad_to_none) or (lambda: None)
    pace = min(measure(fn, before, 0, 0) + measure(fn, before, 0, 0))
    count = max(1, int(rep / 10 / max(pace, 1e-6)))
    times = []
    timer = gpu_timer()

    def batch():
        for _ in range(count):
            before()
            fn()

    for _ in range(10):
        begin = time.perf_counter()
        spent = timer.once(batch) if timer else batch()
        times.append((spent if timer else (time.perf_counter() - begin) * 1e3) / count)
    return _summary(times, quantiles, return_mode)
