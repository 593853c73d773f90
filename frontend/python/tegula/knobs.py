# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings, in groups: `knobs.cache.dir`, `knobs.runtime.debug`, ...

A knob is an attribute that follows an environment variable until Python assigns
to it. What Python assigns is written to the variable too, for the compiler and
for child processes, unless `propagate_env` is False. `del group.knob`, or
assigning `knobs.env`, makes it follow the variable again, which then is as it
was. A wrong value is a `KnobError`, when it is assigned or read.

    with knobs.cache.scope():           # all of the group as before afterwards
        knobs.cache.dir = "/tmp/fresh"

Attributes of threads are shared; hooks are called in the thread that launches.
"""

import contextlib
import difflib
import os

from ._hook_chain import CompileTimes, HookChain
from ._knob_types import (Env, NvidiaTool, env_base, env_bool, env_choice, env_class, env_flag,
                          env_int, env_list, env_nvidia_tool, env_opt_bool, env_opt_str, env_size,
                          env_str, env_str_callable_default)
from ._knob_variables import getenv, publish, published, setenv, triton_name, written
from .errors import KnobError

env = Env()

# Whether assigning to a knob writes its environment variable.
propagate_env = True

# Whether TRITON_* variables count where the TEGULA_* one is not set, and defaults
# are Triton's. `tegula.as_triton` turns it on.
understands_triton = False


def use_triton_names(on=True):
    """Has TRITON_* variables understood, too."""
    global understands_triton
    understands_triton = on


def _group_of(cls):
    return cls.__name__.removesuffix("_knobs")


class base_knobs:
    """A group of knobs."""

    def __setattr__(self, name, value):
        if not hasattr(type(self), name):
            raise self._unknown(name)
        known = vars(type(self)).get(name)
        if isinstance(known, HookChain):
            self._check_hook(name, value, "a HookChain; add(fn) adds to the one there is",
                             isinstance(value, HookChain))
            value._changed = known._changed
        elif name.endswith(("hook", "listener")):
            self._check_hook(name, value, "a function or None", value is None or callable(value))
        super().__setattr__(name, value)
        if isinstance(known, HookChain):
            known._tell()

    def _check_hook(self, name, value, expected, is_right):
        if not is_right:
            raise KnobError(f"knob '{_group_of(type(self))}.{name}': expected {expected}, got "
                            f"{type(value).__name__}", id="invalid-knob")

    def __delattr__(self, name):
        if not hasattr(type(self), name):
            raise self._unknown(name)
        known = vars(type(self)).get(name)
        if isinstance(known, env_base):
            known.__delete__(self)
        else:
            self.__dict__.pop(name, None)
        if isinstance(known, HookChain):
            known._tell()

    def __getattr__(self, name):
        raise self._unknown(name)

    def _unknown(self, name):
        group = _group_of(type(self))
        known = [n for n in dir(type(self)) if not n.startswith("_")]
        near = difflib.get_close_matches(name, known, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        return UnknownKnob(f"expected a knob of '{group}', got '{name}'{hint}", id="unknown-knob")

    @property
    def knob_descriptors(self):
        """Name -> descriptor, which has the variable as `key`."""
        found = {}
        for cls in reversed(type(self).__mro__):
            found.update((n, k) for n, k in vars(cls).items() if isinstance(k, env_base))
        return found

    @property
    def knobs(self):
        """Name -> value."""
        return {name: getattr(self, name) for name in self.knob_descriptors}

    def copy(self):
        """A group of the same settings, independent but for the environment."""
        made = type(self)()
        made.__dict__.update(self.__dict__)
        return made

    def reset(self):
        """Makes all knobs follow their variables again."""
        for name in self.knob_descriptors:
            delattr(self, name)
        return self

    @contextlib.contextmanager
    def scope(self):
        """For the time of a `with`: what is set inside is undone, in the environment too."""
        names = [n for knob in self.knob_descriptors.values()
                 for n in (knob.key, triton_name(knob.key)) if n]
        variables = {name: os.environ.get(name) for name in names}
        by_knobs = {name: written.get(name) for name in names}
        before = dict(self.__dict__)
        chains = [(chain, chain.calls) for chain in (*vars(type(self)).values(), *before.values())
                  if isinstance(chain, HookChain)]
        try:
            yield self
        finally:
            self.__dict__.clear()
            self.__dict__.update(before)
            for chain, calls in chains:
                chain.calls = calls
                chain._tell()
            for name, text in variables.items():
                published.pop(name, None)
                if text is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = text
                if by_knobs[name] is None:
                    written.pop(name, None)
                else:
                    written[name] = by_knobs[name]
            for knob in self.knob_descriptors.values():
                knob._tell()


class UnknownKnob(KnobError, AttributeError):
    """There is no knob of that name in the group."""


def _launch_hooks_changed():
    from ._hooks import register

    register()


def _folder(name):
    """Where things are kept: a folder of Triton's, or of ours."""
    if understands_triton:
        return os.path.join(cache.home_dir, ".triton", name)
    base = os.path.join(os.environ.get("XDG_CACHE_HOME") or
                        os.path.join(cache.home_dir, ".cache"), "tegula")
    return base if name == "cache" else os.path.join(base, name)


