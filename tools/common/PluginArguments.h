//===- PluginArguments.h - Plugins on a command line -------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TOOLS_PLUGINARGUMENTS_H
#define TEGULA_TOOLS_PLUGINARGUMENTS_H

#include "MLIRReport.h"

#include "mlir/IR/DialectRegistry.h"
#include "tegula/Compiler/BackendCompiler.h"

#include <optional>
#include <string>
#include <vector>

namespace tegula::tools {

/// What tools on MLIR know besides their own: plugins are loaded before options are
/// parsed, so that each pass of a plugin has its flag.
struct PluginArguments {
  bool discover = true;           ///< unless --no-plugins
  std::vector<std::string> paths; ///< --plugin PATH, each
};

/// What to say of the options below in a help text.
extern const char *const pluginOptionsHelp;

/// Takes --plugin PATH, --no-plugins and --plugin-abi=strict|warn out of the command
/// line, which keeps the rest. Nullopt after a usage error.
std::optional<PluginArguments> takePluginArguments(int &argc, char **argv, Report &report);

/// Registers every dialect, pass and pipeline of Tegula, of MLIR and of the plugins.
/// A plugin that was named must load, else false; others only warn.
bool registerEverything(const PluginArguments &plugins, mlir::DialectRegistry &registry,
                        Report &report);

} // namespace tegula::tools

#endif // TEGULA_TOOLS_PLUGINARGUMENTS_H
