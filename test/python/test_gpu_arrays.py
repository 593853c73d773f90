# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on arrays of GPUs: devices, streams and errors, with a driver that computes nothing."""

import re

from fake_cuda import fake  # noqa: F401  # pylint: disable=unused-import


def launches(fake):
    return [line for line in fake.trace if line.startswith("launch")]


def test_torch_like(fake):
    shown = fake.run('''
for device in ("cuda:1", "cuda:0", "cuda:1"):
    print(store[(3, 2)](Tensor(device), 7).device)
print(len(store._kernels()))
''')
    assert shown == ["('cuda', 1)", "('cuda', 0)", "('cuda', 1)", "2"]
    assert launches(fake) == [f"launch 3,2,1{device} threads=128 shared=0 stream=0"
                              for device in (" device=1", "", " device=1")]


def test_cuda_array_interface(fake):
    shown = fake.run('''
print(store[(1,)](CudaArray(), 7).device, store[(1,)](CudaArray(stream=1), 7).device)
store[(1,)](CudaArray(stream=64), 7)
print(error_of(lambda: store[(1,)](CudaArray(stream=0), 7)))
print(error_of(lambda: store[(1,)](CudaArray(read_only=True), 7)))
print(error_of(lambda: store[(1,)](CudaArray(typestr="<c8"), 7)))
''')
    assert shown[0] == "('cuda', 0) ('cuda', 0)"
    assert fake.trace[2:] == ["record stream=64", "wait stream=0",
                              "launch 1,1,1 threads=128 shared=0 stream=0"]
    assert ("expected None or the address of a stream as 'stream' of its "
            "__cuda_array_interface__, got int 0") in shown[1]
    assert "read-only" in shown[2] and "elements of bool" in shown[3]


def test_dlpack(fake):
    shown = fake.run('''
array = OnlyDLPack(tegula.Array.zeros(4, "int32", "cuda:1"))
print(store[(1,)](array, 7).device, store[(1,)](array, 7, stream=48).device, array.streams)
''')
    assert shown == ["('cuda', 1) ('cuda', 1) [1, 48]"]
    assert [line.split("stream=")[1] for line in launches(fake)] == ["0", "48"]


def test_mixed_devices(fake):
    shown = fake.run('''
cpu = np.zeros(4, np.int32)
print(error_of(lambda: both[(1,)](cpu, Tensor("cuda:1"))))
print(error_of(lambda: both[(1,)](Tensor("cuda:0"), Tensor("cuda:1"))))
print(error_of(lambda: both[(1,)](Tensor("cuda:1"), cpu)))
print(error_of(lambda: both[(1,)](Tensor("cuda:7"), Tensor("cuda:7"))))
print(error_of(lambda: both[(1,)](Tensor("hpu:0"), Tensor("hpu:0"))))
''')
    assert "argument 'x' is on cpu, argument 'y' is on cuda:1" in shown[0]
    assert "argument 'x' is on cuda:0, argument 'y' is on cuda:1" in shown[1]
    assert "argument 'x' is on cuda:1, argument 'y' is on cpu" in shown[2]
    assert "on device cuda:7, which no installed backend serves" in shown[3]
    assert "on device hpu:0, which no installed backend serves" in shown[4]
    assert not fake.trace


def test_streams(fake):
    shown = fake.run('''
class Stream:
    cuda_stream = 96
class Protocol:
    def __cuda_stream__(self):
        return 0, 112
x = Tensor("cuda:0")
compiled = store[(1,)](x, 7)
for stream in (80, Stream(), Protocol(), None):
    store[(1,)](x, 7, stream=stream)
compiled[(1,)](x, 7, stream=128)
fake_torch(device=1, stream=144)
store[(1,)](x, 7)
print(_tegula.current_stream("cuda", 0), tegula.runtime.driver.active.get_current_stream(0))
print(error_of(lambda: store[(1,)](x, 7, stream="fast")))
cpu = np.zeros(4, np.int32)
store[(1,)](cpu, 7, stream=80)
print(cpu[0])
''')
    assert [line.split("stream=")[1] for line in launches(fake)] == [
        "0", "80", "96", "112", "0", "128", "144"]
    assert shown[0] == "144 144"
    assert ("option 'stream': expected a stream of torch or CuPy, or the address of one, got "
            "str 'fast'") in shown[1]
    assert shown[2] == "7"


