//===- Scan.cpp - Scans across threads
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Digit by digit of the coordinate, the lowest first. Once some digits are done, the
// axis is cut into blocks of elements that differ in those alone, and a thread knows
//
//   values   of each register, combined with all before it in its part of the block
//   before   what stands before that part in the block, where there is anything
//   totals   of the whole block, once for all registers that lie in it
//
// Lanes and warps only change `before`, which is put in front of the values when the
// next digit of registers comes, or at the end. "Before" is behind if the scan is
// reversed.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "tegula/TileGPU/Analysis/Collectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

namespace {
class Scanner {
public:
  Scanner(Combiner &combiner, const Layout &layout, const ScanPlan &plan, bool reverse)
      : combiner(combiner), tb(combiner.tb), layout(layout), plan(plan), reverse(reverse) {}

  Group run(const Group &group, ArrayRef<Type> elements, ArrayRef<int64_t> offsets) {
    slots = plan.registers;
    values = pick(tb, group, SmallVector<int64_t>(slots.begin(), slots.end()));
    totals = values;
    slotOf = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(slots.size())));
    ArrayRef<AxisDigit> digits = plan.digits;
    for (const ScanPlan::Run &run : plan.runs) {
      digits = digits.drop_front(scanInWarp(digits));
      scanWarps(digits.take_front(run.numDigits), run, elements,
                offsets.take_front(elements.size()));
      offsets = offsets.drop_front(elements.size());
      digits = digits.drop_front(run.numDigits);
    }
    scanInWarp(digits);
    putBefore();
    // Copies again.
    llvm::DenseMap<unsigned, int64_t> places;
    for (auto [place, reg] : llvm::enumerate(plan.registers)) {
      places[reg] = int64_t(place);
    }
    const uint32_t copies = layout.getInner().getFreeBits(Axis::Register);
    SmallVector<int64_t> indices;
    for (unsigned reg = 0; reg < layout.getSize(Axis::Register); ++reg) {
      indices.push_back(places.at(reg & ~copies));
    }
    return pick(tb, values, indices);
  }

