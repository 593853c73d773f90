# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tutorials run and every row they report is right."""

import pathlib
import runpy

import numpy as np
import pytest

import tegula

TUTORIALS = sorted((pathlib.Path(__file__).resolve().parents[2] / "docs/tutorials").glob("*.py"))


def test_there_are_tutorials():
    assert [path.name[:2] for path in TUTORIALS] == ["01", "02", "03", "04", "05", "06"]


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_tutorial(path, monkeypatch):
    # Only the results matter here: a timed call runs once.
    monkeypatch.setattr(tegula.testing, "do_bench", lambda fn, **_: (fn(), 0.0)[1])
    rows = runpy.run_path(str(path))["main"]()
    assert rows
    for row in rows:
        assert row["ok"], row


def test_matmul_with_activation(rng):
    tutorial = runpy.run_path(str(TUTORIALS[2]))
    a = rng.standard_normal((70, 33)).astype("float32")
    b = rng.standard_normal((33, 90)).astype("float32")
    got = tutorial["matmul"](a, b, "leaky_relu")
    expected = a.astype("float64") @ b.astype("float64")
    expected[expected < 0] *= 0.01
    assert abs(got - expected).max() <= 33 * 2.0**-22


@pytest.mark.parametrize("n", [1, 1023, 4096, 10001])
@pytest.mark.parametrize("seed", [0, 1, 2**63 + 5])
def test_dropout_of_a_seed(n, seed):
    tutorial = runpy.run_path(str(TUTORIALS[3]))
    x = np.ones(n, np.float32)
    expected = tutorial["kept_by"](seed, n, 0.5) * np.float32(2)
    for block in (64, 1024, 4096):
        np.testing.assert_array_equal(tutorial["seeded_dropout"](x, 0.5, seed, block), expected)
    fast = tutorial["kept_fast"](seed, n, 0.5) * np.float32(2)
    np.testing.assert_array_equal(tutorial["fast_dropout"](x, 0.5, seed), fast)
    assert not tutorial["seeded_dropout"](x * 0, 0.5, seed).any()


@pytest.mark.parametrize("shape, groups", [((1, 1), 64), ((3, 7), 64), ((64, 129), 64),
                                           ((65, 128), 64), ((70, 33), 1), ((70, 33), 17)])
def test_layer_norm_of_odd_sizes(rng, shape, groups):
    tutorial = runpy.run_path(str(TUTORIALS[4]))
    x, dy = rng.standard_normal((2, *shape)).astype(np.float32)
    weight, bias = rng.standard_normal((2, shape[1])).astype(np.float32)
    y, mean, rstd = tutorial["forward"](x, weight, bias)
    got = tutorial["backward"](dy, x, weight, mean, rstd, groups)
    wide = [a.astype(np.float64) for a in (x, weight, bias, dy)]
    expected, z, scale = tutorial["numpy_forward"](*wide[:3])
    gradients = tutorial["numpy_backward"](wide[3], z, scale, wide[1])
    # A row of one element has a variance of 0: rstd is large, and so are roundings.
    room = 2.0**-18 * (1 + scale.max())
    for result, want in zip((y, *got), (expected, *gradients)):
        np.testing.assert_allclose(result, want, rtol=0, atol=room * max(1, np.abs(want).max()))


def test_layer_norm_gradients_have_the_same_bits_in_every_run(rng):
    tutorial = runpy.run_path(str(TUTORIALS[4]))
    x, dy = rng.standard_normal((2, 300, 77)).astype(np.float32)
    weight, bias = rng.standard_normal((2, 77)).astype(np.float32)
    _, mean, rstd = tutorial["forward"](x, weight, bias)
    runs = [tutorial["backward"](dy, x, weight, mean, rstd) for _ in range(8)]
    for run in runs[1:]:
        for a, b in zip(run, runs[0]):
            assert a.tobytes() == b.tobytes()


def test_tuning_counts_instructions():
    count = runpy.run_path(str(TUTORIALS[5]))["count_instructions"]
    assert count("k:\n\tvfmadd231ps\t%zmm1, %zmm2, %zmm3\n\t.p2align 4\n.L1:\n\tret\n") == (1, 2)
    assert count("\tfmla v0.4s, v1.4s, v2.s[0]\n\tfmadd s0, s1, s2, s3\n # note\n") == (1, 2)


def test_tuning_finds_the_bound():
    tutorial = runpy.run_path(str(TUTORIALS[5]))
    limits = tegula.testing.DeviceLimits("a processor", "cpu", 2, 2.0, {}, 10.0,
                                         {"float32": 0.1, "float64": 0.05})
    lines = tutorial["estimate"](10.0, (1000, 1000, 1000), {"BLOCK_M": 100, "BLOCK_N": 50}, limits)
    assert lines == [
        "10.000 ms; the machine's limits allow 20.000 ms, set by arithmetic: 167 operations for "
        "each byte, and both limits meet at 10", "200.0 GFLOP/s, 200 % of the vector units",
        "124.0 MB from caches, 12.0 MB from memory"]
    assert "set by memory: 2 operations" in tutorial["estimate"](
        10.0, (4, 1000, 1000), {"BLOCK_M": 4, "BLOCK_N": 50}, limits)[0]


def test_tuning_leaves_the_kernel_for_perf(tmp_path, monkeypatch):
    tutorial = runpy.run_path(str(TUTORIALS[5]))
    ticks = iter(range(100))
    monkeypatch.setattr(tutorial["time"], "monotonic", lambda: next(ticks))
    tutorial["run_for_perf"](str(tmp_path))
    (file,) = tmp_path.iterdir()
    assert file.name == "memfd:tegula-kernel (deleted)"
    assert file.read_bytes()[:4] == b"\x7fELF" and b"matmul_kernel" in file.read_bytes()
