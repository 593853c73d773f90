# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line. NumPy is imported after the threads are settled, which it asks once."""

import argparse
import os
import pathlib
import sys

from .errors import BenchError, UnavailableError

TOOL = "tegula-bench"
ROOT = pathlib.Path(__file__).resolve().parents[3]
KERNELS = ROOT / "test/bench/kernels"
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                    "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "BLIS_NUM_THREADS")

DESCRIPTION = """\
Times kernels beside NumPy and torch, in one process and in turn: ABAB...

Every result is first compared with float64. Then come rounds; in each round every
provider runs once, with caches flushed ahead of it. A row shows the median of the
rounds and their quartiles, bytes or operations a second, what share of the machine's
own limit that is (measured at the start), and the ratio to the reference: its time over
this one's, taken round by round, so that 2.00 is twice as fast.
docs/benchmarking.md says how to read that, and how to write a benchmark.
"""

EXIT = """exit status: 0; 1 for a mistake on the command line, or a provider whose result
is wrong or that fails; 2 for a command line that is not understood; 3 for what is not
there, such as a library
"""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        print(f"{TOOL}: error: {message} [usage]", file=sys.stderr)
        raise SystemExit(2)


def _count(text):
    if not text.isdigit() or not 1 <= int(text) <= 10**6:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 1000000, got '{text}'")
    return int(text)


def _names(text):
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise argparse.ArgumentTypeError(f"expected names separated by commas, got '{text}'")
    return names


def parser():
    result = Parser(prog=TOOL, description=DESCRIPTION, epilog=EXIT,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    add = result.add_argument
    add("kernels", nargs="*", metavar="KERNEL",
        help="names as --list shows them, such as matmul or matmul-f16 (default: all)")
    add("--list", action="store_true", help="show kernels, sizes and providers, and stop")
    add("--sizes", type=_names, metavar="SIZE,...",
        help="such as 1000003, 2^24 or 512x512x512 (default: those of the kernel)")
    add("--providers", type=_names, metavar="NAME,...",
        help="tegula, numpy, torch (default: those that are installed)")
    add("--reference", metavar="NAME",
        help="whose times ratios compare with (default: numpy, or the first that is not tegula)")
    add("--pairs", type=_count, default=25, metavar="N", help="rounds (default: 25)")
    add("--warm", action="store_true", help="leave the caches as the run before left them")
    add("--threads", type=_count, metavar="N",
        help="run everything on N processors (default: all that the process may use)")
    add("--json", metavar="FILE", help="write all figures to a file, '-' is standard output")
    add("--png", metavar="FOLDER", help="draw a picture for each kernel (needs matplotlib)")
    add("--folder", type=pathlib.Path, default=KERNELS, metavar="FOLDER",
        help="files *.py with benchmarks (default: test/bench/kernels)")
    return result


def _settle_threads(count):
    processors = sorted(os.sched_getaffinity(0))
    if count is not None:
        if count > len(processors):
            raise UnavailableError(f"option '--threads': expected at most {len(processors)}, the "
                                   f"processors that this process may use, got {count}",
                                   "no-such-device")
        os.sched_setaffinity(0, processors[:count])
        processors = processors[:count]
    for name in THREAD_VARIABLES:
        os.environ[name] = str(len(processors))
    return len(processors)


def _list(benchmarks):
    from tegula.testing._table import text_table

    from . import providers

    rows = [[bench.full_name(dtype), bench.form, " ".join(bench.sizes), bench.summary]
            for bench in benchmarks.values() for dtype in bench.dtypes]
    print("\n".join(text_table(("kernel", "size is", "sizes", ""), rows, left=(0, 1, 2, 3))))
    print()
    print("\n".join(text_table(("provider", "version"), providers.states(), left=(0, 1))))


def _reference(name, ready):
    names = [provider.name for provider in ready]
    if name is not None:
        if name not in names:
            raise BenchError(f"option '--reference': expected one of the providers, "
                             f"{', '.join(names)}, got '{name}'", "invalid-value")
        return name
    others = [other for other in names if other != "tegula"]
    return "numpy" if "numpy" in others else (others or names)[0]


def _need_matplotlib():
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise UnavailableError(f"option '--png' needs the package matplotlib: {error}",
                               "no-such-device", "pip install matplotlib") from None


def run(options):
    """The exit status."""
    threads = _settle_threads(options.threads)
    from . import benchmark, providers, report
    from .measure import SEED, measure

    benchmarks = benchmark.load_folder(options.folder)
    if options.list:
        _list(benchmarks)
        return 0
    chosen = benchmark.select(benchmarks, options.kernels)
    rows = benchmark.sizes_of(chosen, options.sizes)
    ready, notes = providers.load(options.providers)
    reference = _reference(options.reference, ready)
    if options.png:
        _need_matplotlib()
        report.make_folder(options.png)
    output = None
    if options.json not in (None, "-"):
        output = report.OutputFile(options.json)
    try:
        return _run(options, rows, ready, notes, reference, output, threads, measure, SEED)
    finally:
        if output is not None:
            output.drop()


def _run(options, rows, ready, notes, reference, output, threads, measure, seed):
    import tegula

    from . import report

    limits = tegula.testing.device_limits()
    is_quiet = options.json == "-"
    if not is_quiet:
        print(f"{limits.name}, {threads} processor{'s' * (threads > 1)} at "
              f"{limits.clock_ghz:.2f} GHz, {limits.gbps:.1f} GB/s, "
              f"{limits.tflops['float32'] * 1e3:.0f} GFLOP/s in float32")
        print(f"{', '.join(f'{p.name} {p.version}' for p in ready)}; {options.pairs} "
              f"round{'s' * (options.pairs > 1)}, {'warm' if options.warm else 'cold'} caches; "
              f"ratios are to {reference}")
        for note in notes:
            print(f"note: {note}")
        print()
    table, results = report.Table(rows, ready, limits), []
    if not is_quiet:
        table.head()
    for bench, dtype, size, numbers in rows:
        new = measure(bench, dtype, size, numbers, ready, options.pairs, not options.warm,
                      reference)
        for result in new:
            if not is_quiet:
                table.row(result)
        results += new
    lines = report.summary(results, reference)
    if lines and not is_quiet:
        print("\n" + "\n".join(lines))
    if options.json:
        settings = {"pairs": options.pairs, "cold": not options.warm, "threads": threads,
                    "reference": reference, "seed": seed,
                    "target": os.environ.get("TEGULA_TARGET")}
        text = report.as_json(results, ready, limits, settings, str(ROOT))
        if output is None:
            sys.stdout.write(text)
        else:
            output.write(text)
    if options.png:
        for path in report.draw(results, options.png):
            report.say(f"{TOOL}: wrote {path}")
    states = {result.status for result in results}
    return 1 if states & {"wrong", "failed"} else 0 if "right" in states else 3


def main(arguments=None):
    """Runs the tool; returns the exit status."""
    options = parser().parse_args(arguments)
    try:
        return run(options)
    except BenchError as error:
        print(f"{TOOL}: error: {error}", file=sys.stderr)
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        print(f"{TOOL}: error: {error} [file-access]", file=sys.stderr)
        return 1
    except Exception as error:  # pylint: disable=broad-except
        import tegula

        is_absent = isinstance(error, (tegula.PluginError, tegula.TargetError))
        text = str(error) if isinstance(error, tegula.Error) else (
            f"{type(error).__name__}: {error} [internal-fault]")
        print(f"{TOOL}: error: {text}", file=sys.stderr)
        return 3 if is_absent else 4
