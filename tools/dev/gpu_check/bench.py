# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of one kernel, of Tegula and of Triton if it is installed, from the same source.

  bench.py add|softmax|layer-norm|matmul DEVICE

Each compiler has a process of its own (`--as NAME`). Lines with "note:" go to the summary.
"""

import json
import subprocess
import sys


if sys.argv[4:] == ["triton"]:
    import triton
    import triton.language as tl
else:
    import tegula as triton
    import tegula.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(out, x, stride, n, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    a = tl.load(x + row * stride + i, mask=i < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(a - tl.max(a, axis=0))
    tl.store(out + row * stride + i, (e / tl.sum(e, axis=0)).to(tl.float16), mask=i < n)


@triton.jit
def layer_norm(out, x, w, b, stride, n, eps, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    a = tl.load(x + row * stride + i, mask=i < n, other=0.0).to(tl.float32)
    mean = tl.sum(a, axis=0) / n
    d = tl.where(i < n, a - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(d * d, axis=0) / n + eps)
    y = d * scale * tl.load(w + i, mask=i < n) + tl.load(b + i, mask=i < n)
    tl.store(out + row * stride + i, y.to(tl.float16), mask=i < n)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           GROUP: tl.constexpr):
    pid = tl.program_id(0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = pid // (GROUP * columns)
    height = min(rows - group * GROUP, GROUP)
    pid_m = group * GROUP + (pid % (GROUP * columns)) % height
    pid_n = (pid % (GROUP * columns)) // height
    i = pid_m * BM + tl.arange(0, BM)
    j = pid_n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    pa = a + i[:, None] * K + k[None, :]
    pb = b + k[:, None] * N + j[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK * N
    tl.store(c + i[:, None] * N + j[None, :], acc.to(tl.float16))


KERNELS = {"add": add, "softmax": softmax, "layer-norm": layer_norm, "matmul": matmul}


def measure(name, device, do_bench):
    """(milliseconds, bytes or operations, 'GB/s' or 'TFLOP/s')"""
    import torch

    kernel = KERNELS[name]
    times, amount, unit = [], 0, "GB/s"
    if name == "add":
        n = 1 << 26
        x, y = (torch.rand(n, device=device) for _ in range(2))
        out = torch.empty_like(x)
        for block, warps in ((1024, 4), (2048, 8), (4096, 8)):
            times.append(do_bench(lambda: kernel[(triton.cdiv(n, block),)](
                x, y, out, n, BLOCK=block, num_warps=warps)))
        assert torch.equal(out, x + y)
        amount = 12 * n
    elif name in ("softmax", "layer-norm"):
        rows, n = 8192, 4096
        x = torch.randn(rows, n, device=device, dtype=torch.float16)
        w, b = (torch.randn(n, device=device, dtype=torch.float16) for _ in range(2))
        out = torch.empty_like(x)
        for warps in (4, 8, 16):
            arguments = (out, x, n, n) if name == "softmax" else (out, x, w, b, n, n, 1e-5)
            times.append(do_bench(lambda: kernel[(rows,)](*arguments, BLOCK=4096,
                                                          num_warps=warps)))
        wanted = (torch.softmax(x, 1) if name == "softmax" else
                  torch.nn.functional.layer_norm(x, (n,), w, b))
        assert torch.allclose(out, wanted, atol=2e-2, rtol=2e-2)
        amount = 4 * rows * n
    else:
        size, unit = 4096, "TFLOP/s"
        a, b = (torch.randn(size, size, device=device, dtype=torch.float16) / 8 for _ in range(2))
        c = torch.empty_like(a)
        for m, n, k, warps, stages in ((128, 128, 32, 4, 4), (128, 256, 64, 8, 3),
                                       (128, 128, 64, 8, 3), (64, 256, 32, 4, 4)):
            grid = (triton.cdiv(size, m) * triton.cdiv(size, n),)
            try:
                times.append(do_bench(lambda: kernel[grid](
                    a, b, c, size, size, size, BM=m, BN=n, BK=k, GROUP=8, num_warps=warps,
                    num_stages=stages)))
            except Exception as error:  # pylint: disable=broad-except
                print(f"{m}x{n}x{k}: {error}", file=sys.stderr)
        assert torch.allclose(c, a @ b, atol=0.5, rtol=2e-2)
        amount = 2 * size ** 3
    best = min(times)
    return best, amount / best / (1e9 if unit == "TFLOP/s" else 1e6), unit


def main():
    name, device = sys.argv[1:3]
    if len(sys.argv) > 3:
        print(json.dumps(measure(name, device, triton.testing.do_bench)))
        return 0
    try:
        import torch
    except ImportError:
        print("torch is not installed")
        return 77
    if not torch.cuda.is_available():
        print("torch finds no GPU")
        return 77
    results = {}
    for compiler in ("tegula", "triton"):
        done = subprocess.run([sys.executable, __file__, name, device, "--as", compiler],
                              capture_output=True, text=True, check=False)
        if done.returncode == 0:
            results[compiler] = json.loads(done.stdout.splitlines()[-1])
        elif compiler == "tegula":
            print(done.stdout + done.stderr)
            return 1
        else:
            print("note: no times of Triton: " + (done.stderr.strip().splitlines() or ["?"])[-1])
    ours = results["tegula"]
    text = f"note: {name}: {ours[0]:.3f} ms, {ours[1]:.1f} {ours[2]}"
    if "triton" in results:
        theirs = results["triton"]
        text += f"; Triton {theirs[0]:.3f} ms, {theirs[1]:.1f}: {theirs[0] / ours[0]:.2f}x"
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
