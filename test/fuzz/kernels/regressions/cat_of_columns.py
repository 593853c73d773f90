# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Columns of one element joined side by side."""

import numpy as np

import tegula
import tegula.language as tl


@tegula.jit
def kernel(x_ptr, y_ptr, out_ptr, A: tl.constexpr):
    i = tl.arange(0, A)[:, None]
    both = tl.cat(tl.load(x_ptr + i), tl.load(y_ptr + i), dim=1)
    tl.store(out_ptr + i * 2 + tl.arange(0, 2)[None, :], both)


def main():
    for count in (1, 4, 64):
        x, y = np.arange(count, dtype=np.float16), -np.arange(count, dtype=np.float16)
        out = np.zeros((count, 2), np.float16)
        kernel[(1, )](x, y, out, A=count)
        assert (out == np.stack([x, y], 1)).all(), out


if __name__ == "__main__":
    main()
