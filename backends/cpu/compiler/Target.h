//===- Target.h - What the CPU backend knows of processors ----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CPU_TARGET_H
#define TEGULA_CPU_TARGET_H

#include "IR/TileCPU.h"
#include "tegula/Compiler/BackendCompiler.h"
#include "tegula/Conversion/Math/MathOptions.h"

namespace tegula::cpu {

using conversion::MathOptions;

/// What passes ask about a target.
struct TargetFacts {
  MathOptions math;
  bool maskedAccess = false; ///< masked vector loads and stores are instructions
  unsigned numRegisters = 16;
};

TargetFacts getFacts(TargetAttr target);

/// Whether the comma-separated list holds `+name`. Later entries win.
bool hasFeature(llvm::StringRef features, llvm::StringRef name);

/// Names that the option `skip_passes` takes: passes without which a kernel is
/// slower, never different.
inline constexpr llvm::StringLiteral optionalPasses[] = {
    "canonicalize", "cse", "llvm-optimize", "loop-invariant-code-motion", "tile-uniform-advance"};

/// Whether the target leaves out an optional pass; `target` may be null.
bool skipsPass(TargetAttr target, llvm::StringRef name);

/// Resolves arch, triple and features. Null after calling `error`. Thread-safe.
TargetAttr parseTarget(mlir::MLIRContext &context, const compiler::TargetSpec &spec,
                       const compiler::ErrorFn &error);

/// Makes LLVM's code generators known; idempotent and thread-safe.
void initializeTargets();

} // namespace tegula::cpu

#endif // TEGULA_CPU_TARGET_H
