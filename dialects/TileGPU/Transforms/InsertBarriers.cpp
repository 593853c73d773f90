//===- InsertBarriers.cpp - Accesses in order across threads --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over each kernel in the order of execution carries what was accessed since the
// last barrier. An op that conflicts with some of it gets a barrier before it. Loops are
// walked until nothing new is carried round; what the iteration before accessed through a
// pointer of its own may have been anywhere.
//
//===----------------------------------------------------------------------===//

#include "Rings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tegula/TileGPU/Analysis/Hazards.h"
#include "tegula/TileGPU/Transforms/Passes.h"

using namespace mlir;

namespace tegula::tilegpu {
#define GEN_PASS_DEF_TILEGPUINSERTBARRIERSPASS
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"
} // namespace tegula::tilegpu

using namespace tegula;
using namespace tegula::tilegpu;

namespace {
/// What happened since the last barrier that surely was run, on some way to here.
struct Pending {
  SmallVector<GlobalAccess> global;
  SmallVector<SharedInterval> shared;
  RingState rings;
  /// An acquire by some threads, which the others have not seen.
  bool acquired = false;

  bool empty() const { return global.empty() && shared.empty() && rings.isOrdered() && !acquired; }
  /// A barrier was run: copies alone go on.
  void order() {
    global.clear();
    shared.clear();
    rings.order();
    acquired = false;
  }
  /// Whether that was news.
  bool add(const Pending &other) {
    bool changed = other.acquired && !acquired;
    acquired |= other.acquired;
    for (const GlobalAccess &access : other.global) {
      changed |= addUnique(global, access);
    }
    for (const SharedInterval &interval : other.shared) {
      changed |= addUnique(shared, interval);
    }
    changed |= rings.add(other.rings);
    return changed;
  }
  /// Values of `region` are others in its next run, and nothing behind it.
  void leave(Region &region) {
    SmallVector<GlobalAccess> old = std::move(global);
    global.clear();
    for (GlobalAccess access : old) {
      if (access.pointer && region.isAncestor(access.pointer.getParentRegion())) {
        access.isStale = true;
      }
      addUnique(global, access);
    }
    for (const SharedInterval &interval : rings.leave(region)) {
      addUnique(shared, interval);
    }
  }

private:
  template <typename List, typename T> static bool addUnique(List &list, const T &entry) {
    if (llvm::is_contained(list, entry)) {
      return false;
    }
    list.push_back(entry);
    return true;
  }
};

class Inserter {
public:
  Inserter(func::FuncOp function, const Machine &machine)
      : function(function), hazards(function, machine) {}

