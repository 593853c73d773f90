# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors that the host makes and kernels get."""

import gc

import numpy as np
import pytest

import tegula
import tegula.language as tl
from tegula.tools.tensor_descriptor import TensorDescriptor

DTYPES = ["int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"]


@tegula.jit
def copy(source, target, R: tl.constexpr, C: tl.constexpr):
    at = [tl.program_id(0) * R, tl.program_id(1) * C]
    target.store(at, source.load(at))


def run_copy(source, target, block=(4, 16)):
    grid = tuple(-(-n // b) for n, b in zip(source.shape, block))
    return copy[grid](source, target, R=block[0], C=block[1])


def describe(array, block=(4, 16), **options):
    return TensorDescriptor.from_tensor(array, list(block), **options)


@pytest.mark.parametrize("dtype", DTYPES)
def test_copy(rng, dtype):
    x = rng.integers(0, 100, (13, 21)).astype(dtype)
    out = np.full((13, 21), 77, dtype)
    run_copy(describe(x), describe(out))
    np.testing.assert_array_equal(out, x)


def test_torch(torch):
    for dtype in (torch.bfloat16, torch.float32, torch.uint8):
        x = torch.arange(20 * 33).reshape(20, 33).to(dtype)
        out = torch.zeros_like(x)
        run_copy(describe(x), describe(out))
        assert torch.equal(out, x)


def test_strided_parts_of_arrays(torch):
    """Any address and any outer stride: parts of larger arrays, at odd places."""
    x = np.arange(50 * 37, dtype=np.int16).reshape(50, 37)
    out = np.full((50, 41), -1, np.int16)
    run_copy(describe(x[3::2, 5:30]), describe(out[1:25, 7:32]))
    np.testing.assert_array_equal(out[1:25, 7:32], x[3::2, 5:30])
    out[1:25, 7:32] = -1
    assert (out == -1).all()
    rows = torch.arange(100).reshape(10, 10)[::3, 1:]
    target = torch.zeros(4, 9, dtype=torch.int64)
    run_copy(describe(rows), describe(target))
    assert torch.equal(target, rows)


def test_negative_and_zero_strides():
    x = np.arange(6 * 16, dtype=np.float32).reshape(6, 16)
    out = np.zeros((6, 16), np.float32)
    run_copy(describe(x[::-1]), describe(out))
    np.testing.assert_array_equal(out, x[::-1])
    run_copy(describe(np.broadcast_to(x[2], (6, 16))), describe(out))
    np.testing.assert_array_equal(out, np.tile(x[2], (6, 1)))


@pytest.mark.parametrize("shape, block", [
    ((37,), (32,)), ((3, 5, 19), (2, 4, 16)), ((2, 3, 2, 17), (1, 2, 2, 16)),
    ((2, 1, 3, 2, 9), (1, 1, 2, 2, 16))])
def test_ranks(shape, block):
    @tegula.jit
    def double(source, target, RANK: tl.constexpr):
        if RANK == 1:
            at = [0]
        elif RANK == 3:
            at = [0, 0, 0]
        elif RANK == 4:
            at = [0, 0, 0, 0]
        else:
            at = [0, 0, 0, 0, 0]
        target.store(at, source.load(at) * 2)

    x = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    out = np.zeros_like(x)
    double[(1,)](describe(x, block), describe(out, block), RANK=len(shape))
    inside = tuple(slice(0, n) for n in block)
    expected = np.zeros_like(x)
    expected[inside] = 2 * x[inside]
    np.testing.assert_array_equal(out, expected)


@tegula.jit
def corner(desc, out, ROW, R: tl.constexpr, C: tl.constexpr):
    i = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out + i, desc.load([ROW, 0]))


@pytest.mark.parametrize("padding, value", [("zero", 0), ("nan", np.nan)])
def test_padding(padding, value):
    x = np.ones((5, 3), np.float32)
    out = np.full((4, 4), 7, np.float32)
    corner[(1,)](describe(x, (4, 4), padding=padding), out, 3, R=4, C=4)
    expected = np.full((4, 4), value, np.float32)
    expected[:2, :3] = 1
    np.testing.assert_array_equal(out, expected)



def test_what_is_compiled_for():
    """Element type, block shape and padding; shapes and strides are run-time values."""
    x, out = np.ones((64, 64), np.float32), np.zeros(16, np.float32)
    first = corner[(1,)](describe(x, (4, 4)), out, 3, R=4, C=4)
    assert corner[(1,)](describe(x[:50, :32], (4, 4)), out, 3, R=4, C=4) is first
    assert corner[(1,)](describe(x, (4, 4), padding="nan"), out, 3, R=4, C=4) is not first
    assert corner[(1,)](describe(x, (2, 8)), out, 3, R=2, C=8) is not first
    assert corner[(1,)](describe(x.astype(np.float16), (4, 4)), out, 3, R=4, C=4) is not first
    names = [arg["name"] for arg in first.metadata["args"]]
    assert names == ["desc", "desc.shape.0", "desc.shape.1", "desc.strides.0", "desc.strides.1",
                     "out", "ROW"]
    assert [arg["type"] for arg in first.metadata["args"]] == [
        "*fp32", "i32", "i32", "i64", "i64", "*fp32", "i32"]


def test_attributes_are_read_at_each_launch():
    x, out = np.arange(16, dtype=np.float32).reshape(4, 4), np.zeros(16, np.float32)
    desc = TensorDescriptor(x, [4, 4], [4, 1], [1, 1])
    desc.block_shape = [4, 4]
    corner[(1,)](desc, out, 0, R=4, C=4)
    np.testing.assert_array_equal(out, x.ravel())
    desc.base, desc.shape, desc.strides = x * 2, (2, 4), (8, 1)
    corner[(1,)](desc, out, 0, R=4, C=4)
    np.testing.assert_array_equal(out.reshape(4, 4)[:2], 2 * x[::2])
    np.testing.assert_array_equal(out.reshape(4, 4)[2:], 0)


def test_fields_in_the_kernel():
    @tegula.jit
    def k(desc, out):
        tl.store(out, desc.shape[0])
        tl.store(out + 1, desc.strides[0])
        tl.store(out + 2, desc.block_shape[1])
        tl.store(out + 3, desc.dtype == tl.int16)

    out = np.zeros(4, np.int64)
    k[(1,)](describe(np.zeros((7, 40), np.int16), (2, 32)), out)
    assert out.tolist() == [7, 40, 32, 1]


def test_passed_to_a_helper():
    @tegula.jit
    def read(desc, row):
        return desc.load([row, 0])

    @tegula.jit
    def k(desc, out):
        total = tl.zeros([2, 16], tl.int32)
        for row in range(0, desc.shape[0], 2):
            total += read(desc, row)
        tl.store(out, tl.sum(total))

    x = np.arange(7 * 16, dtype=np.int32).reshape(7, 16)
    out = np.zeros(1, np.int32)
    k[(1,)](describe(x, (2, 16)), out)
    assert out[0] == x.sum()


def test_hook_sets_the_block_shape():
    def set_block(args):
        args["source"].block_shape = args["target"].block_shape = [args["R"], args["C"]]

    configs = [tegula.Config({"R": r, "C": c}, pre_hook=set_block) for r, c in [(2, 8), (4, 16)]]
    tuned = tegula.autotune(configs, [], do_bench=lambda fn, quantiles: fn() or 1.0)(copy)
    x = np.arange(60, dtype=np.float32).reshape(6, 10)
    out = np.zeros_like(x)
    tuned[lambda meta: (tegula.cdiv(6, meta["R"]), tegula.cdiv(10, meta["C"]))](
        TensorDescriptor(x, [6, 10], [10, 1], [1, 1]),
        TensorDescriptor(out, [6, 10], [10, 1], [1, 1]))
    np.testing.assert_array_equal(out, x)


def test_reset_and_restore_reach_the_base():
    @tegula.jit
    def more(desc, STEP: tl.constexpr):
        desc.store([0], desc.load([0]) + STEP)

    configs = [tegula.Config({"STEP": s}) for s in (1, 2)]
    for option, expected in [("restore_value", 6), ("reset_to_zero", 1)]:
        x = np.full(16, 5, np.float32)
        tuned = tegula.autotune(configs, [], do_bench=lambda fn, quantiles: fn() or 1.0,
                                **{option: ["desc"]})(more)
        tuned[(1,)](TensorDescriptor(x, [16], [1], [16]))
        np.testing.assert_array_equal(x, expected)


def test_the_array_lives_as_long_as_the_launch():
    def array():
        gc.collect()
        return np.arange(64, dtype=np.float32).reshape(4, 16)

    out = np.zeros((4, 16), np.float32)
    run_copy(describe(array()), describe(out))
    np.testing.assert_array_equal(out, array())


def test_empty_shape():
    x = np.zeros((0, 5), np.float32)
    out = np.full((4, 4), 3, np.float32)
    corner[(1,)](describe(x, (4, 4)), out, 0, R=4, C=4)
    assert (out == 0).all()


def test_subclass_and_missing_base():
    class Mine(TensorDescriptor):
        pass

    x, out = np.ones((4, 4), np.float32), np.zeros(16, np.float32)
    corner[(1,)](Mine(x, [4, 4], [4, 1], [4, 4]), out, 0, R=4, C=4)
    assert (out == 1).all()
    desc = describe(x, (4, 4))
    del desc.base
    with pytest.raises(tegula.LaunchTypeError, match="argument 'desc'"):
        corner[(1,)](desc, out, 0, R=4, C=4)


def test_noalias_looks_at_what_is_described():
    @tegula.jit(noalias=True)
    def k(a, b):
        b.store([0, 0], a.load([0, 0]))

    x = np.arange(64, dtype=np.float32).reshape(4, 16)
    left, right = x[:, :8], x[:, 8:]  # interleaved, apart
    k[(1,)](describe(left, (4, 8)), describe(right, (4, 8)))
    np.testing.assert_array_equal(right, left)
    with pytest.raises(tegula.LaunchValueError, match="share memory"):
        k[(1,)](describe(x[:, :9], (4, 8)), describe(right, (4, 8)))


def test_read_only():
    x, out = np.ones((4, 16), np.float32), np.zeros((4, 16), np.float32)
    for array in (x, out):
        array.flags.writeable = False
    with pytest.raises(tegula.LaunchValueError, match="read-only"):
        run_copy(describe(x), describe(out))


def test_many_launches_leave_nothing_behind():
    import sys
    x, out = np.ones((4, 16), np.float32), np.zeros((4, 16), np.float32)
    source, target = describe(x), describe(out)
    run_copy(source, target)
    before = sys.getrefcount(x), sys.getrefcount(source), sys.getrefcount(source.shape)
    for _ in range(100):
        run_copy(source, target)
    assert (sys.getrefcount(x), sys.getrefcount(source),
            sys.getrefcount(source.shape)) == before


def test_in_a_tuple(torch):
    @tegula.jit
    def k(pairs, SCALE: tl.constexpr):
        for j in tl.static_range(2):
            source, target = pairs[j]
            target.store([0, 0], source.load([0, 0]) * SCALE)

    x, y = np.arange(45, dtype=np.int32).reshape(3, 15), torch.ones(5, 9)
    first, second = np.zeros_like(x), torch.zeros(5, 9)
    floats = (describe(y, (8, 16)), describe(second, (8, 16)))
    k[(1,)](((describe(x), describe(first)), floats), SCALE=3)
    np.testing.assert_array_equal(first, x * 3)
    assert (second == 3).all()
    k[(1,)](((describe(x[:2, :7]), describe(first)), floats), SCALE=5)
    expected = np.zeros_like(x)
    expected[:2, :7] = x[:2, :7] * 5
    np.testing.assert_array_equal(first, expected)
    assert (second == 5).all()
