//===- Passes.h - Passes from one dialect to another ----------------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_PASSES_H
#define TEGULA_CONVERSION_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace tegula::conversion {

#define GEN_PASS_DECL
#include "tegula/Conversion/ConversionPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "tegula/Conversion/ConversionPasses.h.inc"

} // namespace tegula::conversion

#endif // TEGULA_CONVERSION_PASSES_H
