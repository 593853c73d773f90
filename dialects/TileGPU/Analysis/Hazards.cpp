//===- Hazards.cpp - Accesses of memory that need a barrier between -------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/Hazards.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tegula/TileGPU/Analysis/Access.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

//===----------------------------------------------------------------------===//
// Where pointers come from
//===----------------------------------------------------------------------===//

static bool isPointer(Type type) { return isa<tile::PtrType>(getElementTypeOrSelf(type)); }

/// Adds the values that `value` may be or is computed from; false if that is not known.
static bool addSources(Value value, SmallVector<Value> &left) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    const unsigned i = argument.getArgNumber();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      OpOperand *init = loop.getTiedLoopInit(argument);
      if (!init) {
        return false;
      }
      left.append({init->get(), loop.getTiedLoopYieldedValue(argument)->get()});
      return true;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      if (argument.getOwner() == loop.getBeforeBody()) {
        left.append({loop.getInits()[i], loop.getYieldOp().getOperand(i)});
      } else {
        left.push_back(loop.getConditionOp().getArgs()[i]);
      }
      return true;
    }
    return false;
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  const unsigned i = result.getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    left.append({loop.getInitArgs()[i], loop.getYieldedValues()[i]});
    return true;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    left.push_back(loop.getConditionOp().getArgs()[i]);
    return true;
  }
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
    for (Region &region : op->getRegions()) {
      left.push_back(region.front().getTerminator()->getOperand(i));
    }
    return true;
  }
  // Addresses that were computed as integers or loaded may lead anywhere.
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op)) {
    return false;
  }
  bool any = false;
  for (Value operand : op->getOperands()) {
    if (isPointer(operand.getType())) {
      left.push_back(operand);
      any = true;
    }
  }
  return any;
}

const Roots &Hazards::getRoots(Value pointer) {
  if (auto found = roots.find(pointer); found != roots.end()) {
    return found->second;
  }
  Roots result;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> left{pointer};
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (!seen.insert(value).second) {
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner()->getParentOp() == function) {
      result.arguments.push_back(argument.getArgNumber());
    } else if (!addSources(value, left)) {
      result.unknown = true;
    }
  }
  llvm::sort(result.arguments);
  return roots[pointer] = std::move(result);
}

bool Hazards::mayMeet(Value a, Value b) {
  if (!a || !b) {
    return true;
  }
  const Roots x = getRoots(a), y = getRoots(b);
  if (x.unknown || y.unknown) {
    return true;
  }
  auto alone = [&](unsigned argument) {
    auto kernel = dyn_cast<func::FuncOp>(function);
    return kernel && kernel.getArgAttr(argument, tile::kNoAliasAttr);
  };
  for (unsigned i : x.arguments) {
    for (unsigned j : y.arguments) {
      if (i == j || (!alone(i) && !alone(j))) {
        return true;
      }
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static bool hasMemoryEffect(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        return inner != op && isa<MemoryEffectOpInterface>(inner) && !isMemoryEffectFree(inner) &&
                       !isa<tile::PrintOp, tile::AssertOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

SmallVector<GlobalAccess, 1> Hazards::getGlobal(Operation *op) {
  auto spread = [](Value pointer) {
    return isa<RankedTensorType>(pointer.getType()) ? Actors::Spread : Actors::First;
  };
  using Result = SmallVector<GlobalAccess, 1>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](tile::LoadOp load) -> Result {
        const bool byAll = !isa<RankedTensorType>(load.getPtr().getType()) && !load.getIsVolatile();
        return {{op, load.getPtr(), true, false, byAll ? Actors::All : spread(load.getPtr())}};
      })
      .Case([&](AsyncCopyOp copy) -> Result {
        return {{op, copy.getPtr(), true, false, Actors::Spread}};
      })
      .Case([&](tile::StoreOp store) -> Result {
        return {{op, store.getPtr(), false, true, spread(store.getPtr())}};
      })
      .Case<tile::AtomicRMWOp, tile::AtomicCASOp>([&](auto atomic) -> Result {
        return {{op, atomic.getPtr(), true, true, spread(atomic.getPtr())}};
      })
      .Case([&](tile::InlineAsmOp code) -> Result {
        Result result;
        for (Value operand : code.getOperands()) {
          if (!code.getIsPure() && isPointer(operand.getType())) {
            result.push_back({op, operand, true, true, Actors::All});
          }
        }
        return result;
      })
      .Case<func::CallOp>(
          [&](Operation *) -> Result { return {{op, Value(), true, true, Actors::All}}; })
      .Default([&](Operation *) -> Result {
        // Regions of tile.map and the like run inside of it.
        const bool isTile = isa_and_nonnull<tile::TileDialect>(op->getDialect());
        return isTile && op->getNumRegions() != 0 && hasMemoryEffect(op)
                   ? Result{{op, Value(), true, true, Actors::All}}
                   : Result();
      });
}

std::optional<SharedInterval> Hazards::getShared(Operation *op) {
  auto place = op->getAttrOfType<IntegerAttr>(kScratchAttr);
  if (!place || isa<ChannelOp>(op)) {
    return std::nullopt; // slots are not the op's own (Transforms/Rings.h)
  }
  auto [entry, isNew] = intervals.try_emplace(op);
  if (isNew) {
    const uint32_t begin = place.getInt();
    entry->second = {begin, begin + getScratch(op, machine).bytes};
  }
  const SharedInterval interval = entry->second;
  return interval.begin == interval.end ? std::nullopt : std::optional(interval);
}

/// A sum whose order nobody sees: results unused, and neither changes what the other does.
static bool commute(Operation *a, Operation *b) {
  auto x = dyn_cast<tile::AtomicRMWOp>(a), y = dyn_cast<tile::AtomicRMWOp>(b);
  return x && y && x.getKind() == y.getKind() && x.getKind() != tile::AtomicKind::Xchg &&
         x.use_empty() && y.use_empty() && x.getValue().getType() == y.getValue().getType();
}

static bool hasDistinctAddresses(Operation *op) {
  return isa<tile::StoreOp>(op) && getStoreOrder(op) == StoreOrder::Distinct;
}

bool Hazards::endsOrdered(Operation *op) {
  auto store = dyn_cast<tile::StoreOp>(op);
  return getShared(op) || (store && getStoreOrder(store) == StoreOrder::InOrder);
}

bool Hazards::conflict(const GlobalAccess &first, const GlobalAccess &second) {
  if (!first.writes && !second.writes) {
    return false;
  }
  if (first.actors == Actors::First && second.actors == Actors::First) {
    return false; // one thread, in order
  }
  if (first.actors == Actors::Spread && second.actors == Actors::Spread && first.pointer &&
      first.pointer == second.pointer && !first.isStale && !second.isStale) {
    // Each element of both is in one register of one thread, unless there are copies:
    // those do not write, but what they read may be written before they come to it.
    std::optional<Layout> layout = getLayout(first.pointer.getType());
    const bool hasCopies = !layout || hasLaneCopies(*layout) || hasWarpCopies(*layout);
    const bool copiesRead =
        isa<tile::LoadOp, AsyncCopyOp>(first.op) || isa<tile::LoadOp, AsyncCopyOp>(second.op);
    const bool isApart = hasDistinctAddresses(first.op) || hasDistinctAddresses(second.op);
    if (isApart && !(hasCopies && copiesRead)) {
      return false;
    }
  }
  return mayMeet(first.pointer, second.pointer) && !commute(first.op, second.op);
}
