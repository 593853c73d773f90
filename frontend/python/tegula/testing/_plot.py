# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines with bands, for `perf_report` and tegula-bench."""

import dataclasses
import math

from ._errors import need


@dataclasses.dataclass
class Line:
    """One line: its values, and where there are any, the edges of its band.

    None stands for a value that is missing. color, style: as matplotlib names them.
    """

    label: str
    values: list
    low: list = None
    high: list = None
    color: str = None
    style: str = None


def _floats(values):
    return [float("nan") if value is None else float(value) for value in values]


def _has_logarithms(values):
    """Whether there is anything to see on a logarithmic axis."""
    return any(value is not None and 0 < value < math.inf for value in values)


def draw(owner, x, lines, *, xlabel="", ylabel="", title="", x_log=False, y_log=False, path=None,
         show=False):
    """Draws lines over `x`; writes a PNG to `path`, or shows it, or both.

    Values of x that are no numbers stand one beside the other.
    """
    if show:
        pyplot = need(owner, "matplotlib.pyplot", "to draw")
        figure = pyplot.figure(figsize=(7, 4.5))
    else:  # no window, no state of the process
        figure = need(owner, "matplotlib.figure", "to draw").Figure(figsize=(7, 4.5))
    axes = figure.add_subplot()
    is_numeric = all(isinstance(value, (int, float)) for value in x)
    places = list(x) if is_numeric else list(range(len(x)))
    for number, line in enumerate(lines):
        color = line.color or f"C{number % 10}"
        axes.plot(places, _floats(line.values), label=line.label, color=color,
                  linestyle=line.style or "-", marker="o", markersize=3)
        if line.low is not None and line.high is not None:
            axes.fill_between(places, _floats(line.low), _floats(line.high), color=color,
                              alpha=0.15)
    if not is_numeric:
        axes.set_xticks(places, [str(value) for value in x], rotation=20, ha="right")
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.set_title(title)
    if x_log and is_numeric and _has_logarithms(places):
        axes.set_xscale("log")
    if y_log and _has_logarithms(value for line in lines for value in line.values):
        axes.set_yscale("log")
    axes.grid(alpha=0.3)
    if lines:
        axes.legend()
    figure.tight_layout()
    if path is not None:
        figure.savefig(path, dpi=120, format="png")
    if show:
        pyplot.show()
        pyplot.close(figure)
