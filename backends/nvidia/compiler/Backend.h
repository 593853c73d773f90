//===- Backend.h - The compiler half of the NVIDIA backend
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_NVIDIA_BACKEND_H
#define TEGULA_NVIDIA_BACKEND_H

#include "Passes.h"
#include "Target.h"
#include "tegula/Compiler/BackendCompiler.h"

namespace tegula::nvidia {

/// Stateless; see BackendCompiler for the contract.
class NvidiaBackend final : public compiler::BackendCompiler {
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

/// Path of the assembler that a target uses: its own, TEGULA_PTXAS, PATH, the toolkit's
/// usual folder. Empty if there is none.
std::string findPtxas(TargetAttr target);

/// What the assembler made, and what it said of registers.
struct Assembled {
  std::string bytes, log;
};
/// Failure has been reported at `kernel`. `quickly`: rather soon than well.
mlir::FailureOr<Assembled> assemble(mlir::Operation *kernel, TargetAttr target,
                                    const std::string &ptxas, llvm::StringRef ptx,
                                    llvm::StringRef kernelName, bool quickly);

/// Of one thread, as the assembler reports it; 0 registers where it said nothing.
struct Resources {
  unsigned registers = 0, spilled = 0; ///< spilled: bytes stored
};
/// The remark of --explain.
void explainResources(mlir::Operation *kernel, TargetAttr target, const Resources &resources);

} // namespace tegula::nvidia

#endif // TEGULA_NVIDIA_BACKEND_H
