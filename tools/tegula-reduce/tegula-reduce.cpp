//===- tegula-reduce.cpp - Makes failing IR small ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/PluginArguments.h"
#include "Check.h"
#include "Edits.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "mlir/Transforms/Passes.h"
#include "tegula/Compiler/CrashRecovery.h"
#include "tegula/tegula.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>

using namespace mlir;
using namespace tegula;
using namespace tegula::reduce;
namespace status = tegula::runtime::status;

static const char *const helpText =
    R"(usage: tegula-reduce FILE --test PROGRAM [--test-arg ARG]... [-o FILE]
       tegula-reduce FILE --passes PIPELINE [--message TEXT] [-o FILE]

Makes a file of MLIR small that shows a failure: removes whatever the failure does not
need. The failure is there when

      --test PROGRAM       PROGRAM ARG... CANDIDATE ends with exit code 0
      --test-arg ARG       goes ahead of the file
      --passes PIPELINE    these passes crash, or
      --message TEXT       report an error with TEXT in it

  -o, --output FILE        where to write; '-' or nothing: standard output
      --timeout SECONDS    for one look (60); longer means no failure
                           Ctrl-C: stop, and write what has been reached
      --quiet              do not tell how it goes
      --allow-unregistered-dialect
                           operations of dialects that nobody knows are welcome
      --json               errors as JSON on standard output
)";

static const char *const helpTail =
    R"(  -h, --help               this text
      --version            the version

MLIR's own reducer runs instead where one of its passes is named; its tests answer 1,
not 0, when the failure is there:
      --reduction-tree='traversal-mode=0 test=PROGRAM'
      --opt-reduction-pass='opt-pass=cse test=PROGRAM'

Exit codes: 0 right, 1 an error in the input or no failure in it, 2 usage, 3 a plugin is
missing or does not fit, 4 a fault of Tegula.
)";

namespace {
struct Arguments {
  std::string input, output = "-";
  Check check;
  bool isQuiet = false, isUpstream = false, isDone = false, allowsUnregistered = false;
};

/// Set by the first Ctrl-C: what has been reached is written. The second ends the process.
volatile std::sig_atomic_t isInterrupted = 0;

/// The reduction.
struct Reduction {
  const Check &check;
  OwningOpRef<ModuleOp> best;
  bool verifies = true; ///< the input does, so what comes of it must
  unsigned looks = 0;
  std::string problem = {};

  /// Takes the candidate if it still fails.
  bool offer(OwningOpRef<ModuleOp> candidate) {
    removeDead(*candidate);
    if (costOf(*candidate) >= costOf(*best)) {
      return false;
    }
    if (verifies && failed(verify(*candidate, /*verifyRecursively=*/true))) {
      return false;
    }
    ++looks;
    OwningOpRef<ModuleOp> copy = candidate->clone(); // passes may change it
    if (check.look(*candidate, problem) != Check::Answer::Failure) {
      return false;
    }
    best = std::move(copy);
    return true;
  }

  /// One kind of edit at many places: all, halves, quarters and so on.
  bool apply(const Edit &edit) {
    bool changed = false;
    size_t count = edit.places(*best).size();
    for (size_t size = count; size > 0; size /= 2) {
      for (size_t begin = 0; begin < count && !isInterrupted;) {
        OwningOpRef<ModuleOp> candidate = best->clone();
        auto places = edit.places(*candidate);
        const size_t end = std::min(begin + size, places.size());
        for (size_t i = begin; i < end; ++i) {
          places[i]();
        }
        if (begin < end && offer(std::move(candidate))) {
          changed = true;
          count = edit.places(*best).size(); // the next ones have moved up
        } else {
          begin += size;
        }
      }
    }
    return changed;
  }

  /// What simplification leaves is smaller as a rule.
  bool simplify() {
    OwningOpRef<ModuleOp> candidate = best->clone();
    PassManager pm(candidate->getContext());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addPass(createSymbolDCEPass());
    if (failed(pm.run(*candidate))) {
      return false;
    }
    return offer(std::move(candidate));
  }
};
} // namespace

/// Nullopt after a usage error.
static std::optional<Arguments> parse(int argc, char **argv, tools::Report &report) {
  Arguments out;
  auto refuse = [&](const std::string &message) {
    report.error(status::Usage, message, "see tegula-reduce --help");
    return std::nullopt;
  };
  std::string timeout;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    auto [name, value] = argument.split('=');
    if (argument == "-h" || argument == "--help") {
      llvm::outs() << helpText << tools::pluginOptionsHelp << helpTail;
      out.isDone = true;
      return out;
    }
    if (argument == "--version") {
      llvm::outs() << "tegula-reduce " << tg_version() << " (LLVM " LLVM_VERSION_STRING ")\n";
      out.isDone = true;
      return out;
    }
    if (argument == "--quiet" || argument == "--json") {
      out.isQuiet |= argument == "--quiet";
      continue;
    }
    if (argument == "--allow-unregistered-dialect") {
      out.allowsUnregistered = true;
      continue;
    }
    llvm::StringRef bare = name.ltrim('-');
    if (argument.starts_with("-") && (bare == "reduction-tree" || bare == "opt-reduction-pass")) {
      out.isUpstream = true;
      return out;
    }
    if (!argument.starts_with("-") || argument == "-") {
      if (!out.input.empty()) {
        return refuse("expected one file, got '" + out.input + "' and '" + argument.str() + "'");
      }
      out.input = argument.str();
      continue;
    }
    std::string text;
    std::string *slot = name == "--test"                     ? &out.check.program
                        : name == "--passes"                 ? &out.check.passes
                        : name == "--message"                ? &out.check.message
                        : name == "--timeout"                ? &timeout
                        : name == "-o" || name == "--output" ? &out.output
                        : name == "--test-arg"               ? &text
                                                             : nullptr;
    if (!slot) {
      return refuse("unknown option '" + argument.str() + "'");
    }
    if (!argument.contains('=')) {
      if (i + 1 == argc) {
        return refuse("option '" + argument.str() + "' needs a value");
      }
      value = argv[++i];
    }
    *slot = value.str();
    if (slot == &text) {
      out.check.arguments.push_back(text);
    }
  }
  if (!timeout.empty() &&
      (llvm::StringRef(timeout).getAsInteger(10, out.check.timeout) || out.check.timeout == 0)) {
    return refuse("option '--timeout': expected a number of seconds, got '" + timeout + "'");
  }
  if (out.input.empty()) {
    return refuse("expected a file");
  }
  if (out.check.program.empty() == out.check.passes.empty()) {
    return refuse("expected either --test or --passes");
  }
  if (!out.check.message.empty() && out.check.passes.empty()) {
    return refuse("--message needs --passes");
  }
  return out;
}

