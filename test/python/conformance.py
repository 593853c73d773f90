# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of the conformance table and their cases: reading and checking.

docs/conformance.md describes the format. `load_families` reads test/conformance; a row that
does not follow the page raises TableError with file and line. conformance_run.py runs cases.
"""

import ast
import functools
import itertools
import os
import pathlib
import re
from dataclasses import dataclass, field

from conformance_compare import TOLERANCES
from conformance_text import (Mapping, TableError, evaluate, evaluate_integer, read_yaml,
                              split_list)
from conformance_values import GENERATORS, GROUPS, TYPES

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "test/conformance"
NOT_FAMILIES = ("surface", "reference")
LONG = os.environ.get("TEGULA_LONG_TESTS") == "1"

ROW_KEYS = ("row", "about", "kernel", "ops", "for", "let", "grid", "constexpr", "args", "options",
            "seed", "define", "results", "tolerance", "magnitude", "compute", "expect_error",
            "unsupported", "long")
RESULT_KEYS = ("reference", "tolerance", "where", "magnitude", "compute")
ARGUMENT_KEYS = ("array", "offset", "same", "value", "float", "descriptor", "shape", "strides",
                 "padding")


@dataclass
class ArraySpec:
    """An array argument of a case; shared ones have one of these."""
    name: str
    generator: str
    parameters: list
    type: object
    shape: tuple


@dataclass
class Pointer:
    """What the kernel gets of an array."""
    array: ArraySpec
    offset: int = 0


@dataclass
class Descriptor:
    """A tensor descriptor of an array."""
    pointer: Pointer
    shape: list
    strides: list
    block: list
    padding: str


@dataclass
class Function:
    name: str


@dataclass
class TypeName:
    name: str


@dataclass
class Result:
    reference: str
    tolerance: str
    count: int
    where: str = None
    magnitude: str = None
    compute: str = None


@dataclass
class Case:
    """One row with one value of each axis, all expressions evaluated."""
    row: object
    names: dict
    axes: dict
    grid: tuple = (1,)
    constexpr: dict = field(default_factory=dict)
    args: dict = field(default_factory=dict)
    arrays: dict = field(default_factory=dict)
    options: dict = field(default_factory=dict)
    results: dict = field(default_factory=dict)

    @property
    def id(self):
        if not self.axes:
            return self.row.name
        values = ",".join(f"{k}={show(v)}" for k, v in self.axes.items())
        return f"{self.row.name}[{values}]"


def show(value):
    """A value in names of cases and messages."""
    if isinstance(value, (tuple, list)):
        return "(" + " ".join(map(show, value)) + ")"
    return str(value)


@dataclass
class Row:
    family: str
    data: Mapping
    parameters: dict  # of the kernel: name -> has a default

    @property
    def name(self):
        return f"{self.family}/{self.data['row']}"

    @functools.cached_property
    def cases(self):
        return [make_case(self, axes) for axes in axis_values(self.data)]


def fail_in(mapping, key, function, *args):
    """A ValueError of a function becomes a TableError at a key's line."""
    try:
        return function(*args)
    except TableError:
        raise
    except ValueError as error:
        mapping.fail(f"{key}: {error}", key)


def check_keys(mapping, known, what):
    for key in mapping:
        if key not in known:
            mapping.fail(f"expected a key of {what} ({', '.join(known)}), got '{key}'", key)


# -- axes ---------------------------------------------------------------------------


def as_tuple(value):
    return tuple(as_tuple(v) for v in value) if isinstance(value, list) else value


def expand(values, mapping, key):
    """Groups of types become their members, lists tuples."""
    values = values if isinstance(values, list) else [values]
    out = []
    for value in values:
        if isinstance(value, str) and value in GROUPS:
            out += GROUPS[value]
        elif isinstance(value, list):
            out.append(as_tuple(value))
        elif isinstance(value, (str, int, float)) or value is None:
            out.append(value)
        else:
            mapping.fail(f"{key}: expected axis values, got {value!r}", key)
    if not out:
        mapping.fail(f"{key}: expected at least one value", key)
    return out


