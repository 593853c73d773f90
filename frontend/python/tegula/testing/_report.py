# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`Benchmark` and `perf_report`: a function's figures over sizes, as tables and pictures."""

import csv
import html
import math
import os

from . import _plot
from ._errors import function, need, number, show, wrong
from ._table import text_table
from ..errors import LaunchTypeError, LaunchValueError


def _list(owner, argument, value, expected):
    if isinstance(value, (str, bytes)):
        raise wrong(owner, argument, expected, value)
    try:
        return list(value)
    except TypeError:
        raise wrong(owner, argument, expected, value) from None


def _names(argument, value):
    names = _list("Benchmark", argument, value, "a list of names")
    if not names or not all(isinstance(name, str) for name in names):
        raise wrong("Benchmark", argument, "a list of names", value)
    return names


class Benchmark:
    """What a function is called with, and how its figures are drawn.

    x_names: parameters that go along the x axis. x_vals: their values; each is one
    value, which all of them get, or a tuple of one value for each.
    line_arg: the parameter that has one value for each line; line_vals: these values;
    line_names: what the lines are called.
    plot_name: name of the files; args: dict of further arguments.
    xlabel, ylabel: texts on the axes. x_log, y_log: logarithmic axes.
    styles: for each line a pair of colour and line style, as matplotlib names them.
    """

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args,
                 xlabel="", ylabel="", x_log=False, y_log=False, styles=None):
        self.x_names = _names("x_names", x_names)
        self.x_vals = _list("Benchmark", "x_vals", x_vals, "a list of values or tuples")
        if not isinstance(line_arg, str):
            raise wrong("Benchmark", "line_arg", "the name of a parameter", line_arg)
        self.line_arg = line_arg
        self.line_vals = _list("Benchmark", "line_vals", line_vals, "a list of values")
        self.line_names = [str(name) for name in _list("Benchmark", "line_names", line_names,
                                                       "a list of names")]
        if not isinstance(plot_name, str):
            raise wrong("Benchmark", "plot_name", "a text", plot_name)
        self.plot_name = plot_name
        if not hasattr(args, "items"):
            raise wrong("Benchmark", "args", "a dict of arguments by name", args)
        self.args = dict(args)
        self.xlabel, self.ylabel = xlabel, ylabel
        self.x_log, self.y_log = x_log, y_log
        self.styles = styles if styles is None else _list("Benchmark", "styles", styles,
                                                          "a list of pairs")
        self._check()

    def _check(self):
        def count(argument, expected, value):
            return wrong("Benchmark", argument, expected, value, LaunchValueError)

        lines = len(self.line_vals)
        if len(self.line_names) != lines:
            raise count("line_names", f"{lines} names, one for each of line_vals",
                        self.line_names)
        for value in self.x_vals:
            if isinstance(value, (list, tuple)) and len(value) != len(self.x_names):
                raise count("x_vals", f"one value or {len(self.x_names)}, as x_names has", value)
        if self.styles is not None:
            if len(self.styles) < lines:
                raise count("styles", f"{lines} pairs, one for each of line_vals", self.styles)
            for style in self.styles:
                if not isinstance(style, (list, tuple)) or len(style) != 2:
                    raise count("styles", "pairs of a colour and a line style", style)
        taken = [*self.x_names, self.line_arg]
        for name in self.args:
            if name in taken:
                raise count("args", "names that x_names and line_arg do not have", name)

    def points(self):
        """Tuples of values of the x_names."""
        width = len(self.x_names)
        return [tuple(x) if isinstance(x, (list, tuple)) else (x,) * width for x in self.x_vals]


class _Figures:
    """What a function returned: for each point one (middle, least, greatest) a line."""

    def __init__(self, bench):
        self.bench = bench
        self.rows = []

    def add(self, point, figures):
        self.rows.append((point, figures))

    def headings(self):
        unit = f" ({self.bench.ylabel})" if self.bench.ylabel else ""
        return [*self.bench.x_names, *(name + unit for name in self.bench.line_names)]

    def table(self, difference):
        """Headings and rows; with a last column if two lines are to be compared."""
        headings = self.headings()
        rows = [[*point, *(middle for middle, _, _ in figures)] for point, figures in self.rows]
        if difference and len(self.bench.line_names) == 2:
            headings.append("Diff")
            for row in rows:
                first, second = row[-2:]
                row.append(None if None in (first, second) else second - first)
        return headings, rows

    def lines(self):
        bench, lines = self.bench, []
        for i, label in enumerate(self.headings()[len(bench.x_names):]):
            columns = list(zip(*(figures[i] for _, figures in self.rows))) or [(), (), ()]
            color, style = bench.styles[i] if bench.styles else (None, None)
            has_band = any(low is not None and high is not None
                           for low, high in zip(columns[1], columns[2]))
            lines.append(_plot.Line(label, list(columns[0]), columns[1] if has_band else None,
                                    columns[2] if has_band else None, color, style))
        return lines


