# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrappers of Liger-Kernel on CPU tensors, forward and backward.

    PYTHONPATH=build/python:LIGER/src python -m tegula.as_triton test/triton/libraries/liger_ops.py
"""

import math
import sys

import torch
import torch.nn.functional as F
from harness import Case, main
from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction
from liger_kernel.ops.dyt import LigerDyTFunction
from liger_kernel.ops.fused_add_rms_norm import LigerFusedAddRMSNormFunction
from liger_kernel.ops.fused_linear_cross_entropy import LigerFusedLinearCrossEntropyFunction
from liger_kernel.ops.geglu import LigerGELUMulFunction
from liger_kernel.ops.group_norm import LigerGroupNormFunction
from liger_kernel.ops.jsd import LigerJSDFunction
from liger_kernel.ops.kl_div import LigerKLDivLossFunction
from liger_kernel.ops.layer_norm import LigerLayerNormFunction
from liger_kernel.ops.poly_norm import LigerPolyNormFunction
from liger_kernel.ops.relu_squared import LigerReLUSquaredFunction
from liger_kernel.ops.rms_norm import LigerRMSNormFunction
from liger_kernel.ops.rope import LigerRopeFunction
from liger_kernel.ops.softmax import LigerSoftmaxFunction
from liger_kernel.ops.sparsemax import LigerSparsemaxFunction
from liger_kernel.ops.swiglu import LigerSiLUMulFunction
from liger_kernel.ops.tvd import LigerTVDLossFunction

EPS = 1e-6


def rms(x, w, offset=0.0):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPS) * (w + offset)


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), -1)
    return x * cos[:, None] + turned * sin[:, None]


def rope_inputs(batch=2, heads=4, kv_heads=2, length=13, size=32):
    angle = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, size, 2) / size)[None]
    angle = torch.cat((angle, angle), -1)[None].double()
    q = torch.randn(batch, heads, length, size)
    k = torch.randn(batch, kv_heads, length, size)
    return q, k, angle.cos().float(), angle.sin().float()


def rope_run(q, k, cos, sin):
    return LigerRopeFunction.apply(q * 1, k * 1, cos.detach(), sin.detach())


def rope_reference(q, k, cos, sin):
    return rotate(q, cos.detach(), sin.detach()), rotate(k, cos.detach(), sin.detach())


def sparsemax(x):
    ordered = x.sort(-1, descending=True).values
    sums = ordered.cumsum(-1) - 1
    count = torch.arange(1, x.shape[-1] + 1, dtype=x.dtype)
    support = (ordered * count > sums).sum(-1, keepdim=True)
    return (x - sums.gather(-1, support - 1) / support).clamp(min=0)


def poly_norm(x, w, b):
    def norm(t):
        return t * torch.rsqrt(t.pow(2).mean(-1, keepdim=True) + EPS)

    return w[0] * norm(x ** 3) + w[1] * norm(x ** 2) + w[2] * norm(x) + b


def jsd(x, y, beta=0.5):
    q, p = x.exp(), y.exp()
    mix = (beta * p + (1 - beta) * q).log()
    return (beta * (p * (y - mix)).sum() + (1 - beta) * (q * (x - mix)).sum()) / x.shape[0]


def log_softmax_pair(rows=17, columns=203):
    return torch.randn(rows, columns).log_softmax(-1), torch.randn(rows, columns).log_softmax(-1)


def targets(rows, classes):
    t = torch.randint(0, classes, (rows,))
    t[::5] = -100
    return t


H = 300

CASES = [
    Case("rms_norm llama", lambda: (torch.randn(2, 9, H), torch.randn(H)),
         lambda x, w: LigerRMSNormFunction.apply(x, w, EPS, 0.0, "llama", False), rms, H),
    Case("rms_norm gemma", lambda: (torch.randn(2, 9, H), torch.randn(H)),
         lambda x, w: LigerRMSNormFunction.apply(x, w, EPS, 1.0, "gemma", False),
         lambda x, w: rms(x, w, 1.0), H),
    Case("fused_add_rms_norm", lambda: (torch.randn(7, H), torch.randn(7, H), torch.randn(H)),
         lambda x, r, w: LigerFusedAddRMSNormFunction.apply(x, r, w, EPS, 0.0, "llama", False),
         lambda x, r, w: (rms(x + r, w), x + r), H),
    Case("layer_norm", lambda: (torch.randn(2, 9, H), torch.randn(H), torch.randn(H)),
         lambda x, w, b: LigerLayerNormFunction.apply(x, w, b, EPS),
         lambda x, w, b: F.layer_norm(x, (H,), w, b, EPS), H),
    Case("group_norm", lambda: (torch.randn(3, 6, 50), torch.randn(6), torch.randn(6)),
         lambda x, w, b: LigerGroupNormFunction.apply(x, w, b, 6, 3, EPS),
         lambda x, w, b: F.group_norm(x, 3, w, b, EPS), H),
    Case("poly_norm", lambda: (torch.randn(7, H), torch.randn(3), torch.randn(())),
         lambda x, w, b: LigerPolyNormFunction.apply(x, w, b, EPS, False), poly_norm, 7 * H),
    Case("swiglu", lambda: (torch.randn(2, 9, H), torch.randn(2, 9, H)),
         lambda a, b: LigerSiLUMulFunction.apply(a, b), lambda a, b: F.silu(a) * b, 16),
    Case("geglu", lambda: (torch.randn(2, 9, H), torch.randn(2, 9, H)),
         lambda a, b: LigerGELUMulFunction.apply(a, b),
         lambda a, b: F.gelu(a, approximate="tanh") * b, 16),
    Case("relu_squared", lambda: (torch.randn(5, H),),
         lambda x: LigerReLUSquaredFunction.apply(x), lambda x: F.relu(x) ** 2, 4),
    Case("dyt", lambda: (torch.randn(2, 9, H), torch.randn(1), torch.randn(H), torch.randn(H)),
         lambda x, a, g, b: LigerDyTFunction.apply(x, a, g, b),
         lambda x, a, g, b: g * torch.tanh(a * x) + b, 8,
         gradients=False),  # its backward asks a GPU for the number of its processors
    Case("softmax", lambda: (torch.randn(2, 9, H),),
         lambda x: LigerSoftmaxFunction.apply(x), lambda x: x.softmax(-1), H),
    Case("sparsemax", lambda: (torch.randn(2, 9, H),),
         lambda x: LigerSparsemaxFunction.apply(x, -1), sparsemax, H),
    Case("rope", rope_inputs, rope_run, rope_reference, 8, gradients=False),
    Case("cross_entropy", lambda: (torch.randn(23, H), targets(23, H)),
         lambda x, t: LigerCrossEntropyFunction.apply(x * 1, t, None, -100, 0.0, 0.1)[0],
         lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1), H),
    Case("fused_linear_cross_entropy",
         lambda: (torch.randn(23, 48), torch.randn(H, 48), targets(23, H)),
         lambda x, w, t: LigerFusedLinearCrossEntropyFunction.apply(x, w, t)[0],
         lambda x, w, t: F.cross_entropy(x @ w.T, t), 48 * 16),
    Case("kl_div", log_softmax_pair,
         lambda x, y: LigerKLDivLossFunction.apply(x, y.detach(), "batchmean", True),
         lambda x, y: F.kl_div(x, y.detach(), reduction="batchmean", log_target=True), 17 * 203),
    Case("jsd", log_softmax_pair,
         lambda x, y: LigerJSDFunction.apply(x, y.detach(), None, 0.5),
         lambda x, y: jsd(x, y.detach()), 17 * 203),
    Case("tvd", lambda: (torch.rand(17, 203).softmax(-1), torch.rand(17, 203).softmax(-1)),
         lambda p, q: LigerTVDLossFunction.apply(p, q.detach(), None, "batchmean"),
         lambda p, q: 0.5 * (p - q.detach()).abs().sum() / p.shape[0], 17 * 203),
    Case("rms_norm bfloat16", lambda: (torch.randn(4, 256), torch.randn(256)),
         lambda x, w: LigerRMSNormFunction.apply(x, w, EPS, 0.0, "gemma", False), rms,
         math.sqrt(256), dtype=torch.bfloat16),
]

if __name__ == "__main__":
    sys.exit(main(CASES, __doc__))
