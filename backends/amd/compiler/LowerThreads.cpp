//===- LowerThreads.cpp - The pass amd-lower-threads
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "Threads.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace tegula::amd {

#define GEN_PASS_DEF_AMDLOWERTHREADSPASS
#include "AmdPasses.h.inc"

/// All shared memory of a program. Its size is part of the code object.
static Value sharedBase(OpBuilder &builder, tilegpu::SharedBaseOp op) {
  constexpr StringLiteral name = "tegula_shared";
  auto module = op->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    auto bytes = module->getAttrOfType<IntegerAttr>("tilegpu.shared_bytes");
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(top.getI8Type(), bytes ? bytes.getInt() : 0);
    // Without a value, since shared memory cannot have one.
    LLVM::GlobalOp::create(top, module.getLoc(), type, /*isConstant=*/false,
                           LLVM::Linkage::Internal, name, Attribute(), /*alignment=*/1024,
                           /*addrSpace=*/3);
  }
  return LLVM::AddressOfOp::create(builder, op.getLoc(), op.getType(), name);
}

/// Programs of the grid along an axis: the first of the arguments that the launch adds.
static Value gridSize(OpBuilder &builder, gpu::GridDimOp op) {
  BitsBuilder b(builder, op.getLoc());
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext(), 4);
  Value arguments = LLVM::CallIntrinsicOp::create(
                        builder, b.loc, pointer,
                        builder.getStringAttr("llvm.amdgcn.implicitarg.ptr"), ValueRange())
                        .getResult(0);
  Value place = LLVM::GEPOp::create(builder, b.loc, pointer, builder.getI32Type(), arguments,
                                    ArrayRef<LLVM::GEPArg>{int32_t(op.getDimension())});
  Value number = LLVM::LoadOp::create(builder, b.loc, builder.getI32Type(), place, 4,
                                      /*isVolatile=*/false, /*isNonTemporal=*/false,
                                      /*isInvariant=*/true);
  return arith::IndexCastUIOp::create(builder, b.loc, builder.getIndexType(), number);
}

/// Number of this thread in its warp: how many lanes come before it.
static Value laneId(BitsBuilder &b) {
  Type i32 = b.builder.getI32Type();
  Value low = ROCDL::MbcntLoOp::create(b.builder, b.loc, i32, b.i32(-1), b.i32(0), ArrayAttr(),
                                       ArrayAttr());
  return ROCDL::MbcntHiOp::create(b.builder, b.loc, i32, b.i32(-1), low, ArrayAttr(), ArrayAttr());
}

static std::optional<int64_t> constantOf(Value value) {
  IntegerAttr number;
  return matchPattern(value, m_Constant(&number)) ? std::optional(number.getInt()) : std::nullopt;
}

/// Bits of another lane of the warp; all lanes take part.
static Value shuffle(OpBuilder &builder, gpu::ShuffleOp op) {
  BitsBuilder b(builder, op.getLoc());
  Type i32 = builder.getI32Type(), type = op.getValue().getType();
  Value bits = b.toInteger(op.getValue()), other;
  const gpu::ShuffleMode mode = op.getMode();
  const std::optional<int64_t> offset = constantOf(op.getOffset());
  if (mode == gpu::ShuffleMode::XOR && offset && *offset >= 0 && *offset < 32) {
    // Among 32 lanes the pattern is part of the instruction: lane & 31, then ^ offset.
    other = ROCDL::DsSwizzleOp::create(builder, b.loc, i32, bits, b.i32(*offset << 10 | 31));
    return b.fromInteger(other, type);
  }
  Value lane = op.getOffset();
  if (mode == gpu::ShuffleMode::XOR) {
    lane = arith::XOrIOp::create(builder, b.loc, laneId(b), lane);
  } else if (mode == gpu::ShuffleMode::UP) {
    lane = arith::SubIOp::create(builder, b.loc, laneId(b), lane);
  } else if (mode == gpu::ShuffleMode::DOWN) {
    lane = arith::AddIOp::create(builder, b.loc, laneId(b), lane);
  }
  // The instruction counts bytes.
  Value place = arith::ShLIOp::create(builder, b.loc, lane, b.i32(2));
  other = ROCDL::DsBpermuteOp::create(builder, b.loc, i32, place, bits);
  return b.fromInteger(other, type);
}

static void barrier(OpBuilder &builder, Location loc) {
  LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::release, StringRef("workgroup"));
  ROCDL::SBarrierOp::create(builder, loc);
  LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::acquire, StringRef("workgroup"));
}

/// Ops of `gpu` that the thread level has.
static bool lowerGpuOp(OpBuilder &builder, Operation *op, Value &result) {
  const Location loc = op->getLoc();
  if (auto thread = dyn_cast<gpu::ThreadIdOp>(op)) {
    result = conversion::readRegister<ROCDL::ThreadIdXOp, ROCDL::ThreadIdYOp, ROCDL::ThreadIdZOp>(
        builder, loc, thread.getDimension());
  } else if (auto block = dyn_cast<gpu::BlockIdOp>(op)) {
    result = conversion::readRegister<ROCDL::BlockIdXOp, ROCDL::BlockIdYOp, ROCDL::BlockIdZOp>(
        builder, loc, block.getDimension());
  } else if (auto grid = dyn_cast<gpu::GridDimOp>(op)) {
    result = gridSize(builder, grid);
  } else if (auto exchange = dyn_cast<gpu::ShuffleOp>(op);
             exchange && exchange.getValid().use_empty() &&
             conversion::getBits(exchange.getValue().getType()) == 32) {
    result = shuffle(builder, exchange);
  } else if (isa<gpu::BarrierOp>(op)) {
    barrier(builder, loc);
  } else {
    return false;
  }
  return true;
}

/// False: there is nothing on the chip for it.
static bool lowerOp(OpBuilder &builder, Operation *op, Value &result) {
  if (auto load = dyn_cast<tilegpu::ThreadLoadOp>(op)) {
    result = lowerLoad(builder, load);
  } else if (auto store = dyn_cast<tilegpu::ThreadStoreOp>(op)) {
    lowerStore(builder, store);
  } else if (auto atomic = dyn_cast<tilegpu::ThreadAtomicRMWOp>(op)) {
    result = lowerAtomic(builder, atomic);
  } else if (auto cas = dyn_cast<tilegpu::ThreadAtomicCASOp>(op)) {
    result = lowerAtomic(builder, cas);
  } else if (auto base = dyn_cast<tilegpu::SharedBaseOp>(op)) {
    result = sharedBase(builder, base);
  } else {
    return lowerGpuOp(builder, op, result);
  }
  return true;
}

namespace {
struct LowerThreads : impl::AmdLowerThreadsPassBase<LowerThreads> {
  using AmdLowerThreadsPassBase::AmdLowerThreadsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<tilegpu::TileGPUDialect, gpu::GPUDialect>(op->getDialect())) {
        ops.push_back(op);
      }
    });
    for (Operation *op : ops) {
      if (isa<tilegpu::ThreadPrintOp, tilegpu::ThreadAssertOp>(op)) {
        op->emitError() << "expected a kernel without prints and assertions, which kernels of the "
                           "AMD backend cannot do yet"
                        << diagID(diag::Debugging);
        return signalPassFailure();
      }
      OpBuilder builder(op);
      Value result;
      if (!lowerOp(builder, op, result)) {
        op->emitOpError() << "has no instruction on AMD's chips" << diagID(diag::NoLowering);
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

} // namespace tegula::amd