private:
  /// All digits up to the first of warps; how many.
  size_t scanInWarp(ArrayRef<AxisDigit> digits) {
    size_t count = 0;
    for (const AxisDigit &digit : digits) {
      if (digit.axis == Axis::Warp) {
        break;
      }
      digit.axis == Axis::Register ? scanRegisters(digit) : scanLanes(digit);
      ++count;
    }
    return count;
  }

  Group ordered(const Group &earlier, const Group &later) {
    return combiner.combine(earlier, later);
  }

  void scanRegisters(const AxisDigit &digit) {
    putBefore();
    llvm::DenseMap<unsigned, int64_t> places;
    SmallVector<unsigned> left;
    for (auto [place, reg] : llvm::enumerate(slots)) {
      places[reg] = int64_t(place);
      if (getDigit(layout, digit, reg) == 0) {
        left.push_back(reg);
      }
    }
    llvm::DenseMap<unsigned, int64_t> leftPlaces;
    for (auto [place, reg] : llvm::enumerate(left)) {
      leftPlaces[reg] = int64_t(place);
    }
    // Values in front of which each digit's predecessors come.
    SmallVector<int64_t> newSlotOf(slotOf.size());
    SmallVector<SmallVector<int64_t>> members(digit.count);
    for (auto [place, slot] : llvm::enumerate(slotOf)) {
      const unsigned reg = slots[slot];
      newSlotOf[place] = leftPlaces.at(withDigit(layout, digit, reg, 0));
      const unsigned value = getDigit(layout, digit, reg);
      members[reverse ? digit.count - 1 - value : value].push_back(int64_t(place));
    }
    Group sum;
    SmallVector<int64_t> position(slotOf.size());
    SmallVector<Group> parts;
    int64_t next = 0;
    for (unsigned k = 0; k < digit.count; ++k) {
      Group part = pick(tb, values, members[k]);
      if (k > 0) {
        SmallVector<int64_t> owners;
        for (int64_t place : members[k]) {
          owners.push_back(newSlotOf[place]);
        }
        part = ordered(pick(tb, sum, owners), part);
      }
      parts.push_back(part);
      for (int64_t place : members[k]) {
        position[place] = next++;
      }
      SmallVector<int64_t> indices;
      for (unsigned reg : left) {
        const unsigned value = reverse ? digit.count - 1 - k : k;
        indices.push_back(places.at(withDigit(layout, digit, reg, value)));
      }
      Group total = pick(tb, totals, indices);
      sum = k == 0 ? total : ordered(sum, total);
    }
    for (auto [i, value] : llvm::enumerate(values)) {
      SmallVector<Value> vectors;
      for (const Group &part : parts) {
        vectors.push_back(part[i]);
      }
      value = tb.pick(tb.concat(vectors), position);
    }
    totals = sum;
    slots = std::move(left);
    slotOf = std::move(newSlotOf);
  }

  void scanLanes(const AxisDigit &digit) {
    Group other = shuffleXor(tb, totals, 1u << digit.index);
    Value isHigh = testBit(tb, tb.laneId(), digit.index);
    Value isAfter = isHigh;
    if (reverse) {
      Value one = tb.constant(tb.builder.getI1Type(), 1);
      isAfter = arith::XOrIOp::create(tb.builder, tb.loc, isHigh, one);
    }
    addBefore(isAfter, other);
    totals = ordered(select(tb, isAfter, other, totals), select(tb, isAfter, totals, other));
  }

  void scanWarps(ArrayRef<AxisDigit> digits, const ScanPlan::Run &run, ArrayRef<Type> elements,
                 ArrayRef<int64_t> offsets) {
    for (auto [vector, offset] : llvm::zip_equal(totals, offsets)) {
      tb.storeRowMajor(vector, run.written, offset);
    }
    tb.barrier();
    Group all;
    for (auto [element, offset] : llvm::zip_equal(elements, offsets)) {
      all.push_back(tb.loadRowMajor(element, run.read, offset));
    }
    SmallVector<uint64_t> images(layout.getInner().getInputBits(Axis::Warp), 0);
    for (auto [place, digit] : llvm::enumerate(digits)) {
      images[digit.index] = uint64_t(1) << place;
    }
    const unsigned count = 1u << digits.size();
    Value rank = tb.applyBits(tb.warpId(), images);
    if (reverse) {
      rank = arith::SubIOp::create(tb.builder, tb.loc, tb.i32(count - 1), rank);
    }
    auto isRank = [&](arith::CmpIPredicate predicate, unsigned number) -> Value {
      return arith::CmpIOp::create(tb.builder, tb.loc, predicate, rank, tb.i32(number));
    };
    Group sum, mine;
    for (unsigned k = 0; k < count; ++k) {
      SmallVector<int64_t> indices;
      for (size_t slot = 0; slot < slots.size(); ++slot) {
        indices.push_back(int64_t(slot) * count + (reverse ? count - 1 - k : k));
      }
      if (k == 1) {
        mine = sum;
      } else if (k > 1) {
        mine = select(tb, isRank(arith::CmpIPredicate::eq, k), sum, mine);
      }
      Group total = pick(tb, all, indices);
      sum = k == 0 ? total : ordered(sum, total);
    }
    addBefore(isRank(arith::CmpIPredicate::ne, 0), mine);
    totals = sum;
  }

  /// Where `isAfter`, `part` comes in front of what was before.
  void addBefore(Value isAfter, const Group &part) {
    if (before.empty()) {
      before = part;
      hasBefore = isAfter;
      return;
    }
    Group both = select(tb, hasBefore, ordered(part, before), part);
    before = select(tb, isAfter, both, before);
    hasBefore = arith::OrIOp::create(tb.builder, tb.loc, hasBefore, isAfter);
  }

  void putBefore() {
    if (before.empty()) {
      return;
    }
    values = select(tb, hasBefore, ordered(pick(tb, before, slotOf), values), values);
    before.clear();
  }

  Combiner &combiner;
  ThreadBuilder &tb;
  const Layout &layout;
  const ScanPlan &plan;
  const bool reverse;

  Group values, totals, before;
  Value hasBefore;
  SmallVector<unsigned> slots; ///< the first register of each total
  SmallVector<int64_t> slotOf; ///< for each value the place of its total
};

