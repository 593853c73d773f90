#!/usr/bin/env python3
# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the polynomial coefficients used by the math expansions.

Each fit minimises the largest weighted error on an interval (Remez exchange
on a dense grid). Coefficients are rounded one after the other, lowest power
first, and the rest is fitted again, so that rounding costs almost nothing.
Prints the coefficients as C hexadecimal literals with log2 of the error.
Needs mpmath. Usage: fit_coefficients.py [NAME...]
"""
import sys

import mpmath as mp
import numpy as np

mp.mp.dps = 45


def remez(grid, values, weights, count):
    """Coefficients (low to high) and the weighted maximum error on the grid."""
    if count == 0:
        return [], max(abs(v * w) for v, w in zip(values, weights))
    n = len(grid)
    powers = [[mp.mpf(1)] * n]
    for _ in range(count - 1):
        powers.append([p * x for p, x in zip(powers[-1], grid)])
    reference = [round((n - 1) * (1 - float(mp.cos(mp.pi * i / count))) / 2)
                 for i in range(count + 1)]
    best = None
    for _ in range(30):
        matrix = mp.matrix(count + 1, count + 1)
        right = mp.matrix(count + 1, 1)
        for row, i in enumerate(reference):
            for k in range(count):
                matrix[row, k] = powers[k][i] * weights[i]
            matrix[row, count] = (-1) ** row
            right[row] = values[i] * weights[i]
        solution = mp.lu_solve(matrix, right)
        coefficients = [solution[k] for k in range(count)]
        error = []
        for i in range(n):
            total = values[i]
            for k in range(count):
                total -= coefficients[k] * powers[k][i]
            error.append(total * weights[i])
        worst = max(abs(e) for e in error)
        if best is None or worst < best[1]:
            best = (coefficients, worst)
        if worst <= abs(solution[count]) * mp.mpf("1.001"):
            break
        # One extremum per run of equal sign, then trim to the needed number.
        extrema = []
        for i in range(n):
            if extrema and (error[extrema[-1]] > 0) == (error[i] > 0):
                if abs(error[i]) > abs(error[extrema[-1]]):
                    extrema[-1] = i
            else:
                extrema.append(i)
        while len(extrema) > count + 1:
            if len(extrema) == count + 2:
                extrema.pop(0 if abs(error[extrema[0]]) < abs(error[extrema[-1]]) else -1)
            else:
                k = min(range(len(extrema) - 1),
                        key=lambda j: abs(error[extrema[j]]) + abs(error[extrema[j + 1]]))
                del extrema[k:k + 2]
        if len(extrema) < count + 1:
            break
        reference = extrema
    return best


def rounded(value, bits):
    if bits == 24:
        return mp.mpf(float(np.float32(float(value))))
    return mp.mpf(float(value))


def fit(name, function, weight, low, high, count, bits, points=1200):
    """function(z) ~ sum c_k z^k, error times weight(z) minimised."""
    low, high = mp.mpf(low), mp.mpf(high)
    grid = [low + (high - low) * (1 - mp.cos(mp.pi * (2 * i + 1) / (2 * points))) / 2
            for i in range(points)]
    values = [function(z) for z in grid]
    weights = [weight(z) for z in grid]
    result = []
    shift = [mp.mpf(1)] * points
    for done in range(count):
        rest, worst = remez(grid, [v / s for v, s in zip(values, shift)],
                            [w * s for w, s in zip(weights, shift)], count - done)
        if done == 0:
            ideal = worst
        c = rounded(rest[0], bits)
        result.append(c)
        values = [v - c * s for v, s in zip(values, shift)]
        shift = [s * z for s, z in zip(shift, grid)]
    final = max(abs(v * w) for v, w in zip(values, weights))
    text = ", ".join(float(c).hex().replace("0000000p", "p") for c in result)
    print(f"{name}: 2^{float(mp.log(ideal, 2)):.1f} ideal, 2^{float(mp.log(final, 2)):.1f} "
          f"rounded\n  {{{text}}}", flush=True)


def safe(function, at_zero):
    return lambda z: at_zero if z == 0 else function(z)


def quotient(function, taylor):
    """function(z), or a Taylor value where it cancels."""
    return lambda z: taylor(z) if abs(z) < mp.mpf("1e-9") else function(z)


HALF_LN2 = "0.3475"
FITS = {}


def register(function):
    FITS[function.__name__] = function
    return function


def exp_tail(r):
    return (mp.exp(r) - 1 - r) / r ** 2


@register
def exp_f32():
    fit("exp_f32: (e^r-1-r)/r^2", exp_tail, lambda r: r * r / mp.exp(r), "-" + HALF_LN2, HALF_LN2,
        5, 24)


@register
def exp_f64():
    fit("exp_f64: (e^r-1-r)/r^2", exp_tail, lambda r: r * r / mp.exp(r), "-" + HALF_LN2, HALF_LN2,
        10, 53)


@register
def expm1_f64():
    fit("expm1_f64: (e^r-1-r)/r^2", exp_tail, lambda r: r * r / (mp.exp(r) - 1), "-" + HALF_LN2,
        HALF_LN2, 11, 53)


@register
def exp2_f32():
    fit("exp2_f32: (2^f-1)/f", lambda f: (mp.power(2, f) - 1) / f, lambda f: f / mp.power(2, f),
        "-0.5", "0.5", 6, 24)


@register
def exp2_mid():
    fit("exp2_mid: (2^f-1)/f", lambda f: (mp.power(2, f) - 1) / f, lambda f: f / mp.power(2, f),
        "-0.5", "0.5", 8, 53)


def log_tail(f):
    return (mp.log(1 + f) - f + f * f / 2) / f ** 3


@register
def log_f32():
    fit("log_f32: (log(1+f)-f+f^2/2)/f^3", log_tail, lambda f: f ** 3 / mp.log(1 + f),
        mp.sqrt(0.5) - 1 - mp.mpf("1e-7"), mp.sqrt(2) - 1 + mp.mpf("1e-7"), 8, 24)


def atanh_tail(z):
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) - 2 * s) / (s * z)


S_MAX2 = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.0001")


@register
def log_f64():
    fit("log_f64: (2atanh(s)-2s)/s^3", atanh_tail, lambda z: z / 2, "1e-12", S_MAX2, 7, 53)


@register
def log_dd():
    fit("log_dd: (2atanh(s)-2s-2/3s^3)/s^5", lambda z: (atanh_tail(z) - mp.mpf(2) / 3) / z,
        lambda z: z * z / 2, "1e-9", S_MAX2, 8, 53)


@register
def log2_mid():
    fit("log2_mid: 2atanh(s)/s/ln2", lambda z: 2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) / mp.log(2),
        lambda z: mp.mpf(1) / 3, "1e-12", S_MAX2, 7, 53)


Z_TRIG = (mp.pi / 4) ** 2 * mp.mpf("1.0005")


def sin_tail(z):
    x = mp.sqrt(z)
    return (mp.sin(x) - x) / (x * z)


def cos_tail(z):
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / (z * z)


@register
def sin_f32():
    fit("sin_f32", sin_tail, lambda z: z * mp.sqrt(z) / mp.sin(mp.sqrt(z)), "1e-8", Z_TRIG, 3, 24)


@register
def cos_f32():
    fit("cos_f32", cos_tail, lambda z: z * z / mp.cos(mp.sqrt(z)), "1e-6", Z_TRIG, 3, 24)


@register
def sin_f64():
    fit("sin_f64", sin_tail, lambda z: z * mp.sqrt(z) / mp.sin(mp.sqrt(z)), "1e-8", Z_TRIG, 6, 53)


@register
def cos_f64():
    fit("cos_f64", cos_tail, lambda z: z * z / mp.cos(mp.sqrt(z)), "1e-6", Z_TRIG, 6, 53)


@register
def tanh_f32():
    def tail(z):
        x = mp.sqrt(z)
        return (mp.tanh(x) - x) / (x * z)
    fit("tanh_f32", tail, lambda z: z * mp.sqrt(z) / mp.tanh(mp.sqrt(z)), "1e-8", "0.3907", 5, 24)


@register
def erf_f32_small():
    fit("erf_f32_small: erf(x)/x - 1",
        lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1,
        lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)), "1e-12", "1.0", 7, 24)


@register
def erf_f32_large():
    fit("erf_f32_large: log2(erfc(a))", lambda a: mp.log(mp.erfc(a), 2),
        lambda a: mp.erfc(a) * mp.log(2), "0.999", "4.0", 8, 24)


@register
def erf_f64_small():
    fit("erf_f64_small: erf(x)/x - 1",
        lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1,
        lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)), "1e-12", "1.0", 13, 53)


def erfcx(u):
    a = 2 * (1 + u) / (1 - u)
    return mp.erfc(a) * mp.exp(a * a)


@register
def erfc_f64():
    # u = (a-2)/(a+2) for a in [0.5, 28].
    fit("erfc_f64: erfc(a)e^(a^2)(1+2a)", lambda u: erfcx(u) * (1 + 4 * (1 + u) / (1 - u)),
        lambda u: 1 / (erfcx(u) * (1 + 4 * (1 + u) / (1 - u))), "-0.6001", "0.8668", 21, 53)


@register
def atan_f64():
    def tail(z):
        x = mp.sqrt(z)
        return (mp.atan(x) - x) / (x * z)
    limit = (mp.sqrt(2) - 1) ** 2 * mp.mpf("1.0001")
    fit("atan_f64", tail, lambda z: z * mp.sqrt(z) / mp.atan(mp.sqrt(z)), "1e-9", limit, 11, 53)


@register
def asin_f64():
    def tail(z):
        x = mp.sqrt(z)
        return (mp.asin(x) - x) / (x * z)
    fit("asin_f64", tail, lambda z: z * mp.sqrt(z) / mp.asin(mp.sqrt(z)), "1e-9", "0.2501", 13, 53)


@register
def cbrt_f64():
    fit("cbrt_f64: cbrt(m) on [1,2)", lambda m: mp.cbrt(m), lambda m: 1 / mp.cbrt(m), "1", "2", 4,
        53)


for selected in sys.argv[1:] or FITS:
    FITS[selected]()