class Mark:
    """A function with its benchmarks; `run` calls it for all of their values."""

    def __init__(self, fn, benchmarks):
        self.fn = function("perf_report", "fn", fn)
        self.benchmarks = benchmarks

    def __call__(self, *args, **kwargs):
        return self.fn(*args, **kwargs)

    def _figure(self, result, where):
        """(middle, least, greatest) of what the function returned."""
        values = result if isinstance(result, (list, tuple)) else (result, None, None)
        try:
            if len(values) != 3:
                raise TypeError
            return tuple(None if value is None else float(value) for value in values)
        except (TypeError, ValueError):
            name = getattr(self.fn, "__name__", "of the benchmark")
            text = show(result) if isinstance(result, (list, tuple, str)) else type(result).__name__
            raise LaunchTypeError(
                f"perf_report: expected a number, None, or (middle, least, greatest) from function "
                f"'{name}' at {where}, got {text}", id="invalid-option") from None

    def _collect(self, bench, kwargs):
        figures = _Figures(bench)
        for point in bench.points():
            given = dict(zip(bench.x_names, point))
            row = []
            for value in bench.line_vals:
                every = given | {bench.line_arg: value}
                result = self.fn(**every, **bench.args, **kwargs)
                row.append(self._figure(result, ", ".join(f"{k}={show(v)}"
                                                          for k, v in every.items())))
            figures.add(point, row)
        return figures

    def _output(self, figures, show_plots, print_data, save_path, diff_col, save_precision):
        bench = figures.bench
        headings, rows = figures.table(diff_col)
        if print_data:
            print(f"{bench.plot_name}:")
            print("\n".join(text_table(headings, rows)))
        path = None
        if save_path:
            path = os.path.join(save_path, bench.plot_name)
            os.makedirs(os.path.dirname(path), exist_ok=True)  # a name may have folders in it
            with open(f"{path}.csv", "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(headings)
                for row in rows:
                    writer.writerow([_csv_cell(value, save_precision) for value in row])
        if bench.plot_name and (show_plots or save_path):
            _plot.draw("perf_report", [point[0] for point, _ in figures.rows], figures.lines(),
                       xlabel=bench.xlabel or bench.x_names[0], ylabel=bench.ylabel,
                       x_log=bench.x_log, y_log=bench.y_log, path=path and f"{path}.png",
                       show=show_plots)

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False,
            diff_col=False, save_precision=6, **kwargs):
        """Calls the function for every x and line, and reports the figures.

        The function returns a number, (middle, least, greatest), or None for a figure
        that is missing. print_data: a table for each benchmark. save_path: a folder, made
        if need be, for PLOT_NAME.png, PLOT_NAME.csv (save_precision digits) and one
        results.html that shows all pictures; what is finished when the function raises
        is there. show_plots: windows. return_df: returns a data frame, or a list of them
        if the function has a list of benchmarks. diff_col: a last column, second line less
        first. kwargs go to the function.

        Pictures need matplotlib and data frames pandas; a package that is missing is an
        ImportError before anything is measured.
        """
        is_single = isinstance(self.benchmarks, Benchmark)
        benchmarks = [self.benchmarks] if is_single else self.benchmarks
        save_precision = int(number("perf_report.run", "save_precision", save_precision))
        if show_plots or save_path:
            need("perf_report.run", "matplotlib", "to draw")
        pandas = need("perf_report.run", "pandas", "for data frames") if return_df else None
        save_path = os.fspath(save_path or "")
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        frames, done = [], []
        try:
            for bench in benchmarks:
                figures = self._collect(bench, kwargs)
                self._output(figures, show_plots, print_data, save_path, diff_col, save_precision)
                done.append(bench)
                if return_df:
                    headings, rows = figures.table(diff_col)
                    frames.append(pandas.DataFrame(rows, columns=headings))
        finally:
            if save_path:
                _write_index(os.path.join(save_path, "results.html"), done)
        if return_df:
            return frames[0] if is_single else frames
        return None


def _csv_cell(value, precision):
    if value is None or isinstance(value, float) and math.isnan(value):
        return ""
    return f"{value:.{precision}f}" if isinstance(value, float) else value


def _write_index(path, benchmarks):
    with open(path, "w", encoding="utf-8") as file:
        file.write('<!DOCTYPE html>\n<html><head><meta charset="utf-8"></head><body>\n')
        for bench in benchmarks:
            if bench.plot_name:
                name = html.escape(bench.plot_name)
                file.write(f'<h2>{name}</h2>\n<img src="{name}.png" alt="{name}">\n')
        file.write("</body></html>\n")


def perf_report(benchmarks):
    """Marks a function for benchmarking: a decorator; its result has `run`, see `Mark`.

    benchmarks: one `Benchmark` or a list of them.
    """
    if not isinstance(benchmarks, Benchmark):
        benchmarks = _list("perf_report", "benchmarks", benchmarks,
                           "a Benchmark or a list of them")
        for bench in benchmarks:
            if not isinstance(bench, Benchmark):
                raise wrong("perf_report", "benchmarks", "a Benchmark or a list of them", bench)

    def decorate(fn):
        return Mark(fn, benchmarks)

    return decorate
