//===- DotScratch.cpp - Shared memory of dot ops
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinTypes.h"
#include "tegula/TileGPU/Analysis/DotPlan.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

Type tegula::tilegpu::getProductType(Type accElement) {
  return accElement.isF16() ? Float32Type::get(accElement.getContext()) : accElement;
}

FmaPlan tegula::tilegpu::planFmaDot(ArrayRef<int64_t> aShape, int64_t n, Type accElement,
                                    const Machine &machine) {
  FmaPlan plan;
  plan.batch = aShape.size() == 3 ? aShape[0] : 1;
  plan.m = aShape[aShape.size() - 2];
  plan.k = aShape.back();
  plan.n = n;
  plan.elementBytes = getProductType(accElement).getIntOrFloatBitWidth() / 8;
  plan.unroll = 16 / plan.elementBytes;
  plan.bRow = llvm::alignTo(n, plan.unroll);
  // Half of what there is: a second program may still run beside this one.
  const int64_t budget = machine.capabilities.getSharedBytes() / 2 / plan.elementBytes;
  auto needs = [&](int64_t chunk) {
    // One piece more in a row of A keeps rows in different banks.
    plan.aRow = chunk < plan.unroll ? chunk : llvm::alignTo(chunk, plan.unroll) + plan.unroll;
    plan.bStart = llvm::alignTo(plan.batch * plan.m * plan.aRow, plan.unroll);
    return plan.bStart + plan.batch * chunk * plan.bRow;
  };
  plan.chunk = plan.k;
  while (plan.chunk > 1 && needs(plan.chunk) > budget) {
    int64_t next = (plan.chunk + 1) / 2;
    plan.chunk = next > plan.unroll ? llvm::alignTo(next, plan.unroll) : next;
  }
  plan.bytes = uint32_t(needs(plan.chunk) * plan.elementBytes);
  return plan;
}

Scratch tegula::tilegpu::getDotScratch(Operation *op, const Machine &machine) {
  auto dot = dyn_cast<tile::DotOp>(op);
  if (!dot || op->hasAttr(kMmaAttr)) {
    return {};
  }
  auto a = cast<RankedTensorType>(dot.getA().getType());
  auto acc = cast<RankedTensorType>(dot.getType());
  return {planFmaDot(a.getShape(), acc.getShape().back(), acc.getElementType(), machine).bytes, 16};
}
