//===- ToLLVM.cpp - The pass nvidia-to-llvm
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Passes.h"
#include "tegula/Conversion/Threads.h"

using namespace mlir;

namespace tegula::nvidia {

#define GEN_PASS_DEF_NVIDIATOLLVMPASS
#include "NvidiaPasses.h.inc"

/// Functions that code generation has instructions for, at least where an approximation is
/// asked for.
static bool isInstruction(Operation *op) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (isa<LLVM::Exp2Op>(op)) {
    return !element.isF64();
  }
  if (!isa<LLVM::SinOp, LLVM::CosOp, LLVM::TanhOp>(op)) {
    return false;
  }
  auto fast = cast<LLVM::FastmathFlagsInterface>(op).getFastmathAttr();
  return element.isF32() && fast && bitEnumContainsAll(fast.getValue(), LLVM::FastmathFlags::afn);
}

namespace {
struct ToLLVM : impl::NvidiaToLLVMPassBase<ToLLVM> {
  using NvidiaToLLVMPassBase::NvidiaToLLVMPassBase;

  void runOnOperation() override {
    auto warps = getOperation()->getAttrOfType<IntegerAttr>("tile.num_warps");
    const int32_t threads = 32 * (warps ? warps.getInt() : 4);
    auto finish = [&](LLVM::LLVMFuncOp kernel) {
      Builder builder(&getContext());
      kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
      auto programs = getOperation()->getAttrOfType<IntegerAttr>(kMostProgramsAttr);
      kernel->setAttr(
          programs ? NVVM::NVVMDialect::getMaxntidAttrName()
                   : NVVM::NVVMDialect::getReqntidAttrName(),
          builder.getDenseI32ArrayAttr({threads * (programs ? int32_t(programs.getInt()) : 1)}));
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(1));
    };
    if (failed(conversion::convertThreadsToLLVM(
            getOperation(), NVVM::NVVMDialect::getDialectNamespace(), isInstruction, finish))) {
      signalPassFailure();
    }
  }
};
} // namespace

} // namespace tegula::nvidia
