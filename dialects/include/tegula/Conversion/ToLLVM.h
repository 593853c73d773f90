//===- ToLLVM.h - The last conversion, for any backend ----------*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_CONVERSION_TOLLVM_H
#define TEGULA_CONVERSION_TOLLVM_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tegula::conversion {

/// `scf`, `cf`, `func`, `arith`, `math`, `vector` and `ub` to the LLVM dialect. `extend`
/// may add patterns and make other ops legal. What is left is an error at the op.
mlir::LogicalResult
convertToLLVM(mlir::ModuleOp module,
              llvm::function_ref<void(const mlir::LLVMTypeConverter &, mlir::RewritePatternSet &,
                                      mlir::ConversionTarget &)>
                  extend = {});

/// bf16 as i16 in the ops below `root`, for targets that move such values and compute none.
void replaceBFloats(mlir::Operation *root);

} // namespace tegula::conversion

#endif // TEGULA_CONVERSION_TOLLVM_H
