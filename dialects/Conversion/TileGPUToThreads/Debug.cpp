//===- Debug.cpp - Prints and assertions by threads -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "HandOver.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tegula/TileGPU/Analysis/Access.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

/// The mask of a print of no tile.
static Value getScalarMask(ThreadBuilder &thread, Operation *op) {
  Value mask = whoActs(thread, op);
  return mask ? mask
              : arith::ConstantOp::create(thread.builder, thread.loc,
                                          thread.builder.getBoolAttr(true));
}

/// Passes on that threads come to this one by one.
static void keepEachThread(Operation *from, Operation *to) {
  if (isOfEachThread(from)) {
    to->setAttr(kEachThreadAttr, UnitAttr::get(from->getContext()));
  }
}

/// What the text of a line needs to know beside the element.
static void describeTile(Operation *op, Type type) {
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    op->setAttr("tilegpu.shape", DenseI64ArrayAttr::get(op->getContext(), tile.getShape()));
  }
}

namespace {
struct PrintPattern : ThreadPattern<tile::PrintOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::PrintOp op, OpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder thread(rewriter, op.getLoc(), machine);
    if (op.getOperands().empty()) { // the text alone
      Value first = getScalarMask(thread, op);
      auto made = ThreadPrintOp::create(rewriter, op.getLoc(), op.getPrefix(), op.getHex(), 0,
                                        false, ValueRange(), first, first);
      made->setAttr("tilegpu.text_only", rewriter.getUnitAttr());
    }
    for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(op.getOperands(), in.getOperands()))) {
      auto [before, after] = pair;
      auto print = [&](ValueRange indices, Value value, Value mask) {
        auto made = ThreadPrintOp::create(rewriter, op.getLoc(), op.getPrefix(), op.getHex(), i,
                                          op.getSigns()[i], indices, value, mask);
        describeTile(made, before.getType());
        made->setAttr("tilegpu.operands", rewriter.getI32IntegerAttr(op.getOperands().size()));
      };
      if (!isa<RankedTensorType>(before.getType())) {
        print({}, after, getScalarMask(thread, op));
        continue;
      }
      const Layout layout = layoutOf(before);
      SmallVector<SmallVector<Value>> coordinates;
      for (unsigned d = 0; d < layout.getRank(); ++d) {
        coordinates.push_back(thread.unpack(thread.coordinates(layout, d)));
      }
      Value mask = thread.isFirstCopy(layout);
      const SmallVector<unsigned> first = getFirstRegisters(layout);
      for (auto [k, value] : llvm::enumerate(thread.unpack(after))) {
        if (first[k] != k) {
          continue;
        }
        SmallVector<Value> indices;
        for (const SmallVector<Value> &along : coordinates) {
          indices.push_back(along[k]);
        }
        print(indices, value, mask);
      }
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct AssertPattern : ThreadPattern<tile::AssertOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::AssertOp op, OpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder thread(rewriter, op.getLoc(), machine);
    if (!isa<RankedTensorType>(op.getCondition().getType())) {
      auto made = ThreadAssertOp::create(rewriter, op.getLoc(), in.getCondition(), thread.i32(0),
                                         op.getMessage());
      keepEachThread(op, made);
      rewriter.eraseOp(op);
      return success();
    }
    const Layout layout = layoutOf(op.getCondition());
    const SmallVector<Value> numbers = thread.unpack(thread.rowMajor(layout));
    Value all, first;
    for (auto [condition, number] : llvm::zip_equal(thread.unpack(in.getCondition()), numbers)) {
      // Registers come in any order: the smallest number of those that fail.
      Value none = thread.i32(std::numeric_limits<int32_t>::max());
      Value mine = arith::SelectOp::create(rewriter, op.getLoc(), condition, none, number);
      first = first ? Value(arith::MinSIOp::create(rewriter, op.getLoc(), first, mine)) : mine;
      all = andMasks(thread, all, condition);
    }
    Type type = op.getCondition().getType();
    describeTile(rewriter.replaceOpWithNewOp<ThreadAssertOp>(op, all, first, op.getMessage()),
                 type);
    return success();
  }
};
} // namespace

void tegula::tilegpu::addDebugPatterns(ThreadPatterns &list) {
  list.add<PrintPattern, AssertPattern>();
  addInlineAsmPatterns(list);
}
