# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Autotuned kernels in wrong programs: what fails, how it is told, and what stays usable."""

import gc
import weakref

import numpy as np
import pytest
from test_autotune import CONFIGS, add_one, grid, quick, tuned

import tegula
import tegula.language as tl


def test_an_error_of_all_configurations_is_raised_as_it_is():
    @tegula.jit
    def k(x, n, BLOCK: tl.constexpr):
        tl.store(x, undefined)  # noqa: F821

    kernel = tegula.autotune(CONFIGS, ["n"], do_bench=quick)(k)
    with pytest.raises(tegula.CompilationError, match="undefined") as caught:
        kernel[(1,)](np.zeros(1, np.int32), 1)
    assert caught.value.__notes__ == ["in all 2 configurations of autotune"]
    assert len(kernel.configs_failures) == 2
    with pytest.raises(tegula.CompilationError, match="undefined"):
        kernel.warmup(np.zeros(1, np.int32), 1)


def test_warmup_leaves_out_what_fails():
    kernel = tuned(configs=[CONFIGS[0], tegula.Config({"BLOCK": 3})])
    kernels = kernel.warmup(np.zeros(4, np.int32), 4)
    assert len(kernels) == 1 and list(kernel.configs_failures) == [kernel.configs[1]]


def test_failures_do_not_keep_the_arrays_of_the_call():
    import gc
    import weakref

    class Array(np.ndarray):
        pass

    kernel = tuned(configs=[*CONFIGS, tegula.Config({"BLOCK": 3})],
                   do_bench=lambda fn, quantiles: (fn(), failing.pop())[1])
    failing = [1.0]
    x = np.zeros(8, np.int32).view(Array)
    kernel[grid](x, 8)
    assert len(kernel.configs_failures) == 2
    alive = weakref.ref(x)
    del x
    gc.collect()
    assert alive() is None


def raising(*args, **kwargs):
    raise KeyError("mine")


@pytest.mark.parametrize("options", [
    {"pre_hook": raising}, {"post_hook": raising}, {"do_bench": raising},
    {"configs": [tegula.Config({"BLOCK": 16}, pre_hook=raising), CONFIGS[1]]},
    {"prune_configs_by": {"early_config_prune": raising}},
    {"prune_configs_by": {"perf_model": raising, "top_k": 1}}],
    ids=["pre_hook", "post_hook", "do_bench", "config", "early_config_prune", "perf_model"])
def test_exceptions_of_the_programs_own_functions(options):
    kernel = tuned(restore_value=["x"], **options)
    x = np.full(8, 3, np.int32)
    with pytest.raises(KeyError, match="mine"):
        kernel[grid](x, 8)
    assert (x == 3).all() and kernel.cache == {} and kernel.nargs is None


def test_exception_of_a_heuristic():
    kernel = tegula.autotune(CONFIGS, ["n"])(
        tegula.heuristics({"BLOCK": raising})(tegula.jit(add_one)))
    with pytest.raises(KeyError, match="mine"):
        kernel[(1,)](np.zeros(8, np.int32), 8)


def test_a_timer_that_fails_for_one_configuration():
    def bench(fn, quantiles):
        fn()
        if x[0] == 16:
            raise OSError("no clock")
        return 1.0

    @tegula.jit
    def k(x, n, BLOCK: tl.constexpr):
        tl.store(x, BLOCK)

    x = np.zeros(1, np.int32)
    kernel = tegula.autotune(CONFIGS, ["n"], do_bench=bench)(k)
    kernel[(1,)](x, 1)
    assert x[0] == 64 and isinstance(kernel.configs_failures[CONFIGS[0]], OSError)


@pytest.mark.parametrize("timing", [None, "fast", [], [None]], ids=repr)
def test_a_timer_that_returns_no_time(timing):
    with pytest.raises(tegula.LaunchTypeError, match="option 'do_bench' of autotune: expected a "
                       "function that returns milliseconds, got") as caught:
        tuned(do_bench=lambda fn, quantiles: timing)[grid](np.zeros(8, np.int32), 8)
    assert caught.value.id == "invalid-option"


def test_pruning_to_nothing():
    kernel = tuned(prune_configs_by={"early_config_prune": lambda configs, named, **kwargs: None})
    with pytest.raises(tegula.errors.AutotunerError, match="at least one configuration") as caught:
        kernel[grid](np.zeros(8, np.int32), 8)
    assert isinstance(caught.value, ValueError) and caught.value.id == "no-configuration"


def test_pruning_to_what_is_no_configuration():
    prune = {"early_config_prune": lambda configs, named, **kwargs: [{"BLOCK": 16}]}
    with pytest.raises(tegula.LaunchTypeError, match="a function that returns a list of Config"):
        tuned(prune_configs_by=prune)[grid](np.zeros(8, np.int32), 8)


@pytest.mark.parametrize("option, value, text", [
    ("configs", 3, "a list of Config, got int 3"), ("configs", ["c"], "a list of Config, got 'c'"),
    ("key", 3, "names of parameters, got int 3"), ("key", [None], "names of parameters, got None"),
    ("prune_configs_by", 1, "a dict, got int 1"),
    ("prune_configs_by", {"top": 1}, "did you mean 'top_k'"),
    ("prune_configs_by", {"perf_model": 1}, "a function, got int 1"),
    ("prune_configs_by", {"early_config_prune": 1}, "a function, got int 1"),
    ("prune_configs_by", {"perf_model": len, "top_k": 0}, "a positive integer or a share"),
    ("prune_configs_by", {"perf_model": len, "top_k": 1.5}, "a positive integer or a share"),
    ("prune_configs_by", {"perf_model": len, "top_k": True}, "a positive integer or a share"),
    ("reset_to_zero", 3, "names of parameters, got int 3"),
    ("reset_to_zero", ["xx"], "names of parameters, got 'xx'"),
    ("restore_value", [1], "names of parameters, got int 1"),
    ("restore_value", "nn", "did you mean 'n'"),
    ("pre_hook", 1, "a function, got int 1"), ("post_hook", "f", "a function, got 'f'"),
    ("do_bench", 1, "a function, got int 1"), ("warmup", "a", "milliseconds, got 'a'"),
    ("warmup", -1, "milliseconds, got int -1"), ("rep", True, "milliseconds, got bool True"),
    ("rep", float("inf"), "milliseconds, got float inf")])
def test_wrong_options(option, value, text):
    with pytest.raises(tegula.LaunchTypeError, match="of autotune: expected .*" + text) as caught:
        tuned(**{option: value})
    assert caught.value.id == "invalid-option"


@pytest.mark.parametrize("args, text", [
    ((3,), "'kwargs' of Config: expected a dict"), (({1: 2},), "a dict of constants by name"),
    (({}, 4, 3, 1, None, "f"), "'pre_hook' of Config: expected a function")])
def test_wrong_configurations(args, text):
    with pytest.raises(tegula.LaunchTypeError, match=text):
        tegula.Config(*args)


@pytest.mark.parametrize("values", [3, {"N": 3}, [len]], ids=repr)
def test_wrong_heuristics(values):
    with pytest.raises(tegula.LaunchTypeError, match="expected a dict of functions by name"):
        tegula.heuristics(values)


@pytest.mark.parametrize("name", ["num_warps", "num_stages", "num_ctas", "BLOCK"])
def test_what_configurations_give_may_not_come_from_the_launch(name):
    for configs in (CONFIGS, CONFIGS[:1]):
        with pytest.raises(tegula.LaunchValueError, match=f"expected '{name}' from its autotune"):
            tuned(configs=configs)[grid](np.zeros(8, np.int32), 8, **{name: 2})
