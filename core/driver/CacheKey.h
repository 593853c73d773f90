//===- CacheKey.h - What a compiled kernel depends on ---------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_DRIVER_CACHEKEY_H
#define TEGULA_DRIVER_CACHEKEY_H

#include "tegula/Compiler/Pipeline.h"
#include "tegula/Frontend/Frontend.h"
#include "tegula/Runtime/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace tegula::driver {

/// Everything that the steps after the frontend look at.
struct CacheIngredients {
  mlir::ModuleOp module; ///< tile IR with the target on it
  const tg_target &target;
  const compiler::BackendCompiler &backend;
  mlir::Attribute targetAttr;
  const frontend::KernelRequest &kernel;
  const frontend::KernelInfo &info;
  llvm::ArrayRef<unsigned> divisibilities; ///< of the run-time arguments
  llvm::ArrayRef<std::string> accesses;
  const compiler::PipelineOptions &options;
};

/// The key of the cache: 64 hexadecimal digits. The same in every process and on
/// every machine that would make the same code; docs/cache.md lists what is in it.
std::string computeCacheKey(const CacheIngredients &ingredients);

} // namespace tegula::driver

#endif // TEGULA_DRIVER_CACHEKEY_H
