//===- ConvertScratch.cpp - Shared memory of convert ops
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/ConvertPlan.h"
#include "tegula/TileGPU/Analysis/Scratch.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

/// Bytes that a tile takes on its way through memory.
static uint32_t getTileBytes(Value tile, const Machine &machine) {
  auto type = cast<RankedTensorType>(tile.getType());
  return getWindowBytes(type.getNumElements(), type.getElementType(), machine);
}

Scratch tegula::tilegpu::getConvertScratch(Operation *op, const Machine &machine) {
  if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
    std::optional<Layout> from = getLayout(convert.getSource().getType());
    std::optional<Layout> to = getLayout(convert.getType());
    return {planConvert(*from, *to, convert.getType().getElementType(), machine).bytes};
  }
  if (auto extract = dyn_cast<tile::ExtractOp>(op)) {
    return {getElementBytes(extract.getType())};
  }
  if (!isa<tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp, tile::TransposeOp, tile::JoinOp,
           tile::SplitOp, tile::CatOp, tile::SliceOp>(op)) {
    return {};
  }
  // Scalars that are joined or come of a split need no memory: see their lowering.
  if (!isa<RankedTensorType>(op->getOperand(0).getType())) {
    return {};
  }
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    if (!findShapeRegisters(op, i)) {
      bool takesTwo = isa<tile::JoinOp, tile::CatOp>(op);
      return {getTileBytes(takesTwo ? op->getResult(0) : op->getOperand(0), machine)};
    }
  }
  return {};
}
