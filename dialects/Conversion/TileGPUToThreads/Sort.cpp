//===- Sort.cpp - Sorting by the threads of a program
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A network of comparators in shared memory, each line along the axis for itself. Keys
// are sorted together with their places, which tell equal keys apart: the sort is
// stable, and the other operands are read at those places in the end.
//
// Runs of 2^s sorted elements become runs of twice the length: element i meets the one
// that is as far from the end of both runs as it is from the start, then elements at
// distances of 2^(s-1), ..., 1 meet. The smaller always goes to the lower place, so that
// comparators beyond the end of a line, whose size need be no power of two, are left out.
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
class Sorter {
public:
  Sorter(ThreadBuilder &tb, tile::SortOp op, Type key, int64_t keys, int64_t places)
      : tb(tb), b(tb.builder), op(op), key(key), keys(keys), places(places) {
    auto type = cast<RankedTensorType>(op.getOperands()[0].getType());
    length = type.getDimSize(op.getAxis());
    lines = type.getNumElements() / length;
  }

  /// Lines lie one after the other in memory, complete before this; sorted after it.
  void run() {
    const unsigned stages = llvm::Log2_64_Ceil(uint64_t(length));
    makeLoop(tb, tb.i32(0), tb.i32(stages), tb.i32(1), {},
             [&](Value stage, ValueRange) -> SmallVector<Value> {
               makeLoop(tb, tb.i32(0), add(stage, tb.i32(1)), tb.i32(1), {},
                        [&](Value step, ValueRange) -> SmallVector<Value> {
                          emitStep(stage, step);
                          tb.barrier();
                          return {};
                        });
               return {};
             });
  }

private:
  Value add(Value x, Value y) { return arith::AddIOp::create(b, tb.loc, x, y); }
  Value shl(Value x, Value y) { return arith::ShLIOp::create(b, tb.loc, x, y); }
  Value conjunction(Value x, Value y) { return arith::AndIOp::create(b, tb.loc, x, y); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, tb.loc, predicate, x, y);
  }

  /// All pairs of a step, spread over the threads.
  void emitStep(Value stage, Value step) {
    const int64_t pairs = int64_t(llvm::PowerOf2Ceil(uint64_t(length))) / 2;
    Value bit = arith::SubIOp::create(b, tb.loc, stage, step);
    Value distance = shl(tb.i32(1), bit);
    Value ends = arith::SubIOp::create(b, tb.loc, shl(tb.i32(2), stage), tb.i32(1));
    Value isFirst = compare(arith::CmpIPredicate::eq, step, tb.i32(0));
    Value flip = arith::SelectOp::create(b, tb.loc, isFirst, ends, distance);
    Value low = arith::SubIOp::create(b, tb.loc, distance, tb.i32(1));
    makeLoop(tb, tb.threadId(), tb.i32(lines * pairs), tb.i32(tb.machine.getNumThreads()), {},
             [&](Value number, ValueRange) -> SmallVector<Value> {
               Value line = arith::ShRUIOp::create(b, tb.loc, number,
                                                   tb.i32(llvm::Log2_64(uint64_t(pairs))));
               Value pair = conjunction(number, tb.i32(pairs - 1));
               // The pair's number with a 0 put in at `bit`.
               Value above = shl(arith::ShRUIOp::create(b, tb.loc, pair, bit), add(bit, tb.i32(1)));
               Value first = arith::OrIOp::create(b, tb.loc, above, conjunction(pair, low));
               Value second = arith::XOrIOp::create(b, tb.loc, first, flip);
               auto body = [&] {
                 Value start = arith::MulIOp::create(b, tb.loc, line, tb.i32(length));
                 compareAndSwap(add(start, first), add(start, second));
               };
               if (llvm::isPowerOf2_64(uint64_t(length))) {
                 body();
               } else {
                 makeIf(tb, compare(arith::CmpIPredicate::ult, second, tb.i32(length)), body);
               }
               return {};
             });
  }

  Value addressOf(int64_t offset, Value place, unsigned bytes) {
    Value at = arith::MulIOp::create(b, tb.loc, place, tb.i32(bytes));
    return tb.offsetBytes(tb.sharedAddress(offset), at);
  }

  void compareAndSwap(Value first, Value second) {
    const unsigned bytes = getScratchElementBytes(key);
    Value atFirst = addressOf(keys, first, bytes), atSecond = addressOf(keys, second, bytes);
    Value wasFirst = addressOf(places, first, 4), wasSecond = addressOf(places, second, 4);
    Value x = tb.loadShared(atFirst, key), y = tb.loadShared(atSecond, key);
    Value i = tb.loadShared(wasFirst, b.getI32Type()), j = tb.loadShared(wasSecond, b.getI32Type());
    Value isEqual =
        arith::XOrIOp::create(b, tb.loc, comesBefore(x, y), tb.constant(b.getI1Type(), 1));
    Value isEarlier = compare(arith::CmpIPredicate::ult, j, i);
    Value swaps =
        arith::OrIOp::create(b, tb.loc, comesBefore(y, x), conjunction(isEqual, isEarlier));
    makeIf(tb, swaps, [&] {
      tb.storeShared(atFirst, y);
      tb.storeShared(atSecond, x);
      tb.storeShared(wasFirst, j);
      tb.storeShared(wasSecond, i);
    });
  }

  /// Key `x` is before key `y`, in the order of the op.
  Value comesBefore(Value x, Value y) {
    if (op.getOrder() == tile::SortOrder::Descending) {
      std::swap(x, y);
    }
    if (!isa<FloatType>(key)) {
      const bool isSigned = op.getSignedness() == tile::Signedness::Signed && !key.isInteger(1);
      return compare(isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult, x, y);
    }
    if (key.getIntOrFloatBitWidth() < 32) {
      x = arith::ExtFOp::create(b, tb.loc, b.getF32Type(), x);
      y = arith::ExtFOp::create(b, tb.loc, b.getF32Type(), y);
    }
    // Less, or one of them is NaN; then it is the right one.
    Value less = arith::CmpFOp::create(b, tb.loc, arith::CmpFPredicate::ULT, x, y);
    Value isNumber = arith::CmpFOp::create(b, tb.loc, arith::CmpFPredicate::ORD, x, x);
    return conjunction(less, isNumber);
  }

  ThreadBuilder &tb;
  OpBuilder &b;
  tile::SortOp op;
  Type key;
  int64_t keys, places; ///< bytes in shared memory
  int64_t length, lines;
};

