# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a case of the conformance table and compares what it left in memory."""

import functools
import importlib.util
import os

import numpy as np

from conformance import FOLDER, Descriptor, Function, Pointer, TypeName
from conformance_compare import compare
from conformance_text import TableError
from conformance_values import generate, to_reference

GUARD = 64
SHOWN = 4  # differing elements in a report


# Where arrays are put for the launch: "cuda:0", or empty for the memory of the process.
DEVICE = os.environ.get("TEGULA_TEST_DEVICE", "")


class View:
    """Elements of an array on a device, as a launch asks for them."""

    is_cpu = False

    def __init__(self, memory, elements, begin):
        self.memory, self.dtype, self.shape = memory, elements.dtype, elements.shape
        self.device = memory.device
        self._address = memory.data_ptr() + begin
        self._strides = [step // elements.itemsize for step in elements.strides]

    def data_ptr(self):
        return self._address

    def numel(self):
        return int(np.prod(self.shape))

    def element_size(self):
        return self.dtype.itemsize

    def stride(self, dim=None):
        return tuple(self._strides) if dim is None else self._strides[dim]


class Memory:
    """An array between two guards, aligned to 64 bytes."""

    remote = None  # the same on the device

    def __init__(self, spec, seed):
        self.spec = spec
        values = generate(spec.generator, spec.parameters, spec.type, spec.shape, seed, spec.name)
        self.size = values.nbytes
        block = np.full(self.size + 3 * GUARD, 0x5A, np.uint8)
        start = GUARD + -block.ctypes.data % 64
        self.block = block[start - GUARD:start + self.size + GUARD]
        self.bytes = self.block[GUARD:GUARD + self.size]
        self.bytes[:] = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        self.elements = self.bytes.view(spec.type.storage)
        self.before = self.elements.copy()

    def pointer(self, offset):
        elements = self.elements[offset:] if offset else self.elements.reshape(self.spec.shape)
        if not DEVICE:
            return elements
        if self.remote is None:
            import tegula
            self.remote = tegula.Array.from_numpy(self.block, DEVICE)
        return View(self.remote, elements, GUARD + offset * self.elements.itemsize)

    def fetch(self):
        """What the launch left on the device."""
        if self.remote is not None:
            self.block[:] = self.remote.to_numpy()

    def reference(self):
        return to_reference(self.before.reshape(self.spec.shape))

    def guards_intact(self):
        return (self.block[:GUARD] == 0x5A).all() and (self.block[-GUARD:] == 0x5A).all()


@functools.cache
def load_module(path):
    spec = importlib.util.spec_from_file_location(f"conformance_kernels_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def reference_functions():
    module = load_module(FOLDER / "reference.py")
    return {k: v for k, v in vars(module).items() if not k.startswith("_")}


def as_seen(value):
    """A constant or an argument as references see it."""
    if isinstance(value, tuple):
        return tuple(as_seen(v) for v in value)
    return value.name if isinstance(value, (Function, TypeName)) else value


def environment(case, memories):
    """The names that reference expressions see."""
    def seen(value):
        if isinstance(value, tuple):
            return tuple(seen(v) for v in value)
        value = value.pointer if isinstance(value, Descriptor) else value
        return memories[value.array.name].reference() if isinstance(value, Pointer) else as_seen(
            value)

    stored = {name: m.before.reshape(m.spec.shape) for name, m in memories.items()}
    names = {"np": np, "stored": stored, **reference_functions(), **case.names}
    names |= {k: seen(v) for k, v in (case.constexpr | case.args).items()}
    for key, text in case.row.data.get("define", {}).items():
        names[key] = evaluate_reference(case, f"define {key}", text, names)
    return names


def evaluate_reference(case, what, text, names):
    try:
        with np.errstate(all="ignore"):
            return eval(str(text).strip(), names)
    except Exception as error:
        raise TableError(f"{case.row.data.path}:{case.row.data.line}: {case.id}: {what}: "
                         f"{type(error).__name__}: {error}") from error


def to_argument(value, memories, module):
    """What is passed to the kernel."""
    import tegula
    import tegula.language as tl
    if isinstance(value, tuple):
        return tuple(to_argument(v, memories, module) for v in value)
    if isinstance(value, Pointer):
        return memories[value.array.name].pointer(value.offset)
    if isinstance(value, Descriptor):
        base = to_argument(value.pointer, memories, module)
        return tegula.TensorDescriptor(base, value.shape, value.strides, value.block, value.padding)
    if isinstance(value, TypeName):
        return getattr(tl, value.name)
    return getattr(module, value.name) if isinstance(value, Function) else value


def launch(case, memories):
    module = load_module(case.row.data.path.with_suffix(".py"))
    kernel = getattr(module, case.row.data["kernel"])
    values = {k: to_argument(v, memories, module)
              for k, v in (case.args | case.constexpr | case.options).items()}
    compiled = kernel[case.grid](**values)
    for memory in memories.values():
        memory.fetch()
    return compiled


def check_error(case, memories):
    """A row that must be refused."""
    wanted = case.row.data["expect_error"]
    wanted = wanted if isinstance(wanted, list) else [wanted]
    try:
        launch(case, memories)
    except Exception as error:
        got = getattr(error, "id", None)
        if got not in wanted:
            return f"expected error {' or '.join(wanted)}, got {type(error).__name__}: {error}"
        return None
    return f"expected error {' or '.join(wanted)}, got none"


def describe(at, memory, memories, expected):
    index = tuple(int(i) for i in np.unravel_index(at, memory.spec.shape)) if \
        memory.spec.shape else ()
    operands = [f"{m.spec.name}={m.before[at]}" for m in memories.values()
                if m is not memory and m.before.size == memory.before.size]
    values = f" ({', '.join(operands)})" if operands else ""
    return (f"  at {list(index)}{values}: expected {expected[at]}, got {memory.elements[at]}, was "
            f"{memory.before[at]}")


def check_array(case, memory, memories, names):
    """Problems of one array after the launch."""
    name, spec = memory.spec.name, memory.spec
    if not memory.guards_intact():
        yield f"{name}: memory beside the array was written"
    result = case.results.get(name)
    if result is None:
        if memory.bytes.tobytes() != memory.before.tobytes():
            at = int(np.flatnonzero(memory.bytes != memory.before.view(np.uint8))[0])
            at //= spec.type.storage.itemsize
            yield f"{name}: was written, but has no result\n" + describe(at, memory, memories,
                                                                        memory.before)
        return
    texts = {"reference": result.reference, "where": result.where, "magnitude": result.magnitude}
    values = {k: None if text is None else evaluate_reference(case, f"{name}: {k}", text, names)
              for k, text in texts.items()}
    try:
        wrong, expected = compare(memory.elements, memory.before, values["reference"], spec.type,
                                  tolerance=result.tolerance, count=result.count,
                                  where=values["where"], magnitude=values["magnitude"],
                                  compute=result.compute)
    except ValueError as error:
        data = case.row.data
        raise TableError(f"{data.path}:{data['results'].lines[name]}: {case.id}: {name}: "
                         f"{error}") from error
    if wrong.any():
        places = np.flatnonzero(wrong)[:SHOWN]
        yield "\n".join([f"{name}: {int(wrong.sum())} of {wrong.size} elements differ "
                         f"({result.tolerance}{f' {result.count}' if result.count else ''})"] +
                        [describe(int(at), memory, memories, expected) for at in places])


def run_case(case):
    """None, or why the case failed."""
    seed = case.row.data.get("seed", 0)
    memories = {name: Memory(spec, seed) for name, spec in case.arrays.items()}
    if "expect_error" in case.row.data:
        problems = [check_error(case, memories)]
    else:
        try:
            launch(case, memories)
        except Exception as error:
            return f"{case.id}: {type(error).__name__}: {error}"
        names = environment(case, memories)
        problems = [p for m in memories.values() for p in check_array(case, m, memories, names)]
    problems = [p for p in problems if p]
    return f"{case.id}, seed {seed}:\n" + "\n".join(problems) if problems else None
