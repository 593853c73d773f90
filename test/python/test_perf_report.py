# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmark and perf_report: tables, files, pictures, data frames."""

import struct
import sys

import pytest

import tegula
from tegula.testing import Benchmark, perf_report


def benchmark(**changes):
    arguments = dict(x_names=["n"], x_vals=[1, 2, 4], line_arg="who", line_vals=["a", "b"],
                     line_names=["First", "Second"], plot_name="plot", args={"scale": 10},
                     ylabel="GB/s")
    return Benchmark(**(arguments | changes))


def figures(n, who, scale):
    middle = n * scale + (who == "b")
    return middle, middle - 0.5, middle + 0.5


def size_of_png(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


def test_calls_have_all_arguments():
    calls = []

    @perf_report(benchmark(x_names=["m", "n"], x_vals=[3, (4, 5), [6, 7]]))
    def fn(**kwargs):
        calls.append(kwargs)
        return 1.0

    assert fn.run(extra=True) is None
    expected = [dict(m=m, n=n, who=who, scale=10, extra=True)
                for m, n in ((3, 3), (4, 5), (6, 7)) for who in "ab"]
    assert calls == expected
    # The function itself is still there.
    assert fn(m=1) == 1.0 and calls[-1] == {"m": 1}


def test_printed_table(capsys):
    perf_report(benchmark())(figures).run(print_data=True)
    assert capsys.readouterr().out == """\
plot:
n  First (GB/s)  Second (GB/s)
-  ------------  -------------
1            10             11
2            20             21
4            40             41
"""


def test_missing_figures(capsys, tmp_path):
    def fn(n, who, scale):
        return None if who == "b" and n == 2 else n / 3

    mark = perf_report(benchmark(ylabel=""))(fn)
    mark.run(print_data=True, save_path=tmp_path, diff_col=True, save_precision=2)
    assert capsys.readouterr().out.splitlines()[3:5] == [
        "1  0.333333  0.333333     0", "2  0.666667         -     -"]
    assert (tmp_path / "plot.csv").read_text() == (
        "n,First,Second,Diff\n1,0.33,0.33,0.00\n2,0.67,,\n4,1.33,1.33,0.00\n")


def test_files(tmp_path):
    folder = tmp_path / "new" / "folder"
    two = [benchmark(plot_name="one", x_log=True, y_log=True,
                     styles=[("red", "-"), ("blue", "--")]),
           benchmark(plot_name="two", x_names=["n"], x_vals=["small", "large"])]

    @perf_report(two)
    def fn(n, who, scale):
        return figures(n, who, scale) if isinstance(n, int) else len(n) + 0.5

    fn.run(save_path=str(folder))
    assert sorted(p.name for p in folder.iterdir()) == ["one.csv", "one.png", "results.html",
                                                        "two.csv", "two.png"]
    assert all(side > 100 for name in ("one", "two")
               for side in size_of_png(folder / f"{name}.png"))
    assert (folder / "one.csv").read_text().splitlines()[:2] == [
        "n,First (GB/s),Second (GB/s)", "1,10.000000,11.000000"]
    page = (folder / "results.html").read_text()
    assert page.index('src="one.png"') < page.index('src="two.png"')


def drawn(monkeypatch, **changes):
    """What is drawn of a benchmark: axes, as matplotlib has them."""
    figure_module = pytest.importorskip("matplotlib.figure")
    kept = []
    plain = figure_module.Figure.savefig
    monkeypatch.setattr(figure_module.Figure, "savefig",
                        lambda self, *args, **kwargs: kept.append(self) or plain(
                            self, *args, **kwargs))
    fn = changes.pop("fn", figures)
    path = changes.pop("path")
    perf_report(benchmark(**changes))(fn).run(save_path=path)
    return kept[0].axes[0]


def test_lines_and_bands(monkeypatch, tmp_path):
    axes = drawn(monkeypatch, path=tmp_path, x_log=True, xlabel="elements",
                 styles=[("red", "--"), ("green", "-")])
    assert [line.get_label() for line in axes.lines] == ["First (GB/s)", "Second (GB/s)"]
    assert [list(line.get_ydata()) for line in axes.lines] == [[10, 20, 40], [11, 21, 41]]
    assert list(axes.lines[0].get_xdata()) == [1, 2, 4]
    assert [line.get_color() for line in axes.lines] == ["red", "green"]
    assert [line.get_linestyle() for line in axes.lines] == ["--", "-"]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "linear")
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("elements", "GB/s")
    assert len(axes.collections) == 2
    band = axes.collections[0].get_paths()[0].vertices
    assert {tuple(v) for v in band} >= {(1, 9.5), (1, 10.5), (4, 39.5), (4, 40.5)}


def test_no_band_without_edges(monkeypatch, tmp_path):
    axes = drawn(monkeypatch, path=tmp_path, fn=lambda n, who, scale: n)
    assert len(axes.lines) == 2 and not axes.collections
    # Without a text of its own the axis has the name of the first parameter.
    assert axes.get_xlabel() == "n"


def test_nothing_is_drawn_without_a_name(tmp_path):
    perf_report(benchmark(plot_name=""))(figures).run(save_path=tmp_path)
    assert [p.name for p in tmp_path.glob("*.png")] == []


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("changes", [
    {"x_vals": []}, {"x_vals": [5]}, {"line_vals": [], "line_names": [], "styles": None},
    {"x_vals": [0, -1]}, {"plot_name": "folder/name"}], ids=str)
