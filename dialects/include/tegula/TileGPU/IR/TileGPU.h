//===- TileGPU.h - The dialect of tiles on GPUs -----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_IR_TILEGPU_H
#define TEGULA_TILEGPU_IR_TILEGPU_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/TensorEncoding.h"
#include "tegula/TileGPU/Layout/Layout.h"

#include "tegula/TileGPU/IR/TileGPUDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tegula/TileGPU/IR/TileGPUAttrs.h.inc"

namespace tegula::tilegpu {

/// The layout of a tensor type; nullopt if it has none.
std::optional<Layout> getLayout(mlir::Type type);

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_IR_TILEGPU_H
