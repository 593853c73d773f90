# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Elementwise functions and softmax."""

import tegula.language as tl


def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return 1 / (1 + tl.exp(-x))


def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    """exp(x) normalised to a sum of 1 along `dim` (the first dimension unless given)."""
    if dim is None:
        axis: tl.constexpr = 0
    else:
        axis: tl.constexpr = dim
    # The shape of x comes out whatever keep_dims says.
    shifted = x - tl.max(x, axis, keep_dims=True)
    weights = tl.exp(shifted)
    total = tl.sum(weights, axis, keep_dims=True)
    return tl.fdiv(weights, total, ieee_rounding)
