//===- PlanShared.cpp - Places in shared memory
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/Scratch.h"
#include "tegula/TileGPU/Transforms/Passes.h"

using namespace mlir;

namespace tegula::tilegpu {
#define GEN_PASS_DEF_TILEGPUPLANSHAREDPASS
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"
} // namespace tegula::tilegpu

using namespace tegula::tilegpu;

namespace {
struct PlanSharedPass : tegula::tilegpu::impl::TileGPUPlanSharedPassBase<PlanSharedPass> {
  void runOnOperation() override {}
};
} // namespace
