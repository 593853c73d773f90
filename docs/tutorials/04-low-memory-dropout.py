# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
Low-memory dropout
==================

Dropout sets each element to zero with probability p and divides the others by
1 - p, which keeps the expected sum. The textbook form stores which elements it
kept. A counter-based generator makes that mask superfluous: element i of the
random stream is a function of the seed and i alone, so whoever needs the mask
again, the backward pass for one, computes it again from one integer.
"""

import numpy as np

import tegula
import tegula.language as tl


# First with a stored mask, one byte for each element.
@tegula.jit
def masked_dropout_kernel(x, keep, out, n, p, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    values = tl.load(x + index, mask=inside)
    kept = tl.load(keep + index, mask=inside)
    # `p` is a float32 scalar, so the quotient is float32 whatever `x` is; the store
    # rounds it to the type of `out`.
    tl.store(out + index, tl.where(kept, values / (1 - p), 0.0), mask=inside)


# Then with a seed. tl.rand takes the seed and a tile of positions in the stream,
# and gives one number in [0, 1) for each position. Neither the number of programs
# nor BLOCK changes which number an element gets, nor does the device.
@tegula.jit
def seeded_dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    values = tl.load(x + index, mask=inside)
    kept = tl.rand(seed, index) >= p
    tl.store(out + index, tl.where(kept, values / (1 - p), 0.0), mask=inside)


# One call of the generator yields four words, and tl.rand throws three of them
# away. Where the stream need not be that of tl.rand, tl.rand4x serves four
# elements for the price of one. Program after program owns 4 * BLOCK elements.
@tegula.jit
def fast_dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first = tl.program_id(0) * 4 * BLOCK + tl.arange(0, BLOCK)
    scale = 1 / (1 - p)
    randoms = tl.rand4x(seed, lane)
    for part in tl.static_range(4):
        index = first + part * BLOCK
        values = tl.load(x + index, mask=index < n)
        tl.store(out + index, tl.where(randoms[part] >= p, values * scale, 0.0), mask=index < n)


def masked_dropout(x, keep, p):
    """`x / (1 - p)` where `keep`, else 0."""
    out = tegula.empty_like(x)
    masked_dropout_kernel[(tegula.cdiv(x.size, 1024),)](x, keep, out, x.size, float(p), BLOCK=1024)
    return out


def seeded_dropout(x, p, seed, block=1024):
    """Dropout of `x` with the mask that `seed` stands for."""
    out = tegula.empty_like(x)
    seeded_dropout_kernel[(tegula.cdiv(x.size, block),)](x, out, x.size, float(p), seed,
                                                         BLOCK=block)
    return out


def fast_dropout(x, p, seed):
    """The same with another mask, four elements to a call of the generator."""
    out = tegula.empty_like(x)
    fast_dropout_kernel[(tegula.cdiv(x.size, 4096),)](x, out, x.size, float(p), seed, BLOCK=1024)
    return out


# The mask as NumPy sees it: ten rounds of Philox on the counter (i, 0, 0, 0), as
# uint64 so that products keep their upper halves.
def words(seed, positions):
    """The four random words of each position, as rows of uint32."""
    low = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    c = [positions.astype(np.uint64)] + [np.zeros(positions.size, np.uint64)] * 3
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> half) ^ c[1] ^ np.uint64(key[0]), b & low,
             (a >> half) ^ c[3] ^ np.uint64(key[1]), a & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(c).astype(np.uint32)


def uniform(word):
    """tl.rand of a random word: the sign folds over, the rest is scaled below 1."""
    signed = word.view(np.int32)
    folded = np.where(signed < 0, ~signed, signed)
    return folded.astype(np.float32) * np.float32(4.6566127342e-10)


def kept_by(seed, n, p):
    """Which of `n` elements seeded_dropout keeps."""
    return uniform(words(seed, np.arange(n))[0]) >= np.float32(p)


def kept_fast(seed, n, p, block=1024):
    """Which of `n` elements fast_dropout keeps."""
    programs = tegula.cdiv(n, 4 * block)
    parts = uniform(words(seed, np.arange(programs * block))).reshape(4, programs, block)
    return parts.transpose(1, 0, 2).reshape(-1)[:n] >= np.float32(p)


def error_of(got, x, keep, p):
    """Largest relative error; infinite when one element is dropped or kept wrongly."""
    expected = np.where(keep, x.astype(np.float64) / (1 - float(np.float32(p))), 0)
    got = got.astype(np.float64)
    if not np.array_equal(got == 0, expected == 0):
        return float("inf")
    # Below the normal numbers the distance between neighbours no longer shrinks.
    unit = np.maximum(np.abs(expected), np.finfo(x.dtype).tiny)
    return float((np.abs(got - expected) / unit).max())


def main():
    """Rows for the table of tutorials: see docs/tutorials/README.md."""
    rng = np.random.default_rng(4)
    seed, p = 2**40 + 123, 0.3
    rows = []
    for dtype in (np.dtype(np.float32), np.dtype(np.float16)):
        # float32 rounds 1 - p, its inverse where there is one, and the result; float16
        # adds its own rounding.
        tolerance = 3 * 2.0**-24 + (2.0**-11 if dtype == np.float16 else 0)
        for n in (98431, 1 << 22):
            x = rng.standard_normal(n).astype(dtype)
            x[x == 0] = 1
            stored = rng.random(n) >= p
            there, keep_there = tegula.Array.from_numpy(x), tegula.Array.from_numpy(stored)
            forms = {
                "masked": (lambda: masked_dropout(there, keep_there, p), stored),
                "seeded": (lambda: seeded_dropout(there, p, seed), kept_by(seed, n, p)),
                "fast": (lambda: fast_dropout(there, p, seed), kept_fast(seed, n, p)),
            }
            for name, (run, keep) in forms.items():
                error = error_of(run().to_numpy(), x, keep, p)
                if name == "masked":
                    def numpy_form():
                        return np.where(stored, x / dtype.type(1 - p), dtype.type(0))
                else:
                    def numpy_form():
                        drawn = rng.random(n, dtype=np.float32) >= p
                        return np.where(drawn, x / dtype.type(1 - p), dtype.type(0))
                rows.append({
                    "name": f"{name} dropout {dtype.name}", "size": str(n), "error": error,
                    "ok": error <= tolerance,
                    "tegula_ms": tegula.testing.do_bench(run, return_mode="median"),
                    "numpy_ms": tegula.testing.do_bench(numpy_form, return_mode="median"),
                })
    return rows


if __name__ == "__main__":
    for row in main():
        print(row)
