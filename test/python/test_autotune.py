# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants chosen at launch: autotune, heuristics, and what surrounds them."""

import math
import threading

import numpy as np
import pytest

import tegula
import tegula.language as tl


def quick(fn, quantiles):
    """A timer that runs twice and finds everything equally fast."""
    fn()
    fn()
    return [1.0] * len(quantiles)


CONFIGS = [tegula.Config({"BLOCK": 16}), tegula.Config({"BLOCK": 64}, num_warps=2, num_stages=1)]


def add_one(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


def grid(meta):
    return (tegula.cdiv(meta["n"], meta["BLOCK"]),)


def tuned(**options):
    options = {"configs": CONFIGS, "key": ["n"], "do_bench": quick} | options
    return tegula.autotune(**options)(tegula.jit(add_one))


def test_choice_is_kept_by_key():
    times = {16: 3.0, 64: 2.0}
    benched = []
    kernel = tuned(do_bench=lambda fn, quantiles: times[benched[-1]],
                   pre_hook=lambda args, reset_only=False:
                   reset_only or benched.append(args["BLOCK"]))
    # The timer never runs the kernel, so that the hook does not either.
    kernel._options.do_bench = lambda fn, quantiles: (fn(), times[benched[-1]])[1]
    x = np.zeros(100, np.float32)
    kernel[grid](x, 100)
    assert benched == [16, 64]
    assert kernel.best_config is CONFIGS[1]
    assert kernel.configs_timings == {CONFIGS[0]: 3.0, CONFIGS[1]: 2.0}
    kernel[grid](x, 100)
    assert benched == [16, 64]
    times[64] = 9.0
    kernel[grid](x, 99)  # another value of the key
    assert kernel.best_config is CONFIGS[0] and len(kernel.cache) == 2
    kernel[grid](x.astype(np.float64), 100)  # another element type
    assert len(kernel.cache) == 3 and benched == [16, 64] * 3
    assert kernel.configs == CONFIGS


def test_default_timer():
    kernel = tuned(do_bench=None, warmup=1, rep=1, restore_value=["x"])
    x = np.zeros(50, np.float32)
    kernel[grid](x, 50)
    np.testing.assert_array_equal(x, 1)
    assert all(len(t) == 3 and 0 < t[1] <= t[0] <= t[2] for t in kernel.configs_timings.values())


@pytest.mark.parametrize("option, first", [("restore_value", 6), ("reset_to_zero", 1)])
def test_values_are_right_on_the_first_call(option, first):
    kernel = tuned(**{option: ["x"]})
    x = np.full(100, 5, np.int32)
    kernel[grid](x, 90)
    np.testing.assert_array_equal(x[:90], first)
    np.testing.assert_array_equal(x[90:], 0 if option == "reset_to_zero" else 5)
    kernel[grid](x, 90)
    np.testing.assert_array_equal(x[:90], first + 1)


def test_each_timed_run_sees_the_values_as_they_were(torch):
    seen = []

    def bench(fn, quantiles):
        for _ in range(3):
            fn()
            seen.append(float(x[0]))
        return [1, 1, 1]

    x = torch.full((40,), 7.0)
    tuned(restore_value=["x"], do_bench=bench)[grid](x, 40)
    assert seen == [8.0] * 6
    assert torch.equal(x, torch.full((40,), 8.0))


def test_values_without_either_option_are_those_of_all_runs():
    x = np.zeros(10, np.int32)
    tuned()[grid](x, 10)
    np.testing.assert_array_equal(x, 5)  # 2 configurations, 2 runs each, and the launch


def test_a_configuration_that_fails_is_left_out():
    @tegula.jit
    def picky(x, n, BLOCK: tl.constexpr):
        tl.static_assert(BLOCK < 32, "block is too large")
        tl.store(x, BLOCK)

    kernel = tegula.autotune(CONFIGS[::-1], ["n"], do_bench=quick)(picky)
    x = np.zeros(1, np.int32)
    kernel[(1,)](x, 1)
    assert x[0] == 16 and kernel.best_config is CONFIGS[0]
    assert kernel.configs_timings[CONFIGS[1]] == [math.inf] * 3
    assert list(kernel.configs_failures) == [CONFIGS[1]]
    assert "block is too large" in str(kernel.configs_failures[CONFIGS[1]])


def test_values_survive_when_all_fail():
    kernel = tegula.autotune([tegula.Config({"BLOCK": b}) for b in (3, 5)], ["n"],
                             restore_value=["x"], do_bench=quick)(tegula.jit(add_one))
    x = np.full(4, 2, np.int32)
    with pytest.raises(tegula.LaunchError, match="none of 2 configurations") as caught:
        kernel[(1,)](x, 4)
    assert caught.value.id == "no-configuration"
    np.testing.assert_array_equal(x, 2)


def test_wrong_arguments_are_said_once():
    with pytest.raises(tegula.LaunchTypeError, match="argument 'x'") as caught:
        tuned()[grid]([1, 2], 4)
    assert "configurations" not in str(caught.value)


def test_single_configuration_is_not_timed():
    def bench(fn, quantiles):
        raise AssertionError

    kernel = tuned(configs=CONFIGS[:1], do_bench=bench)
    x = np.zeros(8, np.int32)
    kernel[grid](x, 8)
    np.testing.assert_array_equal(x, 1)
    assert kernel.best_config is CONFIGS[0]


def test_no_configurations_mean_the_default_one():
    kernel = tegula.autotune([], [])(tegula.jit(add_one))
    x = np.zeros(8, np.int32)
    kernel[grid](x, 8, BLOCK=8)
    np.testing.assert_array_equal(x, 1)


def test_pruning():
    tried = []

    def early(configs, named, **kwargs):
        assert named["n"] == 8 and kwargs == {"num_ctas": 1}
        return configs[1:]

    def model(x, n, BLOCK, num_warps, **kwargs):
        return abs(BLOCK - 40)

    def bench(fn, quantiles):
        tried.append(fn)
        return 1.0

    configs = [tegula.Config({"BLOCK": 2**k}) for k in range(8)]
    for prune, tries, best in [({"early_config_prune": early}, 7, 2),
                               ({"perf_model": model, "top_k": 1}, 0, 32),
                               ({"perf_model": model, "top_k": 0.25}, 2, 32),
                               ({"perf_model": model}, 0, 32)]:
        tried.clear()
        kernel = tuned(configs=configs, prune_configs_by=prune, do_bench=bench)
        kernel[grid](np.zeros(8, np.int32), 8, num_ctas=1)
        assert len(tried) == tries and kernel.best_config.kwargs == {"BLOCK": best}


def test_hooks():
    calls = []
    config = tegula.Config({"BLOCK": 16}, pre_hook=lambda args: calls.append(args["BLOCK"]))
    kernel = tuned(configs=[config, CONFIGS[1]], do_bench=lambda fn, quantiles: fn() or 1.0,
                   pre_hook=lambda args: calls.append("pre"),
                   post_hook=lambda args, exception: calls.append(exception))
    x = np.zeros(8, np.int32)
    kernel[grid](x, 8)
    assert calls == ["pre", 16, None, "pre", None, 16]
    kernel[grid](x, 8)
    assert calls[6:] == [16]


def test_post_hook_sees_failures():
    failures = []
    kernel = tuned(configs=[tegula.Config({"BLOCK": 3}), *CONFIGS],
                   post_hook=lambda args, exception: failures.append(exception))
    kernel[grid](np.zeros(8, np.int32), 8)
    assert isinstance(failures[0], tegula.CompilationError) and failures[1:] == [None] * 4


@pytest.mark.parametrize("outer", ["autotune", "heuristics"])
def test_heuristics_in_either_order(outer):
    @tegula.jit
    def k(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, TWICE: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + i, EVEN * 100 + TWICE, mask=i < n)

    values = {"EVEN": lambda args: args["n"] % 2 == 0, "TWICE": lambda args: 2 + args["EVEN"]}
    heuristics = tegula.heuristics(values)
    autotune = tegula.autotune(CONFIGS, ["n"], do_bench=quick)
    kernel = heuristics(autotune(k)) if outer == "heuristics" else autotune(heuristics(k))
    x = np.zeros(30, np.int32)
    kernel[grid](x, 30)
    np.testing.assert_array_equal(x, 103)
    kernel[grid](x, n=29)
    np.testing.assert_array_equal(x[:29], 2)
    assert kernel.base_fn is k.fn and kernel.arg_names == k.arg_names


def test_heuristics_see_the_configuration():
    kernel = tegula.autotune(CONFIGS[:1], [])(tegula.heuristics(
        {"MANY": lambda args: args["n"] // args["BLOCK"]})(tegula.jit(many)))
    x = np.zeros(1, np.int32)
    kernel[(1,)](x, 64)
    assert x[0] == 4


def many(x, n, BLOCK: tl.constexpr, MANY: tl.constexpr):
    tl.store(x, MANY)


def test_warmup_compiles_all():
    kernels = tuned().warmup(np.zeros(4, np.float32), 4)
    assert [k.metadata["num_warps"] for k in kernels] == [4, 2]
    assert len(tuned().run(np.zeros(4, np.float32), 4, grid=(1,), warmup=True)) == 2


def test_parameters_may_have_any_name():
    @tegula.jit
    def k(grid, warmup, BLOCK: tl.constexpr, args: tl.constexpr):
        tl.store(grid, warmup + BLOCK + args)

    kernel = tegula.autotune(CONFIGS[:1], [])(tegula.heuristics({"args": lambda a: 2})(k))
    x = np.zeros(1, np.int32)
    kernel[(1,)](grid=x, warmup=5)
    assert x[0] == 23


def test_run():
    x = np.zeros(20, np.int32)
    handle = tuned().run(x, 20, grid=grid)
    assert x.sum() and handle.name == "add_one"


def test_one_thread_tunes():
    timed = []

    def bench(fn, quantiles):
        timed.append(threading.get_ident())
        fn()
        return 1.0

    kernel = tuned(do_bench=bench)
    arrays = [np.full(200, i, np.int64) for i in range(8)]
    kernel._options.restore_value = ("x",)
    threads = [threading.Thread(target=lambda a=a: kernel[grid](a, 200)) for a in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(timed) == 2 and len(set(timed)) == 1
    for i, array in enumerate(arrays):
        np.testing.assert_array_equal(array, i + 1)


def test_config():
    config = tegula.Config({"BLOCK": 8}, num_warps=2, maxnreg=64)
    assert config.all_kwargs() == {"BLOCK": 8, "num_warps": 2, "num_ctas": 1, "num_stages": 3,
                                   "maxnreg": 64}
    assert str(config) == "Config(BLOCK: 8, num_warps: 2, num_ctas: 1, num_stages: 3, maxnreg: 64)"
    assert config == tegula.Config({"BLOCK": 8}, num_warps=2, maxnreg=64) != CONFIGS[0]
    assert len({config, tegula.Config({"BLOCK": 8}, 2, maxnreg=64)}) == 1


def test_options_of_other_vendors_change_nothing():
    config = tegula.Config({"BLOCK": 16, "waves_per_eu": 2, "matrix_instr_nonkdim": 16,
                            "kpack": 2}, maxnreg=128)
    x = np.zeros(20, np.int32)
    tuned(configs=[config])[grid](x, 20)
    np.testing.assert_array_equal(x, 1)


def test_misspelt_key_warns():
    with pytest.warns(UserWarning, match="got 'nn', which is ignored; did you mean 'n'?"):
        tuned(key=["nn"])


# --- The rest of the host's vocabulary -------------------------------------------


@tegula.constexpr_function
def half(x):
    assert type(x) is int
    return x // 2


def test_constexpr_function():
    @tegula.jit
    def k(x, N: tl.constexpr):
        tl.store(x + tl.arange(0, half(N)), 1)

    x = np.zeros(8, np.int32)
    k[(1,)](x, N=8)
    assert x.tolist() == [1] * 4 + [0] * 4
    assert half(tl.constexpr(6)) == 3 and half.__name__ == "half"


def test_reinterpret(torch):
    @tegula.jit
    def k(x, out):
        i = tl.arange(0, 8)
        tl.store(out + i, tl.load(x + i).to(tl.float32))

    bits = np.arange(0x38, 0x40, dtype=np.uint8)
    expected = [1 + i / 8 for i in range(8)]
    for array in (bits, torch.from_numpy(bits)):
        out = np.zeros(8, np.float32)
        k[(1,)](tegula.reinterpret(array, tl.float8e4nv), out)
        assert out.tolist() == expected
    again = tegula.reinterpret(tegula.reinterpret(np.array([1.0], np.float32), tl.int32), tl.uint8)
    assert isinstance(again.base, np.ndarray) and again.shape == (1,)


def test_reinterpreted_array_may_be_read_only():
    x = np.zeros(4, np.int32)
    x.flags.writeable = False
    with pytest.raises(tegula.LaunchValueError, match="read-only"):
        tegula.jit(add_one)[(1,)](tegula.reinterpret(x, tl.uint32), 4, BLOCK=4)


def test_allocator_is_kept():
    def allocate(size, alignment, stream):
        raise AssertionError

    tegula.set_allocator(allocate)
    assert tegula.utils.get_allocator() is allocate
    tegula.set_allocator(None)