@pytest.mark.parametrize("value", [1, float("nan"), float("inf"), 0, None])
def test_figures_that_are_hard_to_draw(capsys, tmp_path, changes, value):
    pytest.importorskip("matplotlib")
    bench = benchmark(**{"x_log": True, "y_log": True, **changes})
    perf_report(bench)(lambda n, who, scale: value).run(print_data=True, save_path=tmp_path)
    assert (tmp_path / f"{bench.plot_name}.png").exists()
    assert (tmp_path / f"{bench.plot_name}.csv").exists()


def test_no_folder():
    perf_report(benchmark())(lambda n, who, scale: 1).run(save_path=None)


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    frame = perf_report(benchmark())(figures).run(return_df=True, diff_col=True)
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["n", "First (GB/s)", "Second (GB/s)", "Diff"]
    assert frame["Second (GB/s)"].tolist() == [11, 21, 41]
    assert frame["Diff"].tolist() == [1, 1, 1]
    frames = perf_report([benchmark(), benchmark(x_vals=[8])])(figures).run(return_df=True)
    assert [len(frame) for frame in frames] == [3, 1]


def test_what_is_done_stays_when_the_function_raises(tmp_path):
    def fn(n, who, scale):
        return 1 / (scale - 10)

    two = [benchmark(plot_name="good", args={"scale": 11}), benchmark(plot_name="bad")]
    with pytest.raises(ZeroDivisionError):
        perf_report(two)(fn).run(save_path=tmp_path)
    assert (tmp_path / "good.png").exists() and not (tmp_path / "bad.csv").exists()
    page = (tmp_path / "results.html").read_text()
    assert "good.png" in page and "bad.png" not in page


@pytest.mark.parametrize("package, options, text", [
    ("matplotlib", dict(save_path="x"), "perf_report.run: expected the package 'matplotlib' to "
     "draw, got an error: "),
    ("matplotlib", dict(show_plots=True), "; 'pip install matplotlib' installs it"),
    ("pandas", dict(return_df=True), "perf_report.run: expected the package 'pandas' for data "
     "frames, got an error: "),
])
def test_missing_packages_are_found_ahead(monkeypatch, tmp_path, package, options, text):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.chdir(tmp_path)
    mark = perf_report(benchmark())(lambda **kwargs: pytest.fail("measured"))
    with pytest.raises(ImportError) as error:
        mark.run(**options)
    assert text in str(error.value)


def test_tables_need_no_package(monkeypatch, capsys):
    for package in ("matplotlib", "pandas", "numpy"):
        monkeypatch.setitem(sys.modules, package, None)
    perf_report(benchmark())(figures).run(print_data=True)
    assert "First" in capsys.readouterr().out


WRONG = {
    "x_names": (dict(x_names="n"), "'x_names' of Benchmark: expected a list of names, got 'n'"),
    "x_name": (dict(x_names=[1]), "'x_names' of Benchmark: expected a list of names, got [1]"),
    "x_vals": (dict(x_vals=5), "'x_vals' of Benchmark: expected a list of values or tuples, got 5"),
    "tuple": (dict(x_vals=[(1, 2)]), "'x_vals' of Benchmark: expected one value or 1, as x_names "
              "has, got (1, 2)"),
    "line_arg": (dict(line_arg=["who"]), "'line_arg' of Benchmark: expected the name of a "
                 "parameter, got ['who']"),
    "line_vals": (dict(line_vals="ab"), "'line_vals' of Benchmark: expected a list of values, got "
                  "'ab'"),
    "names": (dict(line_names=["First"]), "'line_names' of Benchmark: expected 2 names, one for "
              "each of line_vals, got ['First']"),
    "no names": (dict(line_names=None), "'line_names' of Benchmark: expected a list of names, got "
                 "None"),
    "plot": (dict(plot_name=3), "'plot_name' of Benchmark: expected a text, got 3"),
    "args": (dict(args=[1]), "'args' of Benchmark: expected a dict of arguments by name, got [1]"),
    "clash": (dict(args={"n": 1}), "'args' of Benchmark: expected names that x_names and line_arg "
              "do not have, got 'n'"),
    "styles": (dict(styles=[("red", "-")]), "'styles' of Benchmark: expected 2 pairs, one for "
               "each of line_vals, got [('red', '-')]"),
    "style": (dict(styles=["red", "blue"]), "'styles' of Benchmark: expected pairs of a colour "
              "and a line style, got 'red'"),
    "no pairs": (dict(styles=3), "'styles' of Benchmark: expected a list of pairs, got 3"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_benchmarks(name):
    changes, text = WRONG[name]
    with pytest.raises(tegula.LaunchError) as error:
        benchmark(**changes)
    assert str(error.value) == f"argument {text} [invalid-option]"


def test_wrong_reports():
    for value in (3, [3], "plot"):
        with pytest.raises(TypeError) as error:
            perf_report(value)
        assert "argument 'benchmarks' of perf_report: expected a Benchmark or a list of them, got" \
            in str(error.value)
    with pytest.raises(TypeError, match="argument 'fn' of perf_report: expected a function, got 3"):
        perf_report(benchmark())(3)
    with pytest.raises(ValueError, match="'save_precision' of perf_report.run"):
        perf_report(benchmark())(figures).run(save_precision=-1)


@pytest.mark.parametrize("result, shown", [("fast", "'fast'"), ((1, 2), "(1, 2)"), ({}, "dict"),
                                           ([1, 2, "x"], "[1, 2, 'x']")])
def test_wrong_results(result, shown):
    with pytest.raises(TypeError) as error:
        perf_report(benchmark(args={}))(lambda n, who: result).run()
    assert str(error.value) == (
        "perf_report: expected a number, None, or (middle, least, greatest) from function "
        f"'<lambda>' at n=1, who='a', got {shown} [invalid-option]")
