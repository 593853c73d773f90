//===- ToLLVM.cpp - The passes cpu-expand-math and cpu-to-llvm
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "Math/ExpandMath.h"
#include "Passes.h"
#include "Target.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/DialectConversion.h"

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
    if (failed(expandMath(getOperation(), options))) {
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
    {
      RewritePatternSet patterns(context);
      populateSCFToControlFlowConversionPatterns(patterns);
      ConversionTarget target(*context);
      target.addIllegalDialect<scf::SCFDialect>();
      target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
      if (failed(applyPartialConversion(module, target, std::move(patterns)))) {
        return signalPassFailure();
      }
    }
    LowerToLLVMOptions options(context);
    LLVMTypeConverter converter(context, options);
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns)))) {
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
