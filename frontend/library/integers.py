# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Integer helpers of grids and blocks."""

import tegula.language as tl


def cdiv(x, div):
    """x / div rounded up, for div > 0 and x >= 0. Folds when both are known at compile time."""
    return (x + div - 1) // div


def swizzle2d(i, j, size_i, size_j, size_g):
    """Renumbers the cells of a size_i x size_j grid so that groups of size_g rows are
    walked column by column. Returns the new row and column of cell (i, j)."""
    linear = i * size_j + j
    per_group = size_g * size_j
    first_row = (linear // per_group) * size_g
    rows = tl.minimum(size_i - first_row, size_g)
    within = linear % per_group
    return first_row + within % rows, within // rows
