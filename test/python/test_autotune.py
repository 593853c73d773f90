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
    kernel = tuned(do_bench=lambda fn, quantiles: (fn(), times[benched[-1]])[1],
                   pre_hook=lambda args, reset_only=False:
                   reset_only or benched.append(args["BLOCK"]))
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
    assert caught.value.__context__ is None or caught.value.__suppress_context__


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
        assert named["n"] == 8 and kwargs == {"debug": False}
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
                               ({"perf_model": model}, 8, 1)]:
        tried.clear()
        kernel = tuned(configs=configs, prune_configs_by=prune, do_bench=bench)
        kernel[grid](np.zeros(8, np.int32), 8, debug=False)
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


def test_a_tuned_kernel_may_be_tuned():
    inner = tegula.autotune([tegula.Config({"TWICE": t}, None, None, None) for t in (0, 1)], [],
                            do_bench=quick)(tegula.jit(twice))
    outer = tegula.autotune(CONFIGS, ["n"], do_bench=quick)(inner)
    x = np.zeros(80, np.int32)
    outer[grid](x, 80)
    assert (x == 1).all() and outer.best_config is CONFIGS[0]
    assert len(outer.warmup(x, 80)) == 2
    kernel = tegula.heuristics({"n": lambda args: 80})(outer)
    kernel[grid](x)
    assert (x == 1).all()


def twice(x, n, BLOCK: tl.constexpr, TWICE: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 1 + TWICE, mask=i < n)


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
    kernel.restore_value = ["x"]
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
    assert str(config) == "BLOCK: 8, num_warps: 2, num_ctas: 1, num_stages: 3, maxnreg: 64"
    assert repr(config) == f"Config({config})"
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


# --- What programs read, set and derive from --------------------------------------


def test_attributes():
    kernel = tuned(reset_to_zero="x", prune_configs_by={"perf_model": len, "top_k": 3},
                   warmup=1, rep=2.5, use_cuda_graph=True, cache_results=False)
    assert kernel.keys == ["n"] and kernel.reset_to_zero == ["x"] and kernel.restore_value == []
    assert (kernel.num_warmups, kernel.num_reps, kernel.use_cuda_graph) == (1, 2.5, True)
    assert kernel.perf_model is len and kernel.configs_top_k == 3
    assert kernel.early_config_prune is None and kernel.cache_results is False
    assert kernel.do_bench is quick and not kernel.user_defined_pre_hook
    assert kernel.best_config is kernel.configs_timings is kernel.nargs is None
    assert kernel.base_fn is add_one and kernel.fn.fn is add_one and kernel.cache == {}
    assert kernel.arg_names == ["x", "n", "BLOCK"] and kernel.__name__ == "add_one"


def test_key_of_the_cache():
    kernel = tuned(key=["n", "BLOCK"])
    kernel[grid](np.zeros(8, np.int16), 8)
    kernel[grid](n=8, x=np.zeros(8, np.int16))
    assert list(kernel.cache) == [(8, "int16")]
    assert kernel.bench_time >= kernel.compile_time > 0


def test_programs_may_put_choices_into_the_cache():
    kernel = tuned(do_bench=lambda fn, quantiles: pytest.fail("timed"))
    kernel.cache[(8, "int32")] = CONFIGS[1]
    x = np.zeros(8, np.int32)
    kernel[grid](x, 8)
    assert kernel.best_config is CONFIGS[1]
    kernel.cache[(8, "int32")] = CONFIGS[0]  # at once, though the call is known
    kernel[grid](x, 8)
    assert kernel.best_config is CONFIGS[0]
    kernel.cache.update({(8, "int32"): CONFIGS[1]})
    kernel[grid](x, 8)
    assert kernel.best_config is CONFIGS[1]
    assert (x == 3).all()


def test_a_cleared_cache_is_filled_anew():
    timed = []
    kernel = tuned(do_bench=lambda fn, quantiles: timed.append(1) or 1.0)
    x = np.zeros(8, np.int32)
    for count in (2, 4):
        kernel[grid](x, 8)
        kernel[grid](x, 8)
        assert len(timed) == count
        kernel.cache.clear()


