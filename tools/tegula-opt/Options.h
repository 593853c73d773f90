//===- Options.h - The command line of tegula-opt ----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_OPT_OPTIONS_H
#define TEGULA_OPT_OPTIONS_H

#include "../common/PluginArguments.h"

#include "tegula/Compiler/BackendCompiler.h"

#include <optional>
#include <string>

namespace tegula::opt {

/// Options of our own; MLIR's go through LLVM's parser.
struct Options {
  enum class Show { Nothing, Help, HelpAll, Version, Passes, AllPasses, Plugins };
  Show show = Show::Nothing;
  std::optional<std::string> target;      ///< --target
  std::optional<compiler::Phase> lowerTo; ///< --lower-to
  std::string startAfter, stopAfter;      ///< a pass's argument, `:2` for its second run
  std::string printFunction;              ///< --print-ir-function
  std::string reproducer;                 ///< --crash-reproducer
  bool dumpsPipeline = false;             ///< --dump-pass-pipeline
  tools::PluginArguments plugins;
};

/// Takes our options out of the command line. Nullopt after a usage error.
std::optional<Options> takeOptions(int &argc, char **argv, tools::Report &report);

void printHelp();
/// Every pass and pipeline that is ours or a plugin's, or all: name, owner, summary.
void printPasses(const tools::PluginArguments &plugins, bool all, bool json);
/// Every plugin library that discovery or the command line knows: state and reason.
void printPlugins(const tools::PluginArguments &plugins, bool json);

} // namespace tegula::opt

#endif // TEGULA_OPT_OPTIONS_H
