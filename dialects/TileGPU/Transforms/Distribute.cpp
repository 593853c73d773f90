//===- Distribute.cpp - A layout for every tile
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/Scratch.h"
#include "tegula/TileGPU/Transforms/Passes.h"

using namespace mlir;

namespace tegula::tilegpu {
#define GEN_PASS_DEF_TILEGPUDISTRIBUTEPASS
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"
} // namespace tegula::tilegpu

using namespace tegula::tilegpu;

namespace {
struct DistributePass : tegula::tilegpu::impl::TileGPUDistributePassBase<DistributePass> {
  void runOnOperation() override {}
};
} // namespace
