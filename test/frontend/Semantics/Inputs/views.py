# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import tegula
import tegula.language as tl


@tegula.jit
def advance(x, m, n, stride):
    b = tl.make_block_ptr(x, (m, n), (stride, 1), (tl.program_id(0) * 16, 0), (16, 32), (1, 0))
    for _ in range(0, n, 32):
        t = tl.load(b, boundary_check=(1, 0), padding_option="zero", cache_modifier=".cg")
        tl.store(b, t + t, boundary_check=(1,))
        b = tl.advance(b, (0, 32))


@tegula.jit
def descriptor(x, m, n, rows):
    d = tl.make_tensor_descriptor(x, [m, n], [n, 1], [1, 32], padding_option="nan")
    i = tl.load(rows + tl.arange(0, 8))
    d.scatter(d.gather(i, 5), i, 0)


@tegula.jit
def atomic(x, n):
    d = tl.make_tensor_descriptor(x, [n], [1], [64])
    d.atomic_max([0], tl.arange(0, 64))
