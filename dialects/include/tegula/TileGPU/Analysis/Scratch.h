//===- Scratch.h - Shared memory that an op works in ----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op with scratch writes it, waits at barriers of its own, and reads it. After the op
// the memory holds nothing of worth; others may still be reading it, until a barrier.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_ANALYSIS_SCRATCH_H
#define TEGULA_TILEGPU_ANALYSIS_SCRATCH_H

#include "mlir/IR/Operation.h"
#include "tegula/TileGPU/Analysis/InferLayout.h"

namespace tegula::tilegpu {

struct Scratch {
  uint32_t bytes = 0;
  uint32_t alignment = 16;
};

/// What `op` needs under the layouts it has now; zero bytes for most.
Scratch getScratch(mlir::Operation *op, const Machine &machine);

/// Where tilegpu-plan-shared put it: the value of `tilegpu.scratch`.
inline constexpr llvm::StringLiteral kScratchAttr = "tilegpu.scratch";
inline constexpr llvm::StringLiteral kSharedBytesAttr = "tilegpu.shared_bytes";
inline constexpr llvm::StringLiteral kCapabilitiesAttr = "tilegpu.capabilities";
inline constexpr llvm::StringLiteral kMmaAttr = "tilegpu.mma";

//===-- The parts, each defined beside its subject ------------------------===//

Scratch getConvertScratch(mlir::Operation *op, const Machine &machine);    ///< layouts, shapes
Scratch getCollectiveScratch(mlir::Operation *op, const Machine &machine); ///< reduce, scan, ...
Scratch getDotScratch(mlir::Operation *op, const Machine &machine);
Scratch getMemoryScratch(mlir::Operation *op, const Machine &machine); ///< atomics, loads

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_ANALYSIS_SCRATCH_H
