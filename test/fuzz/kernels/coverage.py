# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operations, types and features a kernel has, by name."""

from .ir import Assign, Const, For, If, Jump, While, all_statements, blocks_of


def features(kernel):
    found = set()
    types = kernel.types
    regions = [p.region for p in kernel.pointers]
    if len(set(regions)) < len(regions):
        found.add("memory:aliased")
    if any(p.shift for p in kernel.pointers):
        found.add("memory:overlapping slices")
    if any(p.dtype != kernel.regions[p.region].dtype for p in kernel.pointers):
        found.add("memory:seen as another type")
    found.add(f"grid:{len(kernel.configs[0].grid)}")
    found.add(f"launches:{len(kernel.configs)}")
    for config in kernel.configs:
        for name, value in config.scalars.items():
            found.add(f"argument:{kernel.scalars[name]}")
            if value in (1, 16) and not isinstance(value, bool):
                found.add(f"argument:{value}")
    _nested(kernel.body, 0, found)
    for statement in all_statements(kernel):
        _statement(statement, types, found)
    return found


def _nested(body, depth, found):
    for s in body:
        if isinstance(s, (For, While)):
            found.add(f"loops:{depth + 1}")
        if isinstance(s, Assign) and s.op == "store" and depth:
            found.add("store:nested")
        for block in blocks_of(s):
            _nested(block, depth + 1, found)


def _statement(s, types, found):
    if isinstance(s, For):
        found.add(f"for:{s.kind}")
        found.add("for:run-time bound" if isinstance(s.stop, str) else "for:constant bound")
        if any(isinstance(x, Assign) and x.op == "pointer_add" and x.targets[0] in x.args
               for x in s.body):
            found.add("for:carried pointers")
    elif isinstance(s, While):
        found.add("while")
    elif isinstance(s, If):
        found.add("if:constexpr" if isinstance(s.condition, Const) else "if:run-time")
        if s.other:
            found.add("if:else")
    elif isinstance(s, Jump):
        found.add(f"jump:{s.kind}")
    elif isinstance(s, Assign):
        detail = s.attrs.get("op") or s.attrs.get("kind") or s.attrs.get("name")
        found.add(f"op:{s.op}" + (f":{detail}" if detail else ""))
        for combiner in s.attrs.get("combiners", ()):
            found.add(f"combiner:{combiner}")
        for name in s.targets:
            found.add(f"type:{types[name].dtype}")
            found.add(f"rank:{len(types[name].shape)}")
        if s.op == "cast":
            found.add(f"cast:{types[s.args[0]].dtype}:{s.attrs['to']}")
            found.update(f"cast:{flag}" for flag in ("rtz", "bitcast") if s.attrs.get(flag))
        if s.op in ("load", "store"):
            dtype = types[s.args[0]].element
            found.add(f"{s.op}:{dtype}")
            if s.args[-1] is not None and s.op == "store":
                found.add("store:masked")
            if s.op == "load" and s.args[1] is not None:
                found.add("load:other" if s.args[2] is not None else "load:masked")
        if s.op == "binary" and s.targets:
            found.add(f"binary:{s.attrs['type']}")
