//===- LowerThreads.cpp - The pass nvidia-lower-threads
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "Threads.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tegula::nvidia {

#define GEN_PASS_DEF_NVIDIALOWERTHREADSPASS
#include "NvidiaPasses.h.inc"

/// All shared memory of a program: how much it is, the launch says.
static Value sharedBase(OpBuilder &builder, tilegpu::SharedBaseOp op) {
  constexpr StringLiteral name = "tegula_shared";
  auto module = op->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    LLVM::GlobalOp::create(top, module.getLoc(), LLVM::LLVMArrayType::get(top.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External, name, Attribute(),
                           /*alignment=*/1024, /*addrSpace=*/3);
  }
  return LLVM::AddressOfOp::create(builder, op.getLoc(), op.getType(), name);
}

/// Whether the op was one of ours; `result` is null if it has none.
static bool lowerOp(OpBuilder &builder, Operation *op, Value &result) {
  if (auto load = dyn_cast<tilegpu::ThreadLoadOp>(op)) {
    result = lowerLoad(builder, load);
  } else if (auto store = dyn_cast<tilegpu::ThreadStoreOp>(op)) {
    lowerStore(builder, store);
  } else if (auto atomic = dyn_cast<tilegpu::ThreadAtomicRMWOp>(op)) {
    result = lowerAtomic(builder, atomic);
  } else if (auto cas = dyn_cast<tilegpu::ThreadAtomicCASOp>(op)) {
    result = lowerAtomic(builder, cas);
  } else if (auto mma = dyn_cast<tilegpu::MmaOp>(op)) {
    result = lowerMma(builder, mma);
  } else if (auto matrix = dyn_cast<tilegpu::LoadMatrixOp>(op)) {
    result = lowerLoadMatrix(builder, matrix);
  } else if (auto base = dyn_cast<tilegpu::SharedBaseOp>(op)) {
    result = sharedBase(builder, base);
  } else {
    return false;
  }
  return true;
}

namespace {
struct LowerThreads : impl::NvidiaLowerThreadsPassBase<LowerThreads> {
  using NvidiaLowerThreadsPassBase::NvidiaLowerThreadsPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (!function.isExternal()) {
        lowerDebug(function);
      }
    }
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<tilegpu::TileGPUDialect>(op->getDialect())) {
        ops.push_back(op);
      }
    });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      Value result;
      if (!lowerOp(builder, op, result)) {
        op->emitOpError() << "has no instruction on NVIDIA's chips" << diagID(diag::NoLowering);
        return signalPassFailure();
      }
      if (result) {
        op->getResult(0).replaceAllUsesWith(result);
      }
      op->erase();
    }
  }
};
} // namespace

} // namespace tegula::nvidia
