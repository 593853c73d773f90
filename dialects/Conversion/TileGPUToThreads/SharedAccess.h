//===- SharedAccess.h - Addresses of registers in shared memory -----*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_TILEGPUTOTHREADS_SHAREDACCESS_H
#define TEGULA_CONVERSION_TILEGPUTOTHREADS_SHAREDACCESS_H

#include "Places.h"

namespace tegula::tilegpu {

/// A part of what lies at Places, when memory cannot hold all: numbers from index * size
/// to (index + 1) * size - 1, which then lie from the beginning.
struct Window {
  int64_t index = 0, size = 0; ///< size: a power of two; 0 is everything
};

/// Addresses of a thread's registers: few computed ones, constants behind them.
class SharedPlaces {
public:
  /// `places` are numbers of elements, the first of which lies at byte `offset`.
  SharedPlaces(ThreadBuilder &build, const Places &places, mlir::Type element, int64_t offset);
  mlir::Value getAddress(unsigned index);
  /// The address in a window, and whether the register is in it (i1).
  std::pair<mlir::Value, mlir::Value> getAddress(unsigned index, Window window);

private:
  mlir::Value getNumber(unsigned index);
  ThreadBuilder &build;
  const Places &places;
  int64_t bytes, offset;
  llvm::SmallVector<mlir::Value> bases;   ///< addresses by key
  llvm::SmallVector<mlir::Value> numbers; ///< of elements by key
};

/// Stores or loads all registers at their places behind byte `offset`, in accesses that are
/// as wide as places allow. Stores: by the first copies. Loads leave registers outside of
/// the window as they are in `rest`.
void storePlaces(ThreadBuilder &build, mlir::Value vector, const Layout &layout,
                 const Places &places, int64_t offset, Window window = {});
mlir::Value loadPlaces(ThreadBuilder &build, mlir::Type element, const Places &places,
                       int64_t offset, Window window = {}, mlir::Value rest = {});

/// A tile, and where its registers lie.
struct MovedTile {
  mlir::Value vector;
  const Layout *layout;
  const Places *places;
};
/// Tiles that together are `elements` elements, stored, and after a barrier loaded as
/// `target` says; in several rounds if `window` (elements in memory at a time) is not 0.
mlir::Value moveThroughMemory(ThreadBuilder &build, llvm::ArrayRef<MovedTile> stored,
                              mlir::Type element, const Places &target, int64_t elements,
                              int64_t window, int64_t scratch);

/// Writes what `body` does for the first of all threads with copies.
void storeFirstCopies(ThreadBuilder &build, const Layout &layout, llvm::function_ref<void()> body);

} // namespace tegula::tilegpu

#endif // TEGULA_CONVERSION_TILEGPUTOTHREADS_SHAREDACCESS_H
