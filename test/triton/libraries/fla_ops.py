# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrappers of flash-linear-attention on CPU tensors, most forward and backward.

    PYTHONPATH=build/python:FLA python -m tegula.as_triton test/triton/libraries/fla_ops.py

The library wants einops and transformers. The linear attentions are compared with
one recurrence over the sequence: the state S, keys x values, decays, forgets what
the delta rule says, takes in k v^T, and is read by q.
"""

import sys

import torch
import torch.nn.functional as F
from fla.modules.activations import logsigmoid, sigmoid, swiglu, swish
from fla.modules.conv.causal_conv1d import causal_conv1d
from fla.modules.fused_cross_entropy import cross_entropy_loss
from fla.modules.l2norm import l2norm
from fla.modules.layernorm import layer_norm, rms_norm
from fla.modules.rotary import rotary_embedding
from fla.modules.token_shift import token_shift
from fla.ops.delta_rule import chunk_delta_rule, fused_recurrent_delta_rule
from fla.ops.gated_delta_rule import chunk_gated_delta_rule
from fla.ops.gla import chunk_gla, fused_recurrent_gla
from fla.ops.hgrn import fused_recurrent_hgrn
from fla.ops.linear_attn import chunk_linear_attn
from fla.ops.retention import chunk_retention, fused_recurrent_retention
from fla.ops.simple_gla import chunk_simple_gla
from fla.ops.utils.cumsum import chunk_local_cumsum
from harness import Case, main

B, T, HEADS, K, V, D = 2, 70, 2, 32, 64, 300


def recurrence(q, k, v, decay=None, beta=None, scale=None):
    """[B, T, H, K or V] each; decay is a logarithm, [B, T, H] or [B, T, H, K]; beta [B, T, H]."""
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    state = q.new_zeros(q.shape[0], q.shape[2], q.shape[3], v.shape[3])
    outputs = []
    for t in range(q.shape[1]):
        key, value = k[:, t], v[:, t]
        if decay is not None:
            factor = decay[:, t].exp()
            state = state * (factor[..., None, None] if factor.ndim == 2 else factor[..., None])
        if beta is not None:
            value = beta[:, t, :, None] * (value - torch.einsum("bhk,bhkv->bhv", key, state))
        state = state + key[..., None] * value[..., None, :]
        outputs.append(torch.einsum("bhk,bhkv->bhv", q[:, t] * scale, state))
    return torch.stack(outputs, 1)


def qkv():
    return torch.randn(B, T, HEADS, K), torch.randn(B, T, HEADS, K), torch.randn(B, T, HEADS, V)


def delta_inputs():
    q, k, v = qkv()
    return q, F.normalize(k, dim=-1), v, torch.rand(B, T, HEADS)


def retention(q, k, v):
    rate = (1 - 2.0 ** (-5 - torch.arange(HEADS, dtype=torch.float64))).log()
    return recurrence(q, k, v, rate.expand(B, T, HEADS))


def hgrn(x, g):
    state, outputs = torch.zeros_like(x[:, 0]), []
    for t in range(x.shape[1]):
        state = g[:, t].exp() * state + x[:, t]
        outputs.append(state)
    return torch.stack(outputs, 1)


def rotary_inputs():
    angle = torch.arange(T)[:, None] / 10000 ** (torch.arange(0, K, 2) / K)[None].double()
    return torch.randn(B, T, HEADS, K), angle.cos().float(), angle.sin().float()


def rotary(x, cos, sin):
    a, b = x.chunk(2, -1)
    cos, sin = cos.detach()[:, None], sin.detach()[:, None]
    return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)


def conv(x, weight, bias):
    padded = F.pad(x.transpose(1, 2), (weight.shape[1] - 1, 0))
    return F.silu(F.conv1d(padded, weight[:, None], bias, groups=x.shape[2])).transpose(1, 2)


def local_cumsum(g, chunk=16):
    return torch.cat([part.cumsum(1) for part in g.split(chunk, 1)], 1)


def targets():
    t = torch.randint(0, D, (23,))
    t[::5] = -100
    return t


# A state sums T terms, each read sums K of them; decays multiply T factors.
SUM = T * K
# The chunked delta rules take bfloat16 only and round to it between their kernels: keys by
# keys, the inverse, w, u, the state, what is read: forward, and as many backward.
ROUNDINGS = 16

CASES = [
    Case("l2norm", lambda: (torch.randn(5, D),), lambda x: l2norm(x, eps=1e-6),
         lambda x: x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + 1e-6), D),
    Case("rms_norm", lambda: (torch.randn(9, D), torch.randn(D)),
         lambda x, w: rms_norm(x, w, None, eps=1e-5),
         lambda x, w: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * w, D),
    Case("layer_norm", lambda: (torch.randn(9, D), torch.randn(D), torch.randn(D)),
         lambda x, w, b: layer_norm(x, w, b, eps=1e-5),
         lambda x, w, b: F.layer_norm(x, (D,), w, b, 1e-5), D),
    Case("swiglu", lambda: (torch.randn(4, D), torch.randn(4, D)), swiglu,
         lambda x, y: F.silu(x) * y, 16),
    Case("swish", lambda: (torch.randn(4, D),), swish, F.silu, 16),
    Case("sigmoid", lambda: (torch.randn(4, D),), sigmoid, torch.sigmoid, 16),
    Case("logsigmoid", lambda: (torch.randn(4, D),), logsigmoid, F.logsigmoid, 16),
    Case("cross_entropy", lambda: (torch.randn(23, D), targets()),
         lambda x, t: cross_entropy_loss(x * 1, t, label_smoothing=0.1)[0].sum(),
         lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1, reduction="sum"), D),
    Case("rotary", rotary_inputs,
         lambda x, c, s: rotary_embedding(x, c.detach(), s.detach()), rotary, 8),
    Case("causal_conv1d", lambda: (torch.randn(B, T, 48), torch.randn(48, 4), torch.randn(48)),
         lambda x, w, b: causal_conv1d(x, w, b, activation="silu")[0], conv, 4 * B * T),
    Case("token_shift", lambda: (torch.randn(B, T, 48),), token_shift,
         lambda x: F.pad(x, (0, 0, 1, 0))[:, :-1] - x, 4),
    Case("chunk_local_cumsum", lambda: (torch.randn(B, T, HEADS),),
         lambda g: chunk_local_cumsum(g, 16), local_cumsum, 16, gradients=False),
    Case("hgrn", lambda: (torch.randn(B, T, 48), F.logsigmoid(torch.randn(B, T, 48))),
         lambda x, g: fused_recurrent_hgrn(x, g)[0], hgrn, 2 * T),
    Case("linear_attn", qkv, lambda q, k, v: chunk_linear_attn(q, k, v, normalize=False)[0],
         recurrence, SUM),
    Case("retention chunk", qkv, lambda q, k, v: chunk_retention(q, k, v)[0], retention, SUM),
    Case("retention recurrent", qkv, lambda q, k, v: fused_recurrent_retention(q, k, v)[0],
         retention, SUM),
    Case("gla recurrent", lambda: (*qkv(), F.logsigmoid(torch.randn(B, T, HEADS, K))),
         lambda q, k, v, g: fused_recurrent_gla(q, k, v, g)[0], recurrence, SUM),
    Case("gla chunk", lambda: (*qkv(), F.logsigmoid(torch.randn(B, T, HEADS, K))),
         lambda q, k, v, g: chunk_gla(q, k, v, g)[0], recurrence, SUM),
    Case("simple_gla chunk", lambda: (*qkv(), F.logsigmoid(torch.randn(B, T, HEADS))),
         lambda q, k, v, g: chunk_simple_gla(q, k, v, g)[0], recurrence, SUM),
    Case("delta_rule recurrent", delta_inputs,
         lambda q, k, v, b: fused_recurrent_delta_rule(q, k, v, b)[0],
         lambda q, k, v, b: recurrence(q, k, v, None, b), SUM),
    Case("delta_rule chunk", delta_inputs, lambda q, k, v, b: chunk_delta_rule(q, k, v, b)[0],
         lambda q, k, v, b: recurrence(q, k, v, None, b), ROUNDINGS, dtype=torch.bfloat16),
    Case("gated_delta_rule chunk",
         lambda: (*delta_inputs(), F.logsigmoid(torch.randn(B, T, HEADS))),
         lambda q, k, v, b, g: chunk_gated_delta_rule(q, k, v, g, b)[0],
         lambda q, k, v, b, g: recurrence(q, k, v, g, b), ROUNDINGS, dtype=torch.bfloat16),
]

if __name__ == "__main__":
    sys.exit(main(CASES, __doc__))
