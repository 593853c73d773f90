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
                 driver.active.get_current_stream):
        with pytest.raises(ValueError, match="device: expected 0, got 1"):
            call(1)


def test_torch_device(torch):
    assert driver.active.get_active_torch_device() == torch.device("cpu")
