# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of published libraries' Python wrappers against float64.

A case calls a wrapper of the library, unchanged, on CPU tensors; the same
mathematics in torch on float64 copies is what its results and its gradients are
compared with. The error that is allowed is `steps` roundings of the element type
at the size of the largest element: `steps` is the length of the longest sum that
the operation forms, or a small number where it forms none.
"""

import argparse
import dataclasses
import traceback
from typing import Callable

import torch


@dataclasses.dataclass
class Case:
    """run and reference take the tensors that inputs makes, and give one or several.

    gradients: whether what the floating-point inputs get is compared too.
    """

    name: str
    inputs: Callable
    run: Callable
    reference: Callable
    steps: float
    gradients: bool = True
    dtype: torch.dtype = torch.float32


def _outputs(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def _evaluate(function, tensors, gradients):
    """What a function gives, and the gradients of a fixed weighing of it."""
    results = [r for r in _outputs(function(*tensors)) if r is not None]
    values = [r.detach().clone() for r in results]
    if gradients:
        total = 0.0
        for i, result in enumerate(results):
            if result.requires_grad:
                weights = torch.linspace(0.5, 1.5, result.numel(), dtype=torch.float64)
                total = total + (result.double() * weights.view(result.shape)).sum()
        total.backward()
        values += [torch.zeros_like(t) if t.grad is None else t.grad.detach().clone()
                   for t in tensors if torch.is_tensor(t) and t.requires_grad]
    return values


def check(case):
    """Raises AssertionError where a result of the library is wrong; returns the largest error
    as a share of what is allowed."""
    torch.manual_seed(1)
    given = case.inputs()

    def copy(tensor, dtype):
        if not torch.is_tensor(tensor):
            return tensor
        if not tensor.is_floating_point():
            return tensor.clone()
        return tensor.to(case.dtype).to(dtype).clone().requires_grad_(case.gradients)

    got = _evaluate(case.run, [copy(t, case.dtype) for t in given], case.gradients)
    wanted = _evaluate(case.reference, [copy(t, torch.float64) for t in given], case.gradients)
    assert len(got) == len(wanted), f"expected {len(wanted)} results, got {len(got)}"
    worst = 0.0
    for index, (a, b) in enumerate(zip(got, wanted)):
        assert a.shape == b.shape, (
            f"result {index}: expected shape {tuple(b.shape)}, got {tuple(a.shape)}")
        assert torch.isfinite(a.double()).all(), f"result {index} is not finite"
        allowed = case.steps * torch.finfo(case.dtype).eps * max(b.abs().max().item(), 1e-3)
        error = (a.double() - b).abs().max().item() if b.numel() else 0.0
        assert error <= allowed, f"result {index}: error {error:.3e}, allowed {allowed:.3e}"
        worst = max(worst, error / allowed)
    return worst


def main(cases, doc):
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--only", help="names that contain this")
    options = parser.parse_args()
    passed, failed = 0, 0
    for case in cases:
        if options.only and options.only not in case.name:
            continue
        try:
            share = check(case)
        except Exception:  # noqa: BLE001: a failing case is reported, the others go on
            failed += 1
            print(f"FAIL {case.name}\n{traceback.format_exc(limit=-6)}", flush=True)
        else:
            passed += 1
            print(f"pass {case.name} (error {share:.1%} of what is allowed)", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
