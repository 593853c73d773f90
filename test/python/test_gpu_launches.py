# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How launches are done and what becomes of faults, with a driver that computes nothing."""

import os
import re

import numpy as np
import pytest
import tegula
import tegula.language as tl
from fake_cuda import fake  # noqa: F401  (a fixture)

WAITING = '''
@tegula.jit
def waiting(x, n):
    tl.extra.cuda.gdc_wait()
    tl.store(x, n)
    tl.extra.cuda.gdc_launch_dependents()
'''


def attributes(fake):
    return [re.findall(r"attribute=(\S+)", line) for line in fake.trace
            if line.startswith("launch")]


def test_options_reach_the_driver(fake):
    fake.run(WAITING + '''
x = Tensor("cuda:0")
waiting[(1,)](x, 7)
waiting[(1,)](x, 7, launch_pdl=True)
waiting[(1,)](x, 7, launch_cooperative_grid=True)
waiting[(1,)](x, 7, launch_cooperative_grid=np.bool_(True), launch_pdl=1)
waiting[(1,)](x, 7, launch_cooperative_grid=False, launch_pdl=None, num_ctas=2)
''')
    assert attributes(fake) == [[], ["6:1,0,0"], ["2:1,0,0"], ["2:1,0,0", "6:1,0,0"], []]


def test_options_need_no_other_kernel(fake):
    shown = fake.run(WAITING + '''
x = Tensor("cuda:0")
first = waiting[(1,)](x, 7)
print(waiting[(1,)](x, 7, launch_pdl=True) is first)
first[(1,)](x, 7, launch_cooperative_grid=True)
tuned = tegula.autotune([tegula.Config({"launch_pdl": True})], key=[])(waiting)
tuned[(1,)](x, 7)
''')
    assert shown == ["True"] and attributes(fake) == [[], ["6:1,0,0"], ["2:1,0,0"], ["6:1,0,0"]]


def test_kernels_that_never_wait_are_not_started_early(fake):
    fake.run('store[(1,)](Tensor("cuda:0"), 7, launch_pdl=True)')
    assert attributes(fake) == [[]]


def test_a_cooperative_grid_that_does_not_fit(fake):
    shown = fake.run('''
import os
os.environ["FAKE_CUDA_FAIL"] = "cuLaunchKernelEx=720"
print(error_of(lambda: store[(64,)](Tensor("cuda:0"), 7, launch_cooperative_grid=True)))
''')
    assert ("kernel 'store': expected a cooperative grid of at most 8 programs, which fit on the "
            "device at once, got 64") in shown[0]


def test_chips_without_dependent_launches(fake):
    shown = fake.run(WAITING + '''
print(error_of(lambda: waiting[(1,)](Tensor("cuda:0"), 7, launch_pdl=True)))
waiting[(1,)](Tensor("cuda:0"), 7)
''', FAKE_CUDA_ARCH="80")
    assert "kernel 'waiting': device cuda:0 cannot launch dependently" in shown[0]
    assert attributes(fake) == [[]]


@tegula.jit
def plain(x, n):
    tl.extra.cuda.gdc_wait()
    tl.store(x, n)


def test_processors_need_none_of_it():
    x = np.zeros(4, np.int32)
    plain[(1,)](x, 7, launch_pdl=True, launch_cooperative_grid=True)
    assert x[0] == 7


@pytest.mark.parametrize("name", ["launch_pdl", "launch_cooperative_grid"])
def test_wrong_values(name):
    with pytest.raises(tegula.LaunchTypeError,
                       match=f"option '{name}': expected True or False, got str 'no'"):
        plain[(1,)](np.zeros(4, np.int32), 7, **{name: "no"})


