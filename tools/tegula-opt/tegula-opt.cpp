//===- tegula-opt.cpp - Runs passes on tile IR ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tegula/Compiler/CrashRecovery.h"
#include "tegula/Driver/SetTarget.h"
#include "tegula/tegula.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace tegula;
using namespace tegula::opt;

static llvm::cl::opt<std::string> inputFile(llvm::cl::Positional, llvm::cl::desc("<input file>"),
                                            llvm::cl::init("-"));
static llvm::cl::opt<std::string> outputFile("o", llvm::cl::desc("Output file"),
                                             llvm::cl::value_desc("file"), llvm::cl::init("-"));

/// LLVM's parser tells of mistakes as text with the program's path ahead.
static bool parseOptions(int argc, char **argv, mlir::DialectRegistry &registry,
                         tools::Report &report) {
  const std::string help = mlir::registerCLIOptions("Tegula pass driver", registry);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (llvm::cl::ParseCommandLineOptions(argc, argv, help, &os)) {
    return true;
  }
  llvm::StringRef message = llvm::StringRef(text).trim();
  message.consume_front("tegula-opt: ");
  message = message.split("  Try: ").first.split('\n').first;
  const size_t guess = text.find("Did you mean");
  const std::string hint =
      guess == std::string::npos
          ? "see tegula-opt --help"
          : "did" + llvm::StringRef(text).drop_front(guess + 3).split('\n').first.str();
  message.consume_back(".");
  std::string shown = message.str();
  shown[0] = llvm::toLower(shown[0]);
  report.error(runtime::status::Usage, shown, hint);
  return false;
}

/// True once there was something to show instead of a run.
static bool show(const Options &options, bool json) {
  switch (options.show) {
  case Options::Show::Help:
    return printHelp(), true;
  case Options::Show::Version:
    llvm::outs() << "tegula-opt " << tg_version() << " (LLVM " LLVM_VERSION_STRING ")\n";
    return true;
  case Options::Show::Passes:
  case Options::Show::AllPasses:
    return printPasses(options.plugins, options.show == Options::Show::AllPasses, json), true;
  case Options::Show::Plugins:
    return printPlugins(options.plugins, json), true;
  default:
    return false;
  }
}

/// One run; what a pass breaks is told by the return value of runProtected around it.
static bool run(const Options &options, mlir::DialectRegistry &registry, tools::Report &report,
                RunNotes &notes) {
  const mlir::MlirOptMainConfig given = mlir::MlirOptMainConfig::createFromCLOptions();
  mlir::MlirOptMainConfig config = given;
  // Printed when it is complete.
  config.setPassPipelineSetupFn([&](mlir::PassManager &pm) -> mlir::LogicalResult {
    if (mlir::failed(given.setupPassPipeline(pm)) ||
        mlir::failed(completePasses(options, pm, report))) {
      return mlir::failure();
    }
    if (options.dumpsPipeline) {
      pm.printAsTextualPipeline(llvm::errs());
      llvm::errs() << '\n';
    }
    watchPasses(options, pm, notes);
    notes.countsErrors = !config.shouldVerifyDiagnostics();
    if (notes.countsErrors) {
      pm.getContext()->getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
        notes.errors += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        return mlir::failure(); // others show it
      });
    }
    return mlir::success();
  });
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> input = mlir::openInputFile(inputFile, &problem);
  std::unique_ptr<llvm::ToolOutputFile> output = mlir::openOutputFile(outputFile, &problem);
  if (!input || !output) {
    report.error(runtime::status::FileAccess, problem);
    return false;
  }
  if (mlir::failed(mlir::MlirOptMain(output->os(), std::move(input), registry, config)) ||
      notes.errors > 0) {
    return false;
  }
  if (!tools::finishStream(output->os(), outputFile, report)) {
    return false;
  }
  output->keep();
  return true;
}

