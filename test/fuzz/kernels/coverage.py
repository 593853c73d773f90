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
        found.update(f"for:{part}" for part in s.kind.split("|"))
        found.add("for:step" if s.step != 1 else "for:no step")
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


def _names(prefix, text):
    return [f"{prefix}:{name}" for name in text.split()]


# What must occur among some hundred seeds.
WANTED = [
    *_names("type", "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 "
            "float32 float64 float8e4nv float8e5 float8e4b8 float8e5b16"),
    *_names("load", "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 "
            "float32 float64 float8e4nv float8e5 float8e4b8 float8e5b16 masked other"),
    *_names("store", "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 "
            "float32 float64 float8e4nv float8e5 float8e4b8 float8e5b16 masked nested"),
    *_names("binary", "bool int8 int16 int32 int64 uint8 uint32 uint64 float16 bfloat16 float32 "
            "float64 float8e4nv float8e5"),
    *_names("op:binary", "+ - * / // % & | ^ << >> < <= > >= == !="),
    *_names("op:unary", "- ~ abs floor ceil sqrt"),
    *_names("op:math", "fma umulhi fdiv div_rn cdiv"),
    *_names("op:min_max", "maximum minimum clamp"),
    *_names("op:logic", "and or logical_and logical_or"),
    *_names("op:reduce", "sum max min argmax argmin max_index min_index xor_sum reduce_or"),
    *_names("op:approximate", "exp exp2 log sin cos erf sigmoid"),
    *_names("op:scan", "cumsum cumprod"),
    *_names("op:sort", "sort argsort topk"),
    *_names("op:joining", "join interleave cat flip"),
    *_names("op:atomic", "add max min and or xor xchg cas"),
    *_names("op", "arange full copy cast where ternary expand broadcast_to reshape permute "
            "pointer_add pointer_sub reduce_with scan_with histogram split gather subscript dot "
            "call assert_type make_block advance block_load block_store load store"),
    *_names("combiner", "mul add and or xor max min last compose"),
    *_names("cast", "rtz bitcast int32:bool bool:int32 int32:float32 float32:int32 int32:int64 "
            "int64:int32 int32:int8 float32:bfloat16 float16:float32 int32:float16 int64:float32 "
            "float64:float32 float32:bool int8:int32 uint8:int32 int32:uint8 bfloat16:int32"),
    *_names("for", "range tl.range tl.static_range carried_pointers run-time_bound "
            "constant_bound step num_stages=2 loop_unroll_factor=4 flatten=True"),
    *_names("if", "run-time constexpr else"),
    *_names("jump", "break continue return"),
    *_names("loops", "1 2"),
    *_names("rank", "0 1 2 3 4"),
    *_names("grid", "1 2 3"),
    *_names("launches", "1 2"),
    *_names("argument", "1 16 int32 int64 float32 bool"),
    *_names("memory", "aliased overlapping_slices seen_as_another_type"),
    "while",
]


def missing(found):
    return [name for name in WANTED if name not in found and name.replace("_", " ") not in found]
