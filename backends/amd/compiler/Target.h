//===- Target.h - What the AMD backend knows of chips
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_AMD_TARGET_H
#define TEGULA_AMD_TARGET_H

#include "IR/TileAMD.h"
#include "tegula/Compiler/BackendCompiler.h"

namespace tegula::amd {

/// A chip that code can be made for.
struct Chip {
  llvm::StringLiteral name;
  unsigned warpSize;  ///< lanes that run one instruction together
  unsigned sharedKiB; ///< of one program
};

/// Null if there is none of this name.
const Chip *findChip(llvm::StringRef name);

tilegpu::CapabilitiesAttr getCapabilities(TargetAttr target);

/// Checks arch, triple, options and formats. Null after calling `error`. Thread-safe.
TargetAttr parseTarget(mlir::MLIRContext &context, const compiler::TargetSpec &spec,
                       const compiler::ErrorFn &error);

/// Makes LLVM's code generator known; idempotent and thread-safe.
void initializeTargets();

} // namespace tegula::amd

#endif // TEGULA_AMD_TARGET_H
