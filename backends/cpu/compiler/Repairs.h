//===- Repairs.h - What LLVM's code generation gets wrong -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites of LLVM IR around faults of its code generators. Each names the fault;
// test/fuzz/kernels/regressions holds a kernel that shows it.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CPU_REPAIRS_H
#define TEGULA_CPU_REPAIRS_H

#include "Target.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tegula::cpu {

/// Ahead of LLVM's passes.
void repairBeforePasses(llvm::Module &module, TargetAttr target);

/// Behind them, since they bring about what is repaired here.
void repairAfterPasses(llvm::Module &module, TargetAttr target);

} // namespace tegula::cpu

#endif // TEGULA_CPU_REPAIRS_H
