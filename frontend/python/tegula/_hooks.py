# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks of compiles and launches, which `knobs.runtime` holds."""

from dataclasses import dataclass

from . import _specialization as specialization
from . import _tegula, knobs


class LazyDict:
    """Facts of a launch that are put together only if a hook asks: `get()`."""

    def __init__(self, data):
        self.data = data
        self.extras = []

    def get(self):
        for function, args in self.extras:
            self.data = self.data | function(*args)
        self.extras = []
        return self.data

    def add(self, function, args):
        self.extras.append((function, args))


@dataclass(frozen=True)
class JitFunctionInfo:
    """Which kernel a hook is told about."""

    module: str
    name: str
    jit_function: object


def launch_metadata(handle, grid, values, stream=0):
    """What launch hooks get: name, function, stream, and what `launch_metadata` of jit adds."""
    facts = LazyDict({"name": handle.name, "function": handle.function, "stream": stream})
    function = handle.jit_function
    add = getattr(function, "launch_metadata", None)
    if add is not None:
        facts.add(add, (grid, handle.metadata, dict(zip(function.arg_names, values))))
    return facts


def _enter(handle, grid, values):
    knobs.runtime.launch_enter_hook(launch_metadata(handle, grid, values))


def _exit(handle, grid, values):
    knobs.runtime.launch_exit_hook(launch_metadata(handle, grid, values))


def register():
    """Tells the launcher which hooks there are; it looks at none otherwise."""
    runtime = knobs.runtime
    _tegula.set_launch_hooks(_enter if runtime.launch_enter_hook else None,
                             _exit if runtime.launch_exit_hook else None)


def _call(hook, function, specs, options, target, is_warmup, already_compiled):
    key = specialization.compile_key(specs, options, target)
    signature = specialization.signature_of(specs)
    shown = ", ".join(f"{name}: {text}" for name, text in signature.items())
    numbers = {"num_warps": 4, "num_stages": 3, "num_ctas": 1, **options}
    facts = ", ".join(f"{name}={numbers[name]}" for name in ("num_warps", "num_ctas", "num_stages"))
    return hook(
        key=key, repr=f"{function.name}[{facts}]({shown})",
        fn=JitFunctionInfo(function.module, function.name, function),
        compile={
            "signature": signature, "device": 0,
            "constants": specialization.constants_of(specs),
            "enable_fp_fusion": True, "launch_cooperative_grid": False, "extern_libs": (),
            **numbers,
            "configs": [specialization.attributes_of(specs)],
            "specialization_data": specialization.serialize(function, specs, options, target),
            "is_warmup": is_warmup, "key": key},
        is_manual_warmup=is_warmup, already_compiled=already_compiled)


def before_compile(function, specs, options, target, is_warmup):
    """Whether `jit_cache_hook` wants nothing compiled."""
    hook = knobs.runtime.jit_cache_hook
    return hook is not None and bool(
        _call(hook, function, specs, options, target, is_warmup, False))


def after_compile(function, specs, options, target, is_warmup):
    hook = knobs.runtime.jit_post_compile_hook
    if hook is not None:
        _call(hook, function, specs, options, target, is_warmup, True)


def compiled(handle, times, cache_hit):
    """Tells `compilation.listener` of a compile."""
    listener = knobs.compilation.listener
    if listener is not None:
        listener(src=handle.src, metadata=dict(handle.metadata), metadata_group={},
                 times=times, cache_hit=cache_hit)
