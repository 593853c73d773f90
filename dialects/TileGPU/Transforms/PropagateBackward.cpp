//===- PropagateBackward.cpp - What layouts users want ---------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Layouts.h"
#include "Propagation.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tegula::tilegpu;
using namespace tegula::tile;

/// Instructions that a small load may take instead of a conversion through shared memory.
static constexpr unsigned kMaxSmallLoads = 16;
/// Registers from which a small tile is stored as it is.
static constexpr unsigned kMaxSmallStores = 32;

//===----------------------------------------------------------------------===//
// Demands
//===----------------------------------------------------------------------===//

LinearAttr Propagation::inferAttr(Operation *op, unsigned index, LinearAttr layout,
                                  unsigned operand) {
  std::optional<Layout> needed = inferOperand(op, index, layout.getLayout(), operand);
  if (!needed) {
    // No thread has what it needs anyway.
    needed =
        makeDefault(machine, cast<RankedTensorType>(op->getOperand(operand).getType()).getShape());
  }
  return LinearAttr::get(op->getContext(), *needed);
}

void Propagation::demand(Value wanted, LinearAttr layout) {
  SmallVector<std::pair<Value, LinearAttr>> work = {{wanted, layout}};
  while (!work.empty()) {
    auto [value, want] = work.pop_back_val();
    value = stripConversions(value);
    if (!asked.insert({value, want}).second) {
      continue;
    }
    demands[value].push_back(want);
    if (isLazy(value)) {
      auto result = cast<OpResult>(value);
      for (OpOperand &operand : result.getOwner()->getOpOperands()) {
        if (isTile(operand.get())) {
          work.emplace_back(operand.get(), inferAttr(result.getOwner(), result.getResultNumber(),
                                                     want, operand.getOperandNumber()));
        }
      }
    } else if (!getHome(value).layout) {
      setHome(value, {want, Rank::Load});
      if (auto found = carriedOf.find(value); found != carriedOf.end()) {
        for (OpOperand *operand : carried[found->second].incoming) {
          work.emplace_back(operand->get(), want);
        }
      }
    }
  }
}

void Propagation::require(OpOperand &operand, LinearAttr layout) {
  required[&operand] = layout;
  demand(operand.get(), layout);
}

void Propagation::requireAny(OpOperand &operand) {
  Value value = stripConversions(operand.get());
  LinearAttr home = isLazy(value) ? LinearAttr() : getHome(value).layout;
  require(operand, home ? home : getCurrent(value));
}

//===----------------------------------------------------------------------===//
// Homes that move
//===----------------------------------------------------------------------===//

/// Neighbours along `dim` that the lowest registers of a lane hold.
static unsigned getRun(const Layout &layout, unsigned dim) {
  const LinearMap &inner = layout.getInner();
  unsigned run = 1;
  for (uint64_t image : inner.getImages(Axis::Register)) {
    SmallVector<int64_t> step(inner.getRank(), 0);
    step[dim] = run;
    if (run >> inner.getOutputBits()[dim] || inner.pack(step) != image) {
      break;
    }
    run *= 2;
  }
  return run;
}

bool Propagation::isGoodForLoad(Operation *op, LinearAttr from, LinearAttr to) const {
  auto load = cast<LoadOp>(op);
  auto type = cast<RankedTensorType>(load.getType());
  if (load.getIsVolatile() ||
      llvm::count_if(type.getShape(), [](int64_t size) { return size > 1; }) > 1) {
    return false;
  }
  const Wish wish = getWish(op, *getPointerAccess(op), axes, machine);
  if (wish.order.empty()) {
    return true;
  }
  auto count = [&](const Layout &layout) {
    return getNumRegisters(layout) / std::min(wish.perLane, getRun(layout, wish.order[0]));
  };
  return count(to.getLayout()) <= std::max(kMaxSmallLoads, count(from.getLayout()));
}

bool Propagation::mayMove(Operation *op, LinearAttr from, LinearAttr to) const {
  if (isa<LoadOp>(op)) {
    return isGoodForLoad(op, from, to);
  }
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 || isa<ScanOp, SortOp>(op) ||
      !isMemoryEffectFree(op)) {
    return false;
  }
  // One operand that would be converted in place of the result, and no wider.
  Value only;
  for (Value operand : op->getOperands()) {
    Value value = stripConversions(operand);
    if (isTile(value) && !isFree(value) && value != only) {
      if (only) {
        return false;
      }
      only = value;
    }
  }
  // A small load will follow, so that nothing is converted in the end.
  auto bits = [](Value value) {
    return tegula::tile::getElementBytes(getElementTypeOrSelf(value));
  };
  return only && (getHome(only).rank == Rank::SmallLoad || bits(only) <= bits(op->getResult(0)));
}

