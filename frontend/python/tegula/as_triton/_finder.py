# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `import triton` finds.

A module of the folder `triton` beside this file where there is one, under its
name `triton.x.y`; else the module `tegula.x.y` itself, so that types and
functions are the same objects under both names. Any other name is an error that
says what there is.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import pkgutil
import sys

from .. import knobs
from ..language import DType
from . import _words

# The version whose surface programs find.
VERSION = "3.6.0"

_HERE = os.path.dirname(os.path.abspath(__file__))
_FOLDER = os.path.join(_HERE, "triton")


# Parts of Triton that have no counterpart, and what to do instead.
_NOT_HERE = {
    "triton._C": "Tegula has a compiler of its own, and none of Triton's extension modules or IR",
    "triton.experimental": "Gluon and other languages with explicit layouts are not part of "
                           "Tegula; its language is triton.language",
    "triton.backends": "Tegula's backends are plugins of its runtime (docs/architecture.md), "
                       "not Python modules",
    "triton.ops": "removed from Triton in version 3.0",
}


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
            found = None
        if found is None:
            return self._unknown(name)
        spec = importlib.machinery.ModuleSpec(name, _SameModule(ours), origin=found.origin)
        if found.submodule_search_locations is not None:
            spec.submodule_search_locations = []
        return spec

    @staticmethod
    def _unknown(name):
        """An error for an import; None for who only asks whether there is such a module."""
        asks = sys._getframe(3)  # behind this, find_spec and that of importlib
        if asks.f_code is importlib.util.find_spec.__code__:
            return None
        parent, _, last = name.rpartition(".")
        why = next((text for begin, text in _NOT_HERE.items()
                    if name == begin or name.startswith(begin + ".")), None)
        while asks is not None and asks.f_code.co_filename.startswith("<frozen importlib"):
            if asks.f_code.co_name == "_handle_fromlist":  # from parent import last
                why = why or "Tegula runs this program's Triton, and has no such name there"
                raise ImportError(f"cannot import name '{last}' from '{parent}': {why}", name=name)
            asks = asks.f_back
        why = why or (f"Tegula runs this program's Triton, and has in {parent}: "
                      f"{', '.join(submodules(parent)) or 'no modules'}")
        raise ModuleNotFoundError(f"no module '{name}': {why}", name=name)

    def find_distributions(self, context=importlib.metadata.DistributionFinder.Context()):
        if context.name == "triton":
            yield _Distribution()


def submodules(name):
    """Names that can be imported as `name.x`, for a `name` that begins with triton."""
    below = name.split(".")[1:]
    roots = (os.path.join(_FOLDER, *below), os.path.join(os.path.dirname(_HERE), *below))
    found = {module.name for module in pkgutil.iter_modules(roots)}
    return sorted(n for n in found if not n.startswith("_") and n != "as_triton")


_finder = _Finder()


def install(children=False):
    """Makes `import triton` find Tegula, also where Triton is installed.

    To be called ahead of the first `import triton` of the process; if it has
    been imported already, that is an error. children: for processes that this
    one starts, too (through PYTHONPATH); forked ones have it in any case.
    """
    loaded = sys.modules.get("triton")
    if loaded is not None and getattr(loaded, "__spec__", None) is not None:
        origin = str(loaded.__spec__.origin)
        if not origin.startswith((_FOLDER, path())):
            raise ImportError("tegula.as_triton.install: expected to be called ahead of the first "
                              f"'import triton', but {loaded.__file__} is imported already")
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    knobs.use_triton_names()
    _words.use()
    DType._tegula_module = "triton.language"  # what `repr` of a type evaluates to there
    if children:
        before = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        ours = [path(), os.path.dirname(os.path.dirname(_HERE))]
        os.environ["PYTHONPATH"] = os.pathsep.join(
            [*ours, *(folder for folder in before if folder and folder not in ours)])
        if path() not in sys.path:  # multiprocessing gives it to those that it spawns
            sys.path.insert(1, path())


def path():
    """A folder for PYTHONPATH, in which `import triton` finds what calls `install`."""
    return os.path.join(_HERE, "path")


def uninstall():
    """Undoes `install` for imports and processes to come, and forgets the modules."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    knobs.use_triton_names(False)
    _words.use(False)
    DType._tegula_module = "tegula.language"
    if path() in sys.path:
        sys.path.remove(path())
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if path() in folders:
        os.environ["PYTHONPATH"] = os.pathsep.join(f for f in folders if f != path())
    for name in [n for n in sys.modules if n == "triton" or n.startswith("triton.")]:
        del sys.modules[name]
