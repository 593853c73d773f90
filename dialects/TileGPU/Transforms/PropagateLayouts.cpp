//===- PropagateLayouts.cpp - Fewer conversions of layouts
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"
#include "Propagation.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tegula/TileGPU/Transforms/Passes.h"

using namespace mlir;

namespace tegula::tilegpu {
#define GEN_PASS_DEF_TILEGPUPROPAGATELAYOUTSPASS
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"
} // namespace tegula::tilegpu

using namespace tegula::tilegpu;
using namespace tegula::tile;

Value tegula::tilegpu::stripConversions(Value value) {
  while (auto convert = value.getDefiningOp<ConvertLayoutOp>()) {
    value = convert.getSource();
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

static bool hasTiles(ValueRange values) {
  return llvm::any_of(values, [](Value value) { return isTile(value); });
}

Propagation::Kind Propagation::getKind(Operation *op) {
  if (isa<ConvertLayoutOp>(op)) {
    return Kind::Convert;
  }
  if (isa<BroadcastOp, ExpandDimsOp>(op)) {
    return Kind::Broadcast;
  }
  if (isa<CatOp, JoinOp, ReshapeOp, SliceOp, SplitOp, TransposeOp>(op)) {
    // Two elements are split into scalars, which have no layout.
    return isTile(op->getResult(0)) ? Kind::Shape : Kind::Anchor;
  }
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp, scf::YieldOp, scf::ConditionOp>(
          op)) {
    return Kind::Control;
  }
  if (isElementwise(op) && hasTiles(op->getOperands())) {
    const bool hasOwn = isa<LoadOp, StoreOp, AtomicCASOp, AtomicRMWOp>(op) || getPack(op) > 1;
    return hasOwn ? Kind::Access : Kind::Elementwise;
  }
  if (isa<ScanOp, SortOp>(op)) {
    return Kind::Elementwise;
  }
  return op->getNumRegions() == 0 && !hasTiles(op->getOperands()) && isMemoryEffectFree(op)
             ? Kind::Leaf
             : Kind::Anchor;
}

/// Ops that may be repeated: neither large nor of any effect.
static bool isRepeatable(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         !isa<SortOp, InlineAsmOp, ExternOp>(op);
}

//===----------------------------------------------------------------------===//
// What control flow carries
//===----------------------------------------------------------------------===//

void Propagation::addCarried(ValueRange members, ArrayRef<OpOperand *> incoming, bool mayBeFree) {
  if (!isTile(members.front())) {
    return;
  }
  Carried &one = carried.emplace_back();
  one.isFree = mayBeFree;
  llvm::append_range(one.members, members);
  llvm::append_range(one.incoming, incoming);
  for (Value member : members) {
    carriedOf[member] = carried.size() - 1;
  }
  for (OpOperand *operand : incoming) {
    carriedInto[operand] = carried.size() - 1;
  }
}

void Propagation::collectControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Operation *yield = loop.getBody()->getTerminator();
    for (auto [i, result] : llvm::enumerate(loop.getResults())) {
      addCarried({loop.getRegionIterArg(i), result},
                 {&loop.getInitArgsMutable()[i], &yield->getOpOperand(i)}, true);
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    Operation *condition = loop.getConditionOp(), *yield = loop.getYieldOp();
    for (auto [i, argument] : llvm::enumerate(loop.getBeforeArguments())) {
      addCarried(ValueRange(argument), {&op->getOpOperand(i), &yield->getOpOperand(i)}, false);
    }
    for (auto [i, argument] : llvm::enumerate(loop.getAfterArguments())) {
      addCarried({argument, op->getResult(i)}, {&condition->getOpOperand(i + 1)}, false);
    }
  } else if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
    for (OpResult result : op->getResults()) {
      SmallVector<OpOperand *> incoming;
      for (Region &region : op->getRegions()) {
        if (!region.empty()) {
          incoming.push_back(
              &region.front().getTerminator()->getOpOperand(result.getResultNumber()));
        }
      }
      addCarried(ValueRange(result), incoming, false);
    }
  }
}

void Propagation::collect() {
  function.getFunctionBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    ops.push_back(op);
    collectControl(op);
  });
}

//===----------------------------------------------------------------------===//
// What is free
//===----------------------------------------------------------------------===//

void Propagation::markSingle() {
  SmallVector<Value> work;
  auto mark = [&](Value value) {
    if (isTile(value) && notFree.insert(value).second) {
      work.push_back(value);
    }
  };
  for (const Carried &one : carried) {
    if (!one.isFree) {
      llvm::for_each(one.members, mark);
    }
  }
  for (Operation *op : ops) {
    const Kind kind = getKind(op);
    const bool mayBeFree = kind == Kind::Convert || kind == Kind::Control || isRepeatable(op);
    if (!mayBeFree || kind == Kind::Access || kind == Kind::Anchor) {
      llvm::for_each(op->getResults(), mark);
    }
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        for (Value argument : block.getArguments()) {
          if (!carriedOf.contains(argument)) {
            mark(argument);
          }
        }
      }
    }
  }
  for (Value argument : function.getArguments()) {
    mark(argument);
  }
  while (!work.empty()) {
    Value value = work.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      if (auto found = carriedInto.find(&use); found != carriedInto.end()) {
        carried[found->second].isFree = false;
        llvm::for_each(carried[found->second].members, mark);
      } else if (getKind(use.getOwner()) != Kind::Control) {
        llvm::for_each(use.getOwner()->getResults(), mark);
      }
    }
  }
}

bool Propagation::isLazy(Value value) const {
  if (carriedOf.contains(value)) {
    return false;
  }
  Operation *op = value.getDefiningOp();
  return op && (isFree(value) || getKind(op) == Kind::Broadcast);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void Propagation::run() {
  collect();
  markSingle();
  fixArguments();
  seedProducts();
  chooseHomes(/*isLast=*/false);
  chooseHomes(/*isLast=*/true);
  collectDemands();
  rewrite();
  removeDead();
}

namespace {
struct PropagateLayoutsPass
    : tegula::tilegpu::impl::TileGPUPropagateLayoutsPassBase<PropagateLayoutsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<Machine> machine = getMachine(module);
    if (!machine) {
      return signalPassFailure();
    }
    const AxisInfoAnalysis axes(module);
    module.walk([&](FunctionOpInterface function) {
      if (!function.isExternal()) {
        Propagation(function, axes, *machine).run();
      }
    });
  }
};
} // namespace
