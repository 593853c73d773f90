//===- Combiner.cpp - Regions on scalars, run on registers
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tegula::tilegpu;

static Value castTo(ThreadBuilder &tb, Value value, Type type) {
  return value.getType() == type
             ? value
             : UnrealizedConversionCastOp::create(tb.builder, tb.loc, type, value).getResult(0);
}

SmallVector<Value> tegula::tilegpu::inlineRegion(ThreadBuilder &tb, Region &region,
                                                 ValueRange arguments) {
  Block &block = region.front();
  IRMapping mapping;
  SmallVector<Type> threadTypes;
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments)) {
    mapping.map(argument, castTo(tb, value, argument.getType()));
  }
  for (Operation &op : block.without_terminator()) {
    tb.builder.clone(op, mapping);
  }
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands()) {
    Value result = mapping.lookupOrDefault(value);
    if (auto pointer = dyn_cast<tegula::tile::PtrType>(result.getType())) {
      result = castTo(tb, result,
                      LLVM::LLVMPointerType::get(pointer.getContext(), pointer.getAddressSpace()));
    }
    results.push_back(result);
  }
  return results;
}

Value tegula::tilegpu::whoActs(ThreadBuilder &tb, Operation *op) {
  return isOfEachThread(op) ? Value() : tb.isFirstThread();
}

//===----------------------------------------------------------------------===//
// Combiner
//===----------------------------------------------------------------------===//

Group Combiner::combine(const Group &left, const Group &right) {
  if (simple) {
    OperationState state(tb.loc, simple->getName(), ValueRange{left[0], right[0]},
                         TypeRange{left[0].getType()}, simple->getAttrs());
    state.propertiesAttr = simple->getPropertiesAsAttribute();
    return {tb.builder.create(state)->getResult(0)};
  }
  const size_t count = left.size();
  SmallVector<SmallVector<Value>> arguments; // by operand, left group first
  for (const Group *group : {&left, &right}) {
    for (Value vector : *group) {
      arguments.push_back(tb.unpack(vector));
    }
  }
  SmallVector<SmallVector<Value>> results(count);
  for (size_t element = 0, end = arguments[0].size(); element < end; ++element) {
    SmallVector<Value> scalars;
    for (ArrayRef<Value> values : arguments) {
      scalars.push_back(values[element]);
    }
    for (auto [i, value] : llvm::enumerate(inlineRegion(tb, region, scalars))) {
      results[i].push_back(value);
    }
  }
  Group group;
  for (ArrayRef<Value> values : results) {
    group.push_back(tb.pack(values));
  }
  return group;
}

Group Combiner::combineAll(ArrayRef<Group> parts) {
  if (parts.size() == 1) {
    return parts.front();
  }
  SmallVector<Group> halves;
  for (; parts.size() >= 2; parts = parts.drop_front(2)) {
    halves.push_back(combine(parts[0], parts[1]));
  }
  llvm::append_range(halves, parts);
  return combineAll(halves);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

Group tegula::tilegpu::pick(ThreadBuilder &tb, const Group &group, ArrayRef<int64_t> indices) {
  Group result;
  for (Value vector : group) {
    result.push_back(tb.pick(vector, indices));
  }
  return result;
}

Group tegula::tilegpu::select(ThreadBuilder &tb, Value condition, const Group &yes,
                              const Group &no) {
  Group result;
  for (auto [first, second] : llvm::zip_equal(yes, no)) {
    result.push_back(arith::SelectOp::create(tb.builder, tb.loc, condition, first, second));
  }
  return result;
}

Group tegula::tilegpu::shuffleXor(ThreadBuilder &tb, const Group &group, unsigned mask) {
  Group result;
  for (Value vector : group) {
    SmallVector<Value> elements = tb.unpack(vector);
    for (Value &element : elements) {
      element = tb.shuffleXor(element, mask);
    }
    result.push_back(tb.pack(elements));
  }
  return result;
}

Value tegula::tilegpu::testBit(ThreadBuilder &tb, Value index, unsigned bit) {
  Value masked = arith::AndIOp::create(tb.builder, tb.loc, index, tb.i32(int64_t(1) << bit));
  return arith::CmpIOp::create(tb.builder, tb.loc, arith::CmpIPredicate::ne, masked, tb.i32(0));
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

SmallVector<Value>
tegula::tilegpu::makeLoop(ThreadBuilder &tb, Value first, Value last, Value step, ValueRange inits,
                          llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(tb.builder, tb.loc, first, last, step, inits);
  OpBuilder::InsertionGuard guard(tb.builder);
  if (inits.empty()) {
    tb.builder.setInsertionPoint(loop.getBody()->getTerminator());
  } else {
    tb.builder.setInsertionPointToEnd(loop.getBody());
  }
  SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!inits.empty()) {
    scf::YieldOp::create(tb.builder, tb.loc, next);
  }
  return llvm::to_vector_of<Value>(loop.getResults());
}

void tegula::tilegpu::makeIf(ThreadBuilder &tb, Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(tb.builder, tb.loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(tb.builder);
  tb.builder.setInsertionPointToStart(branch.thenBlock());
  body();
}
