//===- tegula-opt.cpp - Runs passes on tile IR ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tegula/Compiler/Backends.h"
#include "tegula/Compiler/CrashRecovery.h"
#include "tegula/Compiler/Register.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <unistd.h>

// Declared for --help and for the parser; read by hand below, since plugins must
// add their passes before the parser knows its options.
static llvm::cl::opt<bool> noPlugins("no-plugins",
                                     llvm::cl::desc("Do not look for backend plugins"));
static llvm::cl::opt<bool> json("json",
                                llvm::cl::desc("Errors as a JSON array on standard output"));
static llvm::cl::list<std::string> plugins("plugin", llvm::cl::value_desc("path"),
                                           llvm::cl::desc("Load this backend plugin as well"));

/// Loads what the command line names and, unless told not to, what discovery
/// finds. A plugin that was named must load; others only warn.
static bool loadPlugins(int argc, char **argv, mlir::DialectRegistry &registry,
                        tegula::opt::Report &report) {
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
    report.identified(named ? "error" : "warning", problem.str());
    loaded = loaded && !named;
  }
  return loaded;
}

static llvm::cl::opt<std::string> inputFile(llvm::cl::Positional, llvm::cl::desc("<input file>"),
                                            llvm::cl::init("-"));
static llvm::cl::opt<std::string> outputFile("o", llvm::cl::desc("Output file"),
                                             llvm::cl::value_desc("file"), llvm::cl::init("-"));

/// What MLIR would say of files in words of its own.
static bool checkFiles(tegula::opt::Report &report) {
  const std::string &in = inputFile, &out = outputFile;
  const auto refuse = [&](const char *what, const std::string &path, std::error_code error) {
    report.error(tegula::runtime::status::FileAccess,
                 std::string("cannot ") + what + " '" + path + "': " + error.message());
    return false;
  };
  if (in != "-") {
    // Asked for rather than tried: a pipe can be opened only once.
    if (access(in.c_str(), R_OK) != 0) {
      return refuse("read", in, std::error_code(errno, std::generic_category()));
    }
    if (llvm::sys::fs::is_directory(in)) {
      return refuse("read", in, std::make_error_code(std::errc::is_a_directory));
    }
  }
  if (out != "-") {
    llvm::StringRef folder = llvm::sys::path::parent_path(out);
    const std::string place = folder.empty() ? "." : folder.str();
    const bool exists = llvm::sys::fs::exists(out);
    if (access((exists ? out : place).c_str(), W_OK) != 0) {
      return refuse("write", out, std::error_code(errno, std::generic_category()));
    }
    if (llvm::sys::fs::is_directory(out)) {
      return refuse("write", out, std::make_error_code(std::errc::is_a_directory));
    }
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tegula::opt::Report report(
      llvm::any_of(llvm::ArrayRef(argv + 1, argc - 1), [](llvm::StringRef argument) {
        return argument == "--json" || argument == "-json";
      }));
  mlir::DialectRegistry registry;
  tegula::compiler::registerDialects(registry);
  tegula::compiler::registerPasses();
  tegula::compiler::registerPipelines();
  if (!loadPlugins(argc, argv, registry, report)) {
    return 3;
  }
  std::string help = mlir::registerCLIOptions("Tegula pass driver", registry);
  if (!llvm::cl::ParseCommandLineOptions(argc, argv, help, &llvm::errs())) {
    return 2;
  }
  if (!checkFiles(report)) {
    return 1;
  }
  // Deeply nested IR needs much stack: upstream's parser and printers recurse.
  bool succeeded = false;
  std::optional<std::string> crash;
  report.collect([&] {
    crash = tegula::compiler::runProtected(
        [&] {
          succeeded =
              mlir::succeeded(mlir::MlirOptMain(argc, argv, inputFile, outputFile, registry));
        },
        nullptr, size_t(256) << 20);
  });
  if (crash) {
    report.error(tegula::runtime::status::CompilerCrash, "the compiler crashed: " + *crash,
                 "this is a fault of Tegula, please report it with the input");
    return 4;
  }
  return succeeded ? 0 : 1;
}
