//===- TileNVIDIA.h - The dialect of the NVIDIA backend
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_IR_TILENVIDIA_H
#define TEGULA_NVIDIA_IR_TILENVIDIA_H

#include "mlir/IR/Dialect.h"
#include "tegula/Tile/IR/Tile.h"
#include "tegula/TileGPU/IR/TileGPU.h"

#include "TileNVIDIADialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "TileNVIDIAAttrs.h.inc"

namespace tegula::nvidia {

/// On a kernel: it has the hidden argument for prints and assertions.
inline constexpr llvm::StringLiteral kRecordsAttr = "tile_nvidia.records";

/// On a module: its kernel says from where on it needs what earlier launches have written.
/// On modules: the most programs that a launch may put into one block.
inline constexpr llvm::StringLiteral kMostProgramsAttr = "tile_nvidia.most_programs";
inline constexpr llvm::StringLiteral kWaitsForLaunchesAttr = "tile_nvidia.waits_for_launches";

} // namespace tegula::nvidia

#endif // TEGULA_NVIDIA_IR_TILENVIDIA_H
