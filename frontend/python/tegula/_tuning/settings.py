# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the environment and `tegula.knobs` say about tuning, read at each tuning."""

import math
import os
import sys

from ..errors import LaunchValueError

_OFF = ("", "0", "false", "off", "no")


def _knobs():
    """The group `autotuning` of the knobs; None while the package has none."""
    knobs = sys.modules.get(__package__.rpartition(".")[0] + ".knobs")
    return getattr(knobs, "autotuning", None)


def _is_on(value):
    return value.strip().lower() not in _OFF if isinstance(value, str) else bool(value)


def prints():
    """Whether each tuning is told in a line: TEGULA_PRINT_AUTOTUNING=1."""
    group = _knobs()
    return _is_on(os.environ.get("TEGULA_PRINT_AUTOTUNING", "") if group is None else group.print)


def stores():
    """Whether timings are kept on disk: TEGULA_AUTOTUNE_CACHE=on, the default, or off.

    Programs written for Triton read a knob that is off by default; only what somebody
    has set counts.
    """
    group = _knobs()
    if group is None:
        return _is_on(os.environ.get("TEGULA_AUTOTUNE_CACHE", "on"))
    is_set = "cache" in vars(group) or any(
        name in os.environ for name in ("TEGULA_AUTOTUNE_CACHE", "TRITON_CACHE_AUTOTUNING"))
    return bool(group.cache) if is_set else True


def listener():
    """The function that is told of each tuning, or None."""
    return getattr(_knobs(), "listener", None)


def logs():
    """Whether each configuration is told in a line: TEGULA_LOG=autotune."""
    return "autotune" in os.environ.get("TEGULA_LOG", "").replace(" ", "").split(",")


def say(text):
    """A line on standard error."""
    print(f"tegula: autotune: {text}", file=sys.stderr, flush=True)


def compile_threads():
    """How many kernels are compiled at the same time: TEGULA_COMPILE_THREADS, or all cores."""
    text = os.environ.get("TEGULA_COMPILE_THREADS", "")
    if not text.strip():
        return available_cores()
    try:
        count = int(text)
    except ValueError:
        count = 0
    if count < 1:
        raise LaunchValueError(f"TEGULA_COMPILE_THREADS: expected an integer from 1, got {text!r}",
                               id="invalid-option")
    return count


def available_cores():
    """Processors that this process may use: its affinity, and its group's quota of time."""
    cores = len(os.sched_getaffinity(0))
    return max(1, min(cores, math.ceil(min(_quotas(), default=cores))))


def _quotas(root="/sys/fs/cgroup", self_file="/proc/self/cgroup"):
    """Processors that control groups grant: of version 2 all above this process, else version 1."""
    found = []
    for folder in _group_folders(root, self_file):
        try:
            with open(f"{folder}/cpu.max", encoding="ascii") as file:
                quota, period = file.read().split()
        except (OSError, ValueError):
            continue
        if quota != "max":
            found.append(int(quota) / int(period))
    try:
        numbers = []
        for name in ("quota", "period"):
            with open(f"{root}/cpu/cpu.cfs_{name}_us", encoding="ascii") as file:
                numbers.append(int(file.read()))
        if numbers[0] > 0:
            found.append(numbers[0] / numbers[1])
    except (OSError, ValueError):
        pass
    return found


def _group_folders(root, self_file):
    folders = [root]
    try:
        with open(self_file, encoding="utf-8") as file:
            path = next(line.split("::", 1)[1] for line in file if line.startswith("0::"))
    except (OSError, StopIteration):
        return folders
    for part in path.strip().strip("/").split("/"):
        if part and part != "..":
            folders.append(f"{folders[-1]}/{part}")
    return folders
