//===- Backend.h - The compiler half of the AMD backend
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_AMD_BACKEND_H
#define TEGULA_AMD_BACKEND_H

#include "Passes.h"
#include "Target.h"
#include "tegula/Compiler/BackendCompiler.h"

namespace tegula::amd {

/// Stateless; see BackendCompiler for the contract.
class AmdBackend final : public compiler::BackendCompiler {
public:
  void registerDialects(mlir::DialectRegistry &registry) const override;
  void registerPasses() const override;
  mlir::Attribute parseTarget(mlir::MLIRContext &context, const compiler::TargetSpec &spec,
                              const compiler::ErrorFn &error) const override;
  compiler::Capabilities getCapabilities(mlir::Attribute target) const override;
  void buildLowering(mlir::OpPassManager &pm, mlir::Attribute target,
                     compiler::Phase phase) const override;
  mlir::FailureOr<compiler::Artifact> emit(mlir::ModuleOp module, mlir::Attribute target,
                                           compiler::Stage stage,
                                           llvm::StringRef kernelName) const override;
  std::string getCacheKey(mlir::Attribute target) const override;
};

mlir::FailureOr<compiler::Artifact> emitArtifact(mlir::ModuleOp module, TargetAttr target,
                                                 compiler::Stage stage, llvm::StringRef kernelName);

/// Adds what the notes of a code object say of a kernel's registers and memory; nothing
/// when they cannot be read.
void addResources(compiler::Artifact &artifact, llvm::StringRef object, llvm::StringRef kernelName);

} // namespace tegula::amd

#endif // TEGULA_AMD_BACKEND_H
