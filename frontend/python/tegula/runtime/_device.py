# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts of the processors, and what `torch.cuda` offers, for them."""

import contextlib
import functools
import os
import re
import time
from pathlib import Path

from .. import _processor

_CPU = Path("/sys/devices/system/cpu/cpu0")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
# The least that kernels written for GPUs count on: the most that any of them offers.
_LEAST_CLOSE_MEMORY = 256 << 10


def of_launch(specs):
    """(kind, ordinal) of the device that a launch with such arguments runs on: where its
    arrays live, and the launcher takes arrays in host memory only."""
    return "cpu", 0


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


def properties():
    """Facts by the names that drivers of GPUs use."""
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
