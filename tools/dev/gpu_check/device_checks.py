# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a GPU is, and that what goes wrong on it is a clear error and a living process.

  device_checks.py NAME DEVICE      exit status 77: skipped, with the reason as output
"""

import os
import sys

import numpy as np

import tegula
import tegula.language as tl


@tegula.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@tegula.jit
def store_at(x, at):
    tl.store(x + at, 1)


@tegula.jit
def nothing(x):
    pass


@tegula.jit
def product(x, M: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, M)[None, :]
    a = tl.load(x + i * M + j)
    tl.store(x + i * M + j, tl.dot(a, tl.trans(a)).to(tl.float16))


def expect(error, text, call):
    try:
        call()
    except error as caught:
        first = str(caught).splitlines()[0]
        assert text in str(caught), f"expected an error with '{text}', got {caught}"
        print(f"note: {type(caught).__name__}: {first}")
        return caught
    raise AssertionError(f"expected {error.__name__}, got none")


def check_add(device, n=100000):
    x = np.arange(n, dtype=np.float32)
    a, out = tegula.Array.from_numpy(x, device), tegula.Array.zeros(n, "float32", device)
    add[(tegula.cdiv(n, 1024),)](a, a, out, n, BLOCK=1024)
    assert (out.to_numpy() == 2 * x).all()


def check_facts(device):
    from tegula import _tegula
    kind, _, ordinal = device.partition(":")
    print("note:", _tegula.device(kind, int(ordinal)))
    print("note:", tegula.runtime.driver.active.get_current_target())
    compiled = add.warmup(np.float32, np.float32, np.float32, 100, BLOCK=64)
    print("note:", "registers", compiled.n_regs, "spills", compiled.n_spills, "shared",
          compiled.metadata.shared)


def check_arrays(device):
    check_add(device)
    x = tegula.Array.full((5, 7), 3, "int32", device)
    assert (x.copy().to_numpy() == 3).all() and (x.copy("cpu").to_numpy() == 3).all()


def check_grid(device):
    x = tegula.Array.zeros(16, "int32", device)
    expect(tegula.LaunchError, "grid", lambda: nothing[(1, 70000, 1)](x))
    expect(tegula.LaunchError, "grid", lambda: nothing[(1, 1, 65536)](x))
    check_add(device)


def check_memory(device):
    expect(tegula.OutOfResources, "", lambda: tegula.Array.empty(1 << 50, "uint8", device))
    check_add(device)


def check_shared(device):
    x = tegula.Array.zeros((512, 512), "float16", device)
    try:
        product[(1,)](x, M=512)
        print("note: a product of 512 x 512 in one program fits")
    except tegula.OutOfResources as error:
        print("note:", str(error).splitlines()[0])
    check_add(device)


def check_threads(device):
    x = tegula.Array.zeros(16, "int32", device)
    expect(tegula.Error, "", lambda: nothing[(1,)](x, num_warps=64))
    check_add(device)


def check_hidden(device):
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    from tegula import _tegula
    assert _tegula.devices("cuda") == []
    expect(tegula.Error, "cuda", lambda: tegula.Array.zeros(4, "int32", "cuda:0"))
    x = np.zeros(4, np.int32)
    store_at[(1,)](x, 2)
    assert x[2] == 1


def check_fault(device):
    from tegula import _tegula
    kind, _, ordinal = device.partition(":")
    x = tegula.Array.zeros(16, "int32", device)

    def run():
        store_at[(1,)](x, 1 << 40)
        _tegula.synchronize(kind, int(ordinal))

    error = expect(tegula.LaunchError, "", run)
    print("note:", str(error).splitlines()[0], f"[{error.id}]")
    expect(tegula.LaunchError, "lost", lambda: nothing[(1,)](x))
    y = np.zeros(4, np.int32)
    store_at[(1,)](y, 2)
    assert y[2] == 1


def torch_here():
    try:
        import torch
    except ImportError:
        print("torch is not installed")
        sys.exit(77)
    if not torch.cuda.is_available():
        print("torch finds no GPU")
        sys.exit(77)
    return torch


def check_torch(device):
    torch = torch_here()
    n = 1 << 20
    x = torch.arange(n, dtype=torch.float32, device=device)
    out = torch.empty_like(x)
    add[(tegula.cdiv(n, 1024),)](x, x, out, n, BLOCK=1024)
    assert torch.equal(out, 2 * x)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        big = torch.full((1 << 26,), 1.0, device=device)
        for _ in range(20):
            big = big * 1.5 / 1.5
        add[(tegula.cdiv(big.numel(), 1024),)](big, big, big, big.numel(), BLOCK=1024)
        total = big.sum()
    side.synchronize()
    assert abs(total.item() / (2 * big.numel()) - 1) < 1e-3
    expect(tegula.LaunchValueError, "cpu",
           lambda: add[(1,)](x, x.cpu(), out, 16, BLOCK=16))
    pinned = torch.ones(1024, pin_memory=True)
    add[(1,)](x, pinned, out, 1024, BLOCK=1024)
    torch.cuda.synchronize()
    assert torch.equal(out[:1024], x[:1024] + 1)
    a = tegula.Array.full((8, 8), 2, "float32", device)
    t = torch.from_dlpack(a)
    assert t.device == x.device and t.sum().item() == 128
    half = tegula.testing.do_bench(lambda: add[(tegula.cdiv(n, 1024),)](x, x, out, n, BLOCK=1024))
    print(f"note: vector add of 2^20 numbers takes {half * 1e3:.1f} us")


def check_graph(device):
    torch = torch_here()
    n = 4096
    x, out = torch.ones(n, device=device), torch.zeros(n, device=device)
    add[(4,)](x, out, out, n, BLOCK=1024)  # compiled and loaded ahead
    torch.cuda.synchronize()
    out.zero_()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        add[(4,)](x, out, out, n, BLOCK=1024)
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    assert (out == 3).all(), out


if __name__ == "__main__":
    globals()[f"check_{sys.argv[1]}"](sys.argv[2])