def test_configurations_may_be_set_later():
    kernel = tuned()
    x = np.zeros(8, np.int32)
    kernel[grid](x, 8)
    kernel.configs = [tegula.Config({"BLOCK": 8})]
    kernel[grid](x, 8)
    assert kernel.best_config.kwargs == {"BLOCK": 8}
    kernel.configs[0].kwargs["BLOCK"] = 4
    kernel[grid](x, 8)
    assert kernel.best_config.kwargs == {"BLOCK": 4}
    kernel.configs[0].num_warps = 2
    assert kernel[grid](x, 8).metadata["num_warps"] == 2
    kernel.configs.append(CONFIGS[0])
    kernel[grid](x, 8)
    assert kernel.best_config.kwargs == {"BLOCK": 16}  # chosen at first
    assert type(kernel.configs[0].kwargs | {}) is dict


def test_equal_configurations_are_timed_once():
    timed = []
    kernel = tuned(configs=[*CONFIGS, tegula.Config({"BLOCK": 16})],
                   do_bench=lambda fn, quantiles: timed.append(1) or 1.0)
    kernel[grid](np.zeros(8, np.int32), 8)
    assert len(timed) == 2


class Counting(tegula.Autotuner):
    """As libraries derive: with `run` and `_bench` of their own."""

    runs = benched = 0

    def run(self, *args, **kwargs):
        assert kwargs["grid"] is grid and kwargs["warmup"] is False
        self.runs += 1
        return super().run(*args, **kwargs)

    def _bench(self, *args, config, **meta):
        self.benched += 1
        return super()._bench(*args, config=config, **meta)


def test_a_class_may_derive():
    fn = tegula.jit(add_one)
    kernel = Counting(fn, fn.arg_names, CONFIGS, ["n"], None, ["x"], do_bench=quick)
    x = np.zeros(8, np.int32)
    for _ in range(2):
        kernel[grid](x, 8)
    assert kernel.runs == 2 and kernel.benched == 2 and (x == 2).all()


def test_hooks_may_be_set_later():
    calls = []
    kernel = tuned()
    kernel.pre_hook = lambda args, reset_only=False: calls.append(reset_only)
    kernel.post_hook = lambda args, exception: calls.append("post")
    kernel[grid](np.zeros(8, np.int32), 8)
    assert calls == [False, "post"] * 4 + [True]


def test_listener(monkeypatch):
    told = []
    monkeypatch.setattr(tegula.knobs.autotuning, "listener", lambda **facts: told.append(facts))
    kernel = tegula.autotune(CONFIGS, ["n"], do_bench=quick)(
        tegula.heuristics({})(tegula.jit(add_one)))
    kernel[grid](np.zeros(8, np.int32), 8)
    kernel[grid](np.zeros(8, np.int32), 8)
    assert len(told) == 1
    assert told[0].pop("duration") > 0 and told[0].pop("fn") is kernel.fn.fn
    assert told[0] == {"key": (8, "int32"), "best_config": CONFIGS[0], "cache_hit": False,
                       "configs_timings": {config: [1.0] * 3 for config in CONFIGS}}
    tuned(configs=CONFIGS[:1])[grid](np.zeros(8, np.int32), 8)
    assert len(told) == 1


def test_nan_as_key_is_one_key():
    def k(x, factor, BLOCK: tl.constexpr):
        tl.store(x, factor)

    kernel = tegula.autotune(CONFIGS, ["factor"], do_bench=quick)(tegula.jit(k))
    for _ in range(3):
        kernel[(1,)](np.zeros(1, np.float32), float("nan"))
    assert len(kernel.cache) == 1


def test_an_array_as_key_counts_by_its_element_type():
    with pytest.warns(UserWarning, match="expected a value as key 'x', got an array") as told:
        kernel = tuned(key=["x"])
        for _ in range(3):
            kernel[grid](np.zeros(8, np.int32), 8)
    assert len(kernel.cache) == 1 and len(told) == 1


def test_tuples_of_arrays_count_by_their_element_types():
    def k(pair, BLOCK: tl.constexpr):
        tl.store(pair[0], 1)
        tl.store(pair[1], 1)

    kernel = tegula.autotune(CONFIGS, [], do_bench=quick)(tegula.jit(k))
    for dtype in (np.int32, np.int64, np.int32):
        kernel[(1,)]((np.zeros(1, np.int32), np.zeros(1, dtype)))
    assert len(kernel.cache) == 2


def of_any_kind(x, y, BLOCK: tl.constexpr):
    tl.store(x, 1)


