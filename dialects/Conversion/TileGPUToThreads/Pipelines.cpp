//===- Pipelines.cpp - Phases that every GPU backend runs
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tegula/Conversion/Passes.h"
#include "tegula/Tile/Transforms/Passes.h"
#include "tegula/TileGPU/Transforms/Passes.h"

using namespace mlir;

static void addCleanup(OpPassManager &pm) {
  pm.addPass(tegula::tile::createTileCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void tegula::tilegpu::buildTilePhase(OpPassManager &pm) {
  pm.addPass(tile::createTileInlinerPass());
  addCleanup(pm);
  pm.addPass(tile::createTileLowerViewsPass());
  pm.addPass(tile::createTileDecomposeDotScaledPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(tile::createTileVerifyDefinedPass());
  addCleanup(pm);
}

void tegula::tilegpu::buildLayoutPhase(OpPassManager &pm) {
  pm.addPass(createTileGPUAttachCapabilitiesPass());
  pm.addPass(createTileGPUDistributePass());
  pm.addPass(createTileGPUCoalescePass());
  pm.addPass(createTileGPUSelectMmaPass());
  pm.addPass(createTileGPUPropagateLayoutsPass());
  addCleanup(pm);
}

void tegula::tilegpu::buildSchedulePhase(OpPassManager &pm) {
  pm.addPass(createTileGPUPipelineLoadsPass());
  pm.addPass(createTileGPUPrefetchLoadsPass());
  addCleanup(pm);
}

void tegula::tilegpu::buildLowerPhase(OpPassManager &pm) {
  pm.addPass(createTileGPUPlanAccessesPass());
  pm.addPass(createTileGPUExplainPass());
  // Not before: axis info knows divisions and remainders, not what becomes of them.
  pm.addPass(tile::createTileExpandDefinedPass());
  addCleanup(pm);
  pm.addPass(createTileGPUPlanSharedPass());
  pm.addPass(createTileGPUInsertBarriersPass());
  pm.addPass(conversion::createTileGPUToThreadsPass());
  addCleanup(pm);
}

void tegula::tilegpu::registerTileGPUPipelines() {
  PassPipelineRegistration<>("tilegpu-tile", "Neutral passes in the order GPU backends want",
                             buildTilePhase);
  PassPipelineRegistration<>("tilegpu-layout", "Layouts and matrix instructions", buildLayoutPhase);
  PassPipelineRegistration<>("tilegpu-schedule", "Loads ahead of their products",
                             buildSchedulePhase);
  PassPipelineRegistration<>("tilegpu-lower", "Shared memory, barriers, threads", buildLowerPhase);
}
