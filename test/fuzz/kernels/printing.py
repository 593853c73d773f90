# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source text of a generated kernel."""

from .ir import Assign, Const, For, If, Jump, While, all_statements
from .ops import OPS
from .ops_tiles import combiner_text


def operand(value):
    if isinstance(value, Const):
        return value.text if value.text.isidentifier() else f"({value.text})"
    if isinstance(value, str) or value is None:
        return str(value)
    if isinstance(value, float):
        text = repr(value)
        text = f'float("{text}")' if text[-1] in "fn" else text
        return f"({text})" if text[0] == "-" else text
    return f"({value})" if not isinstance(value, bool) and value < 0 else str(value)


def _lines(body, kernel, indent):
    pad = "    " * indent
    if not body:
        yield f"{pad}pass"
    for statement in body:
        if isinstance(statement, Assign):
            text = OPS[statement.op].text(kernel, statement, [operand(a) for a in statement.args])
            if statement.targets:
                text = f"{', '.join(statement.targets)} = {text}"
            yield pad + text
        elif isinstance(statement, For):
            bounds = [operand(v) for v in (statement.start, statement.stop, statement.step)]
            if statement.step == 1:
                bounds = bounds[:2]
            kind, _, option = statement.kind.partition("|")
            bounds += [option] if option else []
            yield f"{pad}for {statement.var} in {kind}({', '.join(bounds)}):"
            yield from _lines(statement.body, kernel, indent + 1)
        elif isinstance(statement, While):
            yield (f"{pad}while {operand(statement.left)} {statement.relation} "
                   f"{operand(statement.right)}:")
            yield from _lines(statement.body, kernel, indent + 1)
        elif isinstance(statement, If):
            yield f"{pad}if {operand(statement.condition)}:"
            yield from _lines(statement.then, kernel, indent + 1)
            if statement.other:
                yield f"{pad}else:"
                yield from _lines(statement.other, kernel, indent + 1)
        elif isinstance(statement, Jump):
            yield pad + statement.kind


def constants(kernel):
    """Names of the constexpr parameters, in order."""
    return list(kernel.configs[0].sizes)


def kernel_text(kernel):
    lines = ["import tegula", "import tegula.language as tl", ""]
    combiners = {tuple(s.attrs["combiners"]) for s in all_statements(kernel)
                 if isinstance(s, Assign) and "combiners" in s.attrs}
    for names in sorted(combiners):
        lines += ["", *combiner_text(names), ""]
    typed = [f"{name}: tl.constexpr" for name in constants(kernel)]
    for helper in kernel.helpers:
        lines += ["", "@tegula.jit", f"def {helper.name}({', '.join(helper.params + typed)}):"]
        lines += _lines(helper.body, kernel, 1)
        lines += [f"    return {', '.join(operand(r) for r in helper.results)}", ""]
    params = [p.name for p in kernel.pointers] + list(kernel.scalars)
    params += typed
    lines += ["", "@tegula.jit", f"def kernel({', '.join(params)}):"]
    lines += _lines(kernel.body, kernel, 1)
    return "\n".join(lines) + "\n"
