//===- TileAMD.h - The dialect of the AMD backend
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_AMD_IR_TILEAMD_H
#define TEGULA_AMD_IR_TILEAMD_H

#include "mlir/IR/Dialect.h"
#include "tegula/Tile/IR/Tile.h"
#include "tegula/TileGPU/IR/TileGPU.h"

#include "TileAMDDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "TileAMDAttrs.h.inc"

#endif // TEGULA_AMD_IR_TILEAMD_H
