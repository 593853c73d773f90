//===- ConvertPlan.h - How elements get where a layout wants them ---*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that move elements (convert_layout and those that change shapes) find them in the
// same thread, in another lane of the warp, or in shared memory. Planning shared memory
// and lowering to threads both ask here, so that they agree.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_ANALYSIS_CONVERTPLAN_H
#define TEGULA_TILEGPU_ANALYSIS_CONVERTPLAN_H

#include "tegula/TileGPU/Analysis/InferLayout.h"
#include "tegula/TileGPU/Layout/Conversion.h"

namespace tegula::tilegpu {

/// A register of one of an op's operands.
struct RegisterOrigin {
  unsigned operand = 0;
  int64_t index = 0;
};
/// From where an element comes: writes its coordinates, returns the operand's number.
using OriginFn =
    llvm::function_ref<unsigned(llvm::ArrayRef<int64_t>, llvm::SmallVectorImpl<int64_t> &)>;

/// For each register of `to` the register of `from` (layouts of the operands) that holds
/// its element in every thread; nullopt where elements would have to travel. `isLinear`:
/// the origin of x + y is that of x plus that of y, up to a constant (+ is the exclusive
/// or), and of one operand if their thread bits do not say otherwise.
std::optional<llvm::SmallVector<RegisterOrigin>>
findRegisters(llvm::ArrayRef<Layout> from, const Layout &to, OriginFn origin, bool isLinear);

enum class ConvertWay : uint8_t {
  Registers, ///< the same thread has it
  Lanes,     ///< shuffles
  Matrices,  ///< shared memory, read by tilegpu.load_matrix
  Swizzled,  ///< shared memory in an order without conflicts
  RowMajor   ///< shared memory
};
struct ConvertPlan {
  ConvertWay way = ConvertWay::Registers;
  llvm::SmallVector<int64_t> registers;
  std::optional<ShufflePlan> shuffles;
  uint32_t bytes = 0; ///< of shared memory
  int64_t window = 0; ///< elements in memory at a time; 0: all
};
ConvertPlan planConvert(const Layout &from, const Layout &to, mlir::Type element,
                        const Machine &machine);

/// Elements of a tile that memory holds at a time: 0 for all, else a power of two. A tile
/// that travels may take half of what the target has.
int64_t getWindow(int64_t elements, mlir::Type element, const Machine &machine);
uint32_t getWindowBytes(int64_t elements, mlir::Type element, const Machine &machine);
/// Bytes of an element of a tile in shared memory: i1 1, pointers 8, a power of two.
unsigned getElementBytes(mlir::Type element);

/// Ops of `tile` that change shapes: registers of result `index` from those of the operands
/// that are tiles; nullopt where elements travel, and for all other ops.
std::optional<llvm::SmallVector<RegisterOrigin>> findShapeRegisters(mlir::Operation *op,
                                                                    unsigned index);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_ANALYSIS_CONVERTPLAN_H
