# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel leaves in memory, computed by NumPy.

All memory of a launch is one block of bytes, the arena; regions lie in it with
gaps that nobody may touch. Every access is checked: a program reads what all may
read and what it owns, and writes only the latter, so that the order of programs
does not matter. `Invalid` says that a kernel breaks this.
"""

import ml_dtypes
import numpy as np

from . import exact
from .ir import Assign, Const, For, If, Invalid, While, dim_size
from .ops import OPS
from .ops_more import atomic_step, check_unique

GAP = 128
MAX_STEPS = 20000  # statements in all programs of one launch
NOBODY, EVERYBODY, ATOMIC = -1, -2, -3


class Arena:
    """Layout and first contents of the memory of one launch."""

    def __init__(self, kernel, config):
        self.programs = int(np.prod(config.grid))
        self.starts, self.counts = [], []
        at = GAP
        for region in kernel.regions:
            parts = 1 if region.kind in ("in", "atomic") else self.programs
            count = config.sizes[region.part] * parts
            self.starts.append(at)
            self.counts.append(count)
            size = count * exact.DTYPES[region.dtype].itemsize
            at += -(-size // 64) * 64 + GAP
        self.bytes = np.full(at, 0x5A, np.uint8)
        self.owner = np.full(at, NOBODY, np.int32)
        for region, start, count in zip(kernel.regions, self.starts, self.counts):
            size = exact.DTYPES[region.dtype].itemsize
            values = contents(region, count)
            self.bytes[start:start + count * size] = values.view(np.uint8)
            owners = {"in": EVERYBODY, "atomic": ATOMIC}.get(region.kind)
            if owners is None:
                part = config.sizes[region.part] * size
                owners = np.repeat(np.arange(self.programs, dtype=np.int32), part)
            self.owner[start:start + count * size] = owners

    def address(self, pointer, kernel):
        size = exact.DTYPES[pointer.dtype].itemsize
        return self.starts[pointer.region] + pointer.shift * size



def contents(region, count):
    """First values of a region; NaNs of one kind only, since their bits are left open."""
    rng = np.random.default_rng(region.seed)
    dtype = exact.DTYPES[region.dtype]
    if region.dtype == "bool":
        return rng.integers(0, 2, count).astype(np.bool_)
    small = rng.integers(0 if dtype.kind == "u" else -8, 17, count)
    if region.fill == "small":
        return small.astype(dtype)
    if region.fill == "normal":
        return rng.standard_normal(count).astype(dtype)
    if exact.is_int(region.dtype):
        low, high = exact.int_range(region.dtype)
        corners = np.array([low, low + 1, high, high - 1, 0, 1, high // 2 + 1], dtype)
        wide = rng.integers(low, high, count, dtype=dtype, endpoint=True)
        return np.choose(rng.integers(0, 4, count),
                         [small.astype(dtype), wide, small.astype(dtype),
                          corners[rng.integers(0, corners.size, count)]])
    info = ml_dtypes.finfo(dtype)
    numbers = rng.standard_normal(count) * np.exp2(rng.integers(-6, 7, count))
    corners = np.array([0.0, -0.0, 1.0, float(info.max), float(info.tiny), np.nan, -1.5,
                        float(info.smallest_subnormal), np.inf, -np.inf])
    if region.fill == "finite":
        corners = corners[:5]
    with np.errstate(all="ignore"):
        mixed = np.choose(rng.integers(0, 8, count), [
            small, numbers, numbers, small, numbers, small + 0.5, numbers,
            corners[rng.integers(0, corners.size, count)]])
        return exact.cast(mixed.astype(np.float64), "float64", region.dtype)


class Return(Exception):
    pass


class LoopJump(Exception):
    def __init__(self, kind):
        self.kind = kind


class Machine:
    """One launch of a kernel."""

    def __init__(self, kernel, config):
        self.kernel, self.config = kernel, config
        self.types, self.sizes, self.grid = kernel.types, config.sizes, config.grid
        self.helpers = {h.name: h for h in kernel.helpers}
        self.arena = Arena(kernel, config)
        self.steps = 0

    def run(self):
        """Runs all programs; returns the arena."""
        padded = tuple(self.grid) + (1,) * (3 - len(self.grid))
        self.grid = padded
        g0, g1, _ = padded
        for self.index in range(self.arena.programs):
            self.program = (self.index % g0, self.index // g0 % g1, self.index // (g0 * g1))
            self.env = {}
            for pointer in self.kernel.pointers:
                self.env[pointer.name] = np.int64(self.arena.address(pointer, self.kernel))
            for name, value in self.config.scalars.items():
                self.env[name] = self.value(value, self.types[name].dtype)
            try:
                self.block(self.kernel.body)
            except Return:
                pass
        return self.arena

    # -- values ------------------------------------------------------------------

    def dim(self, dim):
        return dim_size(dim, self.sizes)

    def shape(self, type):
        return tuple(dim_size(d, self.sizes) for d in type.shape)

    def type_of(self, arg):
        return self.types[arg].dtype

    def value(self, arg, dtype=None):
        """An operand as an array; literals need the type that they adapt to."""
        if isinstance(arg, str):
            x = self.env[arg]
            source = self.types[arg].dtype
            return x if dtype is None or source == dtype else exact.cast(x, source, dtype)
        number = arg.value(self.sizes) if isinstance(arg, Const) else arg
        if dtype == "bool":
            return np.bool_(number)
        if exact.is_int(dtype):
            return exact.DTYPES[dtype].type(number)
        if dtype == "float64":
            return np.float64(number)
        return exact.round_to(np.float64(number), dtype)[()]

    # -- memory --------------------------------------------------------------------

    def _active(self, pointer, mask, value):
        shape = np.broadcast_shapes(pointer.shape, () if mask is None else mask.shape)
        pointer = np.broadcast_to(pointer, shape).ravel()
        mask = np.ones(pointer.shape, bool) if mask is None else np.broadcast_to(mask,
                                                                                shape).ravel()
        return shape, pointer, mask, np.broadcast_to(value, shape).ravel()

    def _check(self, addresses, size, owners):
        """Addresses that someone else may own, or that are nobody's, make a kernel invalid."""
        if not addresses.size:
            return
        if addresses.min() < 0 or addresses.max() + size > self.arena.owner.size:
            raise Invalid("address outside")
        if (addresses % size).any():
            raise Invalid("address not aligned")
        for byte in (addresses, addresses + (size - 1)):
            found = self.arena.owner[byte]
            if not np.isin(found, owners).all():
                raise Invalid("address of another owner")

    def load(self, pointer, mask, other, dtype):
        size = exact.DTYPES[dtype].itemsize
        shape, pointer, mask, result = self._active(pointer, mask, other)
        result = result.copy()
        self._check(pointer[mask], size, (EVERYBODY, self.index))
        cells = self.arena.bytes.view(np.uint8 if dtype == "bool" else
                                      exact.DTYPES[dtype])
        got = cells[pointer[mask] // size]
        result[mask] = got != 0 if dtype == "bool" else got
        return result.reshape(shape)[()] if not shape else result.reshape(shape)

    def store(self, pointer, value, mask, dtype):
        size = exact.DTYPES[dtype].itemsize
        shape, pointer, mask, value = self._active(pointer, mask, value)
        self._check(pointer[mask], size, (self.index, ))
        # The last of equal addresses stays.
        self.arena.bytes.view(exact.DTYPES[dtype])[pointer[mask] // size] = value[mask]

    def atomic(self, name, pointer, value, mask, dtype, compared=None):
        """Elements one after another; the old contents, 0 where the mask is false."""
        size = exact.DTYPES[dtype].itemsize
        shape, pointer, mask, value = self._active(pointer, mask, value)
        where = pointer[mask]
        self._check(where, size, (self.index, ATOMIC))
        if not (self.arena.owner[where] == ATOMIC).all() or name in ("xchg", "cas"):
            check_unique(where)
        cells = self.arena.bytes.view(exact.DTYPES[dtype])
        result = np.zeros(pointer.shape, exact.DTYPES[dtype])
        compared = None if compared is None else np.broadcast_to(compared, shape).ravel()
        with np.errstate(all="ignore"):
            for i in np.flatnonzero(mask):
                at = pointer[i] // size
                result[i] = cells[at]
                cells[at] = atomic_step(name, cells[at], value[i], dtype,
                                        None if compared is None else compared[i])
        return result.reshape(shape) if shape else result[0]

    # -- statements -------------------------------------------------------------------

    def call(self, helper, values):
        saved, self.env = self.env, dict(zip(helper.params, values))
        self.block(helper.body)
        results = tuple(self.value(r) for r in helper.results)
        self.env = saved
        return results

    def block(self, body):
        for statement in body:
            self.statement(statement)

    def statement(self, s):
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Invalid("runs too long")
        if isinstance(s, Assign):
            result = OPS[s.op].run(self, s)
            results = (result, ) if len(s.targets) == 1 else result
            for name, value in zip(s.targets, results) if s.targets else ():
                self.put(name, value, s)
        elif isinstance(s, For):
            bounds = [int(self.value(v, "int64")) for v in (s.start, s.stop, s.step)]
            if bounds[2] <= 0 and isinstance(s.step, str):
                return
            dtype = self.types[s.var].dtype
            for number in range(*bounds):
                self.env[s.var] = exact.DTYPES[dtype].type(number)
                if not self.trip(s.body):
                    break
        elif isinstance(s, While):
            dtype = self.types[s.left].dtype
            while exact.binary(s.relation, self.value(s.left), self.value(s.right, dtype), dtype):
                if not self.trip(s.body):
                    break
        elif isinstance(s, If):
            taken = (s.condition.value(self.sizes) if isinstance(s.condition, Const) else
                     self.value(s.condition, "bool"))
            self.block(s.then if taken else s.other)
        elif s.kind == "return":
            raise Return()
        else:
            raise LoopJump(s.kind)

    def put(self, name, value, statement):
        t = self.types[name]
        if t.dtype[:2] in ("*&", "*^"):  # a block pointer, a descriptor
            self.env[name] = value
            return
        if np.shape(value) != self.shape(t) or (t.dtype[0] != "*" and
                                                value.dtype != exact.DTYPES[t.dtype]):
            raise AssertionError(f"{name} should be {t}, is {value.dtype}{np.shape(value)} in "
                                 f"{statement}")
        self.env[name] = value

    def trip(self, body):
        """False after a break."""
        try:
            self.block(body)
        except LoopJump as jump:
            return jump.kind == "continue"
        return True


def interpret(kernel, config):
    return Machine(kernel, config).run()
