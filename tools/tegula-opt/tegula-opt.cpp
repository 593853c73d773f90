//===- tegula-opt.cpp - Runs passes on tile IR ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tegula/Compiler/Backends.h"
#include "tegula/Compiler/CrashRecovery.h"
#include "tegula/Compiler/Register.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

// Declared for --help and for the parser; read by hand below, since plugins must
// add their passes before the parser knows its options.
static llvm::cl::opt<bool> noPlugins("no-plugins",
                                     llvm::cl::desc("Do not look for backend plugins"));
static llvm::cl::list<std::string> plugins("plugin", llvm::cl::value_desc("path"),
                                           llvm::cl::desc("Load this backend plugin as well"));

/// Loads what the command line names and, unless told not to, what discovery
/// finds. A plugin that was named must load; others only warn.
static bool loadPlugins(int argc, char **argv, mlir::DialectRegistry &registry) {
  bool discover = true;
  std::vector<std::string> paths, problems;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    argument.consume_front("--") || argument.consume_front("-");
    if (argument == "no-plugins") {
      discover = false;
    } else if (argument.consume_front("plugin=")) {
      paths.push_back(argument.str());
    } else if (argument == "plugin" && i + 1 < argc) {
      paths.push_back(argv[++i]);
    }
  }
  if (!discover && paths.empty()) {
    return true;
  }
  for (const auto *backend : tegula::compiler::loadAllBackends(paths, problems)) {
    backend->registerDialects(registry);
  }
  bool loaded = true;
  for (llvm::StringRef problem : problems) {
    bool named = llvm::any_of(paths, [&](const std::string &p) { return problem.starts_with(p); });
    (named ? llvm::WithColor::error() : llvm::WithColor::warning()) << problem << "\n";
    loaded = loaded && !named;
  }
  return loaded;
}

static llvm::cl::opt<std::string> inputFile(llvm::cl::Positional, llvm::cl::desc("<input file>"),
                                            llvm::cl::init("-"));
static llvm::cl::opt<std::string> outputFile("o", llvm::cl::desc("Output file"),
                                             llvm::cl::value_desc("file"), llvm::cl::init("-"));

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  tegula::compiler::registerDialects(registry);
  tegula::compiler::registerPasses();
  tegula::compiler::registerPipelines();
  if (!loadPlugins(argc, argv, registry)) {
    return 1;
  }
  std::string help = mlir::registerCLIOptions("Tegula pass driver", registry);
  if (!llvm::cl::ParseCommandLineOptions(argc, argv, help, &llvm::errs())) {
    return 2;
  }
  // Deeply nested IR needs much stack: upstream's parser and printers recurse.
  bool succeeded = false;
  std::optional<std::string> crash = tegula::compiler::runProtected(
      [&] {
        succeeded = mlir::succeeded(mlir::MlirOptMain(argc, argv, inputFile, outputFile, registry));
      },
      nullptr, size_t(256) << 20);
  if (crash) {
    llvm::WithColor::error() << "the compiler crashed: " << *crash
                             << "\nthis is a fault of Tegula, please report it with the input\n";
    return 4;
  }
  return succeeded ? 0 : 1;
}
