# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results as a table, as JSON and as pictures."""

import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time

from .benchmark import SHORT
from .errors import BenchError

HEADINGS = ("kernel", "size", "provider", "median ms", "[quartiles]", "rate", "of limit",
            "ratio", "[quartiles]", "error")
WIDTHS = {3: 10, 4: 20, 5: 14, 6: 8, 7: 6, 8: 14, 9: 8}


class Table:
    """Prints rows as they come; widths: of what is known ahead."""

    def __init__(self, rows, providers, limits):
        self.limits = limits
        names = [f"{bench.name} {SHORT.get(dtype, dtype)}" for bench, dtype, _, _ in rows]
        self.widths = [max(map(len, [HEADINGS[0], *names])),
                       max(map(len, [HEADINGS[1], *(row[2] for row in rows)])),
                       max(map(len, [HEADINGS[2], *(p.name for p in providers)]))]
        self.widths += [WIDTHS[i] for i in range(3, len(HEADINGS))]

    def _print(self, cells):
        left = (0, 2, 4, 8)
        print("  ".join(c.ljust(w) if i in left else c.rjust(w) for i, (c, w) in
                        enumerate(zip(cells, self.widths))).rstrip(), flush=True)

    def head(self):
        self._print(HEADINGS)
        self._print(["-" * width for width in self.widths])

    def row(self, result):
        name = f"{result.kernel} {SHORT.get(result.dtype, result.dtype)}"
        cells = [name, result.size, result.provider]
        if result.status != "right":
            self._print([*cells, f"{result.status.upper()}: {result.message}"])
            return
        _, first, median, third, _ = result.spread
        cells += [f"{median:.4g}", f"[{first:.4g}, {third:.4g}]"]
        cells += [rate_text(result), share_text(result, self.limits)]
        ratio = result.ratio
        cells += [f"{ratio[1]:.2f}", f"[{ratio[0]:.2f}, {ratio[2]:.2f}]"] if ratio else ["", ""]
        cells.append("" if result.error is None else f"{result.error:.1e}")
        self._print(cells)


def rate_text(result):
    if result.rate is None:
        return ""
    return f"{result.rate:.4g} {'GB/s' if result.bound == 'memory' else 'GFLOP/s'}"


def share(result, limits):
    """The rate as a part of what the machine can do, or None."""
    if result.rate is None:
        return None
    if result.bound == "memory":
        return result.rate / limits.gbps
    kind = "float64" if result.dtype == "float64" else "float32"
    return result.rate / (limits.tflops[kind] * 1e3)


def share_text(result, limits):
    part = share(result, limits)
    return "" if part is None else f"{part * 100:.0f} %"


def summary(results, reference):
    """Lines below the table."""
    lines = []
    ratios = [r.ratio[1] for r in results
              if r.provider == "tegula" and r.ratio and r.kernel != "launch"]
    if ratios and reference != "tegula":
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        lines.append(f"tegula against {reference}: {mean:.2f} times as fast, the geometric mean of "
                     f"{len(ratios)}")
    for status in ("wrong", "failed", "missing"):
        count = sum(r.status == status for r in results)
        if count:
            lines.append(f"{count} of {len(results)} {status}")
    return lines


# -- JSON ----------------------------------------------------------------------------

def commit_of(folder):
    """The commit of a source tree, with '-dirty' if files differ; None if unknown."""
    try:
        done = subprocess.run(["git", "-C", folder, "describe", "--always", "--dirty",
                               "--abbrev=40", "--exclude=*"], capture_output=True, text=True,
                              check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def _memory():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _result(result, limits):
    spread, ratio = result.spread, result.ratio
    names = ("min", "q1", "median", "q3", "max")
    return {
        "kernel": result.kernel, "size": result.size, "dtype": result.dtype,
        "provider": result.provider, "status": result.status, "message": result.message,
        "error": result.error if result.error is None or math.isfinite(result.error) else "inf",
        "tolerance": result.tolerance, "first_ms": result.first_ms,
        "ms": dict(zip(names, spread)) if spread else None, "times_ms": result.times_ms,
        "bytes": result.bytes, "operations": result.operations, "bound": result.bound,
        "rate": result.rate, "share_of_limit": share(result, limits),
        "ratio": dict(zip(names[1:4], ratio)) if ratio else None,
    }


def as_json(results, providers, limits, settings, root):
    """Everything, as one text."""
    document = {
        "schema": "tegula.bench/v1",
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": commit_of(root),
        "machine": {
            "name": limits.name, "system": platform.platform(), "processors": limits.processors,
            "memory_bytes": _memory(), "load": os.getloadavg()[0],
            "cache_bytes": {str(level): size for level, size in limits.caches.items()},
        },
        "limits": {"gbps": limits.gbps, "clock_ghz": limits.clock_ghz, "tflops": limits.tflops},
        "versions": {"python": platform.python_version()} | {p.name: p.version
                                                             for p in providers},
        "settings": settings,
        "results": [_result(result, limits) for result in results],
    }
    return json.dumps(document, indent=1) + "\n"


class OutputFile:
    """A file that is there whole or not at all; wrong paths are found ahead of the work."""

    def __init__(self, path):
        self.path = path
        folder = os.path.dirname(path) or "."
        try:
            if os.path.isdir(path):
                raise IsADirectoryError(21, os.strerror(21))
            handle, self.temporary = tempfile.mkstemp(dir=folder, prefix=".tegula-bench-")
        except OSError as error:
            raise BenchError(f"option '--json': cannot write '{path}': {error.strerror}",
                             "file-access") from None
        os.close(handle)

    def write(self, text):
        with open(self.temporary, "w", encoding="utf-8") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(self.temporary, 0o666 & ~umask)
        os.replace(self.temporary, self.path)

    def drop(self):
        if os.path.exists(self.temporary):
            os.unlink(self.temporary)


# -- pictures ------------------------------------------------------------------------

def make_folder(path):
    try:
        os.makedirs(path, exist_ok=True)
        OutputFile(os.path.join(path, "x")).drop()
    except (OSError, BenchError) as error:
        text = getattr(error, "strerror", None) or "no permission"
        raise BenchError(f"option '--png': cannot write to folder '{path}': {text}",
                         "file-access") from None


def draw(results, folder):
    """One picture for each kernel and type: rates, or times, of the providers by size."""
    from tegula.testing import _plot

    groups = {}
    for result in results:
        if result.times_ms:
            groups.setdefault((result.kernel, result.dtype), []).append(result)
    paths = []
    for (kernel, dtype), group in groups.items():
        sizes = list(dict.fromkeys(r.size for r in group))
        lines = []
        for provider in dict.fromkeys(r.provider for r in group):
            by_size = {r.size: r for r in group if r.provider == provider}
            columns = [_band(by_size.get(size)) for size in sizes]
            lines.append(_plot.Line(provider, *map(list, zip(*columns))))
        unit = {"memory": "GB/s", "compute": "GFLOP/s"}.get(group[0].bound, "ms")
        path = os.path.join(folder, f"{kernel}-{SHORT.get(dtype, dtype)}.png")
        _plot.draw("tegula-bench", sizes, lines, xlabel="size", ylabel=unit,
                   title=f"{kernel} {dtype}", path=path)
        paths.append(path)
    return paths


def _band(result):
    """(middle, low, high) of the rate, or of the time where there is no rate."""
    if result is None:
        return None, None, None
    _, first, median, third, _ = result.spread
    if result.rate is None:
        return median, first, third
    return result.rate, result.rate * median / third, result.rate * median / first


def say(text):
    print(text, file=sys.stderr, flush=True)
