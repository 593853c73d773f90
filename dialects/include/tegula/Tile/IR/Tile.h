//===- Tile.h - The tile dialect ------------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dialect, types, attributes and ops. The .td files beside this header are the
// reference; docs/ explains how to add an op.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILE_IR_TILE_H
#define TEGULA_TILE_IR_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tegula/Tile/IR/TileInterfaces.h.inc"

#include "tegula/Tile/IR/TileDialect.h.inc"
#include "tegula/Tile/IR/TileEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tegula/Tile/IR/TileTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tegula/Tile/IR/TileAttrs.h.inc"

#define GET_OP_CLASSES
#include "tegula/Tile/IR/TileOps.h.inc"

namespace tegula::tile {

/// Names of discardable attributes that the dialect gives a meaning.
inline constexpr llvm::StringLiteral kKernelAttr = "tile.kernel";
inline constexpr llvm::StringLiteral kTargetAttr = "tile.target";
inline constexpr llvm::StringLiteral kDivisibilityAttr = "tile.divisibility";
inline constexpr llvm::StringLiteral kNoAliasAttr = "tile.noalias";
inline constexpr llvm::StringLiteral kNameAttr = "tile.name";
inline constexpr llvm::StringLiteral kNumWarpsAttr = "tile.num_warps";
inline constexpr llvm::StringLiteral kNumStagesAttr = "tile.num_stages";
inline constexpr llvm::StringLiteral kNumCtasAttr = "tile.num_ctas";

/// Bytes that one element occupies in memory: 1 for i1 and i8, 8 for pointers.
/// Zero for types that cannot be pointed to.
unsigned getElementBytes(mlir::Type elementType);

/// Elements that a tile may have: what the language allows, too.
inline constexpr int64_t kMaxTileElements = 1 << 20;

/// Number of elements of `shape`; nothing when there are none, more than
/// kMaxTileElements or not known how many.
std::optional<int64_t> countTileElements(llvm::ArrayRef<int64_t> shape);

/// `elementType` with the shape of `like` (a scalar stays a scalar).
mlir::Type withShapeOf(mlir::Type elementType, mlir::Type like);

/// Whether an atomic access of that kind works on elements of that type.
bool isAtomicOn(AtomicKind kind, mlir::Type element);

} // namespace tegula::tile

#endif // TEGULA_TILE_IR_TILE_H
