//===- TileCPU.h - The dialect of the CPU backend -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CPU_IR_TILECPU_H
#define TEGULA_CPU_IR_TILECPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tegula/Tile/IR/Tile.h"

#include "TileCPUDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "TileCPUAttrs.h.inc"

#define GET_OP_CLASSES
#include "TileCPUOps.h.inc"

namespace tegula::cpu {

/// Function attribute: bytes of scratch memory that one program needs.
inline constexpr llvm::StringLiteral kScratchBytesAttr = "tile_cpu.scratch_bytes";
/// On a kernel: its programs may wait for each other.
inline constexpr llvm::StringLiteral kWaitsAttr = "tile_cpu.waits";

} // namespace tegula::cpu

#endif // TEGULA_CPU_IR_TILECPU_H
