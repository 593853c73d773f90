//===- InferLayout.cpp - How layouts of operands and results belong together ===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/InferLayout.h"

using namespace mlir;
using namespace tegula::tilegpu;

Layout tegula::tilegpu::makeBlocked(const Machine &machine, ArrayRef<int64_t> shape,
                                    ArrayRef<unsigned> order, unsigned perLane) {
  return {};
}

bool tegula::tilegpu::isElementwise(Operation *op) { return false; }

std::optional<Layout> tegula::tilegpu::inferResult(Operation *op, unsigned operand,
                                                   const Layout &layout, unsigned index) {
  return std::nullopt;
}

std::optional<Layout> tegula::tilegpu::inferOperand(Operation *op, unsigned index,
                                                    const Layout &layout, unsigned operand) {
  return std::nullopt;
}
