# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a device can do at most: measured where that is possible, else estimated."""

import contextlib
import dataclasses
import functools
import os
import shutil
import subprocess

from ._errors import number, wrong
from ._timing import cache_sizes
from .. import _processor
from ..errors import LaunchValueError, TargetError

# Types whose arithmetic is done in float32 on a processor.
_NARROW = ("float32", "tf32", "float16", "bfloat16", "int8", "float8e4nv", "float8e4b8",
           "float8e4b15", "float8e5", "float8e5b16", "float8_e4m3fn", "float8_e5m2", "int16",
           "int32")
_TYPES = (*_NARROW, "float64")
_SHORT = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16",
          "fp8e4nv": "float8e4nv", "fp8e4b8": "float8e4b8", "fp8e4b15": "float8e4b15",
          "fp8e5": "float8e5", "fp8e5b16": "float8e5b16"}


@dataclasses.dataclass(frozen=True)
class DeviceLimits:
    """See `device_limits`.

    name: what the device calls itself; kind: 'cpu'. processors: how many this process
    may use. clock_ghz: measured, of one of them while it computes. caches: bytes by
    level, of all caches that it can use. gbps: measured, 10**9 bytes a second from and
    to memory. tflops: measured, 10**12 operations a second of multiply-adds in the
    vector units for float32, which serves narrower types too, and float64; a
    multiply-add is two.
    """

    name: str
    kind: str
    processors: int
    clock_ghz: float
    caches: dict
    gbps: float
    tflops: dict

    def roofline(self, flops, nbytes, dtype="float32"):
        """The least milliseconds that so many operations and bytes of memory can take."""
        name = _type_name("roofline", dtype)
        rate = self.tflops["float64" if name == "float64" else "float32"]
        return max(flops / (rate * 1e9), nbytes / (self.gbps * 1e6))


def _cpu_info():
    """(model name, set of flags, vendor, family) as the system tells them."""
    facts = _processor.facts()
    flags = set((facts.get("flags") or facts.get("features") or "").split())
    return _processor.name(facts), flags, facts.get("vendor_id", ""), facts.get("cpu family", "")


def _check_device(owner, device):
    if device not in (None, 0) and str(device) != "cpu":
        raise wrong(owner, "device", "'cpu', 0 or None", device, LaunchValueError)


def _type_name(owner, dtype):
    """The name of a type of the language, torch, NumPy, or a text."""
    name = getattr(dtype, "__name__", None) if isinstance(dtype, type) else str(dtype)
    name = name.rpartition(".")[2]
    name = _SHORT.get(name, name)
    if name not in _TYPES:
        raise wrong(owner, "dtype", f"a type among {', '.join(_TYPES)}", name, LaunchValueError,
                    _TYPES)
    return name


@functools.lru_cache(maxsize=None)
def _measured(processors):
    from . import _probes

    caches = cache_sizes()
    last = sum(sorted(caches.values())[-2:]) or 64 << 20
    gbps = _probes.bandwidth(min(2 * last, 512 << 20) & -8192) / 1e9
    single = _probes.multiply_adds(processors, "f") / 1e12
    double = _probes.multiply_adds(processors, "d") / 1e12
    return DeviceLimits(_cpu_info()[0], "cpu", processors, _probes.clock() / 1e9, caches, gbps,
                        {"float32": single, "float64": double})


def device_limits(device=None):
    """What the device can do at most, as `DeviceLimits`; measured once in a process.

    device: 'cpu', 0 or None, the only one for now. It takes a second or two. The figures are
    what simple kernels reach when nothing else runs: on a loaded machine they come
    out too small. A benchmark can be above `gbps` when its data stays in caches.
    """
    _check_device("device_limits", device)
    return _measured(len(os.sched_getaffinity(0)))


def get_dram_gbps(device=None):
    """Bandwidth of the device's memory in 10**9 bytes a second; on the CPU measured."""
    _check_device("get_dram_gbps", device)
    return device_limits().gbps


def _operations_per_cycle():
    """float32 operations of one processor in a cycle, by what it says of itself."""
    _, flags, vendor, family = _cpu_info()
    if "avx512f" in flags:
        # Two units of 512 bits, or two halves of them in AMD's first generation.
        return 32 if vendor == "AuthenticAMD" and family == "25" else 64
    if "fma" in flags:
        return 32
    if "avx" in flags:
        return 16
    return 16 if "asimd" in flags else 8


def _estimate(owner, dtype, clock_rate, device):
    _check_device(owner, device)
    name = _type_name(owner, dtype)
    if clock_rate is None:
        clock_rate = device_limits().clock_ghz * 1e6
    clock_rate = number(owner, "clock_rate", clock_rate)
    per_cycle = _operations_per_cycle() // (2 if name == "float64" else 1)
    return len(os.sched_getaffinity(0)) * clock_rate * per_cycle * 1e-9


def get_max_simd_tflops(dtype, clock_rate=None, device=None):
    """10**12 operations a second of the vector units at `clock_rate` kHz: an estimate.

    dtype: a type of the language, of torch or NumPy, or its name. clock_rate: None is the
    measured one. On the CPU: processors, times the width that their flags promise,
    times the clock; types narrower than float32 are computed in float32.
    `device_limits().tflops` is what was measured.
    """
    return _estimate("get_max_simd_tflops", dtype, clock_rate, device)


def get_max_tensorcore_tflops(dtype, clock_rate=None, device=None):
    """The same of the matrix units; products on the CPU run on the vector units."""
    return _estimate("get_max_tensorcore_tflops", dtype, clock_rate, device)


@contextlib.contextmanager
def set_gpu_clock(ref_sm_clock=1350, ref_mem_clock=1215):
    """Holds a GPU's clocks while it is open; gives (TFLOP/s, GB/s) of the device.

    There is no GPU to serve yet: nothing is changed, and the figures are those of
    `device_limits()`.
    """
    number("set_gpu_clock", "ref_sm_clock", ref_sm_clock)
    number("set_gpu_clock", "ref_mem_clock", ref_mem_clock)
    limits = device_limits()
    yield limits.tflops["float32"], limits.gbps


def nvsmi(attrs):
    """Integers that `nvidia-smi` answers for the first GPU, such as ['clocks.current.sm']."""
    program = shutil.which("nvidia-smi")
    if program is None:
        raise TargetError("nvsmi: expected the program 'nvidia-smi', which comes with NVIDIA's "
                          "driver, on the PATH, got none", id="no-such-device")
    command = [program, "-i", "0", f"--query-gpu={','.join(attrs)}",
               "--format=csv,noheader,nounits"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return [int(value) for value in done.stdout.split(",")]
    except ValueError:
        answer = (done.stderr or done.stdout).strip()
        raise TargetError(f"nvsmi: expected numbers for {', '.join(attrs)}, got {answer!r}",
                          id="no-such-device") from None