@pytest.mark.filterwarnings("ignore:.*got an array")
@pytest.mark.parametrize("values, count", [
    ([None, np.zeros(1, np.float32), np.zeros(1, np.float16), np.zeros(1, np.int32), None], 4),
    ([1, (np.zeros(1, np.int8),), (np.zeros(1, np.int16),), (np.zeros(1, np.int8),)], 3),
    ([np.zeros(1, np.int8), None, np.zeros(1, np.int16), (np.zeros(1, np.int8),)], 3),
])
def test_an_argument_of_another_kind_in_each_call(values, count):
    kernel = tegula.autotune(CONFIGS, [], do_bench=quick)(tegula.jit(of_any_kind))
    for y in values:
        kernel[(1,)](np.zeros(1, np.int32), y)
    assert len(kernel.cache) == count


def test_an_array_as_key_that_is_a_number_later():
    with pytest.warns(UserWarning, match="got an array"):
        kernel = tegula.autotune(CONFIGS, ["y"], do_bench=quick)(tegula.jit(of_any_kind))
        for y in (np.zeros(1, np.int32), 5, 7, 5, None, np.zeros(1, np.int8)):
            kernel[(1,)](np.zeros(1, np.int32), y)
    assert [key[0] for key in kernel.cache] == ["int32", 5, 7, None, "int32"]


def test_values_left_out_are_no_others():
    def k(x, first=1, second=1, BLOCK: tl.constexpr = 16):
        tl.store(x, first + second)

    kernel = tegula.autotune(CONFIGS, ["first", "second"], do_bench=quick)(tegula.jit(k))
    for options in ({"first": 4}, {"second": 4}, {}):
        kernel[(1,)](np.zeros(1, np.int32), **options)
    assert list(kernel.cache) == [(4, "int32"), (1, 4, "int32"), ("int32",)]


# --- Values of arrays --------------------------------------------------------------