static OwningOpRef<ModuleOp> read(const std::string &path, MLIRContext &context,
                                  tools::Report &report, bool &verifies) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    report.error(status::FileAccess, "cannot read '" + path + "': " + buffer.getError().message());
    return nullptr;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module;
  report.collect([&] {
    SourceMgrDiagnosticHandler handler(sources, &context);
    // Of a reproducer only the operations count.
    FallbackAsmResourceMap resources;
    module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context, false, &resources));
  });
  if (module) {
    // Wrong IR may be what is looked for.
    ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
    verifies = succeeded(verify(*module));
  }
  return module;
}

static int run(const Arguments &arguments, MLIRContext &context, tools::Report &report) {
  // What does not depend on the input is looked at first: a reduction may take hours.
  if (!tools::checkFiles(arguments.input, arguments.output, report)) {
    return 1;
  }
  PassManager pm(&context);
  if (std::string problem; !arguments.check.addPasses(pm, problem)) {
    report.error(status::InvalidOption, problem);
    return 1;
  }
  Reduction reduction{arguments.check, {}};
  reduction.best = read(arguments.input, context, report, reduction.verifies);
  if (!reduction.best) {
    return 1;
  }
  // Messages about candidates are nobody's.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> whole = reduction.best->clone();
  switch (arguments.check.look(*whole, reduction.problem)) {
  case Check::Answer::Impossible:
    report.error(status::FileAccess, reduction.problem);
    return 1;
  case Check::Answer::NoFailure:
    report.error(status::InvalidValue, "the failure is not in '" + arguments.input + "' itself",
                 arguments.check.program.empty()
                     ? "--passes must crash, or report what --message says"
                     : "the program of --test must end with exit code 0 for this file");
    return 1;
  case Check::Answer::Failure:
    break;
  }
  const unsigned before = countOps(*reduction.best);
  llvm::sys::SetInterruptFunction([] { isInterrupted = 1; });
  for (bool changed = true; changed && !isInterrupted;) {
    changed = reduction.simplify();
    for (const Edit &edit : allEdits()) {
      if (reduction.apply(edit)) {
        changed = true;
        if (!arguments.isQuiet) {
          llvm::errs() << "tegula-reduce: " << countOps(*reduction.best)
                       << " operations after: " << edit.name << '\n';
        }
      }
    }
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  reduction.best->print(os);
  os << '\n';
  std::error_code error;
  llvm::raw_fd_ostream file(arguments.output, error);
  if (error) {
    report.error(status::FileAccess, "cannot write '" + arguments.output + "': " + error.message());
    return 1;
  }
  file << text;
  if (!tools::finishStream(file, arguments.output, report)) {
    return 1;
  }
  if (!arguments.isQuiet) {
    llvm::errs() << "tegula-reduce: " << before << " operations before, "
                 << countOps(*reduction.best) << " now, " << reduction.looks << " candidates"
                 << (isInterrupted ? "; interrupted" : "") << '\n';
  }
  return 0;
}

static int runTool(int argc, char **argv, tools::Report &report) {
  std::optional<tools::PluginArguments> plugins = tools::takePluginArguments(argc, argv, report);
  if (!plugins) {
    return 2;
  }
  std::optional<Arguments> arguments = parse(argc, argv, report);
  if (!arguments || arguments->isDone) {
    return arguments ? 0 : 2;
  }
  DialectRegistry registry;
  if (!tools::registerEverything(*plugins, registry, report)) {
    return 3;
  }
  registerReductionPatterns(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(arguments->allowsUnregistered);
  if (arguments->isUpstream) {
    registerReducerPasses();
    return succeeded(mlirReduceMain(argc, argv, context)) ? 0 : 1;
  }
  // Deeply nested IR needs much stack: upstream's parser and printers recurse.
  int code = 0;
  const std::optional<std::string> crash = compiler::runProtected(
      [&] { code = run(*arguments, context, report); }, nullptr, size_t(256) << 20);
  if (crash) {
    // no test: only a crash of MLIR's parser or printer comes here
    report.error(status::CompilerCrash, "the reduction crashed: " + *crash,
                 "this is a fault of Tegula, please report it with the input");
    return 4;
  }
  return code;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tools::Report report("tegula-reduce", argc, argv);
  return report.end(runTool(argc, argv, report));
}
