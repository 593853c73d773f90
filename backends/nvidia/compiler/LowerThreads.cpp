//===- LowerThreads.cpp - The pass nvidia-lower-threads
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "Threads.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

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

/// Bits of another lane of the warp; all lanes take part.
static Value shuffle(OpBuilder &builder, gpu::ShuffleOp op) {
  AsmBuilder b(builder, op.getLoc());
  const NVVM::ShflKind kind = op.getMode() == gpu::ShuffleMode::XOR    ? NVVM::ShflKind::bfly
                              : op.getMode() == gpu::ShuffleMode::UP   ? NVVM::ShflKind::up
                              : op.getMode() == gpu::ShuffleMode::DOWN ? NVVM::ShflKind::down
                                                                       : NVVM::ShflKind::idx;
  Value clamp = b.i32(kind == NVVM::ShflKind::up ? 0 : 31);
  return NVVM::ShflOp::create(builder, b.loc, op.getValue().getType(), b.i32(-1), op.getValue(),
                              op.getOffset(), clamp,
                              NVVM::ShflKindAttr::get(builder.getContext(), kind), UnitAttr());
}

/// Ops of `gpu` that the thread level has.
static bool lowerGpuOp(OpBuilder &builder, Operation *op, Value &result) {
  const Location loc = op->getLoc();
  if (auto thread = dyn_cast<gpu::ThreadIdOp>(op)) {
    result = conversion::readRegister<NVVM::ThreadIdXOp, NVVM::ThreadIdYOp, NVVM::ThreadIdZOp>(
        builder, loc, thread.getDimension());
  } else if (auto block = dyn_cast<gpu::BlockIdOp>(op)) {
    result = conversion::readRegister<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(
        builder, loc, block.getDimension());
  } else if (auto grid = dyn_cast<gpu::GridDimOp>(op)) {
    result = conversion::readRegister<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(
        builder, loc, grid.getDimension());
  } else if (auto exchange = dyn_cast<gpu::ShuffleOp>(op);
             exchange && exchange.getValid().use_empty()) {
    result = shuffle(builder, exchange);
  } else if (isa<gpu::BarrierOp>(op)) {
    NVVM::Barrier0Op::create(builder, loc);
  } else {
    return false;
  }
  return true;
}

/// Whether the op was one of ours; `result` is null if it has none.
static bool lowerOp(OpBuilder &builder, Operation *op, Value &result) {
  if (auto load = dyn_cast<tilegpu::ThreadLoadOp>(op)) {
    result = lowerLoad(builder, load);
  } else if (auto store = dyn_cast<tilegpu::ThreadStoreOp>(op)) {
    lowerStore(builder, store);
  } else if (auto copy = dyn_cast<tilegpu::ThreadAsyncCopyOp>(op)) {
    lowerAsyncCopy(builder, copy);
  } else if (isa<tilegpu::ThreadAsyncCommitOp>(op)) {
    NVVM::CpAsyncCommitGroupOp::create(builder, op->getLoc());
  } else if (auto wait = dyn_cast<tilegpu::ThreadAsyncWaitOp>(op)) {
    NVVM::CpAsyncWaitGroupOp::create(builder, op->getLoc(), wait.getPending());
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
    return lowerGpuOp(builder, op, result);
  }
  return true;
}

/// Code generation makes one instruction of a shift of 64 bits and the select that guards
/// it, and looks at the lower 32 bits of the amount alone: amounts are bounded first.
static void boundShift(Operation *op) {
  if (!isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op) ||
      getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth() != 64) {
    return;
  }
  Attribute constant;
  if (matchPattern(op->getOperand(1), m_Constant(&constant))) {
    return;
  }
  OpBuilder builder(op);
  Type type = op->getOperand(1).getType();
  TypedAttr last = builder.getI64IntegerAttr(63);
  if (auto vector = dyn_cast<VectorType>(type)) {
    last = DenseElementsAttr::get(vector, last);
  }
  Value most = arith::ConstantOp::create(builder, op->getLoc(), last);
  op->setOperand(1, arith::MinUIOp::create(builder, op->getLoc(), op->getOperand(1), most));
}

/// Powers without results between zero and the normal numbers (`tegula.normal`): the instruction
/// that would take those for zero, without what makes it right for them.
static void lowerNormalPower(math::Exp2Op op) {
  OpBuilder builder(op);
  AsmBuilder b(builder, op.getLoc());
  auto type = dyn_cast<VectorType>(op.getType());
  auto power = [&](Value x) {
    return b.call("ex2.approx.ftz.f32 $0, $1;", "=f,f", {x}, {x.getType()}, /*hasEffects=*/false)
        .front();
  };
  Value result;
  if (type) {
    SmallVector<Value> registers;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      registers.push_back(
          power(vector::ExtractOp::create(builder, op.getLoc(), op.getOperand(), i)));
    }
    result = vector::FromElementsOp::create(builder, op.getLoc(), type, registers);
  } else {
    result = power(op.getOperand());
  }
  op.replaceAllUsesWith(result);
  op.erase();
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
    getOperation().walk([](Operation *op) { boundShift(op); });
    getOperation().walk([](math::Exp2Op op) {
      if (op->hasAttr("tegula.normal") && getElementTypeOrSelf(op.getType()).isF32()) {
        lowerNormalPower(op);
      }
    });
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<tilegpu::TileGPUDialect, gpu::GPUDialect>(op->getDialect())) {
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
