//===- PrefetchLoads.cpp - Operands of products a trip ahead
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A loop that loads tiles and multiplies them waits for memory in each trip. Here the
// tiles of a trip are loaded in the one before it, whose products need none of them: they
// arrive in the meantime. The first ones are loaded before the loop. Loads of a trip that
// will not be run are masked off, so memory is accessed as before, only earlier. That is
// the same if nothing in the loop writes.
//
// Whatever addresses and masks are computed from is computed again for the trip that
// follows: from the induction variable, from what the loop carries, or outside of it.
//
//===----------------------------------------------------------------------===//

#include "Trips.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tegula/TileGPU/Analysis/InferLayout.h"
#include "tegula/TileGPU/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tegula::tilegpu {
#define GEN_PASS_DEF_TILEGPUPREFETCHLOADSPASS
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"
} // namespace tegula::tilegpu

using namespace tegula;
using namespace tegula::tilegpu;

/// What the carried tiles may take of a thread's registers, of 32 bits: alone, and together
/// with the sums of the products. The rest is for operands and addresses.
static constexpr unsigned kMostRegisters = 64, kMostWithSums = 192;

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

/// Nothing in the loop may change what a load finds, nor end the program.
static bool onlyReads(scf::ForOp loop) {
  return !loop->walk([](Operation *op) {
                if (auto load = dyn_cast<tile::LoadOp>(op)) {
                  return load.getIsVolatile() ? WalkResult::interrupt() : WalkResult::advance();
                }
                const bool isOfRegions = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
                return isOfRegions || isMemoryEffectFree(op) ? WalkResult::advance()
                                                             : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// The loads whose tiles become operands of products, through layouts and element types.
static SmallVector<tile::LoadOp> findLoads(scf::ForOp loop) {
  llvm::SetVector<Operation *> seen;
  SmallVector<Value> left;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>()) {
    left.append({dot.getA(), dot.getB()});
  }
  llvm::SetVector<Operation *> found;
  while (!left.empty()) {
    Operation *op = left.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || !seen.insert(op)) {
      continue;
    }
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load && isa<RankedTensorType>(load.getType()) && isKnownAhead(load, loop)) {
      found.insert(load);
    } else if (canRepeat(op)) {
      llvm::append_range(left, op->getOperands());
    }
  }
  SmallVector<tile::LoadOp> loads;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) { // in their order
    if (found.contains(load)) {
      loads.push_back(load);
    }
  }
  return loads;
}

static unsigned countRegisters(Type type) {
  std::optional<Layout> layout = getLayout(type);
  const unsigned bytes = tile::getElementBytes(getElementTypeOrSelf(type));
  return layout ? (getNumRegisters(*layout) * bytes + 3) / 4 : kMostRegisters + 1;
}

static bool hasRoom(scf::ForOp loop, ArrayRef<tile::LoadOp> loads) {
  unsigned carried = 0, sums = 0;
  Operation *first = *loop.getBody()->getOps<tile::DotOp>().begin();
  for (tile::LoadOp load : loads) {
    // Both tiles are there at once where this trip's is needed behind the first product.
    const bool isLate = llvm::any_of(load->getUsers(), [&](Operation *user) {
      return !loop.getBody()->findAncestorOpInBlock(*user)->isBeforeInBlock(first);
    });
    carried += countRegisters(load->getResult(0).getType()) * (isLate ? 2 : 1);
  }
  for (auto dot : loop.getBody()->getOps<tile::DotOp>()) {
    sums += countRegisters(dot->getResult(0).getType());
  }
  return carried <= kMostRegisters && carried + sums <= kMostWithSums;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

static void prefetch(IRRewriter &rewriter, scf::ForOp loop, ArrayRef<tile::LoadOp> loads) {
  const Location loc = loop.getLoc();
  const bool isUnsigned = loop.getUnsignedCmp();
  rewriter.setInsertionPoint(loop);
  Value any = arith::CmpIOp::create(
      rewriter, loc, isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt,
      loop.getLowerBound(), loop.getUpperBound());
  Trip first(rewriter, loop);
  first.set(loop.getInductionVar(), loop.getLowerBound());
  for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs())) {
    first.set(argument, init);
  }
  SmallVector<Value> inits;
  for (tile::LoadOp load : loads) {
    inits.push_back(first.load(load, any));
  }
  const DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
  auto made = loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &builder, Location, ArrayRef<BlockArgument> carried) {
        // Before the products, and behind what takes the tiles of this trip out of their
        // registers: the next ones can come into the same.
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(*loop.getBody()->getOps<tile::DotOp>().begin());
        Value step = loop.getStep();
        // The next one's number may be none of its type, what is left to the end is.
        Value left =
            arith::SubIOp::create(builder, loc, loop.getUpperBound(), loop.getInductionVar());
        Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, step, left);
        Trip current(builder, loop), next(builder, loop);
        next.set(loop.getInductionVar(),
                 arith::AddIOp::create(builder, loc, loop.getInductionVar(), step));
        llvm::SetVector<Value> sources;
        for (tile::LoadOp load : loads) {
          for (Value operand : load->getOperands()) {
            addCarried(operand, loop, sources);
          }
        }
        for (Value value : sources) {
          auto argument = dyn_cast<BlockArgument>(value);
          if (argument && argument != loop.getInductionVar()) {
            next.set(argument, current.get(loop.getTiedLoopYieldedValue(argument)->get()));
          }
        }
        SmallVector<Value> yields;
        for (tile::LoadOp load : loads) {
          yields.push_back(next.load(load, more));
        }
        for (auto [load, tile] : llvm::zip_equal(loads, carried)) {
          rewriter.replaceAllUsesWith(load->getResult(0), tile);
        }
        return yields;
      });
  if (succeeded(made)) {
    for (tile::LoadOp load : loads) {
      rewriter.eraseOp(load);
    }
    (*made)->setDiscardableAttrs(attributes);
  }
}

namespace {
struct PrefetchLoadsPass : tegula::tilegpu::impl::TileGPUPrefetchLoadsPassBase<PrefetchLoadsPass> {
  void runOnOperation() override {
    auto stages = getOperation()->getAttrOfType<IntegerAttr>(tile::kNumStagesAttr);
    if (!stages || stages.getInt() <= 1) {
      return;
    }
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      const SmallVector<tile::LoadOp> loads =
          onlyReads(loop) ? findLoads(loop) : SmallVector<tile::LoadOp>();
      if (!loads.empty() && hasRoom(loop, loads)) {
        prefetch(rewriter, loop, loads);
      }
    }
  }
};
} // namespace
