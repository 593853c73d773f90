//===- Plan.cpp - Which tiles are kept in scratch memory
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopFormer.h"
#include "LoopFormerInlines.h"

using namespace mlir;

namespace tegula::cpu {

/// Recomputing more than this many operations per chunk costs more than a
/// trip through the first-level cache.
static constexpr unsigned kRecomputeLimit = 12;

bool LoopFormer::isVirtual(Operation *op) const {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    return true;
  }
  return isElementwise(op) ||
         isa<tile::SplatOp, tile::RangeOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp,
             tile::ReshapeOp, tile::LoadOp, tile::HintOp, tile::PtrCastOp, tile::AddPtrOp,
             tile::PtrToIntOp, tile::IntToPtrOp, tile::FromFp8Op, tile::ToFp8Op, tile::GatherOp,
             tile::SliceOp>(op);
}

static bool isExpensive(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) ||
         isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
             arith::RemUIOp, tile::FromFp8Op, tile::ToFp8Op>(op);
}

bool LoopFormer::isHeavy(Value value) { return cost(value) >= kRecomputeLimit; }

unsigned LoopFormer::cost(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !tileType(value) || !isVirtual(op)) {
    return 0;
  }
  auto found = costs.find(value);
  if (found != costs.end()) {
    return found->second;
  }
  unsigned sum = isa<tile::LoadOp>(op) ? 2 : isExpensive(op) ? kRecomputeLimit : 1;
  if (!isa<tile::LoadOp>(op)) {
    for (Value operand : op->getOperands()) {
      sum += cost(operand);
    }
  }
  return costs[value] = std::min(sum, 1000u);
}

bool isTrivialReshape(RankedTensorType from, RankedTensorType to) {
  SmallVector<int64_t> a, b;
  llvm::copy_if(from.getShape(), std::back_inserter(a), [](int64_t n) { return n != 1; });
  llvm::copy_if(to.getShape(), std::back_inserter(b), [](int64_t n) { return n != 1; });
  return a == b;
}

static bool hasLoopBetween(Operation *user, Block *outer) {
  for (Operation *op = user; op->getBlock() != outer;) {
    op = op->getParentOp();
    if (!op) {
      return false;
    }
    if (isa<scf::ForOp, scf::WhileOp>(op)) {
      return true;
    }
  }
  return false;
}