def axis_values(row):
    """One dict of axis -> value for each case."""
    parts = row.get("for", Mapping(row.path, row.line))
    more = row.get("long", False)
    if not isinstance(more, (bool, Mapping)):
        row.fail(f"long: expected true or a mapping of axes, got {more!r}", "long")
    for part in parts if isinstance(parts, list) else [parts]:
        if not isinstance(part, Mapping):
            row.fail(f"for: expected a mapping of axes, got {part!r}", "for")
        columns = []
        for key, values in part.items():
            if LONG and isinstance(more, Mapping) and key in more:
                values = (values if isinstance(values, list) else [values]) + more[key]
            names = [n.strip() for n in str(key).split(",")]
            if not all(re.fullmatch(r"[A-Za-z_]\w*", n) for n in names):
                part.fail(f"expected names of axes, got '{key}'", key)
            column = []
            for value in expand(values, part, key):
                group = (value,) if len(names) == 1 else value
                if not isinstance(group, tuple) or len(group) != len(names):
                    part.fail(f"{key}: expected {len(names)} values each, got {show(value)}", key)
                column.append(dict(zip(names, group)))
            columns.append(column)
        for chosen in itertools.product(*columns):
            yield {k: v for values in chosen for k, v in values.items()}


# -- arguments ------------------------------------------------------------------------


def constant(value, names, functions):
    """A constant of `constexpr` or `options`. Raises ValueError."""
    if isinstance(value, list):
        return tuple(constant(v, names, functions) for v in value)
    if isinstance(value, Mapping):
        if list(value) == ["text"]:
            return str(value["text"])
        if list(value) == ["function"]:
            name = str(names.get(value["function"], value["function"]))
            if name not in functions:
                raise ValueError(f"expected a function of the kernel file, got '{name}'")
            return Function(name)
        raise ValueError(f"expected {{text: ...}} or {{function: ...}}, got keys {list(value)}")
    if isinstance(value, str):
        return typed(evaluate(value, names))
    return value


def typed(value):
    if isinstance(value, tuple):
        return tuple(typed(v) for v in value)
    return TypeName(value) if isinstance(value, str) and value in TYPES else value


def generator_parameter(text, names):
    if match := re.fullmatch(r"([-+]?)\.?(nan|inf)", text):
        return float(match.group(1) + match.group(2))
    if re.fullmatch(r"[-+]?(\d*\.\d*(e[-+]?\d+)?|\d+e[-+]?\d+)", text):
        return float(text)
    value = evaluate(text, names)
    if not isinstance(value, (int, float)):
        raise ValueError(f"expected a number, got '{value}'")
    return value


def array_spec(text, name, names):
    """GENERATOR:TYPE[SHAPE]. Raises ValueError."""
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*:\s*(\w+)\s*\[(.*)\]\s*", text)
    if match is None:
        raise ValueError(f"expected GENERATOR:TYPE[SHAPE], got '{text}'")
    generator, parameters, type_name, shape = match.groups()
    if generator not in GENERATORS:
        raise ValueError(f"expected a generator ({', '.join(GENERATORS)}), got '{generator}'")
    type_name = names.get(type_name, type_name)
    if type_name not in TYPES:
        raise ValueError(f"expected a type or an axis of types, got '{type_name}'")
    type_ = TYPES[type_name]
    _, least, most, whole, kinds = GENERATORS[generator]
    values = [generator_parameter(p, names) for p in split_list(parameters or "")]
    if not least <= len(values) <= most:
        raise ValueError(f"{generator}: expected {least} to {most} parameters, got {len(values)}")
    if whole and not all(isinstance(v, int) for v in values):
        raise ValueError(f"{generator}: expected integers, got {values}")
    if type_.kind not in kinds:
        raise ValueError(f"{generator}: a generator for {' and '.join(kinds)}, not {type_name}")
    if generator in ("randint", "index") and not 0 < values[1] - values[0] <= 1 << 32:
        raise ValueError(f"{generator}: expected LO < HI at most 2^32 apart, got {values}")
    if generator == "adversarial" and values and values[0] not in (0, 1, 2):
        raise ValueError(f"adversarial: expected 0, 1 or 2, got {values[0]}")
    extents = tuple(evaluate_integer(e, names) for e in split_list(shape))
    if any(e < 0 for e in extents):
        raise ValueError(f"expected extents of 0 or more, got {extents}")
    return ArraySpec(name, generator, values, type_, extents)


