//===- PluginNames.h - What a compiler half registers ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of the load sequence that need MLIR. All code of the plugin runs where
// a crash costs only the step. Not thread-safe: the caller holds the lock of the
// backends.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_COMPILER_PLUGINNAMES_H
#define TEGULA_COMPILER_PLUGINNAMES_H

#include "tegula/Compiler/BackendCompiler.h"
#include "tegula/Runtime/PluginHost.h"
#include <set>
#include <string>

namespace tegula::compiler {

/// Step Identity.
bool checkIdentity(const tegula_plugin &plugin, runtime::PluginReport &report);

/// Step Names: compares the declared names with the registries and with those of
/// plugins that are registered.
bool checkNames(const tegula_plugin &plugin, runtime::PluginReport &report);

/// Step Registration: makes the backend, registers its dialects (on trial: they go
/// into the registry of each compile), its passes and pipelines, and compares them
/// with what was declared. Null when it is refused. `isThorough`: passes that were not
/// declared are looked for, which takes some milliseconds.
const BackendCompiler *registerBackend(const tegula_plugin &plugin, bool isThorough,
                                       runtime::PluginReport &report);

/// Whether any pass or pipeline of MLIR's or ours begins with the first word of `id`.
bool sharesPrefix(llvm::StringRef id);

/// Every pass that MLIR's registry has. Not cheap: makes one of each. Pipelines cannot
/// be listed; of two with one name the first stays.
std::set<std::string> registeredPasses();

} // namespace tegula::compiler

#endif // TEGULA_COMPILER_PLUGINNAMES_H
