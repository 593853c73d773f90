//===- Example.h - What the files of the compiler half share --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EXAMPLE_H
#define EXAMPLE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/Tile/IR/Tile.h"

#include "ExampleDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ExampleAttrs.h.inc"

// One namespace for all of a plugin, so that its classes are nobody else's.
namespace example {

/// The C text of a kernel, and the memory that one running program needs.
struct KernelText {
  std::string text;
  uint64_t scratchBytes = 0;
};

/// Writes `kernel`, tile IR after the neutral passes, as C source. Ops and types that
/// this backend does not know are errors at their location.
mlir::FailureOr<KernelText> writeC(mlir::func::FuncOp kernel);

/// The C expression of an op that computes one scalar from scalars, the same for each
/// element of a tile; empty for all other ops.
///   operands: C expressions of the operands' elements.
std::string scalarExpression(mlir::Operation *op, llvm::ArrayRef<std::string> operands);

/// The C type that an element is kept in; empty if there is none.
llvm::StringRef storageType(mlir::Type element);

/// C functions that the expressions call.
llvm::StringRef prelude();

/// Names of messages, as tegula::tile::diagID puts them behind the text.
namespace id {
inline constexpr llvm::StringLiteral kArch = "example-arch";
inline constexpr llvm::StringLiteral kFeature = "example-feature";
inline constexpr llvm::StringLiteral kNoKernel = "example-no-kernel";
inline constexpr llvm::StringLiteral kUnsupported = "example-unsupported";
inline constexpr llvm::StringLiteral kNoCompiler = "example-no-compiler";
inline constexpr llvm::StringLiteral kCompilerFailed = "example-compiler-failed";
inline constexpr llvm::StringLiteral kWrongMachine = "example-wrong-machine";
} // namespace id

} // namespace example

#endif // EXAMPLE_H