def descriptor(mapping, pointer, names):
    """The descriptor that an argument's mapping describes, or its pointer. Raises ValueError."""
    if "descriptor" not in mapping:
        for key in ("shape", "strides", "padding"):
            if key in mapping:
                raise ValueError(f"{key}: only descriptors have it")
        return pointer

    def integers(key, default):
        value = mapping.get(key, default)
        # YAML splits a list in brackets at the commas of calls too.
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        return [evaluate_integer(v, names) for v in split_list(text)]

    shape = integers("shape", list(pointer.array.shape))
    inner = [1]
    for extent in reversed(shape[1:]):
        inner.insert(0, inner[0] * extent)
    padding = mapping.get("padding", "zero")
    padding = names.get(padding, padding)
    if padding not in ("zero", "nan"):
        raise ValueError(f"padding: expected zero or nan, got '{padding}'")
    return Descriptor(pointer, shape, integers("strides", inner), integers("descriptor", []),
                      padding)


def argument(value, name, case, functions):
    """An argument of the kernel; its arrays are added to the case. Raises ValueError."""
    if isinstance(value, list):
        return tuple(argument(v, f"{name}.{i}", case, functions) for i, v in enumerate(value))
    text, mapping = value, value if isinstance(value, Mapping) else {}
    if mapping and list(mapping) not in (["text"], ["function"]):
        check_keys(value, ARGUMENT_KEYS, "an argument")
        if "value" in mapping:
            number = constant(mapping["value"], case.names, functions)
            return float(number) if mapping.get("float") else number
        offset = evaluate_integer(mapping.get("offset", 0), case.names)
        if "same" in mapping:
            if mapping["same"] not in case.arrays:
                raise ValueError(f"expected an array argument before this one, got "
                                 f"'{mapping['same']}'")
            return descriptor(mapping, Pointer(case.arrays[mapping["same"]], offset), case.names)
        if "array" not in mapping:
            raise ValueError("expected array, same or value")
        text = mapping["array"]
    else:
        if not (isinstance(value, str) and ":" in value):
            return constant(value, case.names, functions)
        offset = 0
    spec = array_spec(str(text), name, case.names)
    case.arrays[name] = spec
    return descriptor(mapping, Pointer(spec, offset), case.names)


# -- results --------------------------------------------------------------------------


def tolerance_of(value, names):
    count = 0
    if isinstance(value, Mapping) and len(value) == 1:
        (value, count), = value.items()
        if value not in ("ulp", "sum"):
            raise ValueError(f"expected ulp or sum with a number, got '{value}'")
        count = float(count) if isinstance(count, float) else evaluate_integer(count, names)
    elif value in ("ulp", "sum"):
        raise ValueError(f"expected a number, as in {{{value}: 4}}")
    if value not in TOLERANCES:
        raise ValueError(f"expected a tolerance ({', '.join(TOLERANCES)}), got {value!r}")
    return value, count


def result_of(value, row, names, mapping, key):
    """A result of one array; what it leaves out is the row's."""
    own = value if isinstance(value, Mapping) else {"reference": value}
    if isinstance(value, Mapping):
        check_keys(value, RESULT_KEYS, "a result")
    if "reference" not in own:
        mapping.fail("expected a reference", key)

    def of(name):
        """The value of a key, and the mapping that is to blame for it."""
        if name in own:
            return own[name], (own, name) if own is value else (mapping, key)
        return (row[name], (row, name)) if name in row else (None, (mapping, key))

    def expression(name):
        text, (holder, where) = of(name) if name != "where" else (own.get(name), (own, name))
        if text is None:
            return None
        try:
            ast.parse(str(text).strip(), mode="eval")
        except SyntaxError as error:
            holder.fail(f"{name}: expected a NumPy expression: {error.msg}", where)
        return str(text)

    tolerance, (holder, _) = of("tolerance")
    tolerance, count = fail_in(holder, "tolerance", tolerance_of, tolerance or "exact", names)
    compute, (holder, where) = of("compute")
    compute = names.get(compute, compute)
    if compute is not None and not (compute in TYPES and TYPES[compute].is_float):
        holder.fail(f"compute: expected a float type, got '{compute}'", where)
    return Result(expression("reference"), tolerance, count, expression("where"),
                  expression("magnitude"), compute)


# -- rows -----------------------------------------------------------------------------