def test_device_without_arrays(fake):
    shown = fake.run('''
print(nothing[(1,)](3).device)
print(nothing[(1,)](3, target="cpu").device)
fake_torch(device=1, stream=16)
print(nothing[(1,)](3).device, tegula.runtime.driver.active.get_current_device())
print(nothing[(1,)](3, target="cpu").device)
''')
    assert shown == ["('cuda', 0)", "('cpu', 0)", "('cuda', 1) 1", "('cpu', 0)"]


def test_facts(fake):
    shown = fake.run('''
compiled = store[(1,)](Tensor("cuda:0"), 7, num_warps=8)
print(compiled.metadata.num_warps, compiled.metadata.target, compiled.n_regs,
      compiled.n_spills)
driver = tegula.runtime.driver.active
print(driver.get_current_target(), driver.get_device_capability(1))
print(driver.utils.get_device_properties(0)["max_shared_mem"])
print(error_of(lambda: driver.utils.get_device_properties(2)))
''')
    assert shown[0] == "8 GPUTarget(backend='cuda', arch=90, warp_size=32) 120 6"
    assert shown[1] == "GPUTarget(backend='cuda', arch=90, warp_size=32) (9, 0)"
    assert shown[2] == "232448" and shown[3] == "ValueError: device: expected 0 or 1, got 2"
    assert "threads=256" in fake.trace[0]


def test_large_grid(fake):
    shown = fake.run('''
for grid in ((1, 65536), (1, 1, 65536)):
    print(error_of(lambda: store[grid](Tensor("cuda:0"), 7)))
store[(2**31 - 1,)](Tensor("cuda:0"), 7)
''')
    assert all("65535" in line and "got 65536" in line for line in shown)
    assert len(fake.trace) == 1


def test_too_many_warps(fake):
    shown = fake.run('''
try:
    store[(1,)](Tensor("cuda:0"), 7, num_warps=64)
except tegula.OutOfResources as error:
    print(error.limit, error.required, error.name)
@tegula.autotune(configs=[tegula.Config({}, num_warps=w) for w in (64, 2)], key=["n"])
@tegula.jit
def tuned(x, n):
    tl.store(x, n)
tuned[(1,)](Tensor("cuda:0"), 7)
print(tuned.best_config.num_warps)
''')
    assert shown == ["32 64 warps", "2"]


def test_failing_launch(fake):
    shown = fake.run('''
import os
x, cpu = Tensor("cuda:0"), np.zeros(4, np.int32)
store[(1,)](x, 7)
os.environ["FAKE_CUDA_FAIL"] = "cuLaunchKernel=700"
print(error_of(lambda: store[(1,)](x, 7)))
del os.environ["FAKE_CUDA_FAIL"]
print(error_of(lambda: store[(1,)](x, 7)))
store[(1,)](Tensor("cuda:1"), 7)
store[(1,)](cpu, 7)
print(cpu[0])
''')
    assert shown[0].startswith("LaunchError: kernel 'store'") and "illegal memory" in shown[0]
    assert "lost" in shown[1] and shown[2] == "7"


