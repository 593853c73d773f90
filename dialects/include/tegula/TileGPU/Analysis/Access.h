//===- Access.h - How the threads of a program access memory ----*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tilegpu-plan-accesses looks once at all addresses and writes down, as attributes of loads
// and stores, what the later passes need: how many registers travel in one access, and
// whether two elements of a store may have one address. An op without these attributes is
// accessed element by element and, if it stores a tile, with a check.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_ANALYSIS_ACCESS_H
#define TEGULA_TILEGPU_ANALYSIS_ACCESS_H

#include "tegula/TileGPU/Analysis/InferLayout.h"

namespace tegula::tilegpu {

/// `width` elements that follow each other along dimension `dim` are one access, aligned to
/// `alignment` bytes.
struct Access {
  unsigned dim = 0, width = 1, alignment = 1;
};

/// What `tilegpu.access` (an array: dim, width, alignment) of a load or store says; one
/// element, aligned to its size, where there is none.
Access getAccess(mlir::Operation *op);
void setAccess(mlir::Operation *op, const Access &access);
inline constexpr llvm::StringLiteral kAccessAttr = "tilegpu.access";

/// What is known of the addresses of a store.
enum class StoreOrder {
  Checked,  ///< may meet: store, look whether another element won, then store in order
  Distinct, ///< `tilegpu.distinct`: no two are equal
  InOrder   ///< `tilegpu.in_order`: stored one after the other, in row-major order
};
StoreOrder getStoreOrder(mlir::Operation *store);
inline constexpr llvm::StringLiteral kDistinctAttr = "tilegpu.distinct";
inline constexpr llvm::StringLiteral kInOrderAttr = "tilegpu.in_order";

/// How many elements that follow each other along `dim`, from a multiple of that number
/// on, one thread holds: a power of two.
unsigned getRunLength(const Layout &layout, unsigned dim);
/// Registers of each access of `width` elements along `dim`: all registers, each once;
/// `width` is at most getRunLength.
llvm::SmallVector<llvm::SmallVector<int64_t>> groupRegisters(const Layout &layout, unsigned dim,
                                                             unsigned width);
/// For each register the first one that holds the same element: itself, unless the layout
/// has copies in registers.
llvm::SmallVector<unsigned> getFirstRegisters(const Layout &layout);
/// Whether lanes, warps hold what others hold too.
bool hasLaneCopies(const Layout &layout);
bool hasWarpCopies(const Layout &layout);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_ANALYSIS_ACCESS_H
