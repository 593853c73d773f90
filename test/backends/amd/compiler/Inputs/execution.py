# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the kernels compute, compared with NumPy."""

import os

import numpy as np
from threads import HERE, compile_kernel

KERNELS = os.path.join(HERE, "kernels.py")
random = np.random.default_rng(7)


def normal(*shape):
    return random.standard_normal(shape).astype("f4")


def check_add():
    n = 4992
    x, y, out = normal(n + 100), normal(n + 100), normal(n + 100)
    rest = out[n:].copy()
    add = compile_kernel(KERNELS, "add", "*fp32:16,*fp32:16,*fp32:16,i32:16,1024")
    add((5,), x, y, out, n)
    assert (out[:n] == (x + y)[:n]).all() and (out[n:] == rest).all()


def check_softmax():
    for columns, block in ((1000, 1024), (37, 64)):
        x = normal(5, columns)
        out = np.zeros_like(x)
        softmax = compile_kernel(KERNELS, "softmax", f"*fp32,*fp32,i32,i32,{block}")
        softmax((5,), out, x, columns, columns)
        e = np.exp(x.astype("f8") - x.max(1, keepdims=True))
        assert np.abs(out / (e / e.sum(1, keepdims=True)) - 1).max() < 1e-6, columns


def check_matmul():
    rows, columns, block = 64, 32, 16
    a, b = normal(2 * rows, 3 * block).astype("f2"), normal(3 * block, 2 * columns).astype("f2")
    c = np.zeros((2 * rows, 2 * columns), "f2")
    signature = f"*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,{rows},{columns},{block}"
    matmul = compile_kernel(KERNELS, "matmul", signature)
    matmul((2, 2), a, b, c, a.shape[1], a.shape[1], b.shape[1], b.shape[1])
    expected = a.astype("f8") @ b.astype("f8")
    assert np.abs(c - expected).max() < 1e-3 * np.abs(expected).max()


def check_everything():
    n = 700
    x = random.integers(-100, 100, 768, dtype="i4")
    counts, out = np.zeros(16, "i4"), np.zeros(768, "i4")
    everything = compile_kernel(KERNELS, "everything", "*i32:16,*i32:16,*i32:16,i32,i1,256")
    everything((3,), x, counts, out, n, 1)
    inside = np.where(np.arange(768) < n, x, 0).reshape(3, 256)
    assert (out[:n] == (inside.cumsum(1) + 3).ravel()[:n]).all() and not out[n:].any()
    assert (counts[:7] == np.bincount(np.arange(n) % 7)).all() and counts[8] == 767


def check_exchange():
    x = random.integers(0, 64, (16, 128), dtype="i4")
    out = np.zeros(2 * x.size + 16, "i4")
    compile_kernel(KERNELS, "exchange", "*i32:16,*i32:16,16,128")((1,), x, out)
    assert (out[:x.size] == np.sort(x, 1).ravel()).all()
    assert (out[x.size:-16] == x.cumsum(0).T.ravel()).all()
    assert (out[-16:] == x.argmax(1)).all()


def check_atomics():
    n = 512
    x, best, half = normal(n), np.full(4, -9, "f4"), np.zeros(4, "f2")
    memory = np.where(np.arange(n) % 3 == 0, np.arange(n), -1).astype("i4")
    expected = np.where(memory == np.arange(n), 2 * np.arange(n), memory)
    compile_kernel(KERNELS, "atomics", f"*fp32,*fp32,*fp16,*i32,{n}")((1,), x, best, half, memory)
    assert (best == x.reshape(-1, 4).max(0)).all() and (memory == expected).all()
    assert np.allclose(half, x.reshape(-1, 4).sum(0), atol=0.2)


for name, check in list(globals().items()):
    if name.startswith("check_"):
        check()
        print("right:", name[len("check_"):])
