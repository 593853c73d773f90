# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch CPU tensors as arguments; torch itself is never required."""

import subprocess
import sys

import pytest

import tegula
import tegula.language as tl


@tegula.jit
def scale_kernel(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * factor, mask=i < n)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_tensor_arguments(torch, dtype):
    x = torch.randn(1000, generator=torch.Generator().manual_seed(0)).to(getattr(torch, dtype))
    out = torch.full_like(x, 7.0)
    scale_kernel[(2,)](x, out, 2.0, 999, BLOCK=512)
    assert torch.equal(out[:999], x[:999] * 2)  # doubling is exact
    assert out[999] == 7.0


def test_view_of_a_tensor(torch):
    """A slice starts inside its storage, off a multiple of 16 bytes."""
    x = torch.arange(100, dtype=torch.float32)
    out = torch.zeros(100)
    scale_kernel[(1,)](x[3:], out[5:], 3.0, 17, BLOCK=32)
    assert torch.equal(out[5:22], x[3:20] * 3)
    assert out[:5].sum() == 0 and out[22:].sum() == 0


def test_torch_is_not_imported():
    code = "import sys, tegula; sys.exit('torch' in sys.modules)"
    path = tegula.__path__[0].rsplit("/", 1)[0]
    result = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": path}, check=False)
    assert result.returncode == 0
