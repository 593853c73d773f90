# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Python beside a driver library that has GPUs but computes nothing (FakeCuda.c)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TEGULA_BUILD", ROOT / "build"))

# What scripts start with: kernels, and objects that look like arrays on a GPU.
PRELUDE = '''
import sys, types
import numpy as np
import tegula
import tegula.language as tl
from tegula import _tegula

@tegula.jit
def store(x, n):
    tl.store(x, n)

@tegula.jit
def both(x, y):
    tl.store(x, tl.load(y))

@tegula.jit
def nothing(n):
    pass

class Device:
    def __init__(self, text):
        self.text = text
    def __str__(self):
        return self.text

class Tensor:
    """As torch's: data_ptr and dtype."""
    is_cpu = False
    def __init__(self, device, address=256, dtype="torch.int32"):
        self.device, self.address, self.dtype = Device(device), address, dtype
    def data_ptr(self):
        return self.address

class CudaArray:
    """As CuPy's and Numba's."""
    def __init__(self, stream=None, address=256, read_only=False, typestr="<i4"):
        self.__cuda_array_interface__ = {
            "shape": (4,), "typestr": typestr, "data": (address, read_only), "version": 3,
            "strides": None, "stream": stream}

class OnlyDLPack:
    def __init__(self, array):
        self.array, self.streams = array, []
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
    def __dlpack__(self, *, stream=None, **options):
        self.streams.append(stream)
        return self.array.__dlpack__(stream=-1)

def fake_torch(device, stream):
    """What a program has that uses torch on a GPU."""
    torch, cuda, c = (types.ModuleType(name) for name in ("torch", "torch.cuda", "torch._C"))
    cuda._initialized = True
    c._cuda_getCurrentRawStream = lambda ordinal: stream
    c._cuda_getDevice = lambda: device
    sys.modules.update({"torch": torch, "torch.cuda": cuda, "torch._C": c})

def error_of(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__ + ": " + str(error).splitlines()[0]
    return "no error"
'''


class Fake:
    """Runs scripts; `trace` has what the driver was asked to launch and to order."""

    def __init__(self, folder):
        self.folder = folder
        self.trace = []

    def run(self, script, devices=2, **variables):
        file, trace = self.folder / "script.py", self.folder / "trace"
        file.write_text(PRELUDE + script)
        trace.write_text("")
        env = dict(os.environ, PYTHONPATH=f"{BUILD / 'python'}", FAKE_CUDA_DEVICES=str(devices),
                   FAKE_CUDA_TRACE=str(trace), LD_LIBRARY_PATH=str(self.folder / "driver"),
                   TEGULA_PLUGIN_PATH=str(BUILD / "lib/tegula/plugins"), **variables)
        env.pop("TEGULA_TARGET", None) if "TEGULA_TARGET" not in variables else None
        done = subprocess.run([sys.executable, str(file)], env=env, capture_output=True, text=True,
                              timeout=300, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        self.trace = trace.read_text().splitlines()
        return done.stdout.splitlines()


@pytest.fixture
def fake(tmp_path):
    library = BUILD / "test/unit/nvidia/fake-cuda.so"
    if not library.exists() or not (
            list(BUILD.glob("lib/tegula/*/libtegula-nvidia.so"))):
        pytest.skip("the plugin 'nvidia' or the fake driver library is not built")
    (tmp_path / "driver").mkdir()
    (tmp_path / "driver/libcuda.so.1").symlink_to(library)
    return Fake(tmp_path)