def test_fault_that_comes_later(fake):
    shown = fake.run('''
import os
store[(1,)](Tensor("cuda:0"), 7)
os.environ["FAKE_CUDA_FAIL"] = "cuCtxSynchronize=700"
print(error_of(lambda: _tegula.synchronize("cuda", 0)))
del os.environ["FAKE_CUDA_FAIL"]
print(error_of(lambda: nothing[(1,)](7)))
''')
    assert shown[0].startswith("LaunchError: device cuda:0") and "illegal memory" in shown[0]
    assert re.search(r"; in kernel 'store' \(.*script.py:\d+\)", shown[0])
    assert "is lost" in shown[1] and "kernel 'nothing'" in shown[1]


def test_other_target(fake):
    shown = fake.run('''
print(error_of(lambda: store[(1,)](Tensor("cuda:0"), 7, target="cpu")))
print(error_of(lambda: store[(1,)](np.zeros(4, np.int32), 7, target="nvidia")))
''')
    assert "TargetError" in shown[0] and "cuda:0" in shown[0]
    assert "memory of a device that target" in shown[1] and "in host memory" in shown[1]


def test_without_a_device(fake):
    shown = fake.run('''
source = tegula.compiler.ASTSource(store, {"x": "*i32", "n": "i32"})
target = tegula.compiler.GPUTarget("cuda", 80, 32)
compiled = tegula.compile(source, target=target)
print(compiled.device, ".target sm_80" in compiled.asm["ptx"], compiled.metadata.target == target)
from tegula.compiler.compiler import _target_name
print(store.warmup(np.int32, 7, target=_target_name(target)).device)
print(error_of(lambda: tegula.compile(source, target=tegula.compiler.GPUTarget("cuda", 3, 32))))
print(error_of(lambda: compiled[(1,)](np.zeros(4, np.int32), 7)))
''', devices=0)
    assert shown[:2] == ["None True True", "None"]
    assert "sm_3" in shown[2] and shown[3] != "no error" and not fake.trace


def test_compiled_for_another_device(fake):
    shown = fake.run('''
compiled = store[(1,)](Tensor("cuda:0"), 7)
compiled[(1,)](Tensor("cuda:1"), 7)
print(error_of(lambda: compiled[(1,)](np.zeros(4, np.int32), 7)))
''')
    assert ("expected arrays on cuda:0, which this kernel was compiled for, got them on cpu:0; "
            "launch store[grid](...) to have it compiled for all devices") in shown[0]
    assert len(fake.trace) == 2


def test_timing(fake):
    shown = fake.run('''
x = Tensor("cuda:0")
print(tegula.testing.do_bench(lambda: store[(1,)](x, 7), warmup=3, rep=15))
print(tegula.testing.do_bench(lambda: store[(1,)](x, 7), warmup=3, rep=15, return_mode="all"))
@tegula.autotune(configs=[tegula.Config({}, num_warps=w) for w in (1, 2)], key=["n"])
@tegula.jit
def tuned(x, n):
    tl.store(x, n)
tuned[(1,)](x, 7)
print({tuple(timing) for timing in tuned.configs_timings.values()})
''')
    assert shown[0] == "1.5" and set(eval(shown[1])) == {1.5}
    assert shown[2] == "{(1.5, 1.5, 1.5)}"


def test_array(fake):
    shown = fake.run('''
x = tegula.Array.full((3, 4), 2.5, "float32", "cuda:1")
print(x, x.copy("cuda:0").copy("cpu").to_numpy().sum(), x.__dlpack_device__())
interface = x.__cuda_array_interface__
print(interface["typestr"], interface["shape"], interface["stream"], interface["version"])
print(store[(1,)](tegula.Array.zeros(4, "int32"), 7).device)
print(error_of(lambda: x.__array_interface__), error_of(lambda: tegula.Array(4, device="cuda:5")))
''')
    assert shown[0] == "tegula.Array([3, 4], float32, cuda:1) 30.0 (2, 1)"
    assert shown[1] == "<f4 (3, 4) 1 3" and shown[2] == "('cuda', 0)"
    assert "__array_interface__: the array is on cuda:1; to_numpy() copies it" in shown[3]
    assert "no device cuda:5" in shown[3]