struct LowerScan : ThreadPattern<tile::ScanOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::ScanOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder tb(rewriter, op.getLoc(), machine);
    const Layout layout = layoutOf(op.getOperands()[0]);
    const ScanPlan plan = planScan(op);
    Buffers buffers = getScanBuffers(op, plan);
    if (buffers.bytes != 0) {
      for (int64_t &offset : buffers.offsets) {
        offset += scratchOf(op);
      }
    }
    SmallVector<Type> elements;
    for (Value operand : adaptor.getOperands()) {
      elements.push_back(cast<VectorType>(operand.getType()).getElementType());
    }
    Combiner combiner(tb, op.getCombiner(), op.getSimpleCombiner());
    Group group(adaptor.getOperands());
    if (plan.isRegular) {
      Scanner scanner(combiner, layout, plan, op.getReverse());
      rewriter.replaceOp(op, scanner.run(group, elements, buffers.offsets));
      return success();
    }
    for (auto [vector, offset] : llvm::zip_equal(group, buffers.offsets)) {
      tb.storeRowMajor(vector, layout, offset);
    }
    tb.barrier();
    scanLines(op, combiner, elements, buffers.offsets);
    tb.barrier();
    for (auto [value, element, offset] : llvm::zip_equal(group, elements, buffers.offsets)) {
      value = tb.loadRowMajor(element, layout, offset);
    }
    rewriter.replaceOp(op, group);
    return success();
  }

  /// One thread scans a line in place.
  void scanLines(tile::ScanOp op, Combiner &combiner, ArrayRef<Type> elements,
                 ArrayRef<int64_t> offsets) const {
    ThreadBuilder &tb = combiner.tb;
    OpBuilder &b = tb.builder;
    auto shape = cast<RankedTensorType>(op.getOperands()[0].getType()).getShape();
    const int64_t length = shape[op.getAxis()];
    int64_t inner = 1, lines = 1;
    for (auto [dim, size] : llvm::enumerate(shape)) {
      inner *= dim > op.getAxis() ? size : 1;
      lines *= dim != op.getAxis() ? size : 1;
    }
    auto mul = [&](Value a, int64_t c) -> Value {
      return arith::MulIOp::create(b, tb.loc, a, tb.i32(c));
    };
    auto add = [&](Value a, Value c) -> Value { return arith::AddIOp::create(b, tb.loc, a, c); };
    makeLoop(tb, tb.threadId(), tb.i32(lines), tb.i32(machine.getNumThreads()), {},
             [&](Value line, ValueRange) -> SmallVector<Value> {
               Value outer = arith::DivUIOp::create(b, tb.loc, line, tb.i32(inner));
               Value rest = arith::RemUIOp::create(b, tb.loc, line, tb.i32(inner));
               Value base = add(mul(outer, inner * length), rest);
               auto addresses = [&](Value step) {
                 Value place = step;
                 if (op.getReverse()) {
                   place = arith::SubIOp::create(b, tb.loc, tb.i32(length - 1), step);
                 }
                 place = add(base, mul(place, inner));
                 SmallVector<Value> list;
                 for (auto [element, offset] : llvm::zip_equal(elements, offsets)) {
                   list.push_back(tb.offsetBytes(tb.sharedAddress(offset),
                                                 mul(place, getScratchElementBytes(element))));
                 }
                 return list;
               };
               auto load = [&](ArrayRef<Value> places) {
                 Group group;
                 for (auto [place, element] : llvm::zip_equal(places, elements)) {
                   group.push_back(tb.pack({tb.loadShared(place, element)}));
                 }
                 return group;
               };
               makeLoop(tb, tb.i32(1), tb.i32(length), tb.i32(1), load(addresses(tb.i32(0))),
                        [&](Value step, ValueRange sum) -> SmallVector<Value> {
                          SmallVector<Value> places = addresses(step);
                          Group next =
                              combiner.combine(Group(sum.begin(), sum.end()), load(places));
                          for (auto [place, value] : llvm::zip_equal(places, next)) {
                            tb.storeShared(place, tb.unpack(value).front());
                          }
                          return next;
                        });
               return {};
             });
  }
};
} // namespace

void tegula::tilegpu::addScanPatterns(ThreadPatterns &list) { list.add<LowerScan>(); }
