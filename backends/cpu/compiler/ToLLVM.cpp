//===- ToLLVM.cpp - The passes cpu-expand-math and cpu-to-llvm
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Conversion/ToLLVM.h"
#include "Diagnostics.h"
#include "Passes.h"
#include "Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "tegula/Conversion/Math/ExpandMath.h"

using namespace mlir;

namespace tegula::cpu {

#define GEN_PASS_DEF_CPUEXPANDMATHPASS
#define GEN_PASS_DEF_CPUTOLLVMPASS
#include "CpuPasses.h.inc"

namespace {
struct ExpandMath : impl::CpuExpandMathPassBase<ExpandMath> {
  using CpuExpandMathPassBase::CpuExpandMathPassBase;

  void runOnOperation() override {
    MathOptions options{fma, f16c, sse41};
    if (auto target = getOperation()->getAttrOfType<TargetAttr>(tile::kTargetAttr)) {
      options = getFacts(target).math;
    }
    if (failed(conversion::expandMath(getOperation(), options))) {
      signalPassFailure();
    }
  }
};

/// Patterns of the conversion compute widths from widths, and never of i0.
WalkResult refuseEmptyIntegers(Operation *op) {
  const auto isEmpty = [](Type type) { return getElementTypeOrSelf(type).isInteger(0); };
  bool found = llvm::any_of(op->getResultTypes(), isEmpty);
  for (Region &region : op->getRegions()) {
    for (Block &block : region) {
      found |= llvm::any_of(block.getArgumentTypes(), isEmpty);
    }
  }
  if (!found) {
    return WalkResult::advance();
  }
  op->emitOpError() << "expected integers of 1 bit or more, got i0" << diagID(diag::ValueType);
  return WalkResult::interrupt();
}

/// Moves of bf16 become moves of i16: code generation may take a bf16 through f32
/// and back, which loses denormal numbers on some processors and calls a library
/// on others. What still computes with bf16 is reported later.
void moveBFloatsAsIntegers(ModuleOp module) {
  bool computes =
      module
          .walk([](Operation *op) {
            const auto isBFloat = [](Type type) { return getElementTypeOrSelf(type).isBF16(); };
            bool moves = isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op);
            bool arithmetic =
                isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
                isa<vector::FMAOp, vector::ReductionOp, LLVM::FPExtOp, LLVM::FPTruncOp>(op);
            return arithmetic && !moves &&
                           (llvm::any_of(op->getOperandTypes(), isBFloat) ||
                            llvm::any_of(op->getResultTypes(), isBFloat))
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  if (computes) {
    return;
  }
  conversion::replaceBFloats(module);
}

struct ToLLVM : impl::CpuToLLVMPassBase<ToLLVM> {
  using CpuToLLVMPassBase::CpuToLLVMPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    // Control flow needs a function to put its blocks into.
    for (Operation &op : *module.getBody()) {
      if (!isa<SymbolOpInterface>(op)) {
        op.emitOpError() << "is not supported by the CPU backend outside of functions"
                         << diagID(diag::NoLowering);
        return signalPassFailure();
      }
    }
    if (module.walk(refuseEmptyIntegers).wasInterrupted()) {
      return signalPassFailure();
    }
    moveBFloatsAsIntegers(module);
    if (failed(conversion::convertToLLVM(module))) {
      return signalPassFailure();
    }
    MathOptions math;
    if (auto attr = module->getAttrOfType<TargetAttr>(tile::kTargetAttr)) {
      math = getFacts(attr).math;
    }
    if (failed(verifyNoLibraryCalls(module, math))) {
      signalPassFailure();
    }
  }
};
} // namespace

} // namespace tegula::cpu
