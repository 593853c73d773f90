//===- Passes.h - Passes of the AMD backend
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_AMD_PASSES_H
#define TEGULA_AMD_PASSES_H

#include "IR/TileAMD.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace tegula::amd {

#define GEN_PASS_DECL
#include "AmdPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "AmdPasses.h.inc"

} // namespace tegula::amd

#endif // TEGULA_AMD_PASSES_H
