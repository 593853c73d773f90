# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop may assign to a variable the value that it has."""

import numpy as np

import tegula
import tegula.language as tl


@tegula.jit
def kernel(out_ptr, n):
    first = tl.program_id(0) + 5
    again = first
    for _ in range(n):
        first = again
    tl.store(out_ptr + tl.program_id(0), first)


def main():
    for n in (0, 1, 3):
        out = np.zeros(2, np.int32)
        kernel[(2, )](out, n)
        assert out.tolist() == [5, 6]


if __name__ == "__main__":
    main()
