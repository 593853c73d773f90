# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m tegula.as_triton inductor_cases.py NAME...`: torch.compile on CPU tensors, whose
kernels Inductor writes for Triton; each case is compared with torch itself in float64.

TEST_ALSO=90: each kernel is compiled for that NVIDIA chip too. Prints a line per case.
"""

import copy
import os
import sys
import traceback

import torch
import torch._inductor.config as config
import torch.nn.functional as F
import triton
from triton.backends.compiler import GPUTarget

config.cpu_backend = "triton"


def compile_also(archs):
    """Has every kernel of Inductor compiled for these chips, beside what it is compiled for."""
    plainly, kernels = triton.compile, []

    def compile(src, target=None, options=None):
        for arch in archs:
            made = plainly(src, target=GPUTarget("cuda", int(arch), 32), options=dict(
                options, launch_cooperative_grid=False, launch_pdl=False))
            assert ".entry" in made.asm["ptx"]
            kernels.append(made)
        return plainly(src, target=target, options=options)

    triton.compile = compile
    return kernels


class Perceptron(torch.nn.Module):
    """Three layers, gelu, layer norm."""

    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.first, self.norm = torch.nn.Linear(inputs, hidden), torch.nn.LayerNorm(hidden)
        self.second, self.last_norm = torch.nn.Linear(hidden, hidden), torch.nn.LayerNorm(hidden)
        self.third = torch.nn.Linear(hidden, outputs)

    def forward(self, x):
        x = self.norm(F.gelu(self.first(x)))
        x = self.last_norm(F.gelu(self.second(x), approximate="tanh"))
        return self.third(x)


def perceptron(dtype, tolerance, steps=2):
    """Forward, backward and steps of an optimiser."""
    torch.manual_seed(0)
    model = Perceptron(33, 100, 10).to(dtype)
    reference = copy.deepcopy(model).double()
    x, y = torch.randn(50, 33).to(dtype), torch.randn(50, 10).to(dtype)
    run = torch.compile(model)
    optimisers = [torch.optim.AdamW(m.parameters(), 1e-3) for m in (model, reference)]
    step = torch.compile(optimisers[0].step)
    for _ in range(steps):
        F.mse_loss(run(x), y).backward()
        F.mse_loss(reference(x.double()), y.double()).backward()
        for ours, theirs in zip(model.parameters(), reference.parameters()):
            scale = theirs.grad.abs().max() + 1e-6
            assert (ours.grad.double() - theirs.grad).abs().max() / scale < tolerance
        step()
        optimisers[1].step()
        for optimiser in optimisers:
            optimiser.zero_grad()
    for ours, theirs in zip(model.parameters(), reference.parameters()):
        assert (ours.double() - theirs).abs().max() < 1e-2


def same(f, *args, tolerance=1e-4, wide=True, dynamic=False, **settings):
    """Compares what Inductor makes of `f` with what torch computes (wide: in float64)."""
    with config.patch(**settings):
        got = torch.compile(f, dynamic=dynamic)(*args)
    expected = f(*[a.double() if wide and a.is_floating_point() else a for a in args])
    got, expected = (t if isinstance(t, tuple) else (t,) for t in (got, expected))
    assert len(got) == len(expected)
    for ours, theirs in zip(got, expected):
        assert ours.shape == theirs.shape
        if ours.is_floating_point():
            torch.testing.assert_close(ours.double(), theirs.double(), rtol=tolerance,
                                       atol=tolerance, equal_nan=True)
        else:
            assert torch.equal(ours, theirs.to(ours.dtype)), (ours, theirs)


def dropout():
    torch.manual_seed(3)
    f = torch.compile(lambda x: (F.dropout(x, .25), torch.rand_like(x), torch.randn_like(x),
                                 torch.randint_like(x, 0, 10)))
    kept, uniform, normal, integers = f(torch.ones(100000))
    assert abs((kept != 0).float().mean() - .75) < .01
    assert set(kept.unique().tolist()) == {0.0, torch.tensor(1 / .75).item()}
    assert abs(uniform.mean() - .5) < .01 and uniform.min() >= 0 and uniform.max() < 1
    assert abs(normal.std() - 1) < .02 and abs(normal.mean()) < .02
    assert set(integers.unique().tolist()) == set(map(float, range(10)))


r, nan, inf = torch.randn, float("nan"), float("inf")


def i(*shape, most=50):
    return torch.randint(0, most, shape)


CASES = {
    "perceptron": lambda: perceptron(torch.float32, 1e-4),
    "perceptron-bf16": lambda: perceptron(torch.bfloat16, 6e-2),
    "dropout": dropout,
    "pointwise": lambda: same(lambda x, y: F.gelu(x) * torch.sin(y) + torch.sigmoid(x - y),
                              r(100, 333), r(100, 333)),
    "transposed": lambda: same(lambda x, y, z: x.t() * z + y[:, None], r(100, 33), r(33), r(100)),
    "softmax": lambda: same(lambda x: torch.softmax(x * 2, -1), r(30, 5000)),
    "short-softmax": lambda: same(lambda x: torch.softmax(x * 2, -1), r(30, 50)),
    "cross-entropy": lambda: same(F.cross_entropy, r(30, 500), i(30, most=500)),
    "reductions": lambda: same(lambda x: (x.sum(), x.amax(), x.amin(0), x.var(), x.mean(0),
                                          x.prod(1)), r(300, 100), tolerance=1e-3),
    "welford": lambda: same(lambda x: torch.std_mean(x, 1), r(30, 9000), tolerance=1e-3),
    "split-reduction": lambda: same(lambda x: x.sum(), r(1000000), tolerance=1e-2),
    "layer-norm": lambda: same(lambda x, w, b: F.layer_norm(x, (777,), w, b), r(20, 777), r(777),
                               r(777)),
    "long-layer-norm": lambda: same(lambda x, w, b: F.layer_norm(x, (7770,), w, b), r(20, 7770),
                                    r(7770), r(7770)),
    "layer-norm-bf16": lambda: same(
        lambda x, w, b: F.layer_norm(x, (777,), w, b), r(20, 777).bfloat16(),
        r(777).bfloat16(), r(777).bfloat16(), tolerance=4e-2),
    "batch-norm": lambda: same(lambda x: F.batch_norm(x, None, None, training=True),
                               r(20, 7, 10, 10), tolerance=1e-3),
    "loops": lambda: same(lambda x: F.layer_norm(x, (300,)).sum(1), r(50, 300), tolerance=1e-2,
                          **{"triton.persistent_reductions": False}),
    "argmax": lambda: same(lambda x: (x.argmax(1), x.argmin(0), x.max(1)[1], x.argmax()),
                           r(100, 1000)),
    "scans": lambda: same(lambda x: (x.cumsum(1), (x * .1 + 1).cumprod(1), x.logcumsumexp(1),
                                     *x.cummax(1)), r(10, 500), tolerance=1e-3),
    "split-scan": lambda: same(lambda x: x.cumsum(0), r(300000).abs(), tolerance=1e-3),
    "sort": lambda: same(lambda x: (*x.sort(1), *x.topk(5, 1)), r(50, 200)),
    "stable-sort": lambda: same(lambda x: torch.sort(x, stable=True, dim=1, descending=True),
                                i(50, 32).float()),
    "embedding": lambda: same(lambda w, k: F.embedding(k, w).sum(1), r(500, 64),
                              i(30, 20, most=500)),
    "indexing": lambda: same(lambda x, k: (x.gather(1, k), x[k[:, 0] - 25]), r(50, 64), i(50, 10)),
    "scatter": lambda: same(lambda x, k: (torch.zeros(50, 64, dtype=x.dtype).index_add(0, k, x),
                                          x.index_put((k[:7],), x[:7] * 2, accumulate=True)),
                            r(500, 64), i(500)),
    "integers": lambda: same(
        lambda x, y: (x // (y + 1), x % (y + 1), x ^ y, x & y, x | y, x << 2, x >> 1, -x,
                      torch.div(x, y + 1, rounding_mode="trunc")), i(1000) - 25, i(1000)),
    "narrow-integers": lambda: same(
        lambda x, y: (x + y, x * y, x > y, ~x, x.to(torch.int16) * y),
        i(1000, most=255).to(torch.uint8), i(1000, most=255).to(torch.uint8)),
    "booleans": lambda: same(
        lambda x, y: ((x > 0) & (y > 0), torch.logical_xor(x > 0, y > 0), (x > 0).any(),
                      (x > 0).all(1), (x > 0).sum(1)), r(30, 30), r(30, 30)),
    "math": lambda: same(
        lambda x: (x.sin(), x.cos(), x.tan(), x.asin(), x.acos(), x.atan(), x.asinh(), x.atanh(),
                   (x + 2).acosh(), x.floor(), x.ceil(), x.round(), x.trunc(), x.exp2(), x.sign(),
                   x.expm1(), x.tanh(), x.sinh(), x.erf(), (x + 1).log1p(), (x + 2).rsqrt(),
                   (x + 2).log()), torch.rand(1000) * 1.8 - .9, tolerance=2e-3),
    "math-of-two": lambda: same(
        lambda x, y: (torch.atan2(x, y), torch.pow(x.abs(), y), torch.fmod(x, y),
                      torch.remainder(x, y), torch.hypot(x, y), torch.copysign(x, y),
                      torch.nextafter(x, y)), r(1000), r(1000), tolerance=2e-3, wide=False),
    "special": lambda: same(
        lambda x: (torch.lgamma(x), torch.special.erfcx(x), torch.special.i0(x),
                   torch.digamma(x), torch.special.bessel_j0(x), torch.erfinv(x / 8)),
        torch.rand(1000) * 5 + .5, tolerance=2e-3),
    "not-a-number": lambda: same(
        lambda x, y: (torch.maximum(x, y), torch.minimum(x, y), x.amax(0), x.isnan(), x.isinf()),
        torch.tensor([[1., nan], [inf, 2.]]), torch.tensor([[nan, 1.], [2., 3.]])),
    "half": lambda: same(lambda x, y: F.silu(x) * y + x.exp().sum(1, keepdim=True),
                         r(40, 100).half(), r(40, 100).half(), tolerance=.3),
    "double": lambda: same(lambda x, y: (F.gelu(x) * y).sum(1), r(40, 100).double(),
                           r(40, 100).double(), tolerance=1e-9),
    "casts": lambda: same(
        lambda x: (x.half(), x.bfloat16(), x.int(), x.long(), x.bool(), x.double(),
                   x.to(torch.int8), x.to(torch.float8_e4m3fn).float(),
                   x.to(torch.float8_e5m2).float()), r(1000).abs() * 20, tolerance=1e-6,
        wide=False),
    "views": lambda: same(lambda x, y: (torch.cat([x[:, 3:50], y[:, :7] * 2], 1), x.roll(3, 1),
                                        F.pad(x, (1, 2, 3, 4)), x.flip(0), torch.tril(y)),
                          r(30, 64), r(30, 64)),
    "pooling": lambda: same(lambda x: (F.max_pool2d(x, 2), F.avg_pool2d(x, 3, 1, 1),
                                       F.interpolate(x, scale_factor=2, mode="bilinear")),
                            r(2, 3, 16, 16)),
    "bucketize": lambda: same(torch.bucketize, r(1000), torch.linspace(-2, 2, 33), wide=False),
    "attention": lambda: same(
        lambda q, k, v: torch.softmax(q @ k.transpose(-1, -2) / 8, -1) @ v, r(2, 4, 50, 64),
        r(2, 4, 50, 64), r(2, 4, 50, 64)),
    "block-pointers": lambda: same(lambda x, y: (x + y, x.sum(1)), r(64, 128), r(64, 128),
                                   tolerance=1e-3, **{"triton.use_block_ptr": True}),
    "tiles": lambda: same(lambda x, y: x.permute(2, 1, 0) + y, r(20, 30, 40), r(40, 30, 20),
                          **{"triton.prefer_nd_tiling": True, "triton.max_tiles": 3}),
    "combined": lambda: same(lambda a, b, c: (a * 2 + 1, b.sum(1), c.sin()), r(100), r(20, 30),
                             r(77), tolerance=1e-3, combo_kernels=True),
    "multi-kernel": lambda: same(lambda x: torch.softmax(x, -1), r(50, 300),
                                 **{"triton.multi_kernel": 1}),
    "dynamic-shapes": lambda: same(lambda x: F.gelu(x).sum(1), r(33, 77), tolerance=1e-3,
                                   dynamic=True),
}


def main():
    kernels = compile_also(os.environ.get("TEST_ALSO", "").split())
    failed = []
    for name in sys.argv[1:]:
        torch._dynamo.reset()
        try:
            CASES[name]()
            print(f"{name}: ok", flush=True)
        except Exception:
            traceback.print_exc()
            failed.append(name)
            print(f"{name}: failed", flush=True)
    print(f"{len(kernels)} kernels compiled for other chips")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