struct LowerSort : ThreadPattern<tile::SortOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::SortOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder tb(rewriter, op.getLoc(), machine);
    OpBuilder &b = rewriter;
    const Layout layout = layoutOf(op.getOperands()[0]);
    const Layout lines = moveDimLast(layout, op.getAxis());
    Buffers buffers = getSortBuffers(op);
    for (int64_t &offset : buffers.offsets) {
      offset += scratchOf(op);
    }
    const int64_t places = buffers.offsets.back();
    for (auto [vector, offset] : llvm::zip(adaptor.getOperands(), buffers.offsets)) {
      tb.storeRowMajor(vector, lines, offset);
    }
    tb.storeRowMajor(tb.coordinates(layout, op.getAxis()), lines, places);
    tb.barrier();
    auto elementOf = [&](Value vector) {
      return cast<VectorType>(vector.getType()).getElementType();
    };
    Type key = elementOf(adaptor.getOperands()[0]);
    if (layout.getShape()[op.getAxis()] > 1) {
      Sorter(tb, op, key, buffers.offsets[0], places).run();
    }

    SmallVector<Value> results = {tb.loadRowMajor(key, lines, buffers.offsets[0])};
    if (op.getNumOperands() > 1) {
      // Lines begin at the row-major numbers less the coordinates.
      Value starts = arith::SubIOp::create(b, tb.loc, tb.rowMajor(lines),
                                           tb.coordinates(layout, op.getAxis()));
      Value origin = tb.loadRowMajor(b.getI32Type(), lines, places);
      Value from = arith::AddIOp::create(b, tb.loc, starts, origin);
      SmallVector<Value> numbers = tb.unpack(from);
      for (unsigned i = 1; i < op.getNumOperands(); ++i) {
        Type element = elementOf(adaptor.getOperands()[i]);
        SmallVector<Value> values;
        for (Value number : numbers) {
          Value at =
              arith::MulIOp::create(b, tb.loc, number, tb.i32(getScratchElementBytes(element)));
          values.push_back(
              tb.loadShared(tb.offsetBytes(tb.sharedAddress(buffers.offsets[i]), at), element));
        }
        results.push_back(tb.pack(values));
      }
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void tegula::tilegpu::addSortPatterns(ThreadPatterns &list) {
  list.add<LowerSort>();
  addGatherPatterns(list);
  addHistogramPatterns(list);
  addMapPatterns(list);
}
