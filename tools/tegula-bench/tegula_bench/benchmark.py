# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The form of a benchmark, and the files that hold them."""

import importlib.util
import re
import sys

import numpy as np

from .errors import BenchError, suggest

SHORT = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "float64": "f64",
         "int32": "i32"}
# Relative to the largest element of the result: a few roundings in a row.
UNITS = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8, "float64": 2.0**-53}


class Benchmark:
    """One kernel. A class of its own derives from it and says:

    name, summary: on the command line. form: how a size is written, such as 'MxN'.
    sizes: texts of that form. dtypes: names of element types.
    inputs(sizes, dtype, rng): a dict of arrays, which the providers must not change.
    reference(inputs): the result in float64, or a tuple of results; None where nothing
    can be compared. work(sizes, itemsize): bytes read and written at least, and
    operations; of the two, `bound` ('memory', 'compute', or '' for neither) is shown.
    roundings: how many units in the last place of the largest element a result may
    be off. calls: how many a timed round makes, one after the other; its time is that
    of one. cold: whether the caches are flushed ahead of a round.

    Providers are methods by their names (tegula, numpy, torch): each gets the inputs
    and returns a function of no arguments that computes the result once. Arrays are made
    ahead, so that only the work is timed.
    """

    name = summary = form = ""
    sizes = ()
    dtypes = ("float32",)
    bound = "memory"
    roundings = 16
    calls = 1
    cold = True

    def inputs(self, sizes, dtype, rng):
        raise NotImplementedError

    def reference(self, inputs):
        raise NotImplementedError

    def error(self, inputs, result, expected):
        """The error of a result, float64, as a share of the largest expected element."""
        result, expected = np.asarray(result), np.asarray(expected)
        if result.shape != expected.shape or not np.isfinite(result).all():
            return float("inf")
        largest = np.abs(expected).max(initial=0) or 1.0
        return float(np.abs(result - expected).max(initial=0) / largest)

    def work(self, sizes, itemsize):
        """(bytes, operations)."""
        return 0, 0

    def tolerance(self, sizes, dtype):
        """Greatest error as a share of the largest element of the result."""
        return self.roundings * UNITS["float32"] + UNITS[dtype] * (dtype != "float32")

    def parse_size(self, text):
        """The numbers of a size, or None if it is of another form."""
        parts = text.lower().split("x")
        if len(parts) != len(self.form.split("x")):
            return None
        sizes = []
        for part in parts:
            match = re.fullmatch(r"(\d+)(?:\^(\d+))?", part)
            if match is None or len(part) > 12:
                return None
            number = int(match[1]) ** int(match[2] or 1) if int(match[2] or 1) < 64 else 0
            if not 1 <= number < 2**40:
                return None
            sizes.append(number)
        return tuple(sizes)

    def full_name(self, dtype):
        return f"{self.name}-{SHORT.get(dtype, dtype)}"


def load_folder(folder):
    """All benchmarks of the files in a folder, by name, in order of the files."""
    files = sorted(folder.glob("*.py")) if folder.is_dir() else []
    if not files:
        raise BenchError(f"option '--folder': expected a folder with benchmarks, files *.py, got "
                         f"'{folder}'", "file-access")
    found = {}
    for path in files:
        spec = importlib.util.spec_from_file_location(f"tegula_bench_file_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # pylint: disable=broad-except
            raise BenchError(f"cannot load '{path}': {type(error).__name__}: {error}",
                             "invalid-file") from error
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Benchmark) and value.name:
                if value.__module__ == spec.name:
                    found[value.name] = value()
    return found


def select(benchmarks, names):
    """(benchmark, dtype) pairs that names ask for, such as 'matmul' or 'matmul-f16'."""
    every = [(bench, dtype) for bench in benchmarks.values() for dtype in bench.dtypes]
    if not names:
        return every
    chosen = []
    for name in names:
        pairs = [(bench, dtype) for bench, dtype in every
                 if name in (bench.name, bench.full_name(dtype))]
        if not pairs:
            known = [*benchmarks, *(bench.full_name(dtype) for bench, dtype in every)]
            raise BenchError(f"no kernel '{name}'{suggest(name, known)}; there are "
                             f"{', '.join(benchmarks)}", "invalid-value")
        chosen += [pair for pair in pairs if pair not in chosen]
    return chosen


def sizes_of(chosen, texts):
    """[(benchmark, dtype, text, numbers)]; texts: sizes from the command line, or None."""
    rows, used = [], set()
    for bench, dtype in chosen:
        for text in bench.sizes if texts is None else texts:
            numbers = bench.parse_size(text)
            if numbers is not None:
                used.add(text)
                rows.append((bench, dtype, text, numbers))
    for text in texts or ():
        if text not in used:
            forms = sorted({bench.form for bench, _ in chosen})
            names = sorted({bench.name for bench, _ in chosen})
            raise BenchError(f"option '--sizes': expected {' or '.join(forms)} for "
                             f"{', '.join(names)}, numbers from 1 to 2^39, got '{text}'",
                             "invalid-value")
    for bench, dtype in chosen:
        if not any(row[:2] == (bench, dtype) for row in rows):
            raise BenchError(f"option '--sizes': kernel '{bench.name}' expects {bench.form}, "
                             "got no size of this form", "invalid-value")
    return rows
