# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tegula.tools.mxfp`: elements of E2M1 and scales of E8M0."""

import math

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from tegula.tools.mxfp import MXFP4Tensor, MXScaleTensor  # noqa: E402

MAGNITUDES = [0, 0.5, 1, 1.5, 2, 3, 4, 6]


def nearest(value):
    """The code of E2M1 for a number, by looking at all."""
    if math.isnan(value) or math.isinf(value):
        code = 7
    else:
        gaps = [abs(min(abs(value), 6) - m) for m in MAGNITUDES]
        best = [code for code, gap in enumerate(gaps) if gap == min(gaps)]
        code = next((c for c in best if c % 2 == 0), best[0])
    return code | (8 if math.copysign(1, value) < 0 else 0)


def test_all_elements():
    codes = torch.arange(16, dtype=torch.uint8)
    tensor = MXFP4Tensor(size=(16,))
    tensor.data = codes
    values = tensor.to(torch.float32)
    assert values.dtype is torch.float32
    assert values.tolist() == MAGNITUDES + [-m for m in MAGNITUDES]
    assert torch.signbit(values[8])
    assert torch.equal(MXFP4Tensor(values).data, codes)


def test_rounding():
    values = [n / 64 * s for n in range(0, 513) for s in (1, -1)]
    values += [math.inf, -math.inf, math.nan, 1e30, -1e-30, 0.0, -0.0]
    data = MXFP4Tensor(torch.tensor(values)).data
    assert data.dtype is torch.uint8 and data.tolist() == [nearest(v) for v in values]


def test_random_elements():
    torch.manual_seed(1)
    tensor = MXFP4Tensor(size=(64, 64)).random()
    assert tensor.data.shape == (64, 64) and sorted(set(tensor.data.flatten().tolist())) == list(
        range(16))
    assert MXFP4Tensor(size=3).random().data.shape == (3,)


@pytest.mark.parametrize("shape", [(4, 6), (5, 3), (2, 3, 4), (1,), (0, 2)])
def test_packing(shape):
    tensor = MXFP4Tensor(size=shape).random()
    for dim, extent in enumerate(shape):
        packed = tensor.to_packed_tensor(dim)
        assert packed.shape[dim] == (extent + 1) // 2
        assert torch.equal(tensor.unpack_packed_tensor(packed, dim, shape), tensor.data)


def test_packed_order():
    tensor = MXFP4Tensor(torch.tensor([0.5, 6.0, 1.0]))
    assert tensor.to_packed_tensor(0).tolist() == [0x71, 0x02]


def test_scales():
    values = torch.tensor([1.0, 1.99, 2.0, 0.75, 2.0**-126, 2.0**127, 3e38])
    assert MXScaleTensor(values).data.tolist() == [127, 127, 128, 126, 1, 254, 254]
    wrong = torch.tensor([0.0, -1.0, math.nan, math.inf])
    assert MXScaleTensor(wrong).data.tolist() == [255] * 4
    assert MXScaleTensor(wrong).to(torch.float32).isnan().all()


def test_all_scales():
    tensor = MXScaleTensor(size=(255,))
    tensor.data = torch.arange(255, dtype=torch.uint8)
    values = tensor.to(torch.float32)
    assert values.tolist() == [2.0 ** (n - 127) for n in range(255)]
    assert torch.equal(MXScaleTensor(values).data[1:], tensor.data[1:])


def test_random_scales():
    torch.manual_seed(1)
    values = MXScaleTensor(size=(1000,)).random(low=0.5, high=4).to(torch.float32)
    assert sorted(set(values.tolist())) == [0.5, 1, 2, 4]
    assert MXScaleTensor(size=(1000,)).random().data.max() < 255


@pytest.mark.parametrize("cls", [MXFP4Tensor, MXScaleTensor])
def test_wrong_use(cls):
    with pytest.raises(ValueError, match="expected data or a size, got neither"):
        cls()
    with pytest.raises(TypeError, match="expected a tensor of torch as data, got list"):
        cls([1.0])
    with pytest.raises(TypeError, match="expected torch.float32, got torch.float16"):
        cls(torch.ones(1)).to(torch.float16)


def test_wrong_dimension():
    with pytest.raises(AssertionError, match="expected a dimension of 0 to 1, got 2"):
        MXFP4Tensor(size=(2, 2)).random().to_packed_tensor(2)


def test_wrong_range():
    with pytest.raises(ValueError, match="expected low <= high, got 4 and 1"):
        MXScaleTensor(size=(1,)).random(low=4, high=1)
