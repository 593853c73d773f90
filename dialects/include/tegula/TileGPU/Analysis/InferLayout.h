//===- InferLayout.h - How layouts of operands and results belong together ===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise ops have one layout. Ops that change shapes relate the layout of their
// operand to that of their result: these functions are the one place that says how, so
// that passes can carry layouts through ops and the lowering to threads finds elements
// where it expects them, in the same thread.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_ANALYSIS_INFERLAYOUT_H
#define TEGULA_TILEGPU_ANALYSIS_INFERLAYOUT_H

#include "mlir/IR/Operation.h"
#include "tegula/TileGPU/IR/TileGPU.h"

namespace tegula::tilegpu {

/// What one warp and program has: facts of the module.
struct Machine {
  unsigned warpSize = 32, numWarps = 4;
  CapabilitiesAttr capabilities;
  unsigned getNumThreads() const { return warpSize * numWarps; }
};
/// From the module around `op`; nullopt, after an error at `op`, when it does not say.
std::optional<Machine> getMachine(mlir::Operation *op);

/// A blocked layout of any shape for `machine`: `perLane` neighbouring elements of the
/// dimension order[0] for each lane, lanes and warps along `order`. Sizes that are not
/// powers of two are a power of two repeated by registers. Lanes and warps that are too
/// many hold copies.
Layout makeBlocked(const Machine &machine, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<unsigned> order, unsigned perLane);

/// All operands and results that are tiles have one shape and one layout: arith, math,
/// loads, stores, atomics, casts, tile.map, tile.inline_asm.
bool isElementwise(mlir::Operation *op);

/// The layout that result `index` has when operand `operand` has `layout`; nullopt where
/// the op has none to say (collectives that end elsewhere) or elements would have to move.
/// Reductions yield what is left of their operand's layout (reduceDim).
std::optional<Layout> inferResult(mlir::Operation *op, unsigned operand, const Layout &layout,
                                  unsigned index);
/// The layout that operand `operand` must have so that result `index` has `layout`
/// without elements moving; nullopt as above.
std::optional<Layout> inferOperand(mlir::Operation *op, unsigned index, const Layout &layout,
                                   unsigned operand);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_ANALYSIS_INFERLAYOUT_H
