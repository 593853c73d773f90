//===- Pipeline.cpp - From tile IR to an artifact -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Compiler/Pipeline.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "tegula/Compiler/Observe.h"
#include "tegula/tegula.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tegula::compiler {

std::optional<Stage> parseStage(llvm::StringRef name) {
  // The runtime alone knows what else a stage may be called.
  const char *own = tg_stage_name(name.str().c_str());
  return llvm::StringSwitch<std::optional<Stage>>(own ? own : "")
      .Case("tile", Stage::Tile)
      .Case("lowered", Stage::Lowered)
      .Case("llvm", Stage::LLVM)
      .Case("asm", Stage::Asm)
      .Case("object", Stage::Object)
      .Default(std::nullopt);
}

llvm::StringRef stageName(Stage stage) {
  switch (stage) {
  case Stage::Tile:
    return "tile";
  case Stage::Lowered:
    return "lowered";
  case Stage::LLVM:
    return "llvm";
  case Stage::Asm:
    return "asm";
  case Stage::Object:
    return "object";
  case Stage::Bundle:
    return "bundle";
  }
  llvm_unreachable("covered switch");
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().assumeVerified());
  stream << '\n';
  return text;
}

namespace {
/// Notes which pass runs, for the report of a crash.
struct NoteCurrentPass : PassInstrumentation {
  explicit NoteCurrentPass(CompileProgress &progress) : progress(progress) {}
  void runBeforePass(Pass *pass, Operation *) override {
    llvm::StringRef name = pass->getArgument().empty() ? pass->getName() : pass->getArgument();
    name = name.take_front(sizeof progress.pass - 1);
    *std::copy(name.begin(), name.end(), progress.pass) = '\0';
  }
  CompileProgress &progress;
};
} // namespace

static constexpr Phase kPhases[] = {Phase::Tile, Phase::Layout, Phase::Schedule, Phase::Lower,
                                    Phase::LLVM};

std::optional<Phase> parsePhase(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Phase>>(name)
      .Case("tile", Phase::Tile)
      .Case("layout", Phase::Layout)
      .Case("schedule", Phase::Schedule)
      .Cases({"lower", "lowered"}, Phase::Lower)
      .Case("llvm", Phase::LLVM)
      .Default(std::nullopt);
}

static llvm::StringRef phaseName(Phase phase) {
  static constexpr llvm::StringLiteral names[] = {"tile", "layout", "schedule", "lower", "llvm"};
  return names[static_cast<size_t>(phase)];
}

void registerPhases(const BackendCompiler &backend, llvm::StringRef id,
                    llvm::ArrayRef<std::pair<Phase, llvm::StringRef>> summaries) {
  const BackendCompiler *const owner = &backend;
  for (const auto &[phase, summary] : summaries) {
    PassPipelineRegistration<>((id + "-" + phaseName(phase)).str(), summary,
                               [owner, phase = phase](OpPassManager &pm) {
                                 owner->buildLowering(pm, Attribute(), phase);
                               });
  }
  PassPipelineRegistration<>(
      (id + "-all").str(), "All phases, from tile IR to the LLVM dialect",
      [owner](OpPassManager &pm) { buildPhases(pm, *owner, Attribute(), Phase::LLVM); });
}

void buildPhases(OpPassManager &pm, const BackendCompiler &backend, Attribute target, Phase last) {
  for (Phase phase : kPhases) {
    if (phase <= last) {
      backend.buildLowering(pm, target, phase);
    }
  }
}

std::string describePipeline(MLIRContext &context, const BackendCompiler &backend, Attribute target,
                             Stage last) {
  PassManager pm = PassManager::on<ModuleOp>(&context);
  if (last != Stage::Tile) {
    buildPhases(pm, backend, target, last == Stage::Lowered ? Phase::Lower : Phase::LLVM);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  pm.printAsTextualPipeline(stream);
  return text;
}

static LogicalResult runPhases(ModuleOp module, const BackendCompiler &backend, Attribute target,
                               llvm::ArrayRef<Phase> phases, CompileProgress &progress) {
  TimedStep step("passes");
  PassManager pm(module->getContext());
  pm.addInstrumentation(std::make_unique<NoteCurrentPass>(progress));
  if (std::unique_ptr<PassInstrumentation> timing = makeTimingInstrumentation()) {
    pm.addInstrumentation(std::move(timing));
  }
  // Verification between passes costs a fifth of a small compile; it runs once
  // per phase group here and after every pass in tegula-opt.
  pm.enableVerifier(false);
  for (Phase phase : phases) {
    backend.buildLowering(pm, target, phase);
  }
  if (failed(pm.run(module))) {
    return failure();
  }
  TimedStep verifyStep("verify");
  return mlir::verify(module.getOperation());
}

/// Of files with a stage of a kernel, beside the name of its format.
static std::string fileEnding(Stage stage, llvm::StringRef format) {
  return stage == Stage::LLVM      ? ".ll"
         : format == "asm"         ? ".s"
         : format.ends_with("-so") ? ".so"
                                   : "." + format.str();
}

LogicalResult runPipeline(ModuleOp module, const BackendCompiler &backend, Attribute target,
                          llvm::StringRef kernelName, const PipelineOptions &options,
                          PipelineResult &result, CompileProgress &progress) {
  progress.step = CompileProgress::Step::Lowering;
  // --save-temps leaves the stages that are not wanted to the folder.
  const bool saves = savesTemps();
  const std::string kernel = kernelName.str();
  auto save = [&](llvm::StringRef ending) {
    if (saves) {
      saveTemp(kernel + ending.str(), print(module));
    }
  };
  auto wanted = [&](Stage stage) {
    return options.keepAll || stage == options.last || llvm::is_contained(options.keep, stage);
  };
  save(".tile.mlir");
  if (wanted(Stage::Tile)) {
    result.stages["tile"] = print(module);
  }
  if (options.last == Stage::Tile) {
    return success();
  }
  const llvm::ArrayRef<Phase> phases(kPhases);
  if (failed(runPhases(module, backend, target, phases.drop_back(), progress))) {
    return failure();
  }
  save(".lowered.mlir");
  if (wanted(Stage::Lowered)) {
    result.stages["lowered"] = print(module);
  }
  if (options.last == Stage::Lowered) {
    return success();
  }
  if (failed(runPhases(module, backend, target, phases.back(), progress))) {
    return failure();
  }
  save(".llvm.mlir");
  progress.step = CompileProgress::Step::Emission;
  for (Stage stage : {Stage::LLVM, Stage::Asm, Stage::Object}) {
    if (stage > options.last) {
      break;
    }
    if (!wanted(stage) && !saves) {
      continue;
    }
    TimedStep step(("emit " + stageName(stage)).str());
    FailureOr<Artifact> artifact = backend.emit(module, target, stage, kernelName);
    if (failed(artifact)) {
      return failure();
    }
    saveTemp(kernel + fileEnding(stage, artifact->format), artifact->bytes);
    if (!wanted(stage)) {
      continue;
    }
    result.stages[stageName(stage)] = artifact->bytes;
    if (stage == options.last) {
      result.artifact = std::move(*artifact);
    }
  }
  return success();
}

} // namespace tegula::compiler
