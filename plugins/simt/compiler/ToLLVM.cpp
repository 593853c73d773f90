//===- ToLLVM.cpp - The passes of the last phase --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Conversion/ToLLVM.h"
#include "Simt.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "tegula/Conversion/Math/ExpandMath.h"
#include "tegula/Conversion/Passes.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::simt;

namespace {

struct ServicesPass : PassWrapper<ServicesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ServicesPass)
  StringRef getArgument() const override { return "simt-services"; }
  StringRef getDescription() const override { return "Calls of the simulator for other threads"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect, scf::SCFDialect>();
  }
  void runOnOperation() override {
    if (failed(lowerToServices(getOperation()))) {
      signalPassFailure();
    }
  }
};

/// What code generation knows no instruction for is written out.
conversion::MathOptions mathOptions() { return {true, true, true}; }

struct ToLLVMPass : PassWrapper<ToLLVMPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToLLVMPass)
  StringRef getArgument() const override { return "simt-to-llvm"; }
  StringRef getDescription() const override { return "Threads to the LLVM dialect"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect, LLVM::LLVMDialect,
                    math::MathDialect, scf::SCFDialect, vector::VectorDialect>();
  }
  void runOnOperation() override;

private:
  LogicalResult moveBFloatsAsIntegers();
};

} // namespace

/// bf16 is only moved once math is expanded; code generation would take it through f32.
LogicalResult ToLLVMPass::moveBFloatsAsIntegers() {
  const auto isBFloat = [](Type type) { return getElementTypeOrSelf(type).isBF16(); };
  WalkResult result = getOperation().walk([&](Operation *op) {
    const bool moves = isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op);
    if (moves || !isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        !(llvm::any_of(op->getOperandTypes(), isBFloat) ||
          llvm::any_of(op->getResultTypes(), isBFloat))) {
      return WalkResult::advance();
    }
    op->emitError() << "expected what the simulator runs, got '" << op->getName() << "' of bf16"
                    << diagID(diag::kUnsupported);
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted()) {
    return failure();
  }
  for (Operation &function : *getOperation().getBody()) {
    conversion::replaceBFloats(&function);
  }
  return success();
}

void ToLLVMPass::runOnOperation() {
  ModuleOp module = getOperation();
  MLIRContext *context = &getContext();
  if (failed(conversion::expandMath(module, mathOptions())) || failed(moveBFloatsAsIntegers())) {
    return signalPassFailure();
  }
  {
    RewritePatternSet patterns(context);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    vector::populateVectorStepLoweringPatterns(patterns);
    vector::populateVectorInterleaveLoweringPatterns(patterns);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    (void)applyPatternsGreedily(module, std::move(patterns), config);
  }
  if (failed(conversion::convertToLLVM(module)) ||
      failed(conversion::verifyNoLibraryCalls(module, mathOptions()))) {
    signalPassFailure();
  }
}

void tegula::simt::registerSimtPasses() {
  registerPass([] { return std::make_unique<ServicesPass>(); });
  registerPass([] { return std::make_unique<ToLLVMPass>(); });
}

void tegula::simt::buildLLVMPhase(OpPassManager &pm) {
  pm.addPass(std::make_unique<ServicesPass>());
  pm.addPass(conversion::createExpandThreadMathPass());
  pm.addPass(std::make_unique<ToLLVMPass>());
}
