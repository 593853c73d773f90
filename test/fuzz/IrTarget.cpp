//===- IrTarget.cpp - Fuzzing of dialects and passes ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is MLIR text. What parses must print and parse to the same text again
// and go through the pipelines: each result verifies, each failure has a reason.
//
//===----------------------------------------------------------------------===//

#include "IrMutator.h"
#include "Target.h"

#include "Backend.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "tegula/Compiler/Register.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

using namespace mlir;

namespace tegula::fuzz {

namespace {
/// A context with everything registered, renewed now and then, and the pipelines
/// built once for it.
struct Session {
  MLIRContext context;
  cpu::CpuBackend backend;
  Attribute target;
  struct Pipeline {
    std::string name;
    std::unique_ptr<PassManager> passes;
  };
  std::vector<Pipeline> pipelines; // in the order of a compile

  Session() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    compiler::TargetSpec spec;
    spec.arch = "x86-64-v3";
    target = backend.parseTarget(context, spec, [](const llvm::Twine &) {});
    auto prepare = makePasses();
    (void)parsePassPipeline("tile-prepare", *prepare);
    pipelines.push_back({"tile-prepare", std::move(prepare)});
    static constexpr std::pair<const char *, compiler::Phase> phases[] = {
        {"cpu-tile", compiler::Phase::Tile},
        {"cpu-layout", compiler::Phase::Layout},
        {"cpu-schedule", compiler::Phase::Schedule},
        {"cpu-lower", compiler::Phase::Lower},
        {"cpu-llvm", compiler::Phase::LLVM}};
    for (auto [name, phase] : phases) {
      auto passes = makePasses();
      backend.buildLowering(*passes, target, phase);
      pipelines.push_back({name, std::move(passes)});
    }
  }

  std::unique_ptr<PassManager> makePasses() {
    auto passes = std::make_unique<PassManager>(&context);
    // An invalid result is told apart from a refusal below.
    passes->enableVerifier(false);
    return passes;
  }
  static DialectRegistry makeRegistry() {
    compiler::registerPasses();
    compiler::registerPipelines();
    DialectRegistry registry;
    compiler::registerDialects(registry);
    cpu::CpuBackend().registerDialects(registry);
    return registry;
  }
};
} // namespace

static Session &freshSession() {
  static std::unique_ptr<Session> session;
  static unsigned age = 0;
  if (!session || ++age % 256 == 0) {
    session.reset();
    session = std::make_unique<Session>();
  }
  return *session;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

/// Runs one pipeline. Returns whether the module may go on to the next one.
static bool runPipeline(Session::Pipeline &pipeline, ModuleOp module, const unsigned &errors,
                        std::string &problem) {
  const unsigned before = errors;
  if (failed(pipeline.passes->run(module))) {
    if (errors == before) {
      problem = pipeline.name + " failed without a reason";
    }
    return false;
  }
  if (errors != before) {
    problem = pipeline.name + " succeeded in spite of an error";
  } else if (failed(verify(module))) {
    problem = pipeline.name + " made an invalid module";
  }
  return problem.empty();
}

/// Texts that MLIR's own parser crashes on or prints differently, which this tree
/// cannot repair. Each is left out as a kind, so that the rest can be searched.
static bool breaksUpstream(llvm::StringRef input) {
  // Very small numbers of these types are printed as ones that read as zero.
  if (input.contains("f80") || input.contains("f128")) {
    return true;
  }
  // The width of `index` is asked for: array<index: 8>.
  for (size_t at = input.find("array<"); at != input.npos; at = input.find("array<", at + 1)) {
    if (input.drop_front(at + 6).ltrim().starts_with("index")) {
      return true;
    }
  }
  return false;
}

static std::string run(std::string_view input) {
  if (breaksUpstream(llvm::StringRef(input.data(), input.size()))) {
    return "";
  }
  Session &session = freshSession();
  unsigned errors = 0;
  std::string last, problem;
  ScopedDiagnosticHandler handler(&session.context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      ++errors;
      last = diagnostic.str();
    }
    return success();
  });
  // MLIR's lexer reads up to a zero byte, which the fuzzer's buffer does not end in.
  const std::string text(input);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, ParserConfig(&session.context));
  if (!module) {
    return errors != 0 ? "" : "the text was refused without a reason";
  }
  const std::string first = print(*module);
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(first, &session.context);
  if (!again) {
    return "the printed module does not parse: " + last + "\n" + first;
  }
  if (const std::string second = print(*again); second != first) {
    return "the module prints differently after parsing:\n" + first + second;
  }
  if (!(*module)->hasAttr(tile::kTargetAttr)) {
    (*module)->setAttr(tile::kTargetAttr, session.target);
    (*again)->setAttr(tile::kTargetAttr, session.target);
  }
  errors = 0;
  // One pipeline by itself meets modules that the ones before it would refuse.
  const size_t alone = hashOf(input) % session.pipelines.size();
  runPipeline(session.pipelines[alone], *again, errors, problem);
  for (Session::Pipeline &pipeline : session.pipelines) {
    if (!problem.empty() || !runPipeline(pipeline, *module, errors, problem)) {
      break;
    }
  }
  return problem.empty() ? "" : problem + ": " + last;
}

const Target irTarget = {"ir", ".mlir", 6144, run, mutateIr};

} // namespace tegula::fuzz