  void run() {
    Pending pending;
    for (Block &block : function.getBody()) {
      visitBlock(block, pending);
    }
  }

private:
  static std::optional<tile::MemSemantic> getSemantic(Operation *op) {
    if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op)) {
      return atomic.getSemantic();
    }
    if (auto atomic = dyn_cast<tile::AtomicCASOp>(op)) {
      return atomic.getSemantic();
    }
    return std::nullopt;
  }
  static bool isAcquire(Operation *op) {
    auto semantic = getSemantic(op);
    return semantic == tile::MemSemantic::Acquire || semantic == tile::MemSemantic::AcqRel;
  }
  static bool isRelease(Operation *op) {
    auto semantic = getSemantic(op);
    return semantic == tile::MemSemantic::Release || semantic == tile::MemSemantic::AcqRel;
  }

  bool needsBarrier(Operation *op, const Pending &pending) {
    const SmallVector<GlobalAccess, 1> accesses = hazards.getGlobal(op);
    if (!accesses.empty() && pending.acquired) {
      return true;
    }
    // Nothing of the program may come behind a release, whoever did it.
    if (isRelease(op) && !pending.global.empty()) {
      return true;
    }
    for (const GlobalAccess &access : accesses) {
      for (const GlobalAccess &before : pending.global) {
        if (hazards.conflict(before, access)) {
          return true;
        }
      }
    }
    if (pending.rings.needsBarrier(op, pending.shared)) {
      return true;
    }
    std::optional<SharedInterval> scratch = hazards.getShared(op);
    if (scratch && pending.rings.touches(*scratch)) {
      return true;
    }
    return scratch && llvm::any_of(pending.shared, [&](const SharedInterval &other) {
             return scratch->begin < other.end && other.begin < scratch->end;
           });
  }

  static void insertBefore(Operation *op, Pending &pending) {
    OpBuilder builder(op);
    gpu::BarrierOp::create(builder, op->getLoc());
    pending.order();
  }

  void visitBlock(Block &block, Pending &pending) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      visit(&op, pending);
    }
  }

  void visit(Operation *op, Pending &pending) {
    if (isa<gpu::BarrierOp>(op)) {
      pending.order();
    } else if (auto barrier = dyn_cast<tile::BarrierOp>(op)) {
      insertBefore(op, pending);
      barrier.erase();
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitLoop(op, loop.getRegion(), nullptr, pending);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      visitLoop(op, loop.getBefore(), &loop.getAfter(), pending);
    } else if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
      visitBranch(op, pending);
    } else {
      visitAccess(op, pending);
    }
  }

  void visitAccess(Operation *op, Pending &pending) {
    if (needsBarrier(op, pending)) {
      insertBefore(op, pending);
    }
    std::optional<SharedInterval> scratch = hazards.getShared(op);
    if (hazards.endsOrdered(op)) {
      pending.order();
    } else {
      Pending own;
      llvm::append_range(own.global, hazards.getGlobal(op));
      own.acquired = isAcquire(op);
      pending.add(own);
    }
    if (scratch) {
      pending.shared.push_back(*scratch);
    }
    pending.rings.visit(op);
  }

  void visitBranch(Operation *op, Pending &pending) {
    const Pending before = pending;
    Pending after;
    bool mayPass = false; // by none of the regions
    for (Region &region : op->getRegions()) {
      mayPass |= region.empty();
      Pending inside = before;
      if (!region.empty()) {
        visitBlock(region.front(), inside);
        inside.leave(region);
      }
      after.add(inside);
    }
    if (mayPass) {
      after.add(before);
    }
    pending = after;
  }

  /// `first` runs, then either ends the loop or, where there is one, `second` follows.
  void visitLoop(Operation *op, Region &first, Region *second, Pending &pending) {
    // One barrier before the loop, not one in each iteration for what was before it.
    if (!pending.empty() && conflictsInside(op, pending)) {
      insertBefore(op, pending);
    }
    auto counted = dyn_cast<scf::ForOp>(op);
    Pending entry = pending, left;
    if (counted) {
      entry.rings.enter(counted);
    }
    bool changed = true;
    while (changed) {
      Pending round = entry;
      visitBlock(first.front(), round);
      left = round;
      if (counted) {
        round.rings.repeat(counted);
      }
      if (second) {
        visitBlock(second->front(), round);
        round.leave(*second);
      }
      round.leave(first);
      changed = entry.add(round);
    }
    if (counted) {
      left.rings.repeat(counted);
      left.rings.finish(counted);
      entry.rings.finish(counted);
    }
    left.leave(first);
    // A counted loop may make no trips; of the other the first region always runs.
    pending = left;
    if (!second) {
      entry.leave(first);
      pending.add(entry);
    }
  }

  bool conflictsInside(Operation *loop, const Pending &pending) {
    return loop
        ->walk([&](Operation *inner) {
          return inner != loop && needsBarrier(inner, pending) ? WalkResult::interrupt()
                                                               : WalkResult::advance();
        })
        .wasInterrupted();
  }

  func::FuncOp function;
  Hazards hazards;
};

struct InsertBarriersPass
    : tegula::tilegpu::impl::TileGPUInsertBarriersPassBase<InsertBarriersPass> {
  void runOnOperation() override {
    std::optional<Machine> machine = getMachine(getOperation());
    if (!machine) {
      return signalPassFailure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      Inserter(function, *machine).run();
    }
  }
};
} // namespace
