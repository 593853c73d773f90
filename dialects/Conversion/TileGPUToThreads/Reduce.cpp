//===- Reduce.cpp - Reductions across threads
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The steps of a plan (Analysis/Collectives.h) in registers and by shuffles. What is
// left goes through shared memory with one barrier: each partial result is written
// once, and every thread reads those of the elements that it will hold and combines
// them itself, so that all copies of a result are formed in the same order.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "tegula/TileGPU/Analysis/Collectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

namespace {
/// Partial results up to this many are read at once; more in a loop.
constexpr int64_t kMaxUnrolled = 32;

/// From this many partial results of one scalar on, lanes read one each and exchange them:
/// fewer instructions, where each would read and combine all.
constexpr int64_t kMinExchanged = 16;

class Reduction {
public:
  Reduction(Combiner &combiner, const Layout &layout, const ReducePlan &plan)
      : combiner(combiner), tb(combiner.tb), layout(layout), plan(plan) {}

  /// The result as vectors in plan.result's layout.
  Group run(Group group, ArrayRef<Type> elements, ArrayRef<int64_t> offsets) {
    SmallVector<unsigned> registers(plan.registers);
    if (registers.size() != layout.getSize(Axis::Register)) {
      group = pick(tb, group, SmallVector<int64_t>(registers.begin(), registers.end()));
    }
    for (const AxisDigit &digit : plan.steps) {
      group = digit.axis == Axis::Register ? combineRegisters(group, digit, registers)
                                           : combineLanes(group, digit);
    }
    if (!plan.needsScratch) {
      return group;
    }
    for (auto [vector, offset] : llvm::zip_equal(group, offsets)) {
      tb.storeRowMajor(vector, plan.partial, offset);
    }
    tb.barrier();
    const int64_t count = plan.numPartials;
    if (!llvm::isPowerOf2_64(uint64_t(count)) || count > kMaxUnrolled) {
      return readLoop(elements, offsets);
    }
    return count >= kMinExchanged && plan.result.getRank() == 0 ? readOneEach(elements, offsets)
                                                                : readAll(elements, offsets);
  }

private:
  /// Registers that differ in `digit` alone become one; `registers` shrinks.
  Group combineRegisters(const Group &group, const AxisDigit &digit,
                         SmallVector<unsigned> &registers) {
    llvm::DenseMap<unsigned, int64_t> places;
    SmallVector<unsigned> left;
    for (auto [place, reg] : llvm::enumerate(registers)) {
      places[reg] = int64_t(place);
      if (getDigit(layout, digit, reg) == 0) {
        left.push_back(reg);
      }
    }
    SmallVector<Group> parts;
    for (unsigned value = 0; value < digit.count; ++value) {
      SmallVector<int64_t> indices;
      for (unsigned reg : left) {
        indices.push_back(places.at(withDigit(layout, digit, reg, value)));
      }
      parts.push_back(pick(tb, group, indices));
    }
    registers = std::move(left);
    return combiner.combineAll(parts);
  }

  Group combineLanes(const Group &group, const AxisDigit &digit) {
    Group other = shuffleXor(tb, group, 1u << digit.index);
    if (combiner.isCommutative()) {
      return combiner.combine(group, other);
    }
    Value isRight = testBit(tb, tb.laneId(), digit.index);
    return combiner.combine(select(tb, isRight, other, group), select(tb, isRight, group, other));
  }

  Group readOneEach(ArrayRef<Type> elements, ArrayRef<int64_t> offsets) {
    OpBuilder &b = tb.builder;
    Value place = arith::AndIOp::create(b, tb.loc, tb.laneId(), tb.i32(plan.numPartials - 1));
    Group group;
    for (auto [element, offset] : llvm::zip_equal(elements, offsets)) {
      Value at = arith::MulIOp::create(b, tb.loc, place, tb.i32(getScratchElementBytes(element)));
      Value one = tb.loadShared(tb.offsetBytes(tb.sharedAddress(offset), at), element);
      group.push_back(tb.pack({one}));
    }
    for (unsigned bit = 0; bit < llvm::Log2_64(uint64_t(plan.numPartials)); ++bit) {
      group = combineLanes(group, AxisDigit{Axis::Lane, /*isRepetition=*/false, bit, 2});
    }
    return group;
  }