LinearAttr Propagation::getNatural(Value value) const {
  SmallVector<ExpandDimsOp> path;
  value = stripConversions(value);
  while (isLazy(value) && !isFree(value)) {
    auto expand = value.getDefiningOp<ExpandDimsOp>();
    if (!expand) {
      return {};
    }
    path.push_back(expand);
    value = stripConversions(expand.getSource());
  }
  LinearAttr home = isLazy(value) ? LinearAttr() : getHome(value).layout;
  for (ExpandDimsOp expand : llvm::reverse(path)) {
    home = home ? LinearAttr::get(expand.getContext(), *inferResult(expand, 0, home.getLayout(), 0))
                : home;
  }
  return home;
}

//===----------------------------------------------------------------------===//
// Ops, the last first
//===----------------------------------------------------------------------===//

void Propagation::decideShape(Operation *op) {
  Value result = op->getResult(0);
  LinearAttr home = getHome(result).layout;
  if (!home) {
    home = getCurrent(result);
    for (Value each : op->getResults()) {
      setHome(each, {home, Rank::Load});
    }
  }
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTile(operand.get())) {
      continue;
    }
    Value value = stripConversions(operand.get());
    const unsigned index = operand.getOperandNumber();
    std::optional<Layout> needed = inferOperand(op, 0, home.getLayout(), index);
    LinearAttr other = isLazy(value) ? LinearAttr() : getHome(value).layout;
    // Both operands of a join have one type; a transpose only renames dimensions.
    const bool isStrict = isa<JoinOp, TransposeOp>(op);
    if (needed && (isStrict || !other)) {
      require(operand, LinearAttr::get(op->getContext(), *needed));
    } else if (isStrict) {
      require(operand,
              LinearAttr::get(
                  op->getContext(),
                  makeDefault(machine, cast<RankedTensorType>(value.getType()).getShape())));
    } else {
      requireAny(operand);
    }
  }
}

void Propagation::decideAnchor(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTile(operand.get())) {
      continue;
    }
    LinearAttr layout = opLayouts.lookup(op);
    if (isa<GatherOp>(op) && operand.getOperandNumber() == 0) {
      requireAny(operand);
    } else if (layout) {
      require(operand, layout);
    } else if (isa<AssertOp, ExtractOp, PrintOp>(op)) {
      requireAny(operand);
    } else if (isa<HistogramOp>(op)) {
      requireAny(operand);
      opLayouts[op] = required[&operand]; // the mask's, too
    } else {
      require(operand, getCurrent(operand.get()));
    }
  }
}

void Propagation::decide(Operation *op) {
  const Kind kind = getKind(op);
  const bool hasResult = op->getNumResults() > 0 && isTile(op->getResult(0));
  if (kind == Kind::Convert || kind == Kind::Leaf || (hasResult && isLazy(op->getResult(0)))) {
    return;
  }
  if (kind == Kind::Control) {
    // Results whose home nobody wished for yet: this is the last op of them to be seen.
    for (Value result : op->getResults()) {
      if (isTile(result) && carriedOf.contains(result) && !getHome(result).layout) {
        demand(result, getCurrent(result));
      }
    }
    for (OpOperand &operand : op->getOpOperands()) {
      auto found = carriedInto.find(&operand);
      if (found != carriedInto.end()) {
        if (LinearAttr home = carried[found->second].home.layout) {
          demand(operand.get(), home);
        }
      } else if (isTile(operand.get())) {
        requireAny(operand);
      }
    }
    return;
  }
  if (kind == Kind::Shape) {
    decideShape(op);
    return;
  }
  if (kind == Kind::Anchor) {
    decideAnchor(op);
    return;
  }
  LinearAttr layout = opLayouts.lookup(op);
  if (hasResult) {
    Value result = op->getResult(0);
    LinearAttr home = getHome(result).layout;
    layout = home ? home : getCurrent(result);
    ArrayRef<LinearAttr> wanted = demands[result];
    if (wanted.size() == 1 && wanted[0] != layout && mayMove(op, layout, wanted[0])) {
      layout = wanted[0];
    }
    for (Value each : op->getResults()) {
      if (isTile(each)) {
        setHome(each, {layout, std::max(getHome(each).rank, Rank::SmallLoad)});
      }
    }
  } else if (kind == Kind::Access) {
    layout = getCurrent(op->getOperand(0));
    // A small tile is stored from where it is.
    if (auto store = dyn_cast<StoreOp>(op)) {
      Value value = stripConversions(store.getValue());
      LinearAttr home = getNatural(value);
      if (home &&
          cast<RankedTensorType>(value.getType()).getNumElements() <=
              int64_t(machine.getNumThreads()) &&
          getNumRegisters(home.getLayout()) <= kMaxSmallStores) {
        layout = home;
      }
    }
  }
  for (OpOperand &operand : op->getOpOperands()) {
    if (isTile(operand.get())) {
      require(operand, layout);
    }
  }
}

void Propagation::collectDemands() {
  for (Operation *op : llvm::reverse(ops)) {
    decide(op);
  }
  // Members of control flow that nobody used, such as arguments of a `while`.
  for (Carried &one : carried) {
    if (!one.home.layout) {
      demand(one.members.front(), getCurrent(one.members.front()));
    }
  }
}
