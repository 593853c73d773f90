//===- PackPrograms.cpp - Several programs of one warp in a block ---------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A multiprocessor starts few blocks at a time, and holds few: with one warp in each it is
// mostly idle. How many programs a block has is the launch's choice, which divides the grid
// evenly: the kernel reads it from the size of the block, so that it is right for any.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace tegula::nvidia {

#define GEN_PASS_DEF_NVIDIAPACKPROGRAMSPASS
#include "NvidiaPasses.h.inc"

static constexpr int32_t mostPrograms = 8;

/// Whether PTX that the kernel brings along may ask where in the block it runs.
static bool mayNameBlock(StringRef text) {
  return llvm::any_of(ArrayRef<StringRef>{"tid", "warpid", "bar", "exit", "shared"},
                      [&](StringRef word) { return text.contains(word); });
}

static bool canPack(ModuleOp module) {
  auto number = [&](StringRef name, int64_t otherwise) {
    auto attr = module->getAttrOfType<IntegerAttr>(name);
    return attr ? attr.getInt() : otherwise;
  };
  if (number("tile.num_warps", 4) != 1 || number("tilegpu.shared_bytes", 0) != 0) {
    return false;
  }
  // Records say which block they are from, and end it.
  return !module
              .walk([](Operation *op) {
                auto code = dyn_cast<LLVM::InlineAsmOp>(op);
                const bool stays =
                    isa<tilegpu::SharedBaseOp, tilegpu::ThreadPrintOp, tilegpu::ThreadAssertOp>(
                        op) ||
                    (code && mayNameBlock(code.getAsmString()));
                return stays ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

namespace {
/// What a program asks for, from what the block is.
class Rewriter {
public:
  explicit Rewriter(Operation *op) : builder(op), loc(op->getLoc()) {}

  Value thread() { return index(make<arith::AndIOp>(number<NVVM::ThreadIdXOp>(), constant(31))); }
  Value block() {
    Value warp = make<arith::ShRUIOp>(number<NVVM::ThreadIdXOp>(), constant(5));
    Value first = make<arith::MulIOp>(number<NVVM::BlockIdXOp>(), programs());
    return index(make<arith::AddIOp>(first, warp));
  }
  Value grid() { return index(make<arith::MulIOp>(number<NVVM::GridDimXOp>(), programs())); }
  void barrier() { NVVM::SyncWarpOp::create(builder, loc, constant(-1)); }

private:
  template <typename Op> Value make(Value a, Value b) { return Op::create(builder, loc, a, b); }
  template <typename Op> Value number() {
    return Op::create(builder, loc, builder.getI32Type()).getResult();
  }
  Value constant(int32_t value) {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
  }
  Value programs() { return make<arith::ShRUIOp>(number<NVVM::BlockDimXOp>(), constant(5)); }
  Value index(Value value) {
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), value);
  }

  OpBuilder builder;
  Location loc;
};

struct PackPrograms : impl::NvidiaPackProgramsPassBase<PackPrograms> {
  using NvidiaPackProgramsPassBase::NvidiaPackProgramsPassBase;

  void runOnOperation() override {
    if (!canPack(getOperation())) {
      return;
    }
    getOperation()->setAttr(kMostProgramsAttr,
                            Builder(&getContext()).getI32IntegerAttr(mostPrograms));
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<gpu::ThreadIdOp, gpu::BlockIdOp, gpu::GridDimOp, gpu::BarrierOp>(op)) {
        ops.push_back(op);
      }
    });
    auto isX = [](auto op) { return op.getDimension() == gpu::Dimension::x; };
    for (Operation *op : ops) {
      Rewriter rewriter(op);
      Value result;
      if (auto thread = dyn_cast<gpu::ThreadIdOp>(op); thread && isX(thread)) {
        result = rewriter.thread();
      } else if (auto block = dyn_cast<gpu::BlockIdOp>(op); block && isX(block)) {
        result = rewriter.block();
      } else if (auto grid = dyn_cast<gpu::GridDimOp>(op); grid && isX(grid)) {
        result = rewriter.grid();
      } else if (isa<gpu::BarrierOp>(op)) {
        rewriter.barrier();
      } else {
        continue;
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
