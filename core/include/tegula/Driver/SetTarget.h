//===- SetTarget.h - The pass that puts a target on a module -----*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_DRIVER_SETTARGET_H
#define TEGULA_DRIVER_SETTARGET_H

#include "mlir/Pass/Pass.h"
#include "tegula/Compiler/BackendCompiler.h"
#include "tegula/Runtime/Status.h"

namespace tegula::driver {

/// A target as the command line names it, and what its backend makes of it.
struct ResolvedTarget {
  const compiler::BackendCompiler *backend = nullptr;
  mlir::Attribute attr;
};

/// Resolves `what` as tg_target_resolve does, loads its backend, whose dialects become
/// known to `context`, and has it check the target. Threads: one per context.
tg_status *resolveTarget(mlir::MLIRContext &context, const std::string &what,
                         ResolvedTarget &resolved);

/// `tile-set-target{target=WHAT}`: sets `tile.target`. An error of the target is a
/// diagnostic at the module.
std::unique_ptr<mlir::Pass> createSetTargetPass(const std::string &what);

/// Makes `tile-set-target` known to MLIR's registry. Idempotent. Threads: safe.
void registerDriverPasses();

} // namespace tegula::driver

#endif // TEGULA_DRIVER_SETTARGET_H
