//===- TileGPU.h - The dialect of tiles on GPUs -----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_IR_TILEGPU_H
#define TEGULA_TILEGPU_IR_TILEGPU_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/TensorEncoding.h"
#include "tegula/Tile/IR/Tile.h"
#include "tegula/Tile/IR/Traits.h"
#include "tegula/TileGPU/Layout/Layout.h"

#include "tegula/TileGPU/IR/TileGPUDialect.h.inc"
#include "tegula/TileGPU/IR/TileGPUEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tegula/TileGPU/IR/TileGPUAttrs.h.inc"

#include "tegula/TileGPU/IR/TileGPUInterfaces.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tegula/TileGPU/IR/TileGPUTypes.h.inc"

#define GET_OP_CLASSES
#include "tegula/TileGPU/IR/TileGPUOps.h.inc"

namespace tegula::tilegpu {

/// The layout of a tensor type; nullopt if it has none.
std::optional<Layout> getLayout(mlir::Type type);
/// The tensor type with another layout.
mlir::RankedTensorType withLayout(mlir::Type type, const Layout &layout);
/// Elements that one thread holds of a tile with `layout`.
inline unsigned getNumRegisters(const Layout &layout) { return layout.getSize(Axis::Register); }
/// Vector elements of operands and accumulator of an instruction in one thread.
struct MmaRegisters {
  unsigned a, b, acc;
};
MmaRegisters getMmaRegisters(MmaAttr instruction, unsigned warpSize);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_IR_TILEGPU_H
