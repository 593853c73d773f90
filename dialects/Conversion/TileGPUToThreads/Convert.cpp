//===- Convert.cpp - From one layout to another
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadMatrix.h"
#include "SharedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tegula/TileGPU/Analysis/ConvertPlan.h"
#include "tegula/TileGPU/Layout/SharedMemory.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula::tilegpu;

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// Value i of the result is value i + F(lane) (+ is the exclusive or), by selects; F of a
/// lane is the sum of `images` of its bits.
static void exchangeRegisters(ThreadBuilder &build, SmallVectorImpl<Value> &values,
                              ArrayRef<uint64_t> images) {
  OpBuilder &builder = build.builder;
  Location loc = build.loc;
  uint64_t reach = 0;
  unsigned numImages = 0;
  for (uint64_t image : images) {
    reach |= image;
    numImages += image != 0;
  }
  if (reach == 0) {
    return;
  }
  auto exchange = [&](Value bits, uint64_t distance) {
    Value isSet = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bits, build.i32(0));
    SmallVector<Value> before(values.begin(), values.end());
    for (unsigned i = 0; i < values.size(); ++i) {
      values[i] = arith::SelectOp::create(builder, loc, isSet, before[i ^ distance], before[i]);
    }
  };
  // By bits of the lane or by bits of F, whichever are fewer.
  if (numImages <= unsigned(llvm::popcount(reach))) {
    Value lane = build.laneId();
    for (auto [bit, image] : llvm::enumerate(images)) {
      if (image != 0) {
        exchange(arith::AndIOp::create(builder, loc, lane, build.i32(int64_t(1) << bit)), image);
      }
    }
    return;
  }
  Value moved = build.applyBits(build.laneId(), images);
  for (uint64_t rest = reach; rest != 0; rest &= rest - 1) {
    uint64_t bit = rest & -rest;
    exchange(arith::AndIOp::create(builder, loc, moved, build.i32(int64_t(bit))), bit);
  }
}

static Value convertByShuffles(ThreadBuilder &build, Value vector, const ShufflePlan &plan) {
  OpBuilder &builder = build.builder;
  SmallVector<uint64_t> targets, senders, sources;
  bool isXor = true;
  for (unsigned bit = 0; bit < llvm::Log2_32(build.machine.warpSize); ++bit) {
    uint32_t lane = 1u << bit;
    targets.push_back(plan.getTargetRegister({0, 0, 0}, lane));
    senders.push_back(plan.getSender({0, 0, 0}, lane));
    sources.push_back(plan.getSourceRegister({0, 0, 0}, lane));
    isXor &= senders.back() == lane;
  }
  SmallVector<Value> sent = build.unpack(vector);
  exchangeRegisters(build, sent, sources);
  Value base = isXor ? Value() : build.applyBits(build.laneId(), senders);
  SmallVector<Value> received(plan.getRounds().size());
  for (const ShufflePlan::Round &round : plan.getRounds()) {
    Value value = sent[round.source];
    if (isXor) {
      value = build.shuffleXor(value, round.sender);
    } else {
      Value lane = base;
      if (round.sender != 0) {
        lane = arith::XOrIOp::create(builder, build.loc, base, build.i32(round.sender));
      }
      value = build.shuffleIndex(value, lane);
    }
    received[round.target] = value;
  }
  exchangeRegisters(build, received, targets);
  return build.pack(received);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value tegula::tilegpu::moveThroughMemory(ThreadBuilder &build, ArrayRef<MovedTile> stored,
                                         Type element, const Places &target, int64_t elements,
                                         int64_t window, int64_t scratch) {
  if (window == 0) {
    for (const MovedTile &tile : stored) {
      storePlaces(build, tile.vector, *tile.layout, *tile.places, scratch);
    }
    build.barrier();
    return loadPlaces(build, element, target, scratch);
  }
  Value result = build.zero(VectorType::get({int64_t(target.size())}, element));
  for (int64_t index = 0; index * window < elements; ++index) {
    if (index != 0) {
      build.barrier();
    }
    for (const MovedTile &tile : stored) {
      storePlaces(build, tile.vector, *tile.layout, *tile.places, scratch, {index, window});
    }
    build.barrier();
    result = loadPlaces(build, element, target, scratch, {index, window}, result);
  }
  return result;
}

Value ThreadBuilder::convert(Value vector, const Layout &from, const Layout &to, int64_t scratch) {
  Type element = cast<VectorType>(vector.getType()).getElementType();
  ConvertPlan plan = planConvert(from, to, element, machine);
  if (plan.way == ConvertWay::Registers) {
    return pick(vector, plan.registers);
  }
  if (plan.way == ConvertWay::Lanes) {
    return convertByShuffles(*this, vector, *plan.shuffles);
  }
  if (plan.way == ConvertWay::Matrices) {
    if (Value result = tryLoadMatrix(*this, vector, from, to, scratch)) {
      return result;
    }
  }
  int64_t elements = 1;
  for (int64_t size : to.getShape()) {
    elements *= size;
  }
  if (plan.way == ConvertWay::RowMajor) {
    Places source(from), target(to);
    return moveThroughMemory(*this, MovedTile{vector, &from, &source}, element, target, elements,
                             plan.window, scratch);
  }
  BankedMemory banks;
  banks.maxAccessBytes = machine.capabilities.getMaxAccessBytes();
  LinearMap memory =
      chooseMemoryLayout(from.getInner(), to.getInner(), 8 * getElementBytes(element), banks);
  Places source(Layout(getOffsets(from.getInner(), memory)));
  Places target(Layout(getOffsets(to.getInner(), memory)));
  return moveThroughMemory(*this, MovedTile{vector, &from, &source}, element, target, elements,
                           plan.window, scratch);
}
