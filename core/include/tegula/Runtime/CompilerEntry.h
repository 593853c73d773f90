//===- CompilerEntry.h - How the runtime reaches the compiler ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_COMPILERENTRY_H
#define TEGULA_RUNTIME_COMPILERENTRY_H

#include "tegula/tegula.h"

struct tegula_plugin;
namespace tegula::runtime {
struct PluginReport;
} // namespace tegula::runtime

/// libTegulaCompiler exports `tegula_compiler_entry`, a function returning this
/// table; libTegulaRuntime looks it up at the first compile. Both belong to one
/// release: `version` must equal tg_version().
struct tegula_compiler_entry_table {
  const char *version;
  tg_status *(*compile)(const tg_compile_request *request, tg_artifact **artifact);
  tg_status *(*preload)();
  tg_status *(*language)(const char **json);
  /// The checks of a compiler half that need MLIR: identity, names and, on demand,
  /// registration. `report` receives every outcome (tegula/Runtime/PluginHost.h).
  void (*check_plugin)(const tegula_plugin *plugin, bool registerIt,
                       tegula::runtime::PluginReport &report);
  /// Replaces `native` in a target by the processor it means.
  tg_status *(*freeze)(tg_target *target);
};

using tegula_compiler_entry_fn = const tegula_compiler_entry_table *(*)();

#endif // TEGULA_RUNTIME_COMPILERENTRY_H
