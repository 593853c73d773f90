# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How lit runs the tests below test/.

Run `lit build/test`, or `lit test -Dbuild=build` from the top of the tree.
"""

import os

import lit.formats

config.name = "Tegula"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.suffixes = [".mlir", ".test", ".py"]
# `python` holds pytest files; `Inputs` is read by tests, `library` by kernels.
config.excludes = ["triton", "CMakeLists.txt", "Inputs", "bench", "conformance", "lit.cfg.py",
                   "lit.site.cfg.py", "python", "unit"]

build = getattr(config, "tegula_build", None) or lit_config.params.get("build")
if not build:
    build = os.path.join(os.path.dirname(config.test_source_root), "build")
build = os.path.abspath(build)
llvm_tools = getattr(config, "llvm_tools", None) or "/usr/lib/llvm-22/bin"
python = getattr(config, "python", None) or "python3"

config.test_exec_root = os.path.join(build, "test")
path = [os.path.join(build, "bin"), llvm_tools, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["PYTHONPATH"] = os.path.join(build, "python")
# A test that fails shows what FileCheck saw.
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=annotation --enable-var-scope"
# Not the user's cache; entries of other builds have other names.
config.environment["TEGULA_CACHE_DIR"] = os.path.join(build, "test", "cache")
config.environment["TEGULA_CACHE_LIMIT"] = "200M"
for name in ("TEGULA_PLUGIN_PATH", "TEGULA_CACHE_DIR", "LD_LIBRARY_PATH", "ASAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%python", python))
config.substitutions.append(("%build", build))

# Tools that are not built are a normal state: tests name what they need.
for tool in ("tegula-bench", "tegula-cache", "tegula-cts", "tegula-layout", "tegula-lsp-server",
             "tegula-opt", "tegula-plugin", "tegula-reduce", "tegula-run", "tegula-target",
             "tegulac"):
    if os.path.exists(os.path.join(build, "bin", tool)):
        config.available_features.add(tool)
if os.path.exists(os.path.join(build, "samples", "bin", "c-bundle")):
    config.available_features.add("samples")
if os.path.exists(os.path.join(build, "lib", "tegula", "fake", "libtegula-fake-rt.so")):
    config.available_features.add("fake-device")
for name in ("amd", "simt"):
    if os.path.exists(os.path.join(build, "lib", "tegula", name, f"libtegula-{name}.so")):
        config.available_features.add("plugin-" + name)
plugins = os.path.join(build, "lib", "tegula", "plugins")
if os.path.isdir(plugins):
    for name in os.listdir(plugins):
        if name.startswith("libtegula-") and name.endswith(".so"):
            config.available_features.add("plugin-" + name[len("libtegula-") : -len(".so")])
