//===- PropagateForward.cpp - Homes from what fixes layouts ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"
#include "Propagation.h"

using namespace mlir;
using namespace tegula::tilegpu;
using namespace tegula::tile;

LinearAttr Propagation::getCurrent(Value value) {
  return cast<LinearAttr>(cast<RankedTensorType>(value.getType()).getEncoding());
}

Propagation::Home Propagation::getHome(Value value) const {
  if (auto found = carriedOf.find(value); found != carriedOf.end()) {
    return carried[found->second].home;
  }
  return homes.lookup(value);
}

void Propagation::setHome(Value value, Home home) {
  if (auto found = carriedOf.find(value); found != carriedOf.end()) {
    carried[found->second].home = home;
  } else {
    homes[value] = home;
  }
}

Propagation::Home Propagation::getBestHome(ValueRange operands) const {
  Home best;
  for (Value operand : operands) {
    Value value = stripConversions(operand);
    if (!isTile(value) || isLazy(value)) {
      continue;
    }
    Home home = getHome(value);
    if (home.layout && (!best.layout || home.rank > best.rank)) {
      best = home;
    }
  }
  return best;
}

/// What a product adds to should be where the product is: accumulators of loops, and what is
/// done to them on the way.
void Propagation::seedProducts() {
  for (Operation *op : ops) {
    auto dot = dyn_cast<DotOp>(op);
    if (!dot) {
      continue;
    }
    const Home home = {getCurrent(dot.getResult()), Rank::Product};
    homes[dot.getResult()] = home;
    SmallVector<Value> work = {dot.getAcc()};
    while (!work.empty()) {
      Value value = stripConversions(work.pop_back_val());
      if (!isTile(value) || isLazy(value) || getHome(value).layout) {
        continue;
      }
      if (auto found = carriedOf.find(value); found != carriedOf.end()) {
        setHome(value, home);
        for (OpOperand *operand : carried[found->second].incoming) {
          work.push_back(operand->get());
        }
        continue;
      }
      Operation *producer = value.getDefiningOp();
      if (producer && getKind(producer) == Kind::Elementwise) {
        setHome(value, home);
        llvm::append_range(work, producer->getOperands());
      }
    }
  }
}

/// Dimensions of more than one element.
static unsigned countDims(Value value) {
  return llvm::count_if(cast<RankedTensorType>(value.getType()).getShape(),
                        [](int64_t size) { return size > 1; });
}

void Propagation::chooseHome(Operation *op, bool isLast) {
  auto setAll = [&](Home home) {
    for (Value result : op->getResults()) {
      if (home.layout && isTile(result) && notFree.contains(result)) {
        setHome(result, home);
      }
    }
  };
  switch (getKind(op)) {
  case Kind::Convert:
  case Kind::Leaf:
  case Kind::Broadcast:
  case Kind::Control:
    break;
  case Kind::Elementwise: {
    Home home = getBestHome(op->getOperands());
    if (op->getNumResults() == 0) {
      opLayouts[op] = home.layout ? home.layout : getCurrent(op->getOperand(0));
    } else if (getHome(op->getResult(0)).rank < Rank::Product) {
      setAll(home);
    }
    break;
  }
  case Kind::Shape: {
    Home from = getBestHome(op->getOperands());
    std::optional<Layout> layout =
        from.layout ? inferResult(op, 0, from.layout.getLayout(), 0) : std::nullopt;
    if (layout) {
      setAll({LinearAttr::get(op->getContext(), *layout), from.rank});
    }
    break;
  }
  case Kind::Access:
    for (Value result : op->getResults()) {
      setAll({getCurrent(result),
              isa<LoadOp>(op) && countDims(result) <= 1 ? Rank::SmallLoad : Rank::Load});
    }
    break;
  case Kind::Anchor: {
    if (!isa<ReduceOp, GatherOp>(op)) {
      for (Value result : op->getResults()) {
        if (isTile(result) && !isa<DotOp>(op)) {
          setHome(result, {getCurrent(result), Rank::Load});
        }
      }
      break;
    }
    // Where their operands are, there are the results.
    ValueRange operands = op->getOperands();
    if (auto gather = dyn_cast<GatherOp>(op)) {
      operands = op->getOperands().drop_front();
    }
    Home from = getBestHome(operands);
    if (!from.layout && isLast) {
      from = {getCurrent(stripConversions(operands.front())), Rank::None};
    }
    if (!from.layout) {
      break;
    }
    opLayouts[op] = from.layout;
    std::optional<Layout> layout =
        inferResult(op, isa<GatherOp>(op) ? 1 : 0, from.layout.getLayout(), 0);
    if (layout) {
      setAll({LinearAttr::get(op->getContext(), *layout), Rank::Reduction});
    }
    break;
  }
  }
  // What goes into control flow gives it its home, if it has none that is worth more.
  for (OpOperand &operand : op->getOpOperands()) {
    auto found = carriedInto.find(&operand);
    if (found == carriedInto.end()) {
      continue;
    }
    Home home = getBestHome(operand.get());
    Carried &one = carried[found->second];
    if (home.layout && (!one.home.layout || home.rank > one.home.rank)) {
      one.home = home;
    }
  }
}

void Propagation::fixArguments() {
  auto fix = [&](ValueRange arguments) {
    for (Value argument : arguments) {
      if (isTile(argument) && !carriedOf.contains(argument)) {
        homes[argument] = {getCurrent(argument), Rank::Load};
      }
    }
  };
  fix(function.getArguments());
  for (Operation *op : ops) {
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        fix(block.getArguments());
      }
    }
  }
}

void Propagation::chooseHomes(bool isLast) {
  for (Operation *op : ops) {
    chooseHome(op, isLast);
  }
}
