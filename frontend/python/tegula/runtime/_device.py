# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which device a launch runs on; facts of the processors; what `torch.cuda` offers for them."""

import contextlib
import functools
import os
import re
import time
from pathlib import Path

from .. import _processor, _tegula
from ..errors import Error

_CPU = Path("/sys/devices/system/cpu/cpu0")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
# The least that kernels written for GPUs count on: the most that any of them offers.
_LEAST_CLOSE_MEMORY = 256 << 10


HOST = ("cpu", 0)
# Devices whose arrays say so themselves, and that work without any is meant for, best first.
_KINDS = ("cuda", "hip")


@functools.cache
def _best():
    for kind in _KINDS:
        for device in _tegula.devices(kind):
            return device
    return HOST


def current():
    """(kind, ordinal) of the device of launches that nothing ties to one: where torch works, if
    a program has it and has used a GPU, else the best one of this machine."""
    return _tegula.torch_device() or _best()


def of_launch(what=None, arrays=None, used=None):
    """(kind, ordinal) of the device that a launch runs on.

    what: the target that was asked for, or None; arrays: where its arrays are, ("cpu", 0) for
    host memory, or None without any; used: where torch works, or None. Arrays in host memory go
    to the processors, or to a device of the target that works on host memory.
    """
    if arrays is not None and tuple(arrays) != HOST:
        return tuple(arrays)
    if not what:
        return HOST if arrays is not None else used or _best()
    if arrays is None and used is not None and _serves(what, used):
        return used
    if arrays is not None and _serves(what, HOST):
        return HOST
    try:
        kind, ordinal, is_host = _tegula.choose(what)
    except Error:
        return HOST  # where looking for the target says what is wrong
    return (kind, ordinal) if is_host or arrays is None else HOST


def _serves(what, device):
    try:
        _tegula.target(what, *device)
    except Error:
        return False
    return True


def of_target(what=None):
    """The device of work for a target that no array ties to one."""
    return of_launch(what or os.environ.get("TEGULA_TARGET"), None, _tegula.torch_device())


def target_here(what=None):
    """(id, backend, arch, yaml) of the target of such work; one for no device of this machine
    counts by itself."""
    what = what or os.environ.get("TEGULA_TARGET")
    device = of_target(what)
    if what and not _serves(what, device):
        return _tegula.target(what)
    return _tegula.target(what, *device)


def _read(path):
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _cache_of_core():
    """Bytes of the second-level cache of a core; 0 if the system does not say."""
    for index in sorted((_CPU / "cache").glob("index*")):
        size = re.fullmatch(r"(\d+)([KMG]?)", _read(index / "size"))
        if _read(index / "level") == "2" and size:
            return int(size[1]) * _UNITS.get(size[2], 1)
    return 0


def _clock():
    """The highest frequency of a core in kHz; 1 GHz if the system does not say."""
    most = _read(_CPU / "cpufreq/cpuinfo_max_freq")
    if most.isdigit():
        return int(most)
    now = re.match(r"[\d.]+", _processor.facts().get("cpu mhz", ""))
    return int(float(now[0]) * 1000) if now else 1_000_000


@functools.cache
def _facts():
    return {
        "max_shared_mem": max(_cache_of_core(), _LEAST_CLOSE_MEMORY),
        "max_num_regs": 1 << 16,  # of a GPU: nothing is limited by it
        "warpSize": 1,
        "sm_clock_rate": _clock(),
        # Two channels at 3200 MT/s: the system does not tell what is built in.
        "mem_clock_rate": 1_600_000,
        "mem_bus_width": 128,
    }


def properties(device=HOST):
    """Facts by the names that drivers of GPUs use."""
    if device[0] in _KINDS:
        info = _tegula.device_info(*device)
        return {"multiprocessor_count": info["compute_units"], "warpSize": info["warp_size"],
                "max_shared_mem": info["shared_memory_per_block"],
                "max_num_regs": info["registers_per_unit"], "sm_clock_rate": info["clock_khz"],
                "mem_clock_rate": info["memory_clock_khz"],
                "mem_bus_width": info["memory_bus_bits"]}
    return {"multiprocessor_count": len(os.sched_getaffinity(0)), **_facts()}


class Event:
    """A moment; `elapsed_time` is in milliseconds."""

    def __init__(self, enable_timing=False, **options):
        self._at = None

    def record(self, stream=None):
        self._at = time.perf_counter()

    def elapsed_time(self, end):
        if self._at is None or end._at is None:
            raise RuntimeError("elapsed_time: expected two events that were recorded")
        return (end._at - self._at) * 1e3

    def synchronize(self):
        """Nothing to wait for: launches are done when they return."""

    def query(self):
        return True

    def wait(self, stream=None):
        """Nothing to wait for."""


class Stream:
    """The order of launches: the only one."""

    cuda_stream = 0

    def __init__(self, device=None, priority=0, **options):
        self.device = device

    def synchronize(self):
        """Nothing to wait for."""

    def wait_stream(self, stream):
        """Nothing to wait for."""

    def wait_event(self, event):
        """Nothing to wait for."""

    def query(self):
        return True


class DeviceInterface:
    """What programs use of `torch.cuda`, for the processors of the machine."""

    Event = Event
    Stream = Stream

    @staticmethod
    def is_available():
        return True

    @staticmethod
    def device_count():
        return 1

    @staticmethod
    def current_device():
        return 0

    @staticmethod
    def set_device(device):
        """Nothing to choose."""

    @staticmethod
    def synchronize(device=None):
        """Nothing to wait for."""

    @staticmethod
    def current_stream(device=None):
        return Stream()

    @staticmethod
    @contextlib.contextmanager
    def stream(stream):
        yield

    @staticmethod
    @contextlib.contextmanager
    def device(device):
        yield

    @staticmethod
    def empty_cache():
        """Nothing to give back."""