/// Checks --target once, ahead of the inputs.
static int checkTarget(const Options &options, mlir::DialectRegistry &registry,
                       tools::Report &report) {
  if (!options.target) {
    return 0;
  }
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  driver::ResolvedTarget target;
  tg_status *status = nullptr;
  const std::optional<std::string> crash = compiler::runProtected(
      [&] { status = driver::resolveTarget(context, *options.target, target); });
  if (crash) {
    report.error(runtime::status::CompilerCrash,
                 "the backend crashed in its check of target '" + *options.target + "': " + *crash,
                 "this is a fault of the backend, please report it with the target");
    return 4;
  }
  return status ? report.add(status) : 0;
}

static int reportCrash(const Options &options, const RunNotes &notes, const std::string &reason,
                       tools::Report &report) {
  if (notes.pass.empty()) {
    // no test: only a crash of MLIR's parser or printer comes here
    report.error(runtime::status::CompilerCrash, "the compiler crashed: " + reason,
                 "this is a fault of Tegula, please report it with the input");
    return 4;
  }
  if (mlir::MlirOptMainConfig::createFromCLOptions().shouldRunReproducer()) {
    report.error(runtime::status::CompilerCrash,
                 "the compiler crashed in pass '" + notes.pass + "': " + reason,
                 "this is a fault of the pass, please report it with this reproducer");
    return 4;
  }
  std::string problem;
  const std::string path = writeReproducer(options, notes, problem);
  std::string plugins;
  for (const std::string &plugin : options.plugins.paths) {
    plugins += " --plugin " + tools::quoteWord(plugin);
  }
  report.error(runtime::status::CompilerCrash,
               "the compiler crashed in pass '" + notes.pass + "': " + reason,
               "this is a fault of the pass, please report it with " +
                   (path.empty() ? "the input; " + problem
                                 : "the reproducer " + path + "; to repeat it: tegula-opt" +
                                       plugins + " --run-reproducer " + tools::quoteWord(path)));
  return 4;
}

static int runTool(int argc, char **argv, tools::Report &report) {
  std::optional<Options> options = takeOptions(argc, argv, report);
  if (!options) {
    return 2;
  }
  if (options->show == Options::Show::Help || options->show == Options::Show::Version) {
    show(*options, false);
    return 0;
  }
  mlir::DialectRegistry registry;
  if (options->show == Options::Show::Plugins) {
    printPlugins(options->plugins, report.isJson());
    return 0;
  }
  if (!tools::registerEverything(options->plugins, registry, report)) {
    return 3;
  }
  if (show(*options, report.isJson())) {
    return 0;
  }
  char all[] = "--help-hidden";
  char *helpArguments[] = {argv[0], all, nullptr};
  if (options->show == Options::Show::HelpAll) {
    argc = 2;
    argv = helpArguments;
  }
  if (!parseOptions(argc, argv, registry, report)) {
    return 2;
  }
  if (mlir::MlirOptMainConfig::createFromCLOptions().shouldShowDialects()) {
    llvm::outs() << "Dialects:\n";
    for (llvm::StringRef name : registry.getDialectNames()) {
      llvm::outs() << "  " << name << '\n';
    }
    return 0;
  }
  if (!tools::checkFiles(inputFile, outputFile, report)) {
    return 1;
  }
  if (int code = checkTarget(*options, registry, report)) {
    return code;
  }
  // Deeply nested IR needs much stack: upstream's parser and printers recurse.
  bool succeeded = false;
  RunNotes notes;
  std::optional<std::string> crash;
  report.collect([&] {
    crash = compiler::runProtected([&] { succeeded = run(*options, registry, report, notes); },
                                   nullptr, size_t(256) << 20);
  });
  if (crash) {
    // What was opened for the output is empty, and nobody is left to remove it.
    if (outputFile != "-" && llvm::sys::fs::is_regular_file(outputFile)) {
      llvm::sys::fs::remove(outputFile);
    }
    return reportCrash(*options, notes, *crash, report);
  }
  if (!succeeded && notes.countsErrors && notes.errors == 0 && !notes.pass.empty()) {
    report.error(runtime::status::InternalFault,
                 "pass '" + notes.pass + "' failed without a message",
                 "this is a fault of the pass, please report it with the input");
    return 4;
  }
  return succeeded ? 0 : 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tools::Report report("tegula-opt", argc, argv);
  return report.end(runTool(argc, argv, report));
}
