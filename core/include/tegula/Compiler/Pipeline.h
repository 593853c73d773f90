//===- Pipeline.h - From tile IR to an artifact ---------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_COMPILER_PIPELINE_H
#define TEGULA_COMPILER_PIPELINE_H

#include "tegula/Compiler/BackendCompiler.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace tegula::compiler {

/// "tile", "lowered", "llvm", "asm", "object", "bundle" or an alias that
/// programs of Triton use; nullopt for anything else.
std::optional<Stage> parseStage(llvm::StringRef name);
llvm::StringRef stageName(Stage stage);

struct PipelineOptions {
  Stage last = Stage::Object;
  bool keepAll = false; ///< keep the text of every stage on the way
  std::vector<Stage> keep;
};

struct PipelineResult {
  llvm::StringMap<std::string> stages; ///< by stage name; the last one always
  Artifact artifact;                   ///< of the last stage, when that is LLVM or later
};

/// How far a compile has come. The compile writes it, whoever survives a crash of
/// the compile reads it.
struct CompileProgress {
  enum class Step : uint8_t { Frontend, Lowering, Emission };
  Step step = Step::Frontend;
  char pass[64] = ""; ///< argument of the pass that runs now, while lowering
};

/// The passes that runPipeline runs ahead of emission, or up to the stage `lowered`, as
/// tegula-opt's --pass-pipeline takes them.
std::string describePipeline(mlir::MLIRContext &context, const BackendCompiler &backend,
                             mlir::Attribute target, Stage last = Stage::Object);

/// "tile", "layout", "schedule", "lower" or the stage "lowered", "llvm"; nullopt for
/// anything else.
std::optional<Phase> parsePhase(llvm::StringRef name);

/// Appends the phases from the first to `last`.
void buildPhases(mlir::OpPassManager &pm, const BackendCompiler &backend, mlir::Attribute target,
                 Phase last);

/// Adds phases of a backend to MLIR's global registry, as pipelines ID-tile, ID-layout,
/// ID-schedule, ID-lower and ID-llvm with their summaries, and all five as ID-all; without a
/// target. `backend` must live for ever.
void registerPhases(const BackendCompiler &backend, llvm::StringRef id,
                    llvm::ArrayRef<std::pair<Phase, llvm::StringRef>> summaries);

/// Lowers `module` (tile IR with `tile.target` set) as far as asked. The module
/// is consumed. Errors are diagnostics on its context.
mlir::LogicalResult runPipeline(mlir::ModuleOp module, const BackendCompiler &backend,
                                mlir::Attribute target, llvm::StringRef kernelName,
                                const PipelineOptions &options, PipelineResult &result,
                                CompileProgress &progress);

} // namespace tegula::compiler

#endif // TEGULA_COMPILER_PIPELINE_H
