# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `import triton` finds.

A module of the folder `triton` beside this file where there is one, under its
name `triton.x.y`; else the module `tegula.x.y` itself, so that types and
functions are the same objects under both names.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import sys

from ..language import DType

# The version whose surface programs find.
VERSION = "3.6.0"

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "triton")


class _SameModule(importlib.abc.Loader):
    """Puts a module of ours under a second name."""

    def __init__(self, name):
        self._name = name

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        sys.modules[module.__name__] = importlib.import_module(self._name)


class _Distribution(importlib.metadata.Distribution):
    """What `importlib.metadata.version("triton")` asks."""

    def read_text(self, filename):
        if filename == "METADATA":
            return f"Metadata-Version: 2.1\nName: triton\nVersion: {VERSION}\n"
        return None

    def locate_file(self, path):
        return os.path.join(os.path.dirname(_FOLDER), path)


class _Finder(importlib.abc.MetaPathFinder):

    def find_spec(self, name, path=None, target=None):
        if name != "triton" and not name.startswith("triton."):
            return None
        parts = name.split(".")[1:]
        base = os.path.join(_FOLDER, *parts)
        package = os.path.join(base, "__init__.py")
        if os.path.isfile(package):
            return importlib.util.spec_from_file_location(
                name, package, submodule_search_locations=[base])
        if os.path.isfile(base + ".py"):
            return importlib.util.spec_from_file_location(name, base + ".py")
        ours = ".".join(["tegula", *parts])
        try:
            found = importlib.util.find_spec(ours)
        except ModuleNotFoundError:
            return None
        if found is None and ours == "tegula.knobs":
            ours = "tegula.as_triton._knobs"
            found = importlib.util.find_spec(ours)
        if found is None:
            return None
        spec = importlib.machinery.ModuleSpec(name, _SameModule(ours), origin=found.origin)
        if found.submodule_search_locations is not None:
            spec.submodule_search_locations = []
        return spec

    def find_distributions(self, context=importlib.metadata.DistributionFinder.Context()):
        if context.name == "triton":
            yield _Distribution()


_finder = _Finder()


def install():
    """Makes `import triton` find Tegula, also where Triton is installed.

    To be called ahead of the first `import triton` of the process; if it has
    been imported already, that is an error.
    """
    loaded = sys.modules.get("triton")
    if loaded is not None and getattr(loaded, "__spec__", None) is not None:
        if not str(loaded.__spec__.origin).startswith(_FOLDER):
            raise ImportError("tegula.as_triton.install: expected to be called ahead of the first "
                              f"'import triton', but {loaded.__file__} is imported already")
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    DType._tegula_module = "triton.language"  # what `repr` of a type evaluates to there


def uninstall():
    """Undoes `install` for imports to come, and forgets the modules."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    DType._tegula_module = "tegula.language"
    for name in [n for n in sys.modules if n == "triton" or n.startswith("triton.")]:
        del sys.modules[name]
