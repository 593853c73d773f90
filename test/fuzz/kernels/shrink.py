# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing kernel small: fewer statements, loops, launches, smaller shapes."""

import functools
import re
import time

from .interpret import interpret
from .ir import Assign, For, If, Invalid, While, all_statements, blocks_of, operands, walk

# What is kept although nothing uses it.
EFFECTS = {"store", "assert_type", "atomic", "block_store", "call"}


def uses_of(kernel):
    """How often each variable is read."""
    count = {}
    for s in all_statements(kernel):
        for a in operands(s):
            if isinstance(a, str):
                count[a] = count.get(a, 0) + 1
    for helper in kernel.helpers:
        for r in helper.results:
            count[r] = count.get(r, 0) + 1
    return count


def drop_dead(kernel):
    """Removes computations that nothing uses, empty loops and branches, unused parameters."""
    changed = True
    while changed:
        changed = False
        count = uses_of(kernel)
        for body in [kernel.body] + [h.body for h in kernel.helpers]:
            for block in blocks(body):
                keep = [s for s in block if not is_dead(s, count)]
                if len(keep) < len(block):
                    block[:] = keep
                    changed = True
    called = {s.attrs.get("helper") for s in walk(kernel.body) if isinstance(s, Assign)}
    kernel.helpers = [h for h in kernel.helpers if h.name in called]
    count = uses_of(kernel)
    kernel.pointers = [p for p in kernel.pointers if p.name in count] or kernel.pointers[:1]
    for name in list(kernel.scalars):
        if name not in count:
            del kernel.scalars[name]
            for config in kernel.configs:
                del config.scalars[name]


def is_dead(s, count):
    if isinstance(s, Assign):
        return s.op not in EFFECTS and not any(t in count for t in s.targets)
    if isinstance(s, (For, While)):
        return not s.body
    return isinstance(s, If) and not s.then and not s.other


def blocks(body):
    yield body
    for s in body:
        for block in blocks_of(s):
            yield from blocks(block)


def places(kernel):
    """(number of the block, index) of every statement, the last first."""
    bodies = [kernel.body] + [h.body for h in kernel.helpers]
    found = [(b, i) for b, block in enumerate(block for body in bodies for block in blocks(body))
             for i in range(len(block))]
    return found[::-1]


def block_at(kernel, number):
    bodies = [kernel.body] + [h.body for h in kernel.helpers]
    return [block for body in bodies for block in blocks(body)][number]


def replace_name(kernel, old, new):
    def change(value):
        return new if isinstance(value, str) and value == old else value
    for s in all_statements(kernel):
        if isinstance(s, Assign):
            s.args = [change(a) for a in s.args]
        elif isinstance(s, For):
            s.start, s.stop, s.step = change(s.start), change(s.stop), change(s.step)
        elif isinstance(s, While):
            s.left, s.right = change(s.left), change(s.right)
        elif isinstance(s, If):
            s.condition = change(s.condition)


def simpler(kernel, place):
    """Kernels in which the statement at a place is gone or simpler."""
    number, index = place

    def changed(make):
        k = kernel.copy()
        block = block_at(k, number)
        if make(k, block, block[index]) is False:
            return None
        return k

    def remove(k, block, s):
        del block[index]

    def zero(k, block, s):
        if not isinstance(s, Assign) or len(s.targets) != 1 or s.op in ("full", "program_id"):
            return False
        t = k.types[s.targets[0]]
        if t.dtype[0] == "*" or (s.op == "copy" and not isinstance(s.args[0], str)):
            return False
        block[index] = Assign(s.targets, "full", [0 if t.dtype != "bool" else False], {"zeros": 1})

    def bypass(n):
        def make(k, block, s):
            if not isinstance(s, Assign) or len(s.targets) != 1 or len(s.args) <= n:
                return False
            arg, target = s.args[n], s.targets[0]
            if not isinstance(arg, str) or k.types[arg] != k.types[target] or arg == target:
                return False
            if sum(target in x.targets for x in all_statements(k) if isinstance(x, Assign)) > 1:
                return False
            del block[index]
            replace_name(k, target, arg)
        return make

    def hoist(side):
        def make(k, block, s):
            inner = blocks_of(s)
            if len(inner) <= side:
                return False
            first = [Assign([s.var], "copy", [s.start], {})] if isinstance(s, For) else []
            block[index:index + 1] = first + inner[side]
        return make

    def without(n):
        def make(k, block, s):
            ok = isinstance(s, Assign) and ((s.op == "load" and n in (1, 2)) or
                                            (s.op in ("store", "dot") and n == 2))
            if not ok or s.args[n] is None:
                return False
            s.args[n] = None
            if n == 1:
                s.args[2] = None
        return make

    def literal(n):
        def make(k, block, s):
            if not isinstance(s, Assign) or s.op not in ("binary", "where", "min_max"):
                return False
            if len(s.args) <= n or not isinstance(s.args[n], str):
                return False
            t = s.attrs["type"]
            others = [a for i, a in enumerate(s.args) if i != n and isinstance(a, str)]
            if not any(k.types[a].dtype == t and k.types[a].shape == k.types[s.targets[0]].shape
                       for a in others):
                return False
            s.args[n] = t != "bool" and 1
        return make

    def fewer_trips(k, block, s):
        if not isinstance(s, For) or (s.start, s.stop, s.step) == (0, 2, 1):
            return False
        s.start, s.stop, s.step = 0, 2, 1
    for make in (remove, hoist(0), hoist(1), zero, bypass(0), bypass(1), without(1), without(2),
                 literal(0), literal(1), fewer_trips):
        k = changed(make)
        if k is not None:
            yield k


