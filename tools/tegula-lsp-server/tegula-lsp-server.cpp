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
#include "tegula/Compiler/CrashRecovery.h"
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

static int runTool(int argc, char **argv, tools::Report &report) {
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
  // LLVM's parser takes the rest, and has an option --log alone.
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    auto [name, level] = argument.ltrim('-').split('=');
    std::string problem;
    if (!argument.starts_with("-")) {
      problem = "expected no file, got '" + argument.str() + "'";
    } else if (name == "log" && !llvm::is_contained({"error", "info", "verbose"}, level)) {
      problem = "option '--log': expected =error, =info or =verbose, got '" + level.str() + "'";
    }
    if (!problem.empty()) {
      report.error(runtime::status::Usage, problem, "see tegula-lsp-server --help");
      return 2;
    }
    if (name != "json") {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  argv[argc] = nullptr;
  mlir::DialectRegistry registry;
  if (!tools::registerEverything(*plugins, registry, report)) {
    return 3;
  }
  // Deeply nested IR needs much stack: upstream's parser recurses.
  bool succeeded = false;
  const std::optional<std::string> crash = compiler::runProtected(
      [&] { succeeded = mlir::succeeded(mlir::MlirLspServerMain(argc, argv, registry)); }, nullptr,
      size_t(256) << 20);
  if (crash) {
    // no test: only a crash of MLIR's server comes here
    report.error(runtime::status::CompilerCrash, "the server crashed: " + *crash,
                 "this is a fault of Tegula, please report it with the file that is open");
    return 4;
  }
  return succeeded ? 0 : 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tools::Report report("tegula-lsp-server", argc, argv);
  return report.end(runTool(argc, argv, report));
}
