# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of the element types that benchmarks use."""

import numpy as np

from .errors import UnavailableError


def dtype_of(name):
    """NumPy's type of this name."""
    if name != "bfloat16":
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        raise UnavailableError("bfloat16 needs the package 'ml_dtypes'; 'pip install ml_dtypes' "
                               "installs it", "no-such-device") from None
    return np.dtype(ml_dtypes.bfloat16)


def normal(rng, shape, dtype, scale=1.0):
    """Normally distributed elements, rounded to `dtype`."""
    values = rng.standard_normal(shape, dtype=np.float32)
    if scale != 1.0:
        values *= np.float32(scale)
    return values.astype(dtype_of(dtype), copy=False)


def to_torch(array):
    """The same memory as a torch tensor."""
    import torch

    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def to_float64(result):
    """What a provider returned, as float64."""
    if hasattr(result, "detach"):
        result = result.detach().cpu().double().numpy()
    return np.asarray(result).astype(np.float64)
