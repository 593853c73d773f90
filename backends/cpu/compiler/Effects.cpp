//===- Effects.cpp - Memory order of virtual tiles
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A virtual load is evaluated where it is consumed. Before anything writes
// memory that it may read, a load that is still needed is settled: read as a
// whole into a buffer. The same holds for scratch buffers that are about to be
// overwritten in place.
//
//===----------------------------------------------------------------------===//

#include "LoopFormer.h"

using namespace mlir;

namespace tegula::cpu {

/// The op of `block` that is or contains `op`; null when outside.
static Operation *ancestorIn(Operation *op, Block *block) {
  while (op && op->getBlock() != block) {
    op = op->getParentOp();
  }
  return op;
}

/// Whether a use of a tile in `user` lies before the current op.
bool LoopFormer::isDone(Operation *user) const {
  // Compare in the innermost block that holds both.
  for (Operation *now = current; now; now = now->getParentOp()) {
    if (Operation *other = ancestorIn(user, now->getBlock())) {
      return other != now && other->isBeforeInBlock(now);
    }
  }
  return false;
}

bool LoopFormer::isPulledLater(Value value, bool includeCurrent) {
  SmallVector<Value> work = {value};
  SmallPtrSet<Value, 16> seen = {value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    for (Operation *user : next.getUsers()) {
      bool tile = user->getNumResults() == 1 && tileType(user->getResult(0)) && isVirtual(user);
      if (tile) {
        Value result = user->getResult(0);
        if (!buffers.contains(result) && seen.insert(result).second) {
          work.push_back(result);
        }
      } else if (user == current || user->isAncestor(current)) {
        if (includeCurrent) {
          return true;
        }
      } else if (!isDone(user)) {
        return true;
      }
    }
  }
  return false;
}

bool LoopFormer::diesAt(Value value, Operation *through) {
  // In another block (a loop around this one, say) it may be needed again.
  if (value.getParentBlock() != current->getBlock()) {
    return false;
  }
  SmallVector<Value> work = {value};
  SmallPtrSet<Value, 16> seen = {value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    for (OpOperand &use : next.getUses()) {
      Operation *user = use.getOwner();
      if (user == through) {
        continue;
      }
      bool tile = user->getNumResults() == 1 && tileType(user->getResult(0)) && isVirtual(user);
      if (tile) {
        Value result = user->getResult(0);
        if (!buffers.contains(result) && seen.insert(result).second) {
          work.push_back(result);
        }
      } else if (user == current || !isDone(user)) {
        return false;
      }
    }
  }
  return true;
}

bool waitsForOthers(Operation *loop) {
  WalkResult result = loop->walk([](Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    bool looks = isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op) || (load && load.getIsVolatile());
    return looks ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Aliasing
//===----------------------------------------------------------------------===//

Value LoopFormer::traceBase(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (auto add = dyn_cast<tile::AddPtrOp>(op)) {
      pointer = add.getPtr();
    } else if (isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::TransposeOp,
                   tile::ReshapeOp, tile::HintOp, tile::PtrCastOp>(op)) {
      pointer = op->getOperand(0);
    } else {
      return Value();
    }
  }
  auto argument = dyn_cast<BlockArgument>(pointer);
  if (argument && argument.getOwner() == &source.getBody().front()) {
    return pointer;
  }
  if (argument) {
    // A pointer that a loop carries and always advances from the same base.
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument.getArgNumber() > 0) {
      unsigned index = argument.getArgNumber() - 1;
      Value next = loop.getBody()->getTerminator()->getOperand(index);
      while (auto add = next.getDefiningOp<tile::AddPtrOp>()) {
        next = add.getPtr();
      }
      if (next == pointer) {
        return traceBase(loop.getInitArgs()[index]);
      }
    }
  }
  return Value();
}

bool LoopFormer::mayAlias(Value pointerA, Value pointerB) {
  Value a = traceBase(pointerA), b = traceBase(pointerB);
  auto isNoAlias = [&](Value base) {
    return base && source.getArgAttr(cast<BlockArgument>(base).getArgNumber(), tile::kNoAliasAttr);
  };
  // The promise is against other arguments: a pointer of unknown origin may
  // still come from the same one.
  return !(a && b && a != b && (isNoAlias(a) || isNoAlias(b)));
}

void LoopFormer::collectLoads(Value value, llvm::SmallSetVector<Operation *, 8> &out,
                              llvm::SmallPtrSetImpl<Value> &seen) {
  if (!tileType(value) || buffers.contains(value) || !seen.insert(value).second) {
    return;
  }
  Operation *op = value.getDefiningOp();
  if (!op || !isVirtual(op)) {
    return;
  }
  if (isa<tile::LoadOp>(op)) {
    out.insert(op);
  }
  for (Value operand : op->getOperands()) {
    collectLoads(operand, out, seen);
  }
}

LogicalResult LoopFormer::settleLoadsBefore(Operation *writer) {
  SmallVector<Value> written;
  bool ordersAll = false; // loads of other memory may not move behind it either
  writer->walk([&](Operation *op) {
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      written.push_back(store.getPtr());
    } else if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op)) {
      written.push_back(rmw.getPtr());
      ordersAll |= rmw.getSemantic() != tile::MemSemantic::Relaxed;
    } else if (auto cas = dyn_cast<tile::AtomicCASOp>(op)) {
      written.push_back(cas.getPtr());
      ordersAll |= cas.getSemantic() != tile::MemSemantic::Relaxed;
    }
  });
  if (written.empty()) {
    return success();
  }
  // Loads of enclosing blocks were settled when the region was entered.
  SmallVector<tile::LoadOp> pending;
  for (Operation &op : *writer->getBlock()) {
    if (&op == writer) {
      break;
    }
    auto load = dyn_cast<tile::LoadOp>(&op);
    if (!load || !tileType(load.getResult()) || buffers.contains(load.getResult())) {
      continue;
    }
    if ((ordersAll || llvm::any_of(written, [&](Value p) { return mayAlias(load.getPtr(), p); })) &&
        isPulledLater(load.getResult())) {
      pending.push_back(load);
    }
  }
  for (tile::LoadOp load : pending) {
    if (failed(keep(load.getResult()))) {
      return failure();
    }
  }
  return success();
}

/// Whether pulling `value` reads the buffer at `pointer` other than at the
/// very element being computed (`alignedOnly`), or at all.
bool LoopFormer::readsBuffer(Value value, Value pointer, bool alignedOnly, bool aligned,
                             ArrayRef<int64_t> shape,
                             llvm::SmallDenseSet<std::pair<Value, unsigned>> &seen) {
  auto type = tileType(value);
  if (!type || !seen.insert({value, aligned}).second) {
    return false;
  }
  aligned &= type.getShape() == shape && !hasUniformDim(value);
  auto found = buffers.find(value);
  if (found != buffers.end()) {
    return found->second.pointer == pointer && !(alignedOnly && aligned);
  }
  Operation *op = value.getDefiningOp();
  if (!op) {
    return false;
  }
  bool same = isElementwise(op) ||
              isa<tile::LoadOp, tile::HintOp, tile::PtrCastOp, tile::AddPtrOp, tile::PtrToIntOp,
                  tile::IntToPtrOp, tile::FromFp8Op, tile::ToFp8Op>(op);
  auto load = dyn_cast<tile::LoadOp>(op);
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    // Run-time checks of addresses may look at neighbours.
    bool address = load && operand == load.getPtr();
    return readsBuffer(operand, pointer, alignedOnly, aligned && same && !address, shape, seen);
  });
}

} // namespace tegula::cpu