def simpler_launches(kernel):
    for i in range(len(kernel.configs)):
        if len(kernel.configs) > 1:
            k = kernel.copy()
            k.configs = [k.configs[i]]
            yield k
    config = kernel.configs[0]
    if len(kernel.configs) > 1:
        return
    for grid in ((1, ), ) + tuple(config.grid[:i] + (1, ) + config.grid[i + 1:]
                                  for i in range(len(config.grid))):
        if grid != config.grid and (len(grid) == len(config.grid)):
            k = kernel.copy()
            k.configs[0].grid = grid
            yield k
    for name, size in config.sizes.items():
        for smaller in (1, size // 2):
            if 0 < smaller < size:
                k = kernel.copy()
                k.configs[0].sizes[name] = smaller
                yield k
    for name, value in config.scalars.items():
        for other in (1, 2, 3):
            if kernel.scalars[name] == "int32" and value not in range(0, other + 1):
                k = kernel.copy()
                k.configs[0].scalars[name] = other
                yield k
    for i, pointer in enumerate(kernel.pointers):
        if pointer.shift:
            k = kernel.copy()
            k.pointers[i].shift = 0
            yield k


def signature(failure):
    """What must stay the same while a failure shrinks."""
    found = re.findall(r"\[([a-z]+[-_][a-z_-]+|E\d+)\]", failure.text)
    return failure.kind, found[0] if failure.kind == "refused" and found else ""


def shrink(kernel, failure, check, seconds=90):
    """(small kernel, its failure); `check(kernel, arenas)` finds failures."""
    wanted = signature(failure)
    end = time.monotonic() + seconds

    def still_fails(k, clean=True):
        if clean:
            drop_dead(k)
        try:
            arenas = [interpret(k, config) for config in k.configs]
        except (Invalid, KeyError, AssertionError, ValueError, IndexError, TypeError):
            return None
        found = check(k, arenas)
        return found if found and signature(found) == wanted else None

    # What nothing uses may be what fails; then it is only removed piece by piece.
    if not still_fails(kernel.copy()):
        still_fails = functools.partial(still_fails, clean=False)
    best, last = kernel, failure
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for k in simpler_launches(best):
            found = still_fails(k)
            if found:
                best, last, changed = k, found, True
                break
        size = max(1, len(places(best)) // 3)
        while size >= 2 and time.monotonic() < end:  # whole runs of top-level statements
            at = len(best.body)
            while at > 0 and time.monotonic() < end:
                k = best.copy()
                del k.body[max(0, at - size):at]
                found = still_fails(k)
                if found:
                    best, last, changed = k, found, True
                at = min(at - size, len(best.body))
            size //= 2
        todo = places(best)
        while todo and time.monotonic() < end:
            place = todo.pop(0)
            for k in simpler(best, place):
                found = still_fails(k)
                if found:
                    best, last, changed = k, found, True
                    # Indices behind the place have changed at most.
                    known = set(places(best))
                    todo = [p for p in todo if p in known]
                    break
    return best, last
