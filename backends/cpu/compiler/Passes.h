//===- Passes.h - Passes of the CPU backend -------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CPU_PASSES_H
#define TEGULA_CPU_PASSES_H

#include "IR/TileCPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace tegula::cpu {

#define GEN_PASS_DECL
#include "CpuPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "CpuPasses.h.inc"

} // namespace tegula::cpu

#endif // TEGULA_CPU_PASSES_H
