//===- ToLLVM.cpp - The pass amd-to-llvm
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Passes.h"
#include "Target.h"
#include "tegula/Conversion/Threads.h"

using namespace mlir;

namespace tegula::amd {

#define GEN_PASS_DEF_AMDTOLLVMPASS
#include "AmdPasses.h.inc"

/// Functions that code generation has instructions for. The bare sine and cosine of the
/// chips are exact near zero only.
static bool isInstruction(Operation *op) {
  return isa<LLVM::Exp2Op>(op) && getElementTypeOrSelf(op->getOperand(0).getType()).isF32();
}

/// Threads of one program.
static int64_t countThreads(ModuleOp module) {
  auto warps = module->getAttrOfType<IntegerAttr>("tile.num_warps");
  auto machine = module->getAttrOfType<tilegpu::CapabilitiesAttr>("tilegpu.capabilities");
  return (warps ? warps.getInt() : 4) * (machine ? machine.getWarpSize() : 64);
}

namespace {
struct ToLLVM : impl::AmdToLLVMPassBase<ToLLVM> {
  using AmdToLLVMPassBase::AmdToLLVMPassBase;

  void runOnOperation() override {
    const int64_t threads = countThreads(getOperation());
    auto finish = [&](LLVM::LLVMFuncOp kernel) {
      Builder builder(&getContext());
      const std::string size = std::to_string(threads);
      kernel->setAttr(ROCDL::ROCDLDialect::KernelAttrHelper::getNameStr(), builder.getUnitAttr());
      // Registers are shared out among as many threads as there are.
      kernel->setAttr(ROCDL::ROCDLDialect::FlatWorkGroupSizeAttrHelper::getNameStr(),
                      builder.getStringAttr(size + "," + size));
      kernel->setAttr(ROCDL::ROCDLDialect::ReqdWorkGroupSizeAttrHelper::getNameStr(),
                      builder.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
    };
    if (failed(conversion::convertThreadsToLLVM(
            getOperation(), ROCDL::ROCDLDialect::getDialectNamespace(), isInstruction, finish))) {
      signalPassFailure();
    }
  }
};
} // namespace

} // namespace tegula::amd
