# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The format of the conformance table: wrong tables are refused with their place, wrong results
are found, and generators make the numbers of docs/input-generators.md."""

import re
import subprocess

import numpy as np
import pytest

import conformance_text
from conformance import load_family
from conformance_compare import compare
from conformance_run import run_case
from conformance_text import TableError, evaluate
from conformance_values import (GENERATORS, TYPES, generate, round_floats, special_values,
                                to_storage)
from conftest import BUILD

KERNELS = '''
import tegula
import tegula.language as tl

@tegula.jit
def add_one(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i, i < n) + 1, i < n)
'''
GOOD = """rows:
  - row: add
    kernel: add_one
    ops: [op:add]
    for:
      T: [int32]
      N: [1, 5]
    grid: cdiv(N, B)
    let: {B: 16}
    constexpr: {B: B}
    args:
      x_ptr: randint(0, 10):T[N]
      y_ptr: poison:T[N + 2]
      n: N
    results:
      y_ptr: x_ptr + 1
"""


def load(folder, text, kernels=KERNELS):
    (folder / "family.py").write_text(kernels)
    (folder / "family.yaml").write_text(text)
    return [case for row in load_family(folder / "family.yaml") for case in row.cases]


def test_a_right_table(tmp_path):
    cases = load(tmp_path, GOOD)
    assert [case.id for case in cases] == ["family/add[T=int32,N=1]", "family/add[T=int32,N=5]"]
    assert cases[1].grid == (1,) and cases[1].constexpr == {"B": 16}
    assert [run_case(case) for case in cases] == [None, None]


@pytest.mark.parametrize("old, new, line, message", [
    ("grid:", "gird:", 8, "expected a key of a row (row, about, kernel"),
    ("row: add", "row:", 2, "expected key 'row' in a row"),
    ("kernel: add_one", "kernel: add_two", 3, "expected a function of family.py, got 'add_two'"),
    ("ops: [op:add]", "ops: op:add", 4, "ops: expected a list of names, got 'op:add'"),
    ("randint(0, 10)", "randnt(0, 10)", 12, "expected a generator (zeros, ones"),
    ("randint(0, 10)", "randint(0)", 12, "randint: expected 2 to 2 parameters, got 1"),
    ("randint(0, 10)", "randint(5, 5)", 12, "randint: expected LO < HI"),
    ("randint(0, 10)", "randint(0.5, 2)", 12, "randint: expected integers"),
    ("randint(0, 10)", "rand", 12, "rand: a generator for float, not int32"),
    ("randint(0, 10)", "adversarial(3)", 12, "adversarial: expected 0, 1 or 2, got 3"),
    ("T: [int32]", "T: [int33]", 12, "expected a type or an axis of types, got 'int33'"),
    ("poison:T[N + 2]", "poison:T", 13, "expected GENERATOR:TYPE[SHAPE], got 'poison:T'"),
    ("poison:T[N + 2]", "poison:T[N - 2]", 13, "expected extents of 0 or more, got (-1,)"),
    ("poison:T[N + 2]", "poison:T[N +]", 13, "expected a number or a name, got 'the end'"),
    ("poison:T[N + 2]", "poison:T[Q]", 13, "name 'Q' is not an axis, a let or a type"),
    ("poison:T[N + 2]", "poison:T[N // 0]", 13, "division by zero in 'N // 0'"),
    ("cdiv(N, B)", "cdiv(N)", 8, "cdiv: expected 2 operands, got 1"),
    ("cdiv(N, B)", "log(N)", 8, "expected one of cdiv, min, max, next_power_of_2, bits, got 'log'"),
    ("cdiv(N, B)", "1, 1, 1, 1", 8, "grid: expected 1 to 3 sizes"),
    ("cdiv(N, B)", "T", 8, "expected an integer, got 'int32'"),
    ("cdiv(N, B)", "N ** 2", 8, "expected a number or a name, got '*'"),
    ("cdiv(N, B)", "N & 2", 8, "unexpected '&' in 'N & 2'"),
    ("n: N", "m: N", 14, "kernel add_one has no parameter 'm'"),
    ("      n: N\n", "", 2, "parameter 'n' of kernel add_one gets no value"),
    ("constexpr: {B: B}", "constexpr: {B: B, n: 3}", 2, "'n' is in constexpr and in args"),
    ("y_ptr: x_ptr + 1", "z_ptr: x_ptr + 1", 16, "expected an array argument, got 'z_ptr'"),
    ("y_ptr: x_ptr + 1", "y_ptr: x_ptr +", 16, "reference: expected a NumPy expression"),
    ("y_ptr: x_ptr + 1", "y_ptr: {where: x_ptr > 1}", 16, "expected a reference"),
    ("y_ptr: x_ptr + 1", "y_ptr: {reference: x_ptr, ulps: 1}", 16, "expected a key of a result"),
    ("    results:\n      y_ptr: x_ptr + 1\n", "", 2, "expected either results or expect_error"),
    ("    results:\n      y_ptr: x_ptr + 1\n", "    results: {}\n", 2,
     "expected either results or"),
    ("y_ptr: x_ptr + 1\n", "y_ptr: x_ptr + 1\n    tolerance: ulp\n", 17,
     "expected a number, as in"),
    ("y_ptr: x_ptr + 1\n", "y_ptr: x_ptr + 1\n    tolerance: near\n", 17, "expected a tolerance ("),
    ("y_ptr: x_ptr + 1\n", "y_ptr: x_ptr + 1\n    tolerance: {ulps: 1}\n", 17,
     "expected ulp or sum"),
    ("y_ptr: x_ptr + 1\n", "y_ptr: x_ptr + 1\n    compute: int32\n", 17, "expected a float type"),
    ("N: [1, 5]", "N: []", 7, "N: expected at least one value"),
    ("T: [int32]", '"T, U": [[int32]]', 6, "T, U: expected 2 values each, got (int32)"),
    ("T: [int32]", "T-: [int32]", 6, "expected names of axes, got 'T-'"),
    ("let: {B: 16}", "let: {B: 16, N: 3}", 9, "'N' has a value already"),
    ("let: {B: 16}", "let: [16]", 9, "let: expected a mapping, got [16]"),
    ("    grid: cdiv", "    grid: 1\n    grid: cdiv", 9, "key 'grid' stands twice"),
    ("grid: cdiv(N, B)", "grid: [cdiv(N, B)", 9, "expected ',' or ']'"),
    ("constexpr: {B: B}", "constexpr: {B: {function: f}}", 10, "expected a function of the kernel"),
    ("constexpr: {B: B}", "constexpr: {B: {type: f}}", 10,
     "expected {text: ...} or {function: ...}"),
    ("y_ptr: poison:T[N + 2]", "y_ptr: {same: z_ptr}", 13, "expected an array argument before"),
    ("y_ptr: poison:T[N + 2]", "y_ptr: {offset: 1}", 13, "expected array, same or value"),
    ("y_ptr: poison:T[N + 2]", "y_ptr: {arr: 1}", 13, "expected a key of an argument"),
    ("y_ptr: poison:T[N + 2]", 'y_ptr: {array: "zeros:T[N]", shape: [3]}', 13,
     "shape: only descriptors have it"),
    ("y_ptr: poison:T[N + 2]", 'y_ptr: {array: "zeros:T[N]", descriptor: [1], padding: one}', 13,
     "padding: expected zero or nan, got 'one'"),
    ("y_ptr: poison:T[N + 2]", 'y_ptr: {array: "zeros:T[N]", descriptor: [T]}', 13,
     "expected an integer, got 'int32'"),
    ("ops: [op:add]", "ops: [op:add]\n    seed: x", 5, "seed: expected an integer, got 'x'"),
    ("ops: [op:add]", "ops: [op:add]\n    long: 3", 5, "long: expected true or a mapping"),
])
def test_wrong_tables(tmp_path, old, new, line, message):
    assert old in GOOD
    with pytest.raises(TableError) as error:
        load(tmp_path, GOOD.replace(old, new))
    assert str(error.value).startswith(f"{tmp_path / 'family.yaml'}:{line}: "), error.value
    assert message in str(error.value)


def test_two_rows_of_one_name(tmp_path):
    with pytest.raises(TableError, match=r"family.yaml:17: row 'add' is in line 2 already"):
        load(tmp_path, GOOD + GOOD.split("rows:\n")[1])


@pytest.mark.parametrize("text, message", [
    ("", "expected a mapping, got an empty file"), ("rows: []\n", "expected at least one row"),
    ("rows: [3]\n", "expected rows to be mappings, got 3"), ("rules: []\n", "got 'rules'"),
    ("- 1\n", "expected a mapping with 'rows'"),
])
def test_files_without_rows(tmp_path, text, message):
    with pytest.raises(TableError, match=re.escape(message)):
        load(tmp_path, text)


def test_a_family_without_kernels(tmp_path):
    (tmp_path / "lonely.yaml").write_text(GOOD)
    with pytest.raises(TableError, match="expected kernels in lonely.py beside it"):
        load_family(tmp_path / "lonely.yaml")


@pytest.mark.parametrize("old, new, message", [
    ("x_ptr + 1\n", "x_ptr + 2\n",
     r"y_ptr: 1 of 3 elements differ \(exact\)\n  at \[0\]: expected 2, got 1, was 1515870810"),
    ("poison:T[N + 2]", "poison:T[N]", None),
    ("      y_ptr: x_ptr + 1", "      y_ptr: {reference: x_ptr + 1, where: x_ptr < 0}",
     "expected 1515870810, got 1"),
    ("i < n) + 1, i < n", "i < n) + 1, i <= n", "expected 1515870810, got 1"),
    ("tl.store(y_ptr + i", "tl.store(x_ptr + i", "x_ptr: was written, but has no result"),
    ("tl.store(y_ptr + i", "tl.store(y_ptr - 1 + i", "memory beside the array was written"),
    ("tl.store(y_ptr", "tl.stor(y_ptr", "CompilationError: .*has no 'tl.stor'"),
    ("    results:\n      y_ptr: x_ptr + 1\n", "    expect_error: static-assert\n",
     "expected error static-assert, got none"),
])
def test_wrong_results(tmp_path, old, new, message):
    table, kernels = GOOD.replace("N: [1, 5]", "N: [1]").replace("randint(0, 10)", "zeros"), KERNELS
    assert old in table or old in kernels
    import conformance_run
    conformance_run.load_module.cache_clear()
    case, = load(tmp_path, table.replace(old, new), kernels.replace(old, new))
    problem = run_case(case)
    if message is None:
        assert problem is None
    else:
        assert problem is not None and re.search(message, problem), problem


def test_a_wrong_reference(tmp_path):
    case = load(tmp_path, GOOD.replace("x_ptr + 1", "x_ptr + z"))[0]
    with pytest.raises(TableError, match="y_ptr: reference: NameError: name 'z' is not defined"):
        run_case(case)
    case = load(tmp_path, GOOD.replace("x_ptr + 1", "np.arange(100)"))[0]
    with pytest.raises(TableError, match="reference has 100 elements, the array 3"):
        run_case(case)
    case = load(tmp_path, GOOD.replace("x_ptr + 1", "x_ptr * 0.5"))[0]
    with pytest.raises(TableError, match="expected an integer reference for int32, got floats"):
        run_case(case)


@pytest.mark.parametrize("text, value", [
    ("2 + 3 * 4", 14), ("(2 + 3) * 4", 20), ("-7 // 2", -4), ("-7 % 3", 2), ("- -3", 3),
    ("cdiv(N, 8) - 1", 12), ("min(N, 3, 2)", 2), ("max(N, bits(T))", 100), ("bits(int1)", 8),
    ("next_power_of_2(N)", 128), ("next_power_of_2(0)", 1), ("next_power_of_2(1)", 1),
    ("T", "float16"),
    ("2 * N - 10 - 3", 187), (7, 7), ("100000000000000000000 + 1", 10**20 + 1),
])
def test_expressions(text, value):
    assert evaluate(text, {"N": 100, "T": "float16"}) == value


# -- tolerances --------------------------------------------------------------------------


def wrong(type_name, got, reference, **options):
    """Which of the results the comparison refuses."""
    type_ = TYPES[type_name]
    got = np.asarray(got, np.float64).astype(type_.storage)
    return compare(got, np.zeros_like(got), np.asarray(reference), type_, **options)[0].tolist()


def test_exact_and_value():
    nan, inf = np.nan, np.inf
    got = [1.0, -0.0, 0.0, nan, -nan, inf, 2.0, nan]
    want = [1.0, 0.0, 0.0, nan, nan, inf, 3.0, 0.0]
    assert wrong("float32", got, want) == [False, True, False, False, False, False, True, True]
    assert wrong("float32", got, want, tolerance="value") == [False] * 6 + [True, True]
    with pytest.raises(ValueError, match="is not a value of float16; use tolerance 'rounded'"):
        wrong("float16", [0.1], [0.1])
    assert wrong("float16", [0.1], [0.1], tolerance="rounded") == [False]


def test_ulps():
    step = 2.0**-23
    assert wrong("float32", [1, 1 + step, 1 + 2 * step, 1 - step], [1.0] * 4, tolerance="ulp",
                 count=1) == [False, False, True, False]
    # Close to the largest number, infinity is one step further.
    largest = TYPES["float16"].largest
    assert wrong("float16", [np.inf, largest, np.inf, -np.inf, np.inf],
                 [largest, 1e9, 60000.0, 1e9, np.nan], tolerance="ulp",
                 count=1) == [False, False, True, True, True]
    assert wrong("float32", [0.0, -0.0, 2.0**-149, 2.0**-140], [0.0] * 4, tolerance="ulp",
                 count=4) == [False, False, False, True]


def test_sums():
    options = {"tolerance": "sum", "count": 100, "magnitude": np.asarray(1000.0)}
    limit = 2 * 100 * 2.0**-24 * 1000
    assert wrong("float32", [limit * 0.99, limit * 1.01, np.nan], [0.0] * 3,
                 **options) == [False, True, True]
    assert wrong("float32", [np.inf, -np.inf, 1.0], [np.inf] * 3, **options) == [False, True, True]
    assert wrong("float32", [limit, limit * 1.1], [0.0, 0.0], compute="float64",
                 **options) == [True, True]


def test_rounding_agrees_with_the_types():
    with np.errstate(all="ignore"):
        values = generate("adversarial", [], TYPES["float32"], (20000,), 1, "x").astype(np.float64)
        for name in ("float16", "bfloat16"):
            rounded = round_floats(values, TYPES[name])
            np.testing.assert_array_equal(rounded, values.astype(np.float32).astype(
                TYPES[name].storage).astype(np.float64))
        for name in ("float8e4nv", "float8e5", "float8e4b8", "float8e5b16"):
            type_ = TYPES[name]
            inside = values[np.abs(values) <= type_.largest]
            np.testing.assert_array_equal(round_floats(inside, type_), inside.astype(
                np.float32).astype(type_.storage).astype(np.float64))
            assert round_floats(1e30, type_) == type_.largest
    assert round_floats(1 + 2.0**-11 + 2.0**-40, TYPES["float16"]) == 1 + 2.0**-10
    assert round_floats(1 + 2.0**-11 + 2.0**-40, TYPES["float16"], True) == 1


# -- generators ----------------------------------------------------------------------------


@pytest.mark.parametrize("generator, parameters, name", [
    ("rand", [], "float32"), ("randn", [], "float32"), ("randint", [-5, 300], "int32"),
    ("randint", [0, 100], "float16"), ("arange", [], "int64"), ("full", [7], "uint8"),
])
def test_generators_are_those_of_tegula_run(tmp_path, generator, parameters, name):
    tool = BUILD / "bin/tegula-run"
    if not tool.exists():
        pytest.skip("tegula-run is not built")
    head = KERNELS.replace("add_one(x_ptr, y_ptr, n, B: tl.constexpr)", "nothing(x_ptr)")
    (tmp_path / "k.py").write_text(head.split("    i = ")[0] + "    pass\n")
    short = {"float32": "fp32", "float16": "fp16", "int32": "i32", "int64": "i64", "uint8": "u8"}
    text = f"{generator}({','.join(map(str, parameters))})" if parameters else generator
    subprocess.run([tool, "k.py", "-k", "nothing", "-g", "1", "--seed", "12345678901",
                    "-a", f"x_ptr={text}:{short[name]}[10,5]", "--out", "x_ptr=x.npy"],
                   cwd=tmp_path, check=True, capture_output=True)
    made = generate(generator, parameters, TYPES[name], (10, 5), 12345678901, "x_ptr")
    theirs = np.load(tmp_path / "x.npy")
    if generator == "randn":
        # The logarithm and the cosine of two libraries may differ in the last place.
        np.testing.assert_allclose(theirs, made, rtol=2.0**-22)
    else:
        np.testing.assert_array_equal(theirs, made)


def test_generators_depend_on_name_and_seed():
    def rand(count, seed, name):
        return generate("rand", [], TYPES["float32"], (count,), seed, name)

    numbers = rand(4, 42, "x")
    np.testing.assert_array_equal(numbers[:3], rand(3, 42, "x"))
    assert (rand(4, 42, "y") != numbers).all() and (rand(4, 43, "x") != numbers).all()
    whole = generate("randint", [-5, 300], TYPES["int64"], (10000,), 0, "a_ptr")
    assert whole.min() == -5 and whole.max() == 299
    assert abs(generate("randn", [], TYPES["float64"], (10000,), 0, "a").std() - 1) < 0.03


def test_adversarial_pairs():
    for type_ in TYPES.values():
        a = generate("adversarial", [], type_, (2000,), 0, "a")
        b = generate("adversarial", [1], type_, (2000,), 0, "b")
        specials = special_values(type_)
        assert specials.size == 32 and len(set(specials.tobytes())) > 1
        pairs = set(zip(a[:1024].view(f"u{a.itemsize}").tolist(), b[:1024].view(
            f"u{b.itemsize}").tolist()))
        assert len(pairs) == len({x for x, _ in pairs}) * len({y for _, y in pairs})


def test_every_generator_makes_every_type():
    for name, (_, least, _, _, kinds) in GENERATORS.items():
        parameters = {1: [1], 2: [0, 1]}.get(least, [])
        for type_ in TYPES.values():
            if type_.kind in kinds:
                for shape in ((), (0,), (3, 5)):
                    array = generate(name, parameters, type_, shape, 3, "x")
                    assert array.shape == shape and array.dtype == type_.storage
    permutation = generate("permutation", [], TYPES["int16"], (100,), 0, "p")
    assert sorted(permutation.tolist()) == list(range(100))
    index = generate("index", [3, 9], TYPES["uint8"], (50,), 0, "i")
    assert index[0] == 3 and index[-1] == 8 and index.max() == 8


def test_storage_of_exact_numbers():
    assert to_storage([2**63, -1, 300], TYPES["uint8"]).tolist() == [0, 255, 44]
    # Once from the exact value: in two steps this would be 2**24.
    number = np.array([2**24 * 2**40 + 2**40 + 1], object)
    assert float(to_storage(number, TYPES["float32"])[0]) == 2.0**64 + 2.0**41


def test_yaml_is_the_core_schema(tmp_path):
    path = tmp_path / "x.yaml"
    text = "a: yes\nb: 1e3\nc: 010\nd: .inf\ne: null\nf: [true, 0x10, '1', -0.0, no]\n"
    data = conformance_text.read_yaml(path, text)
    assert data == {"a": "yes", "b": 1000.0, "c": 10, "d": np.inf, "e": None,
                    "f": [True, 16, "1", 0.0, "no"]}
    assert data.lines["c"] == 3
