# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions are the same in every form: tiles, scalars, constants.

What is folded while compiling, what the scalar unit computes and what vectors
compute must agree to the bit on operands at which operators change course. FMA
contraction, the one freedom there is, is switched off.
"""

import importlib.util
import os
import random

import numpy as np
import pytest
from semantics_cases import (FLOATS, INTEGERS, assert_same, every_form, float_corners,
                             integer_corners, pairs)

import tegula

TYPES = INTEGERS + FLOATS
SEEDS = range(40 if os.environ.get("TEGULA_LONG_TESTS") else 4)
EXPRESSIONS = 15  # for each seed
ELEMENTS = 24
HEAD = """import tegula, tegula.language as tl
@tegula.jit
def cs(x, T: tl.constexpr):
    return tl.cast(x, T)
"""


def expression(choose, depth):
    """Text of an expression over tiles `a` and `b`."""
    if depth == 0:
        constant = f"tl.full(a.shape, {choose.choice([0, 1, 5, 100])}, tl.{choose.choice(TYPES)})"
        number = str(choose.choice([0, 1, 2, 3, 7, -1]))
        return choose.choice(["a", "b", "a", "b", number, constant])

    def part():
        return f"({expression(choose, depth - 1)})"

    def cast(types):
        return f"cs({part()}, tl.{choose.choice(types)})"

    kind = choose.random()
    if kind < 0.45:
        return part() + choose.choice("+-*") + part()
    if kind < 0.55:
        return cast(TYPES)
    if kind < 0.70:
        types = [choose.choice(INTEGERS)]
        return cast(types) + choose.choice(["//", "%", "<<", ">>", "&", "|", "^"]) + cast(types)
    if kind < 0.80:
        relation = choose.choice(["<", "==", "!=", ">="])
        return f"tl.where({part()} {relation} {part()}, {part()}, {part()})"
    if kind < 0.88:
        return f"{choose.choice(['tl.minimum', 'tl.maximum'])}({part()}, {part()})"
    if kind < 0.94:
        types = ["float32", "float64"]
        return f"{cast(types)} {choose.choice('/%')} {cast(types)}"
    return f"-{part()}"


def corners(name):
    return integer_corners(name) if name in INTEGERS else float_corners(name)


def without_zero_sign(values):
    """The sign of a zero that a cast to an integer loses is no difference."""
    values = values.copy()
    values[values == 0] = 0
    return values


@pytest.mark.parametrize("seed", SEEDS)
def test_forms_agree(seed, tmp_path, monkeypatch):
    target = tmp_path / "exact.yaml"
    target.write_text("schema: tegula.target/v1\nname: exact\n"
                      "targets: [{id: host, backend: cpu, arch: native, emit: [elf-so]}]\n"
                      "numerics: {fma: never}\n")
    monkeypatch.setenv("TEGULA_TARGET", str(target))
    choose = random.Random(seed)
    texts = [expression(choose, choose.choice([2, 3])) for _ in range(EXPRESSIONS)]
    file = tmp_path / "expressions.py"
    file.write_text(HEAD + "".join(f"@tegula.jit\ndef f{i}(a, b):\n    return {text}\n"
                                   for i, text in enumerate(texts)))
    spec = importlib.util.spec_from_file_location(f"expressions{seed}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    compiled = 0
    for i, text in enumerate(texts):
        types = choose.choice(TYPES), choose.choice(TYPES)
        a, b = pairs(corners(types[0]), corners(types[1]))
        some = np.random.default_rng(seed * 1000 + i).permutation(a.size)[:ELEMENTS]
        a, b = a[some].copy(), b[some].copy()
        out = np.dtype(choose.choice([np.float64, np.int64]))
        reference = None
        try:
            for form, which, got in every_form(getattr(module, f"f{i}"), a, b, out):
                if reference is None:
                    reference = got.copy()
                assert_same(without_zero_sign(got), without_zero_sign(reference[which]),
                            f"{text} of {types}, {form}", a[which], b[which])
            compiled += 1
        except tegula.CompilationError as error:
            # Types that do not go together; anything else is a fault.
            assert "internal" not in str(error), f"{text} of {types}: {error}"
    assert compiled >= EXPRESSIONS // 2