def test_first_launch_in_a_capture(fake):
    shown = fake.run('''
import os
x, y = Tensor("cuda:0"), Tensor("cuda:0")
@tegula.jit
def talks(x, n):
    tl.device_print("n", n)
    tl.store(x, n)
fake_torch(0, 64)
os.environ["FAKE_CUDA_CAPTURE"] = "1"  # what a capture forbids fails
store[(1,)](x, 7)
talks[(1,)](x, 7)
print("captured")
''')
    assert shown == ["captured"]
    assert [line.split()[1] for line in fake.trace if "stream=64" in line] == ["1,1,1"] * 2


def test_faults_name_kernels_and_where_they_are(fake):
    shown = fake.run('''
import os
@tegula.jit
def early(x, n):
    tl.store(x, n)
@tegula.jit
def late(x, n):
    tl.store(x, n + 1)
print(early.fn.__code__.co_firstlineno + 1, late.fn.__code__.co_firstlineno + 1)
x = Tensor("cuda:0")
store[(1,)](x, 7)
_tegula.synchronize("cuda", 0)
early[(1,)](x, 7)
late[(1,)](x, 7)
os.environ["FAKE_CUDA_FAIL"] = "cuCtxSynchronize=700"
print(error_of(lambda: _tegula.synchronize("cuda", 0)))
del os.environ["FAKE_CUDA_FAIL"]
print(error_of(lambda: early[(1,)](x, 7)))
early[(1,)](Tensor("cuda:1"), 7)
cpu = np.zeros(4, np.int32)
early[(1,)](cpu, 7)
print(cpu[0])
''')
    early, late = shown[0].split()
    found = re.search(r"in one of kernel 'late' \((.*):(\d+)\) and kernel 'early' \((.*):(\d+)\)",
                      shown[1])
    assert found and found[2] == late and found[4] == early
    assert os.path.basename(found[1]) == "script.py" and "store" not in shown[1]
    assert "kernel 'early': device cuda:0 is lost" in shown[2] and "'late'" in shown[2]
    assert shown[3] == "7" and "device=1" in fake.trace[-1]


def test_exact_lines_are_asked_for_at_the_import(fake):
    shown = fake.run('''
import os
store[(1,)](Tensor("cuda:0"), 7)
os.environ["FAKE_CUDA_FAIL"] = "cuCtxSynchronize=700"
print(error_of(lambda: _tegula.synchronize("cuda", 0)))
''', TEGULA_GPU_FAULTS="1")
    assert "TEGULA_GPU_FAULTS asks for it: CUDA's report does not tell" in shown[0]


def test_a_child_of_fork_is_told(fake):
    shown = fake.run('''
import os
x = Tensor("cuda:0")
store[(1,)](x, 7)
read, write = os.pipe()
child = os.fork()
if child == 0:
    try:
        cpu = np.zeros(4, np.int32)
        text = error_of(lambda: store[(1,)](x, 7))
        store[(1,)](cpu, 7)
        os.write(write, f"{text}; CPU {cpu[0]}".encode())
    finally:
        os._exit(0)
os.close(write)
print(os.read(read, 4096).decode())
os.waitpid(child, 0)
store[(1,)](x, 7)
''')
    assert "this process was forked from one that had opened CUDA" in shown[0]
    assert shown[0].endswith("CPU 7") and len(fake.trace) == 2


def test_arrays_of_two_devices(fake):
    shown = fake.run('''
print(error_of(lambda: both[(1,)](Tensor("cuda:0"), Tensor("cuda:1"))))
both[(1,)](Tensor("cuda:1"), Tensor("cuda:1"))
import threading
threads = [threading.Thread(target=lambda d=d: [store[(1,)](Tensor(f"cuda:{d}"), 7)
                                                for _ in range(20)]) for d in (0, 1, 0, 1)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
''')
    assert "argument 'x' is on cuda:0, argument 'y' is on cuda:1 [wrong-device]" in shown[0]
    launches = [line for line in fake.trace if line.startswith("launch")]
    assert len(launches) == 81 and sum("device=1" in line for line in launches) == 41
