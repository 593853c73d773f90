//===- Views.h - Block pointers and tensor descriptors --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both are Structs that hold base, shape and strides; a block pointer its offsets too.
// The view that an access needs is made where it is used. Fields:
//
//   block pointer      type, dtype, shape (); _base, _shape, _strides, _offsets
//   tensor descriptor  dtype, shape, strides, block_shape, block_type; _base, _padding
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_FRONTEND_SEMANTICS_VIEWS_H
#define TEGULA_FRONTEND_SEMANTICS_VIEWS_H

#include "Builtins.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::frontend {

/// tl.load and tl.store of a block pointer.
Value loadBlock(Semantics &semantics, const BoundCall &call);
Value storeBlock(Semantics &semantics, const BoundCall &call);

//===-- Shared by their builtins ------------------------------------------===//

/// Argument `name`, one integer or a tuple of them, as values of `type`; those known at
/// compile time stay so. `rank`: how many there must be. Nullopt after a report.
std::optional<std::vector<Value>> getIntegers(const BoundCall &call, llvm::StringRef name,
                                              DType type,
                                              std::optional<size_t> rank = std::nullopt);
/// The argument `block_shape`; nullopt after a report.
std::optional<llvm::SmallVector<int64_t, 4>> getBlockShape(const BoundCall &call);
/// The argument `base`, a scalar pointer to memory of a type; Poison after a report.
Value getBase(const BoundCall &call);
/// The argument `padding_option` for elements of `dtype`: whether to pad with NaN, not zero;
/// nullopt after a report.
std::optional<bool> paddingOption(const BoundCall &call, const DType &dtype);
/// Argument `name` as a tile of `block`, cast and broadcast; Poison after a report.
Value getStored(const BoundCall &call, llvm::StringRef name, const LangType &block);
/// An SSA value of type i64.
mlir::Value toI64(Semantics &semantics, const Value &value);
llvm::SmallVector<mlir::Value> toI64(Semantics &semantics, llvm::ArrayRef<Value> values);
mlir::Value makeView(Semantics &semantics, const Value &base, llvm::ArrayRef<Value> shape,
                     llvm::ArrayRef<Value> strides, llvm::ArrayRef<int64_t> blockShape,
                     bool padsWithNaN);
/// The kind of an 8-bit float type (Casts.cpp).
tile::Fp8Kind fp8Kind(const DType &dtype);

} // namespace tegula::frontend

#endif // TEGULA_FRONTEND_SEMANTICS_VIEWS_H
