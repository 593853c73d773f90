# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tegula.runtime.driver`: what programs ask about the machine."""

import os

import pytest
import tegula
from tegula.runtime import driver


def test_target(monkeypatch):
    monkeypatch.delenv("TEGULA_TARGET", raising=False)
    target = driver.active.get_current_target()
    assert (target.backend, target.warp_size) == ("cpu", 1) and target.arch
    assert tegula.runtime.driver.active.get_current_target() == target


def test_unknown_target(monkeypatch):
    monkeypatch.setenv("TEGULA_TARGET", "no-such-target")
    with pytest.raises(tegula.TargetError, match="no-such-target"):
        driver.active.get_current_target()


def test_device():
    properties = driver.active.utils.get_device_properties(driver.active.get_current_device())
    assert properties["multiprocessor_count"] == len(os.sched_getaffinity(0))
    driver.active.set_current_device(0)
    assert driver.active.get_current_stream() == 0
    assert driver.active.get_benchmarker() is tegula.testing.do_bench
    for call in (driver.active.set_current_device, driver.active.utils.get_device_properties,
                 driver.active.get_current_stream, driver.active.get_device_capability):
        with pytest.raises(ValueError, match="device: expected 0, got 1"):
            call(1)


def test_torch_device(torch):
    assert driver.active.get_active_torch_device() == torch.device("cpu")


def test_properties():
    properties = driver.active.utils.get_device_properties(0)
    assert set(properties) == {"multiprocessor_count", "max_shared_mem", "max_num_regs", "warpSize",
                               "sm_clock_rate", "mem_clock_rate", "mem_bus_width"}
    assert all(isinstance(value, int) and value > 0 for value in properties.values())
    assert properties["max_shared_mem"] >= 256 * 1024
    driver.active.utils.set_printf_fifo_size(1024)


def test_set_active():
    class Other:
        def get_current_device(self):
            return 3

    try:
        driver.set_active(Other())
        assert tegula.runtime.driver.active.get_current_device() == 3
        assert tegula.runtime.driver.default.get_current_device() == 0
    finally:
        driver.reset_active()
    assert driver.active is driver.default and driver.driver is driver


def test_device_interface():
    interface = driver.active.get_device_interface()
    begin, end = interface.Event(enable_timing=True), interface.Event(enable_timing=True)
    with pytest.raises(RuntimeError, match="elapsed_time: expected two events that were "
                       "recorded"):
        begin.elapsed_time(end)
    begin.record()
    end.record(interface.current_stream())
    interface.synchronize()
    assert begin.query() and 0 <= begin.elapsed_time(end) < 1000
    assert (interface.is_available(), interface.device_count(), interface.current_device()) == (
        True, 1, 0)
    with interface.device(0), interface.stream(interface.Stream()):
        pass


def test_cache_for_benchmarks(torch):
    cache = driver.active.get_empty_cache_for_benchmark()
    assert cache.nbytes >= 256 << 20
    small = torch.ones(4)
    driver.active.clear_cache(small)
    assert small.tolist() == [0] * 4


@pytest.mark.parametrize(("type", "expected"), [
    ("*fp32", "void *"), ("*ki8", "void *"), ("i32", "int32_t"), ("u64", "uint64_t"),
    ("i1", "int8_t"), ("fp16", "double")])
def test_types_in_c(type, expected):
    assert driver.active.map_python_to_cpp_type(type) == expected


def test_wrong_type_in_c():
    with pytest.raises(ValueError) as caught:
        driver.active.map_python_to_cpp_type("x32")
    assert str(caught.value) == "expected a type of signatures such as i32 or *fp16, got 'x32'"
