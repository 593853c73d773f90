# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of the microscaling formats: 4-bit elements (E2M1) and their scales (E8M0).

Both hold one number per element of a tensor of uint8, made of float32 numbers or
at random, and give them back as float32. Needs torch.
"""

import torch

# Magnitudes of E2M1 by their code; a value goes to the nearest, between two of
# them to the one of even code: below the limit to the lower one, or at it if even.
_MAGNITUDES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_LIMITS = tuple((a + b) / 2 for a, b in zip(_MAGNITUDES, _MAGNITUDES[1:]))
_BIAS, _SCALE_NAN = 127, 255


class _Codes:
    """Codes of a small format in `data`, a tensor of uint8 on `device`."""

    def __init__(self, data=None, size=None, device=None):
        self.device = device
        if data is not None:
            if not isinstance(data, torch.Tensor):
                raise TypeError(f"expected a tensor of torch as data, got {type(data).__name__}")
            self.device = data.device
            self.data = self._from_float(data)
        elif size is not None:
            self.size = size if isinstance(size, tuple) else (size,)
        else:
            raise ValueError("expected data or a size, got neither")

    def _draw(self, begin, end):
        self.data = torch.randint(begin, end, self.size, dtype=torch.uint8, device=self.device)
        return self

    @staticmethod
    def _check(dtype):
        if dtype is not torch.float32:
            raise TypeError(f"expected torch.float32, got {dtype}")


class MXFP4Tensor(_Codes):
    """Elements of 4 bits: sign, 2 bits of exponent, 1 of mantissa; no infinities, no NaN.

    data: float32 numbers, rounded to nearest even; too large ones, infinities and
    NaN become the largest magnitude, 6. Or size and device, and then `random()`.
    """

    def random(self):
        """Draws all 16 codes with equal probability."""
        return self._draw(0, 16)

    def _from_float(self, values):
        size = torch.nan_to_num(values.abs().float(), nan=6.0, posinf=6.0)
        code = torch.zeros(values.shape, dtype=torch.uint8, device=values.device)
        for low, limit in enumerate(_LIMITS):
            code += ((size >= limit) if low % 2 else (size > limit)).to(torch.uint8)
        return code | (torch.signbit(values).to(torch.uint8) << 3)

    def to(self, dtype):
        """The values as float32."""
        self._check(dtype)
        table = torch.tensor([*_MAGNITUDES, *(-m for m in _MAGNITUDES)], device=self.data.device)
        return table[self.data.long()]

    def to_packed_tensor(self, dim):
        """Two elements in each byte along `dim`, the first in its low half; 0 fills up."""
        if not 0 <= dim < self.data.ndim:
            # The class that programs expect of it.
            raise AssertionError(f"expected a dimension of 0 to {self.data.ndim - 1}, got {dim}")
        data = self.data.movedim(dim, -1)
        if data.shape[-1] % 2:
            data = torch.cat((data, torch.zeros_like(data[..., :1])), -1)
        return (data[..., 0::2] | (data[..., 1::2] << 4)).movedim(-1, dim).contiguous()

    def unpack_packed_tensor(self, packed_tensor, dim, original_shape):
        """What `to_packed_tensor` was given: a tensor of `original_shape`, one code a byte."""
        packed = packed_tensor.movedim(dim, -1)
        codes = torch.stack((packed & 15, packed >> 4), -1).flatten(-2)
        return codes[..., :original_shape[dim]].movedim(-1, dim).contiguous()


class MXScaleTensor(_Codes):
    """Scales of 8 bits: 2 ** (code - 127), and 255 for NaN.

    data: float32 numbers, rounded down to a power of two; NaN, infinities, zero
    and negative ones become NaN. Or size and device, and then `random()`.
    """

    def random(self, low=None, high=None):
        """Draws powers of two between those of `low` and `high`; never NaN."""
        begin = 0 if low is None else max(self._exponent(low), 0)
        end = _SCALE_NAN - 1 if high is None else min(max(self._exponent(high), 0), _SCALE_NAN - 1)
        if begin > end:
            raise ValueError(f"expected low <= high, got {low} and {high}")
        return self._draw(begin, end + 1)

    @staticmethod
    def _exponent(value):
        return int(torch.log2(torch.tensor(float(value)))) + _BIAS

    def _from_float(self, values):
        fine = torch.isfinite(values) & (values > 0)
        exponent = torch.frexp(torch.where(fine, values, 1.0).float())[1] - 1 + _BIAS
        return torch.where(fine, exponent.clamp(0, _SCALE_NAN - 1), _SCALE_NAN).to(torch.uint8)

    def to(self, dtype):
        """The values as float32."""
        self._check(dtype)
        value = torch.ldexp(torch.ones_like(self.data, dtype=dtype), self.data.int() - _BIAS)
        return torch.where(self.data == _SCALE_NAN, torch.nan, value)
