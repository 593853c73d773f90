//===- Histogram.cpp - Counting numbers
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Counters in shared memory, set to zero by all threads together, then counted up by
// atomic additions: one for each element, by the first of the threads that hold it.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "Places.h"
#include "tegula/TileGPU/Analysis/Collectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

namespace {
struct LowerHistogram : ThreadPattern<tile::HistogramOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::HistogramOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder tb(rewriter, op.getLoc(), machine);
    OpBuilder &b = rewriter;
    const int64_t bins = op.getType().getNumElements();
    Value base = tb.sharedAddress(scratchOf(op));
    auto addressOf = [&](Value bin) {
      return tb.offsetBytes(base, arith::MulIOp::create(b, tb.loc, bin, tb.i32(4)));
    };
    makeLoop(tb, tb.threadId(), tb.i32(bins), tb.i32(machine.getNumThreads()), {},
             [&](Value bin, ValueRange) -> SmallVector<Value> {
               tb.storeShared(addressOf(bin), tb.i32(0));
               return {};
             });
    tb.barrier();

    Value numbers = adaptor.getSource(), counts = adaptor.getMask();
    auto type = cast<VectorType>(numbers.getType());
    auto narrow = VectorType::get(type.getShape(), b.getI32Type());
    if (type.getElementTypeBitWidth() == 1) {
      numbers = arith::ExtUIOp::create(b, tb.loc, narrow, numbers);
    } else if (type.getElementTypeBitWidth() < 32) {
      numbers = arith::ExtSIOp::create(b, tb.loc, narrow, numbers);
    }
    // Negative numbers are large without a sign.
    Value isBin = arith::CmpIOp::create(b, tb.loc, arith::CmpIPredicate::ult, numbers,
                                        tb.constant(numbers.getType(), bins));
    counts = counts ? Value(arith::AndIOp::create(b, tb.loc, counts, isBin)) : isBin;
    if (type.getElementTypeBitWidth() > 32) {
      numbers = arith::TruncIOp::create(b, tb.loc, narrow, numbers);
    }
    SmallVector<Value> flags = tb.unpack(counts), places = tb.unpack(numbers);
    const Layout layout = layoutOf(op.getSource());
    makeIf(tb, tb.isFirstCopy(layout), [&] {
      const llvm::BitVector copied = getCopiedRegisters(layout);
      for (unsigned reg = 0; reg < flags.size(); ++reg) {
        if (copied[reg]) {
          continue;
        }
        makeIf(tb, flags[reg], [&] {
          LLVM::AtomicRMWOp::create(b, tb.loc, LLVM::AtomicBinOp::add, addressOf(places[reg]),
                                    tb.i32(1), LLVM::AtomicOrdering::monotonic);
        });
      }
    });
    tb.barrier();
    rewriter.replaceOp(op,
                       tb.loadRowMajor(b.getI32Type(), layoutOf(op.getResult()), scratchOf(op)));
    return success();
  }
};
} // namespace

void tegula::tilegpu::addHistogramPatterns(ThreadPatterns &list) { list.add<LowerHistogram>(); }