void LoopFormer::makePlan() {
  struct Use {
    llvm::SmallSetVector<Operation *, 2> roots;
    bool repeated = false;
  };
  llvm::DenseMap<Value, Use> uses;
  SmallVector<Operation *> order;
  source.walk<WalkOrder::PreOrder>([&](Operation *op) { order.push_back(op); });
  for (Operation *op : llvm::reverse(order)) {
    bool tileOp = op->getNumResults() == 1 && tileType(op->getResult(0)) && isVirtual(op);
    Use use;
    if (tileOp) {
      Value result = op->getResult(0);
      use = uses.lookup(result);
      bool often = use.roots.size() > 1 || use.repeated;
      bool heavy = isa<tile::LoadOp>(op) || isExpensive(op) || cost(result) > kRecomputeLimit;
      // Pointers and masks are rarely worth their memory unless very long.
      Type element = tileType(result).getElementType();
      if (isa<tile::PtrType>(element) || element.isInteger(1)) {
        heavy = isa<tile::LoadOp>(op) || cost(result) > 8 * kRecomputeLimit;
      }
      if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
        if (!isTrivialReshape(reshape.getSource().getType(), tileType(result))) {
          for (Value value : {Value(reshape.getSource()), result}) {
            wantsBuffer.insert(value);
            bufferReasons.try_emplace(value, "a reshape changes the order of its rows");
          }
          use.roots.clear();
          use.roots.insert(op);
          use.repeated = false;
          heavy = often = false;
        }
      }
      if (often && heavy) {
        wantsBuffer.insert(result);
        bufferReasons.try_emplace(result, use.roots.size() > 1
                                              ? "several loops use it"
                                              : "a loop or broadcast uses it repeatedly");
        use.repeated = false;
        use.roots.clear();
        use.roots.insert(op);
      } else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
        use.repeated |= broadcast.getSource().getType() != broadcast.getResult().getType();
      }
    } else {
      use.roots.insert(op);
    }
    Value picked = pickedSource(op);
    if (picked) {
      wantsBuffer.insert(picked);
      bufferReasons.try_emplace(picked, "its elements are read at other places than their own");
    }
    for (Value operand : op->getOperands()) {
      if (!tileType(operand)) {
        continue;
      }
      Use &into = uses[operand];
      if (operand == picked) {
        into.roots.insert(op);
        continue;
      }
      into.repeated |= use.repeated;
      into.repeated |= hasLoopBetween(op, operand.getParentBlock());
      for (Operation *root : use.roots) {
        if (into.roots.size() < 2) {
          into.roots.insert(root);
        }
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Preparing a nest
//===----------------------------------------------------------------------===//

void LoopFormer::collectUnaligned(Value value, bool aligned, ArrayRef<int64_t> shape,
                                  llvm::SmallSetVector<Value, 8> &out,
                                  llvm::SmallDenseSet<std::pair<Value, unsigned>> &seen) {
  auto type = tileType(value);
  if (!type || buffers.contains(value) || !seen.insert({value, aligned}).second) {
    return;
  }
  aligned &= type.getShape() == shape && !hasUniformDim(value);
  Operation *op = value.getDefiningOp();
  if (!op) {
    return;
  }
  if (wantsBuffer.contains(value) && (!aligned || isa<tile::ReshapeOp>(op))) {
    out.insert(value);
    return;
  }
  bool same = isElementwise(op) ||
              isa<tile::LoadOp, tile::HintOp, tile::PtrCastOp, tile::AddPtrOp, tile::PtrToIntOp,
                  tile::IntToPtrOp, tile::FromFp8Op, tile::ToFp8Op>(op);
  auto load = dyn_cast<tile::LoadOp>(op);
  for (Value operand : op->getOperands()) {
    bool address = load && operand == load.getPtr();
    collectUnaligned(operand, aligned && same && !address, shape, out, seen);
  }
}

void LoopFormer::collectAligned(Value value, ArrayRef<int64_t> shape,
                                llvm::SmallSetVector<Value, 8> &out,
                                llvm::SmallPtrSetImpl<Value> &seen) {
  auto type = tileType(value);
  Operation *op = value.getDefiningOp();
  if (!type || !op || buffers.contains(value) || type.getShape() != shape || hasUniformDim(value) ||
      !seen.insert(value).second) {
    return;
  }
  if (!isElementwise(op) &&
      !isa<tile::LoadOp, tile::HintOp, tile::PtrCastOp, tile::AddPtrOp, tile::PtrToIntOp,
           tile::IntToPtrOp, tile::FromFp8Op, tile::ToFp8Op>(op)) {
    return;
  }
  if (wantsBuffer.contains(value)) {
    out.insert(value);
  }
  auto load = dyn_cast<tile::LoadOp>(op);
  for (Value operand : op->getOperands()) {
    if (!load || operand != load.getPtr()) {
      collectAligned(operand, shape, out, seen);
    }
  }
}

LogicalResult LoopFormer::prepare(ValueRange values, ArrayRef<int64_t> shape,
                                  ValueRange addresses) {
  if (failed(prepareOperands(values, shape, addresses))) {
    return failure();
  }
  announceWriteThrough(values, shape);
  return success();
}

LogicalResult LoopFormer::prepareOperands(ValueRange values, ArrayRef<int64_t> shape,
                                          ValueRange addresses) {
  llvm::SmallSetVector<Value, 8> unaligned;
  llvm::SmallDenseSet<std::pair<Value, unsigned>> seen;
  for (Value value : values) {
    collectUnaligned(value, true, shape, unaligned, seen);
  }
  for (Value value : addresses) {
    collectUnaligned(value, false, shape, unaligned, seen);
  }
  for (Value value : unaligned) {
    if (failed(keep(value))) {
      return failure();
    }
  }
  return success();
}

void LoopFormer::announceWriteThrough(ValueRange values, ArrayRef<int64_t> shape) {
  llvm::SmallSetVector<Value, 8> aligned;
  SmallPtrSet<Value, 16> seen;
  for (Value value : values) {
    collectAligned(value, shape, aligned, seen);
  }
  for (Value value : aligned) {
    if (isPulledLater(value)) {
      auto type = tileType(value);
      writeThrough[value] = makeBuffer(locOf(value), type.getShape(), type.getElementType(),
                                       bufferReasons.lookup(value));
    }
  }
}

LogicalResult LoopFormer::keep(Value value, const Buffer *into) {
  auto found = buffers.find(value);
  if (found != buffers.end()) {
    if (into && into->pointer != found->second.pointer) {
      Buffer from = found->second;
      copyBuffer(locOf(value), from, *into);
    }
    return success();
  }
  auto type = tileType(value);
  if (auto reshape = value.getDefiningOp<tile::ReshapeOp>()) {
    // The same bytes under another shape.
    if (!into) {
      if (failed(keep(reshape.getSource()))) {
        return failure();
      }
      buffers[reshape.getSource()].shared = true;
      Buffer buffer = buffers[reshape.getSource()];
      buffer.shape.assign(type.getShape().begin(), type.getShape().end());
      buffers[value] = buffer;
      return success();
    }
  }
  if (into) {
    return fill(value, *into);
  }
  // In place over an operand of the same layout that nobody needs any more.
  std::optional<Buffer> reuse;
  if (Operation *op = value.getDefiningOp(); op && isElementwise(op)) {
    for (Value operand : op->getOperands()) {
      auto have = buffers.find(operand);
      llvm::SmallDenseSet<std::pair<Value, unsigned>> seen;
      if (have != buffers.end() && !have->second.shared && operand.getType() == value.getType() &&
          diesAt(operand, op) &&
          !readsBuffer(value, have->second.pointer, true, true, type.getShape(), seen)) {
        reuse = have->second;
        break;
      }
    }
  }
  Buffer buffer = reuse ? *reuse
                        : makeBuffer(locOf(value), type.getShape(), type.getElementType(),
                                     bufferReasons.lookup(value));
  if (failed(fill(value, buffer))) {
    return failure();
  }
  buffers[value] = buffer;
  return success();
}

LogicalResult LoopFormer::fill(Value value, const Buffer &into) {
  auto type = tileType(value);
  Operation *op = value.getDefiningOp();
  if (auto reshape = dyn_cast_or_null<tile::ReshapeOp>(op)) {
    if (failed(keep(reshape.getSource()))) {
      return failure();
    }
    Buffer from = buffers[reshape.getSource()];
    from.shape.assign(type.getShape().begin(), type.getShape().end());
    copyBuffer(locOf(value), from, into);
    return success();
  }
  // Not through its own buffer while it is being computed.
  bool wanted = wantsBuffer.erase(value);
  LogicalResult prepared = prepare(value, type.getShape());
  if (wanted) {
    wantsBuffer.insert(value);
  }
  if (failed(prepared)) {
    return failure();
  }
  int dim = vectorDim(type.getShape());
  unsigned lanes = dim < 0 ? 1 : lanesFor(value, type.getDimSize(dim));
  explainLoop(locOf(value), "computing the tile", type.getShape(), type.getElementType(), lanes);
  forEachChunk(locOf(value), type.getShape(), lanes, [&](const Chunk &chunk) {
    storeBuffer(locOf(value), into, chunk, pull(value, chunk));
  });
  return success();
}

} // namespace tegula::cpu
