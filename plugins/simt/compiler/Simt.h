//===- Simt.h - What the files of the compiler half share -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_SIMT_SIMT_H
#define TEGULA_SIMT_SIMT_H

#include "KernelServices.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tegula/Compiler/BackendCompiler.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/TileGPU/IR/TileGPU.h"

#include "SimtDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "SimtAttrs.h.inc"

namespace tegula::simt {

using tile::diagID;

/// Identifiers of messages.
namespace diag {
inline constexpr llvm::StringLiteral kArch = "simt-arch";
inline constexpr llvm::StringLiteral kFeature = "simt-feature";
inline constexpr llvm::StringLiteral kSignature = "simt-signature";
inline constexpr llvm::StringLiteral kUnsupported = "simt-unsupported";
inline constexpr llvm::StringLiteral kCode = "simt-code";
} // namespace diag

/// The processor that code is made for: that of this process, by family.
llvm::StringRef hostTriple();
llvm::StringRef hostCpu();
llvm::StringRef hostFeatures();

/// gpu and tilegpu ops to calls of services (Services.cpp), and kernels to entries.
/// Expects threads; leaves arith, math, vector, scf, cf, func and llvm.
mlir::LogicalResult lowerToServices(mlir::ModuleOp module);

/// Registers and adds the passes of Phase::LLVM.
void registerSimtPasses();
void buildLLVMPhase(mlir::OpPassManager &pm);

/// From the LLVM dialect to text or a shared library.
mlir::FailureOr<compiler::Artifact> emitArtifact(mlir::ModuleOp module, TargetAttr target,
                                                 compiler::Stage stage, llvm::StringRef kernelName);

} // namespace tegula::simt

#endif // TEGULA_SIMT_SIMT_H
