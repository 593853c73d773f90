//===- ServiceBuilder.h - Writes calls of the simulator -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_SIMT_SERVICEBUILDER_H
#define TEGULA_SIMT_SERVICEBUILDER_H

#include "Simt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"

namespace tegula::simt {

/// Constants of a module, and how many there are.
struct Constants {
  llvm::StringMap<mlir::LLVM::GlobalOp> shared; ///< by their bytes
  unsigned count = 0;
};

/// Makes the function an entry, or appends the context to its arguments and to those of
/// calls; yields the context.
mlir::FailureOr<mlir::Value> addContext(mlir::func::FuncOp function);

unsigned getWarpSize(mlir::ModuleOp module);

/// The bytes of a MatrixRecord with its tables; false for instructions that there are
/// no tables for.
bool describeMatrices(tilegpu::MmaAttr instruction, unsigned warpSize, std::string &record);

Element elementOf(mlir::Type type, bool isSigned);

/// Writes in front of one op.
class ServiceBuilder {
public:
  ServiceBuilder(mlir::ModuleOp module, Constants &constants, mlir::Operation *op,
                 mlir::Value context);

protected:
  mlir::ModuleOp module;
  Constants &constants;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Value context;
  llvm::StringRef opName;

  mlir::Type pointerType();
  mlir::Value i32(int64_t value);
  mlir::Value offset(mlir::Value pointer, int64_t bytes);
  /// A 32-bit field of the context.
  mlir::Value contextNumber(int64_t field);
  mlir::Value laneId();
  mlir::Value warpId();
  /// A pointer without address space.
  mlir::Value generic(mlir::Value pointer);
  mlir::Value toBits(mlir::Value value);
  mlir::Value fromBits(mlir::Value bits, mlir::Type type);
  /// `value`, or zero where `mask` (may be null) is false.
  mlir::Value zeroUnless(mlir::Value mask, mlir::Value value);
  /// `pointer`, or that field of the context where `mask` (may be null) is false.
  mlir::Value choose(mlir::Value mask, mlir::Value pointer, int64_t field);
  /// Memory of this thread for the rest of the function.
  mlir::Value stackSlot(mlir::Type type);

  /// The address of constant bytes; equal ones are there once.
  mlir::Value bytes(llvm::StringRef text);
  /// The op's Place; `isOwn`: no other op has the same.
  mlir::Value place(bool isOwn);
  /// Calls the function at `field` of the table; null for no result.
  mlir::Value call(int64_t field, mlir::Type result, llvm::ArrayRef<mlir::Value> operands);
  void checkAccess(mlir::Value pointer, mlir::Type type, uint64_t alignment, uint32_t how);

  template <typename T> static std::string describe(T what) {
    std::string text;
    llvm::raw_string_ostream(text) << what;
    return text;
  }

private:
  mlir::Value addressOf(mlir::LLVM::GlobalOp global);
  mlir::LLVM::GlobalOp makeGlobal(llvm::StringRef text);
};

} // namespace tegula::simt

#endif // TEGULA_SIMT_SERVICEBUILDER_H
