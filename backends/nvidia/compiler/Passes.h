//===- Passes.h - Passes of the NVIDIA backend
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_PASSES_H
#define TEGULA_NVIDIA_PASSES_H

#include "IR/TileNVIDIA.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace tegula::nvidia {

#define GEN_PASS_DECL
#include "NvidiaPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "NvidiaPasses.h.inc"

} // namespace tegula::nvidia

#endif // TEGULA_NVIDIA_PASSES_H
