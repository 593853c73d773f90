//===- tegula-lsp-server.cpp - Editors and tile IR ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's language server with our dialects and those of the plugins. It speaks on
// standard input and output; what goes wrong at the start is on standard error.
//
//===----------------------------------------------------------------------===//

#include "../common/PluginArguments.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tegula/tegula.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace tegula;

static const char *const helpText =
    R"(usage: tegula-lsp-server [options]

A language server for .mlir files with tile IR: diagnostics, definitions, hover,
completion. Editors start it and speak the Language Server Protocol through standard
input and output.

)";

static const char *const helpTail =
    R"(      --log=error|info|verbose
                           what to say on standard error
      --pretty             indented JSON
      --lit-test           for tests: input separated by // -----
  -h, --help               this text
      --version            the version
)";

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tools::Report report("tegula-lsp-server", argc, argv);
  for (llvm::StringRef argument : llvm::ArrayRef(argv + 1, argc - 1)) {
    if (argument == "--help" || argument == "-h") {
      llvm::outs() << helpText << tools::pluginOptionsHelp << helpTail;
      return 0;
    }
    if (argument == "--version") {
      llvm::outs() << "tegula-lsp-server " << tg_version() << " (LLVM " LLVM_VERSION_STRING ")\n";
      return 0;
    }
    // LLVM's parser would end the process with a text of its own.
    llvm::StringRef name = argument.ltrim('-').split('=').first;
    const bool isKnown = llvm::is_contained(
        {"plugin", "no-plugins", "plugin-abi", "log", "pretty", "lit-test", "json"}, name);
    if (argument.starts_with("-") && !isKnown) {
      report.error(runtime::status::Usage, "unknown option '" + argument.str() + "'",
                   "see tegula-lsp-server --help");
      return 2;
    }
  }
  std::optional<tools::PluginArguments> plugins = tools::takePluginArguments(argc, argv, report);
  if (!plugins) {
    return 2;
  }
  mlir::DialectRegistry registry;
  if (!tools::registerEverything(*plugins, registry, report)) {
    return 3;
  }
  return mlir::succeeded(mlir::MlirLspServerMain(argc, argv, registry)) ? 0 : 1;
}