class build_knobs(base_knobs):
    """Building code of the host; Tegula builds none while it runs."""

    cc = env_opt_str("CC")
    cudacrt_path = env_opt_str("TEGULA_CUDACRT_PATH")
    cudart_path = env_opt_str("TEGULA_CUDART_PATH")
    impl = None

    @property
    def backend_dirs(self):
        return {path for path in (self.cudacrt_path, self.cudart_path) if path is not None}


class redis_knobs(base_knobs):
    """A store that programs may have; the disk cache is Tegula's own."""

    key_format = env_str("TEGULA_REDIS_KEY_FORMAT", "tegula:{key}:{filename}")
    host = env_str("TEGULA_REDIS_HOST", "localhost")
    port = env_int("TEGULA_REDIS_PORT", 6379)


class cache_knobs(base_knobs):
    """The cache of compiled kernels on disk."""

    mode = env_choice("TEGULA_CACHE", ("on", "off", "read-only"), "on")
    limit = env_size("TEGULA_CACHE_LIMIT", 2 << 30)
    home_dir = env_str("TEGULA_HOME", lambda: os.path.expanduser("~/"))
    dir = env_str_callable_default("TEGULA_CACHE_DIR", lambda: _folder("cache"))
    dump_dir = env_str_callable_default("TEGULA_DUMP_DIR", lambda: _folder("dump"))
    override_dir = env_str_callable_default("TEGULA_OVERRIDE_DIR", lambda: _folder("override"))
    manager_class = env_class("TEGULA_CACHE_MANAGER", "CacheManager")
    remote_manager_class = env_class("TEGULA_REMOTE_CACHE_BACKEND", "RemoteCacheBackend")


class compilation_knobs(base_knobs):
    """Compiling."""

    keep = env_list("TEGULA_KEEP")
    always_compile = env_bool("TEGULA_ALWAYS_COMPILE")
    # Whether a global variable whose value has changed is an error, not a reason to compile again.
    changed_globals_are_errors = env_bool("TEGULA_CHANGED_GLOBALS_ARE_ERRORS",
                                          lambda: understands_triton)
    override = env_bool("TEGULA_KERNEL_OVERRIDE")
    dump_ir = env_bool("TEGULA_KERNEL_DUMP")
    dump_ir_extract_di_local_variables = env_bool("LLVM_EXTRACT_DI_LOCAL_VARIABLES")
    store_binary_only = env_bool("TEGULA_STORE_BINARY_ONLY")
    use_ir_loc = env_opt_str("USE_IR_LOC")
    enable_asan = env_bool("TEGULA_ENABLE_ASAN")
    disable_line_info = env_bool("TEGULA_DISABLE_LINE_INFO")
    front_end_debugging = env_bool("TEGULA_FRONT_END_DEBUGGING")
    # Whether kernels may read numbers, strings and tuples of their module as constants.
    allow_non_constexpr_globals = env_bool("TEGULA_ALLOW_NON_CONSTEXPR_GLOBALS",
                                           lambda: not understands_triton)
    instrumentation_mode = env_str("TEGULA_INSTRUMENTATION_MODE", "")
    # listener(src=, metadata=, metadata_group=, times=CompileTimes, cache_hit=) after each compile
    listener = None


class autotuning_knobs(base_knobs):
    """Tuning."""

    cache = env_bool("TEGULA_AUTOTUNE_CACHE", lambda: not understands_triton)
    print = env_bool("TEGULA_PRINT_AUTOTUNING")
    listener = None


