//===- Passes.h - Passes on spread tiles -------------------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_TRANSFORMS_PASSES_H
#define TEGULA_TILEGPU_TRANSFORMS_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace tegula::tilegpu {

#define GEN_PASS_DECL
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"

//===-- What every GPU backend runs, by phase -----------------------------===//
//
// Phase::Lower ends with functions of threads (see the dialect's description) in which
// `math` is left; a backend's Phase::LLVM starts there.

/// Neutral simplification, views as pointers, defined arithmetic.
void buildTilePhase(mlir::OpPassManager &pm);
/// Capabilities, layouts, matrix instructions.
void buildLayoutPhase(mlir::OpPassManager &pm);
/// Loads ahead of the products that need them.
void buildSchedulePhase(mlir::OpPassManager &pm);
/// Shared memory, barriers, threads.
void buildLowerPhase(mlir::OpPassManager &pm);

/// Registers `tilegpu-tile`, `tilegpu-layout`, `tilegpu-schedule` and `tilegpu-lower`.
void registerTileGPUPipelines();

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_TRANSFORMS_PASSES_H
