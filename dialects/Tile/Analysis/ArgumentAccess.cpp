//===- ArgumentAccess.cpp - What a kernel does with its pointer arguments ===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each accessed pointer is followed back to where it comes from: through
// everything that is free of effects and takes pointers, and through the
// results and arguments of scf's loops and branches.
//
//===----------------------------------------------------------------------===//

#include "tegula/Tile/Analysis/ArgumentAccess.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tegula::tile {

static bool reachesMemory(Type type) {
  return isa<ViewType>(type) || isa<PtrType>(getElementTypeOrSelf(type));
}

namespace {

/// The arguments that a pointer may come from.
struct Origins {
  llvm::BitVector arguments;
  bool unknown = false;
};

class OriginFinder {
public:
  explicit OriginFinder(FunctionOpInterface func) : func(func) {}

  Origins find(Value pointer) {
    Origins origins{llvm::BitVector(func.getNumArguments())};
    llvm::DenseSet<Value> seen;
    llvm::SmallVector<Value> left{pointer};
    while (!left.empty()) {
      Value value = left.pop_back_val();
      if (!seen.insert(value).second) {
        continue;
      }
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        if (argument.getOwner() == &func.getFunctionBody().front()) {
          origins.arguments.set(argument.getArgNumber());
        } else if (!addSources(argument, left)) {
          origins.unknown = true;
        }
      } else if (!addSources(cast<OpResult>(value), left)) {
        origins.unknown = true;
      }
    }
    return origins;
  }

private:
  /// Pushes the values that an argument of a loop's body may be; false if it is
  /// not known what they are.
  static bool addSources(BlockArgument argument, llvm::SmallVector<Value> &left) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (OpOperand *init = loop.getTiedLoopInit(argument)) {
        left.push_back(init->get());
        left.push_back(loop.getTiedLoopYieldedValue(argument)->get());
        return true;
      }
      return false;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      const unsigned i = argument.getArgNumber();
      if (argument.getOwner() == loop.getBeforeBody()) {
        left.push_back(loop.getInits()[i]);
        left.push_back(loop.getYieldOp().getOperand(i));
      } else {
        left.push_back(loop.getConditionOp().getArgs()[i]);
      }
      return true;
    }
    return false;
  }

  static bool addSources(OpResult result, llvm::SmallVector<Value> &left) {
    Operation *op = result.getOwner();
    const unsigned i = result.getResultNumber();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      left.push_back(branch.thenYield().getOperand(i));
      left.push_back(branch.elseYield().getOperand(i));
      return true;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      left.push_back(loop.getInitArgs()[i]);
      left.push_back(loop.getYieldedValues()[i]);
      return true;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      left.push_back(loop.getConditionOp().getArgs()[i]);
      return true;
    }
    // Addresses that were computed as integers or loaded may lead anywhere.
    if (op->getNumRegions() != 0 || !isMemoryEffectFree(op)) {
      return false;
    }
    bool any = false;
    for (Value operand : op->getOperands()) {
      if (reachesMemory(operand.getType())) {
        left.push_back(operand);
        any = true;
      }
    }
    return any;
  }

  FunctionOpInterface func;
};

/// What is known so far, of all arguments.
struct Accesses {
  llvm::BitVector read, written, unknown;
  bool readAnywhere = false, writtenAnywhere = false;
};

} // namespace

static void addAccess(Operation *op, OriginFinder &finder, Accesses &all) {
  auto add = [&](Value pointer, bool reads, bool writes) {
    const Origins origins = finder.find(pointer);
    if (reads) {
      all.read |= origins.arguments;
      all.readAnywhere |= origins.unknown;
    }
    if (writes) {
      all.written |= origins.arguments;
      all.writtenAnywhere |= origins.unknown;
    }
  };
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
    llvm::SmallVector<MemoryEffects::EffectInstance> list;
    effects.getEffects(list);
    // Effects on no value in particular order things (tile.barrier).
    for (const MemoryEffects::EffectInstance &effect : list) {
      if (Value value = effect.getValue(); value && reachesMemory(value.getType())) {
        add(value, isa<MemoryEffects::Read>(effect.getEffect()),
            isa<MemoryEffects::Write>(effect.getEffect()));
      }
    }
    return;
  }
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(op)) {
    return;
  }
  for (Value operand : op->getOperands()) { // a call, as a rule
    if (reachesMemory(operand.getType())) {
      const Origins origins = finder.find(operand);
      all.unknown |= origins.arguments;
      all.readAnywhere |= origins.unknown;
      all.writtenAnywhere |= origins.unknown;
    }
  }
}

llvm::StringRef stringifyArgumentAccess(ArgumentAccess access) {
  switch (access) {
  case ArgumentAccess::None:
    return "none";
  case ArgumentAccess::Read:
    return "read";
  case ArgumentAccess::Write:
    return "write";
  case ArgumentAccess::ReadWrite:
    return "read-write";
  case ArgumentAccess::Unknown:
    break;
  }
  return "unknown";
}

llvm::SmallVector<ArgumentAccess> getArgumentAccess(FunctionOpInterface func) {
  const unsigned count = func.getNumArguments();
  llvm::SmallVector<ArgumentAccess> result(count, ArgumentAccess::None);
  const bool isExternal = func.isExternal();
  Accesses all{llvm::BitVector(count), llvm::BitVector(count), llvm::BitVector(count)};
  if (!isExternal) {
    OriginFinder finder(func);
    func->walk([&](Operation *op) {
      if (op != func.getOperation()) {
        addAccess(op, finder, all);
      }
    });
  }
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    if (!reachesMemory(type)) {
      continue;
    }
    const bool read = all.read[i] || all.readAnywhere;
    if (all.written[i]) {
      result[i] = read || all.unknown[i] ? ArgumentAccess::ReadWrite : ArgumentAccess::Write;
    } else if (isExternal || all.unknown[i] || all.writtenAnywhere) {
      result[i] = ArgumentAccess::Unknown;
    } else if (read) {
      result[i] = ArgumentAccess::Read;
    }
  }
  return result;
}

} // namespace tegula::tile