class runtime_knobs(base_knobs):
    """Launching; the hooks are documented in docs/host.md."""

    target = env_opt_str("TEGULA_TARGET")
    plugin_path = env_list("TEGULA_PLUGIN_PATH", os.pathsep)
    log = env_list("TEGULA_LOG")
    debug = env_flag("TEGULA_DEBUG")
    gpu_faults = env_bool("TEGULA_GPU_FAULTS")
    interpret = env_bool("TEGULA_INTERPRET")
    override_arch = env_opt_str("TEGULA_OVERRIDE_ARCH")

    launch_enter_hook = HookChain(changed=_launch_hooks_changed)
    launch_exit_hook = HookChain(reversed=True, changed=_launch_hooks_changed)
    kernel_load_start_hook = HookChain()
    kernel_load_end_hook = HookChain(reversed=True)
    kernel_unload_hook = HookChain()
    jit_cache_hook = None
    jit_post_compile_hook = None
    add_stages_inspection_hook = None


class language_knobs(base_knobs):
    """Defaults of the language."""

    fp32_default = env_opt_str("TEGULA_F32_DEFAULT")
    default_fp_fusion = env_bool("TEGULA_DEFAULT_FP_FUSION", True)


class nvidia_knobs(base_knobs):
    """Settings of another compiler for NVIDIA's devices: accepted, without effect."""

    cuobjdump = env_nvidia_tool("cuobjdump")
    nvdisasm = env_nvidia_tool("nvdisasm")
    ptxas = env_nvidia_tool("ptxas")
    ptxas_blackwell = env_nvidia_tool("ptxas-blackwell")
    dump_nvptx = env_bool("NVPTX_ENABLE_DUMP")
    disable_ptxas_opt = env_bool("DISABLE_PTXAS_OPT")
    ptxas_options = env_opt_str("PTXAS_OPTIONS")
    mock_ptx_version = env_opt_str("TEGULA_MOCK_PTX_VERSION")
    dump_ptxas_log = env_bool("TEGULA_DUMP_PTXAS_LOG")
    libdevice_path = env_opt_str("TEGULA_LIBDEVICE_PATH")
    libcuda_path = env_opt_str("TEGULA_LIBCUDA_PATH")


class amd_knobs(base_knobs):
    """Settings of another compiler for AMD's devices: accepted, without effect."""

    use_buffer_ops = env_bool("AMDGCN_USE_BUFFER_OPS", True)
    use_buffer_atomics = env_bool("AMDGCN_USE_BUFFER_ATOMICS", True)
    buffer_ops_analyze_small_tensor_range = env_bool("AMDGCN_ANALYZE_SMALL_TENSOR_RANGE")
    dump_amdgcn = env_bool("AMDGCN_ENABLE_DUMP")
    libhip_path = env_opt_str("TEGULA_LIBHIP_PATH")
    use_block_pingpong = env_opt_bool("TEGULA_HIP_USE_BLOCK_PINGPONG")
    use_in_thread_transpose = env_opt_bool("TEGULA_HIP_USE_IN_THREAD_TRANSPOSE")
    use_async_copy = env_bool("TEGULA_HIP_USE_ASYNC_COPY")
    scalarize_packed_fops = env_bool("AMDGCN_SCALARIZE_PACKED_FOPS")


class proton_knobs(base_knobs):
    """Settings of a profiler: accepted, without effect."""

    disable = env_bool("TEGULA_PROTON_DISABLE")
    cupti_lib_dir = env_opt_str("TEGULA_CUPTI_LIB_PATH")
    enable_nvtx = env_bool("TEGULA_ENABLE_NVTX", True)


build, redis, cache = build_knobs(), redis_knobs(), cache_knobs()
compilation, autotuning, runtime = compilation_knobs(), autotuning_knobs(), runtime_knobs()
language, nvidia, amd, proton = language_knobs(), nvidia_knobs(), amd_knobs(), proton_knobs()


def publish_settings():
    """Writes settings made in other ways to the variables that the compiler reads."""
    if understands_triton or getenv("TEGULA_HOME") is not None:
        publish("TEGULA_CACHE_DIR", os.fspath(cache.dir))
        if compilation.always_compile:
            publish("TEGULA_ALWAYS_COMPILE", "1")


def refresh_knobs():
    """Nothing to do: knobs read their variables whenever they are asked."""


__all__ = ["CompileTimes", "HookChain", "KnobError", "NvidiaTool", "amd", "autotuning",
           "base_knobs", "build", "cache", "compilation", "env", "env_base", "env_bool",
           "env_choice", "env_class", "env_flag", "env_int", "env_list", "env_nvidia_tool",
           "env_opt_bool", "env_opt_str", "env_size", "env_str", "env_str_callable_default",
           "getenv", "language", "nvidia", "propagate_env", "proton", "redis", "refresh_knobs",
           "runtime", "setenv", "use_triton_names"]
