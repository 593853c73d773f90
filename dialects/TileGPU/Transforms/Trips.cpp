//===- Trips.cpp - Trips of a loop computed ahead of their time
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trips.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

/// Ops of the loop's own block that may be run for any trip, even one that is never made.
bool tegula::tilegpu::canRepeat(Operation *op) {
  return op->getNumRegions() == 0 && isPure(op) && !isa<tile::DotOp>(op);
}

/// Whether `value` follows from what is known at the start of a trip.
static bool isKnownEarly(Value value, scf::ForOp loop, llvm::DenseSet<Value> &known) {
  if (!loop.getRegion().isAncestor(value.getParentRegion()) || isa<BlockArgument>(value) ||
      known.contains(value)) {
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != loop.getBody() || !canRepeat(op)) {
    return false;
  }
  for (Value operand : op->getOperands()) {
    if (!isKnownEarly(operand, loop, known)) {
      return false;
    }
  }
  known.insert(value);
  return true;
}

/// Adds what `value` follows from that is carried by the loop.
void tegula::tilegpu::addCarried(Value value, scf::ForOp loop, llvm::SetVector<Value> &seen) {
  if (!loop.getRegion().isAncestor(value.getParentRegion()) || !seen.insert(value)) {
    return;
  }
  if (Operation *op = value.getDefiningOp()) {
    for (Value operand : op->getOperands()) {
      addCarried(operand, loop, seen);
    }
  }
}

/// Whether the operands of `load` can be computed a trip ahead.
bool tegula::tilegpu::isKnownAhead(tile::LoadOp load, scf::ForOp loop) {
  llvm::DenseSet<Value> known;
  llvm::SetVector<Value> sources;
  for (Value operand : load->getOperands()) {
    if (!isKnownEarly(operand, loop, known)) {
      return false;
    }
    addCarried(operand, loop, sources);
  }
  for (Value value : sources) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument != loop.getInductionVar() &&
        !isKnownEarly(loop.getTiedLoopYieldedValue(argument)->get(), loop, known)) {
      return false;
    }
  }
  return true;
}

Value Trip::get(Value value) {
  if (mapping.contains(value)) {
    return mapping.lookup(value);
  }
  if (isa<BlockArgument>(value) || !loop.getRegion().isAncestor(value.getParentRegion())) {
    return value;
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands()) {
    mapping.map(operand, get(operand));
  }
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

Value Trip::getMask(tile::LoadOp op, Value condition) {
  auto type = cast<RankedTensorType>(op.getType());
  Value mask = tile::SplatOp::create(
      builder, op.getLoc(),
      RankedTensorType::get(type.getShape(), builder.getI1Type(), type.getEncoding()), condition);
  if (op.getMask()) {
    mask = arith::AndIOp::create(builder, op.getLoc(), get(op.getMask()), mask);
  }
  return mask;
}

Value Trip::load(tile::LoadOp op, Value condition) {
  Value mask = getMask(op, condition);
  Value pointer = get(op.getPtr()), other = op.getOther() ? get(op.getOther()) : Value();
  auto made = cast<tile::LoadOp>(builder.clone(*op));
  made.getPtrMutable().assign(pointer);
  made.getMaskMutable().assign(mask);
  if (other) {
    made.getOtherMutable().assign(other);
  }
  return made.getResult();
}
