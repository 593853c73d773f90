//===- HandOver.h - What one thread found, for those with copies -*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_TILEGPUTOTHREADS_HANDOVER_H
#define TEGULA_CONVERSION_TILEGPUTOTHREADS_HANDOVER_H

#include "tegula/Conversion/TileGPUToThreads/ThreadLowering.h"

namespace tegula::tilegpu {

/// The scalar that the first thread has, for all threads; 8 bytes at `scratch`.
mlir::Value handOverScalar(ThreadBuilder &thread, mlir::Value value, int64_t scratch);
/// The elements that the first copies have, for all: by shuffles where copies are in lanes
/// alone, by the tile at `scratch` else.
mlir::Value handOverTile(ThreadBuilder &thread, mlir::Value vector, const Layout &layout,
                         int64_t scratch);
/// Both masks, of which either may be null: i1.
mlir::Value andMasks(ThreadBuilder &thread, mlir::Value a, mlir::Value b);

void addInlineAsmPatterns(ThreadPatterns &list);
/// Errors for instructions whose constraints do not fit, and for functions of libraries.
mlir::LogicalResult verifyInlineAsm(mlir::ModuleOp module);

} // namespace tegula::tilegpu

#endif // TEGULA_CONVERSION_TILEGPUTOTHREADS_HANDOVER_H