def make_case(row, axes):
    data, functions = row.data, row.functions
    case = Case(row, dict(axes), axes)
    for key, text in data.get("let", {}).items():
        if key in case.names:
            data["let"].fail(f"'{key}' has a value already", key)
        case.names[key] = fail_in(data["let"], key, evaluate, text, case.names)
    grid = data.get("grid", [1])
    # YAML splits a list in brackets at the commas of calls too.
    grid = split_list(", ".join(map(str, grid)) if isinstance(grid, list) else str(grid))
    if not isinstance(grid, list) or not 1 <= len(grid) <= 3:
        data.fail(f"grid: expected 1 to 3 sizes, got {grid!r}", "grid")
    case.grid = tuple(fail_in(data, "grid", evaluate_integer, g, case.names) for g in grid)
    for key in ("constexpr", "options"):
        for name, value in data.get(key, {}).items():
            getattr(case, key)[name] = fail_in(data[key], name, constant, value, case.names,
                                               functions)
    for name, value in data.get("args", {}).items():
        case.args[name] = fail_in(data["args"], name, argument, value, name, case, functions)
    results = data.get("results", {})
    for name, value in results.items():
        if name not in case.arrays:
            results.fail(f"expected an array argument, got '{name}'", name)
        case.results[name] = result_of(value, data, case.names, results, name)
    return case


def check_row(row):
    """What can be said without looking at cases."""
    data = row.data
    check_keys(data, ROW_KEYS, "a row")
    for key in ("row", "kernel", "ops"):
        if not data.get(key):
            data.fail(f"expected key '{key}' in a row")
    if not isinstance(data["ops"], list):
        data.fail(f"ops: expected a list of names, got {data['ops']!r}", "ops")
    for key in ("let", "constexpr", "args", "options", "define", "results", "unsupported"):
        if key in data and not isinstance(data[key], Mapping):
            data.fail(f"{key}: expected a mapping, got {data[key]!r}", key)
    if ("expect_error" in data) == bool(data.get("results")):
        data.fail(f"row '{data['row']}': expected either results or expect_error")
    if not isinstance(data.get("seed", 0), int):
        data.fail(f"seed: expected an integer, got {data['seed']!r}", "seed")
    given = set(data.get("constexpr", {})) | set(data.get("args", {}))
    for name in set(data.get("constexpr", {})) & set(data.get("args", {})):
        data.fail(f"'{name}' is in constexpr and in args")
    for key in ("constexpr", "args"):
        for name in data.get(key, {}):
            if name not in row.parameters:
                data[key].fail(f"kernel {data['kernel']} has no parameter '{name}'", name)
    missing = [n for n, optional in row.parameters.items() if not optional and n not in given]
    if missing:
        data.fail(f"row '{data['row']}': parameter '{missing[0]}' of kernel {data['kernel']} "
                  "gets no value")


def functions_of(path):
    """Function -> parameters of a kernel file, name -> has a default."""
    functions = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            names = [a.arg for a in node.args.posonlyargs + node.args.args]
            first = len(names) - len(node.args.defaults)
            functions[node.name] = {n: i >= first for i, n in enumerate(names)}
            functions[node.name] |= {a.arg: d is not None for a, d in
                                     zip(node.args.kwonlyargs, node.args.kw_defaults)}
    return functions


def load_family(path):
    """The rows of FAMILY.yaml, whose kernels are in FAMILY.py beside it."""
    data = read_yaml(path)
    if not isinstance(data, Mapping):
        raise TableError(f"{path}:1: expected a mapping with 'rows'")
    check_keys(data, ("rows",), "a file")
    kernels = path.with_suffix(".py")
    if not kernels.exists():
        raise TableError(f"{path}:1: expected kernels in {kernels.name} beside it")
    functions = functions_of(kernels)
    rows, lines = [], {}
    for entry in data.get("rows") or []:
        if not isinstance(entry, Mapping):
            raise TableError(f"{path}:1: expected rows to be mappings, got {entry!r}")
        kernel = entry.get("kernel")
        if kernel is not None and kernel not in functions:
            entry.fail(f"expected a function of {kernels.name}, got '{kernel}'", "kernel")
        row = Row(path.stem, entry, functions.get(kernel, {}))
        row.functions = functions
        check_row(row)
        if entry["row"] in lines:
            entry.fail(f"row '{entry['row']}' is in line {lines[entry['row']]} already", "row")
        lines[entry["row"]] = entry.line
        rows.append(row)
    if not rows:
        raise TableError(f"{path}:1: expected at least one row")
    return rows


def family_paths(folder=FOLDER):
    return sorted(p for p in folder.glob("*.yaml") if p.stem not in NOT_FAMILIES)


def load_families(folder=FOLDER):
    """All rows of a folder."""
    return [row for path in family_paths(folder) for row in load_family(path)]