def accumulate(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if y is not None:
        tl.atomic_add(y, 1)
    tl.atomic_add(x + i, 1, mask=i < n)


@pytest.mark.parametrize("option, x_first, y_first", [
    ({"reset_to_zero": ["x", "y"]}, 1, 1), ({"restore_value": ["x", "y"]}, 6, 4),
    ({"reset_to_zero": "y", "restore_value": "x"}, 6, 1),
    ({"reset_to_zero": ["x", "y"], "restore_value": ["x", "y"]}, 1, 1)])
def test_atomics_are_right_on_the_first_call(option, x_first, y_first):
    kernel = tegula.autotune([tegula.Config({"BLOCK": b}) for b in (64, 128)], ["n"],
                             do_bench=quick, **option)(tegula.jit(accumulate))
    x, y = np.full(50, 5, np.int32), np.full(1, 3, np.int32)
    kernel[grid](x, y, 50)
    assert (x == x_first).all() and y[0] == y_first
    kernel[grid](x, y, 50)
    assert (x == x_first + 1).all() and y[0] == y_first + 1


@pytest.mark.parametrize("option", ["reset_to_zero", "restore_value"])
def test_arguments_that_are_missing(option):
    kernel = tegula.autotune([tegula.Config({"BLOCK": b}) for b in (64, 128)], ["n"],
                             do_bench=quick, **{option: ["x", "y"]})(tegula.jit(accumulate))
    x = np.zeros(50, np.int32)
    kernel[grid](x, None, 50)
    assert (x == 1).all()


class Interface:
    """An array that shows itself by its interface alone."""

    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__
        self.kept = array


class Pointer:
    """An array of another library: address, element type and shape."""

    def __init__(self, array, strides=True):
        self.array, self.shape, self.itemsize = array, array.shape, array.itemsize
        self.dtype = f"lib.{array.dtype.name}"
        if strides:
            self.strides = tuple(s // array.itemsize for s in array.strides)

    def data_ptr(self):
        return self.array.ctypes.data


@pytest.mark.parametrize("wrap", [
    lambda x: x, Interface, Pointer, lambda x: Pointer(x, strides=False), memoryview, bytearray,
    lambda x: tegula.TensorDescriptor.from_tensor(x, [16]), lambda x: tegula.reinterpret(
        x, tl.uint32)], ids=["numpy", "interface", "pointer", "flat", "buffer", "bytes",
                             "descriptor", "reinterpreted"])
@pytest.mark.parametrize("option", ["reset_to_zero", "restore_value"])
def test_arrays_of_any_library(wrap, option):
    from tegula._tuning import values
    x = np.arange(1, 9, dtype=np.int32)
    wrapped = wrap(x) if wrap is not bytearray else bytearray(x.tobytes())
    saved = values.save(wrapped, "x")
    values.clear(wrapped, "x")
    now = x if wrap is not bytearray else np.frombuffer(wrapped, np.int32)
    assert not now.any()
    values.restore(wrapped, saved, "x")
    assert now.tolist() == list(range(1, 9))


def test_views_leave_what_lies_between_alone(torch):
    from tegula._tuning import values
    inner = [lambda a: a[1:3, ::2], lambda a: a.T[1], lambda a: a[:, 2:4]]
    for whole in (np.arange(1, 25).reshape(4, 6), torch.arange(1, 25).reshape(4, 6)):
        before = np.array(whole.tolist())
        for view_of in inner:
            view, expected = view_of(whole), before.copy()
            view_of(expected)[...] = 0
            saved = values.save(view, "x")
            values.clear(view, "x")
            assert whole.tolist() == expected.tolist()
            values.restore(view, saved, "x")
            assert whole.tolist() == before.tolist()


def test_tensors_that_cannot_be_assigned_to(torch):
    from tegula._tuning import values
    base = torch.arange(1, 7, dtype=torch.float32)
    parameter = torch.nn.Parameter(torch.ones(3))
    for tensor in (base[:3, None].expand(3, 4), base.as_strided((4, 3), (1, 1)),
                   base.unfold(0, 3, 1), parameter, base[:0], base[2].expand(5)):
        before, whole = tensor.detach().clone(), base.clone()
        saved = values.save(tensor, "x")
        values.clear(tensor, "x")
        assert not tensor.any()
        values.restore(tensor, saved, "x")
        assert torch.equal(tensor.detach(), before) and torch.equal(base, whole)


def test_arrays_that_overlap(torch):
    def k(x, y, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)
        tl.store(y + i, tl.load(y + i, mask=i < n) + 10, mask=i < n)

    for whole in (np.arange(12), torch.arange(12)):
        kernel = tegula.autotune([tegula.Config({"BLOCK": b}) for b in (16, 32)], ["n"],
                                 do_bench=quick, restore_value=["x", "y"])(tegula.jit(k))
        kernel[(1,)](whole[:8], whole[4:], 8)
        assert whole.tolist() == [1, 2, 3, 4, 15, 16, 17, 18, 18, 19, 20, 21]


@pytest.mark.parametrize("option", ["reset_to_zero", "restore_value"])
def test_an_array_that_cannot_be_written(option):
    def reads(x, y, n, BLOCK: tl.constexpr):
        tl.store(y, tl.load(x))

    kernel = tegula.autotune(CONFIGS, ["n"], do_bench=quick, **{option: ["x"]})(tegula.jit(reads))
    x = np.ones(8, np.float32)
    x.flags.writeable = False
    with pytest.raises(tegula.LaunchTypeError, match="argument 'x' of an autotuned kernel: "
                       f"expected an array that can be written for {option}, got a read-only one"):
        kernel[(1,)](x, np.ones(1, np.float32), 8)


def test_an_array_that_cannot_be_reached_is_named():
    from tegula._tuning import values
    with pytest.raises(tegula.LaunchTypeError, match="argument 'out' of an autotuned kernel: "
                       "expected an array whose elements can be reached for restore_value, "
                       "got object") as caught:
        values.save(object(), "out")
    assert caught.value.id == "launch-argument-type"
    with pytest.raises(tegula.LaunchTypeError, match="for reset_to_zero, got int"):
        values.clear(3, "out")


def test_configurations_are_pickled():
    import pickle
    config = tegula.Config({"BLOCK": 8}, num_warps=2, maxnreg=64, ir_override="a")
    assert pickle.loads(pickle.dumps(config)) == config
    old = tegula.Config.__new__(tegula.Config)
    old.__setstate__({"kwargs": {"BLOCK": 8}, "num_warps": 8})
    assert old == tegula.Config({"BLOCK": 8}, num_warps=8)
    assert tegula.Config(**vars(config)) == config


@tegula.autotune(CONFIGS, ["n"])
@tegula.heuristics({"EVEN": lambda args: args["n"] % 2 == 0})
@tegula.jit
def module_level(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    pass


above = tegula.heuristics({})(tegula.jit(add_one))
above.__qualname__ = "above"


@pytest.mark.parametrize("kernel", [module_level, above], ids=["autotune", "heuristics"])
def test_copies_are_the_kernel(kernel):
    import copy
    import pickle
    assert copy.copy(kernel) is copy.deepcopy([kernel])[0] is kernel
    assert pickle.loads(pickle.dumps(kernel)) is kernel


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
