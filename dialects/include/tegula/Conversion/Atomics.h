//===- Atomics.h - Atomic accesses in LLVM's words --------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_ATOMICS_H
#define TEGULA_CONVERSION_ATOMICS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tegula/Tile/IR/Tile.h"
#include <optional>

namespace tegula::conversion {

mlir::LLVM::AtomicOrdering orderingOf(tile::MemSemantic semantic);

/// Of a swap that found something else: what writes nothing releases nothing.
mlir::LLVM::AtomicOrdering withoutRelease(mlir::LLVM::AtomicOrdering ordering);

/// The operation of `atomicrmw`. Nullopt for the largest and smallest of floats, where LLVM's
/// differ from ours in NaN and signed zeros.
std::optional<mlir::LLVM::AtomicBinOp> binaryOf(tile::AtomicKind kind);

} // namespace tegula::conversion

#endif // TEGULA_CONVERSION_ATOMICS_H
