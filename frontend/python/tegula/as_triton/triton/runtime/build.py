# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extension modules in C, built when a program runs."""

import functools
import hashlib
import importlib.util
import logging
import os
import platform
import re
import shutil
import subprocess
import sysconfig
import tempfile

from tegula import knobs

from .cache import get_cache_manager

__all__ = ["compile_module_from_src", "platform_key"]


@functools.lru_cache
def platform_key():
    """Text that differs between machines that cannot share a built module."""
    return ",".join((platform.machine(), platform.system(), *platform.architecture()))


def _compiler():
    found = os.environ.get("CC")
    for name in ("cc", "gcc", "clang"):
        found = found or shutil.which(name)
    if found is None:
        raise RuntimeError("expected a C compiler on the PATH, got none; set CC")
    return found


def _library_flag(name):
    is_file = re.search(r"\.(a|so[.\d]*)$", name)
    return f"-l:{name}" if is_file else f"-l{name}"


def _build(name, src, srcdir, library_dirs, include_dirs, libraries, ccflags=()):
    """Compiles the file `src` to a module in the folder `srcdir`; returns its path."""
    if knobs.build.impl:
        return knobs.build.impl(name, src, srcdir, library_dirs, include_dirs, libraries)
    made = os.path.join(srcdir, name + sysconfig.get_config_var("EXT_SUFFIX"))
    headers = [*include_dirs, srcdir, sysconfig.get_path("include")]
    subprocess.check_call(
        [_compiler(), src, "-O3", "-shared", "-fPIC", "-o", made,
         *map(_library_flag, libraries), *(f"-L{folder}" for folder in library_dirs),
         *(f"-I{folder}" for folder in headers if folder), *ccflags], stdout=subprocess.DEVNULL)
    return made


def _load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_module_from_src(src, name, library_dirs=None, include_dirs=None, libraries=None,
                            ccflags=None):
    """The module `name` of a text in C, from the cache if it was built before."""
    file = name + sysconfig.get_config_var("EXT_SUFFIX")
    cache = get_cache_manager(hashlib.sha256((src + platform_key()).encode()).hexdigest())
    path = cache.get_file(file)
    if path is not None:
        try:
            return _load(name, path)
        except (ImportError, RuntimeError) as error:
            logging.getLogger(__name__).warning("%s: cannot load, built anew: %s", path, error)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, name + ".c")
        with open(source, "w") as text:
            text.write(src)
        made = _build(name, source, folder, library_dirs or [], include_dirs or [],
                      libraries or [], ccflags or [])
        with open(made, "rb") as data:
            path = cache.put(data.read(), file)
    return _load(name, path)
