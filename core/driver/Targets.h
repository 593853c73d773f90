//===- Targets.h - Targets as their backend understands them -----*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_DRIVER_TARGETS_H
#define TEGULA_DRIVER_TARGETS_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "tegula/Compiler/BackendCompiler.h"
#include "tegula/Runtime/Target.h"

namespace tegula::driver {

/// Loads the backend's compiler half, of a version that the target allows.
tg_status *loadTargetBackend(const tg_target &target, const compiler::BackendCompiler *&backend);

/// Everything registered that a compile with `backend` may meet.
const mlir::DialectRegistry &registryFor(const compiler::BackendCompiler &backend);

/// Has the backend check the target.
tg_status *parseTarget(mlir::MLIRContext &context, const compiler::BackendCompiler &backend,
                       const tg_target &target, mlir::Attribute &attr);

/// The features of a target's attribute, one by one.
std::vector<std::string> featuresOf(mlir::Attribute attr);

/// tg_target_hash of a target, with what the backend made of it.
std::string hashOf(const tg_target &target, mlir::Attribute attr);

/// Replaces `native` by the processor it means.
tg_status *freezeTarget(tg_target &target);

} // namespace tegula::driver

#endif // TEGULA_DRIVER_TARGETS_H