  Group readAll(ArrayRef<Type> elements, ArrayRef<int64_t> offsets) {
    const int64_t count = plan.numPartials, registers = getNumRegisters(plan.result);
    const Layout lines = addRegisterDim(plan.result, llvm::Log2_64(uint64_t(count)));
    Group all;
    for (auto [element, offset] : llvm::zip_equal(elements, offsets)) {
      all.push_back(tb.loadRowMajor(element, lines, offset));
    }
    SmallVector<Group> parts;
    for (int64_t part = 0; part < count; ++part) {
      SmallVector<int64_t> indices;
      for (int64_t reg = 0; reg < registers; ++reg) {
        indices.push_back(reg * count + part);
      }
      parts.push_back(pick(tb, all, indices));
    }
    return combiner.combineAll(parts);
  }

  Group readLoop(ArrayRef<Type> elements, ArrayRef<int64_t> offsets) {
    OpBuilder &b = tb.builder;
    SmallVector<Value> lines = {tb.i32(0)};
    if (plan.result.getRank() > 0) {
      lines = tb.unpack(tb.rowMajor(plan.result));
    }
    auto read = [&](Value part) {
      Group group;
      for (auto [element, offset] : llvm::zip_equal(elements, offsets)) {
        const unsigned bytes = getScratchElementBytes(element);
        SmallVector<Value> values;
        for (Value line : lines) {
          Value first = arith::MulIOp::create(b, tb.loc, line, tb.i32(plan.numPartials));
          Value place = arith::AddIOp::create(b, tb.loc, first, part);
          Value at = arith::MulIOp::create(b, tb.loc, place, tb.i32(bytes));
          values.push_back(tb.loadShared(tb.offsetBytes(tb.sharedAddress(offset), at), element));
        }
        group.push_back(tb.pack(values));
      }
      return group;
    };
    Group first = read(tb.i32(0));
    SmallVector<Value> last =
        makeLoop(tb, tb.i32(1), tb.i32(plan.numPartials), tb.i32(1), first,
                 [&](Value part, ValueRange values) -> SmallVector<Value> {
                   return combiner.combine(Group(values.begin(), values.end()), read(part));
                 });
    return Group(last.begin(), last.end());
  }

  Combiner &combiner;
  ThreadBuilder &tb;
  const Layout &layout;
  const ReducePlan &plan;
};

struct LowerReduce : ThreadPattern<tile::ReduceOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::ReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder tb(rewriter, op.getLoc(), machine);
    const Layout layout = layoutOf(op.getOperands()[0]);
    const ReducePlan plan = planReduce(op, machine);
    Buffers buffers = getReduceBuffers(op, plan);
    if (plan.needsScratch) {
      for (int64_t &offset : buffers.offsets) {
        offset += scratchOf(op);
      }
    }
    SmallVector<Type> elements;
    for (Value operand : adaptor.getOperands()) {
      elements.push_back(cast<VectorType>(operand.getType()).getElementType());
    }
    Combiner combiner(tb, op.getCombiner(), op.getSimpleCombiner());
    Reduction reduction(combiner, layout, plan);
    Group group = reduction.run(Group(adaptor.getOperands()), elements, buffers.offsets);
    if (plan.result.getRank() == 0) {
      for (Value &value : group) {
        value = tb.unpack(value).front();
      }
    }
    rewriter.replaceOp(op, group);
    return success();
  }
};
} // namespace

void tegula::tilegpu::addReducePatterns(ThreadPatterns &list) { list.add<LowerReduce>(); }
