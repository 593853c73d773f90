# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Knobs until `tegula.knobs` is there: names of the groups, nothing that acts."""

import contextlib
import os

propagate_env = True


class _Knob:
    def __init__(self, key, default=None):
        self.key, self.default = key, default

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, group, owner=None):
        if group is None:
            return self
        return group.__dict__.get(self.name, os.environ.get(self.key, self.default))

    def __set__(self, group, value):
        group.__dict__[self.name] = value

    def __delete__(self, group):
        group.__dict__.pop(self.name, None)


class base_knobs:
    @property
    def knob_descriptors(self):
        return {n: k for n, k in vars(type(self)).items() if isinstance(k, _Knob)}

    @property
    def knobs(self):
        return {n: getattr(self, n) for n in self.knob_descriptors}

    def copy(self):
        made = type(self)()
        made.__dict__.update(self.__dict__)
        return made

    def reset(self):
        for name in self.knob_descriptors:
            delattr(self, name)
        return self

    @contextlib.contextmanager
    def scope(self):
        before = dict(self.__dict__)
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(before)


class cache_knobs(base_knobs):
    dir = _Knob("TRITON_CACHE_DIR", "/tmp/triton-cache")
    dump_dir = _Knob("TRITON_DUMP_DIR")
    override_dir = _Knob("TRITON_OVERRIDE_DIR")


class compilation_knobs(base_knobs):
    always_compile = _Knob("TRITON_ALWAYS_COMPILE", False)
    listener = None


class runtime_knobs(base_knobs):
    debug = _Knob("TRITON_DEBUG", False)
    interpret = _Knob("TRITON_INTERPRET", False)
    jit_cache_hook = None
    jit_post_compile_hook = None


class autotuning_knobs(base_knobs):
    print = _Knob("TRITON_PRINT_AUTOTUNING", False)
    cache = _Knob("TRITON_CACHE_AUTOTUNING", False)


class language_knobs(base_knobs):
    fp32_default = _Knob("TRITON_F32_DEFAULT")
    default_fp_fusion = _Knob("TRITON_DEFAULT_FP_FUSION", True)


build, cache, compilation = base_knobs(), cache_knobs(), compilation_knobs()
runtime, autotuning, language = runtime_knobs(), autotuning_knobs(), language_knobs()
nvidia, amd, proton, redis = (base_knobs() for _ in range(4))
