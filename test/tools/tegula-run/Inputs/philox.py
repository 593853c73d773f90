# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks arrays that tegula-run generated against docs/input-generators.md."""

import math
import sys

import numpy as np

MASK = 0xFFFFFFFF


def words(seed, block, stream, kind):
    c = [block & MASK, block >> 32, stream, kind]
    k = [seed & MASK, seed >> 32]
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & MASK, (p0 >> 32) ^ c[3] ^ k[1], p0 & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


def stream(name):
    value = 2166136261
    for byte in name.encode():
        value = ((value ^ byte) * 16777619) & MASK
    return value


# The published test vector of Philox4x32-10 for a counter and key of zeros.
assert words(0, 0, 0, 0) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]

x = stream("x")
rand = [(words(7, i // 4, x, 0)[i % 4] >> 8) * 2.0**-24 for i in range(64)]
np.testing.assert_array_equal(np.load(sys.argv[1] + ".rand.npy"), np.float32(rand))

normal = []
for i in range(64):
    b = words(8589934593, i, x, 1)
    normal.append(math.sqrt(-2 * math.log((b[0] + 1) * 2.0**-32)) * math.cos(2 * math.pi * b[1] * 2.0**-32))
np.testing.assert_allclose(np.load(sys.argv[1] + ".randn.npy"), normal, rtol=1e-12, atol=1e-15)

integers = [-5 + ((words(0, i // 4, x, 2)[i % 4] * 11) >> 32) for i in range(64)]
np.testing.assert_array_equal(np.load(sys.argv[1] + ".randint.npy"), integers)
