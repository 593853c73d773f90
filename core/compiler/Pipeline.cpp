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
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tegula::compiler {

std::optional<Stage> parseStage(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Cases({"tile", "ttir"}, Stage::Tile)
      .Cases({"lowered", "ttgir"}, Stage::Lowered)
      .Cases({"llvm", "llir"}, Stage::LLVM)
      .Cases({"asm", "ptx"}, Stage::Asm)
      .Cases({"object", "cubin", "hsaco", "elf-so"}, Stage::Object)
      .Case("bundle", Stage::Bundle)
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

static LogicalResult runPhases(ModuleOp module, const BackendCompiler &backend, Attribute target,
                               llvm::ArrayRef<Phase> phases) {
  PassManager pm(module->getContext());
  // Verification between passes costs a fifth of a small compile; it runs once
  // per phase group here and after every pass in tegula-opt.
  pm.enableVerifier(false);
  for (Phase phase : phases) {
    backend.buildLowering(pm, target, phase);
  }
  if (failed(pm.run(module))) {
    return failure();
  }
  return mlir::verify(module.getOperation());
}

LogicalResult runPipeline(ModuleOp module, const BackendCompiler &backend, Attribute target,
                          llvm::StringRef kernelName, const PipelineOptions &options,
                          PipelineResult &result) {
  auto wanted = [&](Stage stage) {
    return options.keepAll || stage == options.last || llvm::is_contained(options.keep, stage);
  };
  if (wanted(Stage::Tile)) {
    result.stages["tile"] = print(module);
  }
  if (options.last == Stage::Tile) {
    return success();
  }
  if (failed(runPhases(module, backend, target,
                       {Phase::Tile, Phase::Layout, Phase::Schedule, Phase::Lower}))) {
    return failure();
  }
  if (wanted(Stage::Lowered)) {
    result.stages["lowered"] = print(module);
  }
  if (options.last == Stage::Lowered) {
    return success();
  }
  if (failed(runPhases(module, backend, target, {Phase::LLVM}))) {
    return failure();
  }
  for (Stage stage : {Stage::LLVM, Stage::Asm, Stage::Object}) {
    if (stage > options.last) {
      break;
    }
    if (!wanted(stage)) {
      continue;
    }
    FailureOr<Artifact> artifact = backend.emit(module, target, stage, kernelName);
    if (failed(artifact)) {
      return failure();
    }
    result.stages[stageName(stage)] = artifact->bytes;
    if (stage == options.last) {
      result.artifact = std::move(*artifact);
    }
  }
  if (options.last == Stage::Bundle) {
    return module->emitError("stage 'bundle' is written by no tool of this release; expected "
                             "tile, lowered, llvm, asm or object");
  }
  return success();
}

} // namespace tegula::compiler
