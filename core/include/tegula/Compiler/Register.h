//===- Register.h - What every tool registers ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One set of registrations for the driver, tegula-opt and the reducer, so that
// they can never differ in what they know.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_COMPILER_REGISTER_H
#define TEGULA_COMPILER_REGISTER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tegula::compiler {

/// Adds the tile dialect, the upstream dialects that tile IR and its lowerings
/// use, and the extensions their inliner and analyses need. Backends add theirs
/// through BackendCompiler::registerDialects. Threads: any, one per registry.
void registerDialects(mlir::DialectRegistry &registry);

/// Adds our passes and all upstream passes to MLIR's global registry, so that
/// pipelines can be spelled as text. Idempotent. Threads: safe.
void registerPasses();

/// Adds our named pipelines to MLIR's global registry. Idempotent. Threads: safe.
void registerPipelines();

} // namespace tegula::compiler

#endif // TEGULA_COMPILER_REGISTER_H
