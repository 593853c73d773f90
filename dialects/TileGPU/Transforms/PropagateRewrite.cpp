//===- PropagateRewrite.cpp - Tiles in the layouts they were given ----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"
#include "Propagation.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tegula::tilegpu;

static Type withEncoding(Type type, LinearAttr layout) {
  return cast<RankedTensorType>(type).cloneWithEncoding(layout);
}

void Propagation::cloneUnder(OpResult result, LinearAttr layout) {
  Operation *op = result.getOwner();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    operands.push_back(isTile(value)
                           ? materialize(value, inferAttr(op, result.getResultNumber(), layout,
                                                          operand.getOperandNumber()))
                           : value);
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults())) {
    if (isTile(to)) {
      to.setType(withEncoding(to.getType(), layout));
      made[{from, layout}] = to;
    }
  }
  // Distribution has seen what cannot be retyped.
  (void)retypeConstant(copy);
  clones.push_back(copy);
}

Value Propagation::materialize(Value wanted, LinearAttr layout) {
  Value value = stripConversions(wanted);
  const std::pair<Value, LinearAttr> key = {value, layout};
  if (auto found = made.find(key); found != made.end()) {
    return found->second;
  }
  if (isLazy(value)) {
    cloneUnder(cast<OpResult>(value), layout);
    return made[key];
  }
  if (getHome(value).layout == layout) {
    return value;
  }
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  return made[key] = ConvertLayoutOp::create(builder, value.getLoc(),
                                             withEncoding(value.getType(), layout), value);
}

void Propagation::rewrite() {
  for (const Carried &one : carried) {
    for (Value member : one.members) {
      member.setType(withEncoding(member.getType(), one.home.layout));
    }
  }
  for (Operation *op : ops) {
    if (isa<ConvertLayoutOp>(op)) {
      continue;
    }
    if (op->getNumResults() > 0 && isTile(op->getResult(0)) && isLazy(op->getResult(0))) {
      // In order, so that no chain of operands is longer than one.
      for (OpResult result : op->getResults()) {
        SmallVector<LinearAttr, 2> wanted = demands.lookup(result);
        for (LinearAttr layout : wanted) {
          materialize(result, layout);
        }
      }
      continue;
    }
    for (OpOperand &operand : op->getOpOperands()) {
      if (auto into = carriedInto.find(&operand); into != carriedInto.end()) {
        operand.set(materialize(operand.get(), carried[into->second].home.layout));
      } else if (LinearAttr layout = required.lookup(&operand)) {
        operand.set(materialize(operand.get(), layout));
      }
    }
    for (Value result : op->getResults()) {
      LinearAttr home = homes.lookup(result).layout;
      if (home && isTile(result)) {
        result.setType(withEncoding(result.getType(), home));
      }
    }
  }
}

void Propagation::removeDead() {
  for (SmallVector<Operation *> *list : {&ops, &clones}) {
    for (Operation *op : llvm::reverse(*list)) {
      if (isOpTriviallyDead(op)) {
        op->erase();
      }
    }
  }
}
