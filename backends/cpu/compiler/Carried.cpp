//===- Carried.cpp - Tiles through structured control flow
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A tile that an scf operation carries or yields lives in one buffer for all
// trips. Scalars stay SSA values.
//
//===----------------------------------------------------------------------===//

#include "LoopFormer.h"
#include "LoopFormerInlines.h"

using namespace mlir;

namespace tegula::cpu {

void LoopFormer::bind(ValueRange values, ArrayRef<Buffer> tiles, ValueRange rest) {
  unsigned next = 0;
  for (auto [index, value] : llvm::enumerate(values)) {
    if (tileType(value)) {
      buffers[value] = tiles[index];
    } else {
      scalars[value] = rest[next++];
    }
  }
}

LogicalResult LoopFormer::captureTile(Value value, bool inLoop,
                                      llvm::SmallPtrSetImpl<Value> &seen) {
  if (!tileType(value) || buffers.contains(value) || !seen.insert(value).second) {
    return success();
  }
  Operation *op = value.getDefiningOp();
  if (!op) {
    return success();
  }
  if (isa<tile::LoadOp>(op) || wantsBuffer.contains(value)) {
    return keep(value);
  }
  for (Value operand : op->getOperands()) {
    if (failed(captureTile(operand, inLoop, seen))) {
      return failure();
    }
  }
  return success();
}

/// Everything that the regions of `regionOp` pull from outside must not depend
/// on memory any more: the region may write it, or run many times.
LogicalResult LoopFormer::captureTiles(Operation *regionOp) {
  llvm::SetVector<Value> captured;
  regionOp->walk([&](Operation *inner) {
    if (inner == regionOp) {
      return;
    }
    for (Value operand : inner->getOperands()) {
      if (tileType(operand) && !regionOp->isAncestor(operand.getParentRegion()->getParentOp())) {
        captured.insert(operand);
      }
    }
  });
  SmallPtrSet<Value, 16> seen;
  for (Value value : captured) {
    if (failed(captureTile(value, true, seen))) {
      return failure();
    }
  }
  return settleLoadsBefore(regionOp);
}

/// One buffer per carried tile, holding its first value.
LogicalResult LoopFormer::initCarried(Operation *op, ValueRange inits,
                                      SmallVectorImpl<Buffer> &out) {
  for (auto [index, init] : llvm::enumerate(inits)) {
    auto type = tileType(init);
    if (!type) {
      out.push_back(Buffer());
      continue;
    }
    if (wantsBuffer.contains(init) && failed(keep(init))) {
      return failure();
    }
    auto have = buffers.find(init);
    bool once = llvm::count(inits, init) == 1;
    if (once && have != buffers.end() && !have->second.shared && diesAt(init, op) &&
        llvm::none_of(out, [&](const Buffer &b) { return b.pointer == have->second.pointer; })) {
      // `op` itself may also use it inside: then it is read there as well.
      bool inside = llvm::any_of(init.getUsers(),
                                 [&](Operation *user) { return op->isProperAncestor(user); });
      if (!inside) {
        out.push_back(have->second);
        continue;
      }
    }
    Buffer buffer = makeBuffer(op->getLoc(), type.getShape(), type.getElementType());
    if (failed(keep(init, &buffer))) {
      return failure();
    }
    out.push_back(buffer);
  }
  return success();
}

/// Writes `values` to `slots` as if at once.
LogicalResult LoopFormer::writeCarried(Operation *op, ArrayRef<Value> values,
                                       ArrayRef<Buffer> slots) {
  SmallVector<unsigned> pending;
  for (auto [index, value] : llvm::enumerate(values)) {
    if (!tileType(value)) {
      continue;
    }
    // What several roots want is settled first, outside the writes.
    if (wantsBuffer.contains(value) && failed(keep(value))) {
      return failure();
    }
    auto have = buffers.find(value);
    if (have == buffers.end() || have->second.pointer != slots[index].pointer) {
      pending.push_back(index);
    }
  }
  auto reads = [&](unsigned reader, Value pointer, bool alignedOnly) {
    llvm::SmallDenseSet<std::pair<Value, unsigned>> seen;
    auto type = tileType(values[reader]);
    return readsBuffer(values[reader], pointer, alignedOnly, true, type.getShape(), seen);
  };
  while (!pending.empty()) {
    // A slot that no other pending value reads can be overwritten.
    auto ready = llvm::find_if(pending, [&](unsigned slot) {
      return llvm::none_of(pending, [&](unsigned other) {
        return reads(other, slots[slot].pointer, /*alignedOnly=*/other == slot);
      });
    });
    if (ready != pending.end()) {
      unsigned slot = *ready;
      if (failed(keep(values[slot], &slots[slot]))) {
        return failure();
      }
      pending.erase(ready);
      continue;
    }
    // A cycle: save one reader's value, and let it be copied later.
    bool saved = false;
    for (unsigned slot : pending) {
      Value value = values[slot];
      auto type = tileType(value);
      Buffer spare = makeBuffer(op->getLoc(), type.getShape(), type.getElementType());
      if (failed(keep(value, &spare))) {
        return failure();
      }
      spare.shared = true;
      rescued[value] =
          buffers.contains(value) ? std::optional<Buffer>(buffers[value]) : std::nullopt;
      buffers[value] = spare;
      saved = true;
      break;
    }
    assert(saved);
    (void)saved;
  }
  for (auto &[value, before] : rescued) {
    if (before) {
      buffers[value] = *before;
    } else {
      buffers.erase(value);
    }
  }
  rescued.clear();
  return success();
}

LogicalResult LoopFormer::emitFor(scf::ForOp op) {
  if (failed(captureTiles(op))) {
    return failure();
  }
  SmallVector<Buffer> slots;
  if (failed(initCarried(op, op.getInitArgs(), slots))) {
    return failure();
  }
  SmallVector<Value> inits;
  for (Value init : op.getInitArgs()) {
    if (!tileType(init)) {
      inits.push_back(scalar(init));
    }
  }
  auto loop = scf::ForOp::create(builder, op.getLoc(), scalar(op.getLowerBound()),
                                 scalar(op.getUpperBound()), scalar(op.getStep()), inits,
                                 /*bodyBuilder=*/nullptr, op.getUnsignedCmp());
  scalars[op.getInductionVar()] = loop.getInductionVar();
  bind(op.getRegionIterArgs(), slots, loop.getRegionIterArgs());
  Block *body = loop.getBody();
  if (!body->empty() && inits.empty()) {
    body->back().erase(); // the implied yield; one is made below
  }
  builder.setInsertionPointToEnd(body);
  // What the body keeps exists in the body only.
  auto before = buffers;
  if (failed(emitBlock(*op.getBody()))) {
    return failure();
  }
  Operation *yield = op.getBody()->getTerminator();
  if (failed(writeCarried(yield, SmallVector<Value>(yield->getOperands()), slots))) {
    return failure();
  }
  SmallVector<Value> yielded;
  for (Value value : yield->getOperands()) {
    if (!tileType(value)) {
      yielded.push_back(scalar(value));
    }
  }
  scf::YieldOp::create(builder, yield->getLoc(), yielded);
  buffers = before;
  builder.setInsertionPointAfter(loop);
  current = op;
  bind(op.getResults(), slots, loop.getResults());
  return success();
}

LogicalResult LoopFormer::emitIf(scf::IfOp op) {
  if (failed(captureTiles(op))) {
    return failure();
  }
  SmallVector<Buffer> slots;
  SmallVector<Type> types;
  for (Value result : op.getResults()) {
    if (auto type = tileType(result)) {
      slots.push_back(makeBuffer(op.getLoc(), type.getShape(), type.getElementType()));
    } else {
      slots.push_back(Buffer());
      types.push_back(convertElement(result.getType()));
    }
  }
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(builder, op.getLoc(), types, scalar(op.getCondition()),
                                  /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  auto emitSide = [&](Block &from, Block *to) -> LogicalResult {
    to->clear();
    builder.setInsertionPointToEnd(to);
    if (failed(emitBlock(from))) {
      return failure();
    }
    Operation *yield = from.getTerminator();
    if (failed(writeCarried(yield, SmallVector<Value>(yield->getOperands()), slots))) {
      return failure();
    }
    SmallVector<Value> yielded;
    for (Value value : yield->getOperands()) {
      if (!tileType(value)) {
        yielded.push_back(scalar(value));
      }
    }
    scf::YieldOp::create(builder, yield->getLoc(), yielded);
    return success();
  };
  // Tiles that one side settles are not settled for the other.
  auto before = buffers;
  if (failed(emitSide(*op.thenBlock(), branch.thenBlock()))) {
    return failure();
  }
  buffers = before;
  if (hasElse) {
    if (failed(emitSide(*op.elseBlock(), branch.elseBlock()))) {
      return failure();
    }
    buffers = before;
  }
  builder.setInsertionPointAfter(branch);
  current = op;
  bind(op.getResults(), slots, branch.getResults());
  return success();
}

LogicalResult LoopFormer::emitWhile(scf::WhileOp op) {
  if (failed(captureTiles(op))) {
    return failure();
  }
  SmallVector<Buffer> slots, forwarded;
  if (failed(initCarried(op, op.getInits(), slots))) {
    return failure();
  }
  SmallVector<Value> inits;
  SmallVector<Type> types, beforeTypes;
  for (Value init : op.getInits()) {
    if (!tileType(init)) {
      inits.push_back(scalar(init));
      beforeTypes.push_back(inits.back().getType());
    }
  }
  for (Value result : op.getResults()) {
    if (auto type = tileType(result)) {
      forwarded.push_back(makeBuffer(op.getLoc(), type.getShape(), type.getElementType()));
    } else {
      forwarded.push_back(Buffer());
      types.push_back(convertElement(result.getType()));
    }
  }
  auto loop = scf::WhileOp::create(builder, op.getLoc(), types, inits);
  // Only kernels have a context to reach the runtime by.
  const bool waits = source->hasAttr(kWaitsAttr) && waitsForOthers(op);
  auto outside = buffers;
  auto emitRegion = [&](Block &from, Region &to, ArrayRef<Type> argumentTypes,
                        ArrayRef<Buffer> tiles, ArrayRef<Buffer> written) -> LogicalResult {
    SmallVector<Location> locations(argumentTypes.size(), op.getLoc());
    Block *block = builder.createBlock(&to, to.end(), argumentTypes, locations);
    bind(from.getArguments(), tiles, block->getArguments());
    builder.setInsertionPointToEnd(block);
    if (waits && &to == &loop.getAfter()) {
      emitYield(op.getLoc());
    }
    if (failed(emitBlock(from))) {
      return failure();
    }
    Operation *end = from.getTerminator();
    auto condition = dyn_cast<scf::ConditionOp>(end);
    SmallVector<Value> values(condition ? condition.getArgs() : OperandRange(end->getOperands()));
    if (failed(writeCarried(end, values, written))) {
      return failure();
    }
    SmallVector<Value> yielded;
    for (Value value : values) {
      if (!tileType(value)) {
        yielded.push_back(scalar(value));
      }
    }
    if (condition) {
      scf::ConditionOp::create(builder, end->getLoc(), scalar(condition.getCondition()), yielded);
    } else {
      scf::YieldOp::create(builder, end->getLoc(), yielded);
    }
    return success();
  };
  if (failed(emitRegion(*op.getBeforeBody(), loop.getBefore(), beforeTypes, slots, forwarded)) ||
      failed(emitRegion(*op.getAfterBody(), loop.getAfter(), types, forwarded, slots))) {
    return failure();
  }
  buffers = outside;
  builder.setInsertionPointAfter(loop);
  current = op;
  bind(op.getResults(), forwarded, loop.getResults());
  return success();
}

} // namespace tegula::cpu
