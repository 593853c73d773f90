# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels: their stages, their metadata, and launching them again."""

import hashlib
import json
import os
import threading

from . import knobs
from ._fixed_launch import FixedLaunch
from .runtime import _device
from .runtime.driver import target_of

STAGES = ("tile", "lowered", "llvm", "asm", "object")


class Metadata(dict):
    """Facts of a compiled kernel, as attributes and as items."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"metadata: expected one of {', '.join(self)}, got '{name}'"
                                 ) from None

    def _asdict(self):
        return dict(self)


class Stages:
    """Stages of a kernel under any name that they have: text, or bytes of the object.

    A stage that was not kept is made by compiling again.
    """

    def __init__(self, artifact, remake=None):
        self._artifact = artifact
        self._remake = remake
        self._all = None

    def __reduce__(self):
        return Stages, (self._artifact,)  # where it is not compiled, nothing can be again

    def _stage(self, name):
        try:
            data = self._artifact.stage(name)
        except TypeError:
            return None  # no name
        if data is None and self._remake and _stage_name(name) in STAGES:
            if self._all is None:
                made = self._remake()
                if made.stage("object") != self._artifact.stage("object"):
                    raise KeyError(
                        f"stage '{name}' was not kept, and the kernel has changed since; set "
                        "TEGULA_KEEP=all before it is compiled")
                self._all = made
            data = self._all.stage(name)
        return data

    def __getitem__(self, name):
        data = self._stage(name)
        if data is None:
            raise KeyError(f"expected a stage ({', '.join(STAGES)}, or Triton's name for one), got "
                           f"{name!r}")
        return data

    def get(self, name, default=None):
        data = self._stage(name)
        return default if data is None else data

    def __contains__(self, name):
        return isinstance(name, str) and _stage_name(name) in self.keys()

    def keys(self):
        if self._remake:
            return list(STAGES)
        return [name for name in STAGES if self._artifact.stage(name) is not None]

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def values(self):
        return [self[name] for name in self.keys()]

    def items(self):
        return [(name, self[name]) for name in self.keys()]


_ALIASES = {"ttir": "tile", "ttgir": "lowered", "llir": "llvm", "ptx": "asm", "amdgcn": "asm",
            "cubin": "object", "hsaco": "object", "elf-so": "object"}


def _stage_name(name):
    return _ALIASES.get(name, name)


def artifact_key(artifact):
    """Hex digits that name what was compiled."""
    text = artifact.key()
    if not text:
        digest = hashlib.sha256(artifact.stage("object") or b"")
        digest.update(artifact.manifest().encode())
        text = digest.hexdigest()
    return text


class _Loaded:
    """What a process has of a kernel beside its code in bytes; a copy begins with nothing."""

    def __init__(self):
        self.kernel = None
        self.elsewhere = {}  # device -> the loaded code, for other devices than the kernel's own
        self.info = None
        self.lock = threading.Lock()
        self.fixed = None

    def __reduce__(self):
        return _Loaded, ()


class CompiledKernel:
    """One kernel compiled for one set of argument facts.

    asm: dict-like, by stage name (`tile`, `lowered`, `llvm`, `asm`, `object`) or alias;
    metadata: facts of the compile and the manifest, as attributes and items; hash:
    hex digits that name the result; function: the loaded code, once it is loaded;
    src: what was compiled, as for `tegula.compile`. `compiled[grid](*args)` launches.

    All that it holds can be pickled, if its function can (see JITFunction), also by
    those that make an object without __init__ and hand over the attributes: what
    must not be replaced so is a property.
    """

    def __init__(self, jit_function, artifact, *, src=None, specs=None, options=None, target=None,
                 remake=None, name=None, device=_device.HOST):
        self.jit_function = jit_function
        self.device = device  # (kind, ordinal), or None if it is for none of this machine
        self.specs, self.options, self.target = specs, options or {}, target
        self._artifact = artifact
        self._loaded = _Loaded()
        self._launch_options = {}
        self.src = src
        self.asm = Stages(artifact, remake)
        self.hash = artifact_key(artifact)
        self.metadata_group = {}
        self._metadata = self._read_metadata(name)
        self.name = self._metadata["name"]

    def _read_metadata(self, name):
        manifest = json.loads(self._artifact.manifest())
        facts = Metadata(manifest)
        facts["entry"] = manifest.get("name")
        facts["name"] = name or manifest.get("name")
        facts["hash"] = self.hash
        facts["shared"] = manifest.get("shared_bytes", manifest.get("scratch_bytes", 0))
        facts["target"] = target_of(manifest.get("backend", "cpu"), manifest.get("arch", ""))
        facts["warp_size"] = facts["target"].warp_size
        for key, default in (("num_warps", 4), ("num_stages", 3), ("num_ctas", 1)):
            facts.setdefault(key, default)
        for key, default in (("debug", False), ("sanitize_overflow", False),
                             ("enable_fp_fusion", True)):
            facts[key] = self.options.get(key, default)
        facts.update(cluster_dims=(1, 1, 1), maxnreg=None, launch_cooperative_grid=False,
                     launch_pdl=False, tmem_size=0, global_scratch_size=0, extern_libs=())
        return facts

    @property
    def metadata(self):
        return self._metadata

    @property
    def slots(self):
        """(name, offset, code, access) of the run-time arguments in the packed block."""
        from ._launching import SLOT_CODES

        return [(arg["name"], arg["offset"],
                 "p" if arg["type"].startswith("*") else SLOT_CODES[arg["type"]],
                 arg.get("access", "")) for arg in self._metadata["args"]]

    @property
    def packed_metadata(self):
        return (self._metadata["num_warps"], self._metadata["num_ctas"], self._metadata["shared"])

    @property
    def n_max_threads(self):
        """Threads that a program may have; on the CPU how many programs run at the same time."""
        return self._loaded_facts().get("max_threads_per_block") or len(os.sched_getaffinity(0))

    @property
    def kernel(self):
        """Bytes of the object."""
        return self.asm["object"]

    @property
    def module(self):
        """The loaded code, or None before the first launch."""
        return self._loaded.kernel

    @property
    def function(self):
        return self._loaded.kernel

    def _load(self, device=None):
        """Loads the code if it is not loaded yet; called at the first launch."""
        if device is not None and self.device is not None and tuple(device) != self.device:
            with self._loaded.lock:
                if device not in self._loaded.elsewhere:
                    self._loaded.elsewhere[device] = self._artifact.load(*device)
                return self._loaded.elsewhere[device]
        if self._loaded.kernel is None:
            device = device or self.device or _device.of_target(self.target)
            with self._loaded.lock:
                if self._loaded.kernel is None:
                    runtime = knobs.runtime
                    facts = (self.name, self.metadata_group, self.hash)
                    runtime.kernel_load_start_hook(None, None, *facts)
                    kernel = self._artifact.load(*device)
                    runtime.kernel_load_end_hook(kernel, kernel, *facts)
                    self._loaded.kernel = kernel
                    self.device = tuple(device)
        return self._loaded.kernel

    def _loaded_facts(self):
        """What loading has revealed; nothing for the processors, whose registers are no limit."""
        if self._loaded.info is None:
            backend = self._metadata.get("backend", "cpu")
            self._loaded.info = {} if backend == "cpu" else self._load().info()
        return self._loaded.info

    @property
    def n_regs(self):
        """Registers of a thread; 0 on the CPU."""
        return self._loaded_facts().get("registers", 0)

    @property
    def n_spills(self):
        """Registers of a thread that lie in memory; 0 on the CPU."""
        facts = self._loaded_facts()
        return (facts.get("spill_bytes") or facts.get("local_bytes", 0)) // 4

    def load_if_new(self):
        """Loads the code unless it came from the cache or a hook, which is the launching
        thread's affair, wants to see that."""
        runtime = knobs.runtime
        if self.device is None:
            return  # for another machine
        if not (runtime.kernel_load_start_hook.calls or runtime.kernel_load_end_hook.calls
                or self._artifact.is_cached()):
            self._load()

    def _init_handles(self):
        self._load()

    def __del__(self):
        hooks = getattr(getattr(knobs, "runtime", None), "kernel_unload_hook", None)
        kernel = getattr(getattr(self, "_loaded", None), "kernel", None)
        if hooks and kernel is not None:
            hooks(kernel, kernel, self.name, self.metadata_group, self.hash)

    # -- launching ---------------------------------------------------------------

    def _launch_with(self, options):
        """Adds options, launch_cooperative_grid and launch_pdl, to all launches of `[grid]`."""
        self._launch_options = dict(options)
        self._metadata.update(options)

    def _fixed_launch(self):
        if self._loaded.fixed is None:
            self._loaded.fixed = FixedLaunch(self)
        return self._loaded.fixed

    def __getitem__(self, grid):
        """Launches this very kernel: arguments as those of the parameters that are no constants,
        or as those of all parameters, with equal constants."""
        launch = self._fixed_launch()

        def start(*args, stream=None, **kwargs):
            return launch(grid, args, kwargs if stream is None else {**kwargs, "stream": stream})

        return start

    @property
    def run(self):
        """Launches with what launch code of other compilers hands over; see `_run`."""
        return self._run

    def _run(self, grid_0, grid_1, grid_2, stream=None, function=None, packed_metadata=None,
            launch_metadata=None, launch_enter_hook=None, launch_exit_hook=None, *args):
        """stream, function, packed_metadata: as this kernel has them; `args` as for `[grid]`."""
        runtime = knobs.runtime  # whose hooks each launch calls by itself
        if launch_enter_hook not in (None, runtime.launch_enter_hook):
            launch_enter_hook(launch_metadata)
        self._fixed_launch()((grid_0, grid_1, grid_2), args, {"stream": stream})
        if launch_exit_hook not in (None, runtime.launch_exit_hook):
            launch_exit_hook(launch_metadata)

    def launch_metadata(self, grid, stream, *args):
        """What launch hooks are to get, or None without one."""
        from ._hooks import launch_metadata

        if not knobs.runtime.launch_enter_hook:
            return None
        return launch_metadata(self, grid, args, stream)

    def __repr__(self):
        return f"<tegula.CompiledKernel {self.name} for {self._metadata.get('backend')}>"
