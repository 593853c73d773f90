//===- Gather.cpp - Elements chosen by indices
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The source goes to shared memory as a whole; each thread reads what its indices name.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "tegula/TileGPU/Analysis/Collectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

namespace {
struct LowerGather : ThreadPattern<tile::GatherOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::GatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const Layout layout = layoutOf(op.getIndices());
    if (layout != layoutOf(op.getResult())) {
      return rewriter.notifyMatchFailure(op, "expected indices in the layout of the result");
    }
    ThreadBuilder tb(rewriter, op.getLoc(), machine);
    const int64_t offset = scratchOf(op);
    tb.storeRowMajor(adaptor.getSource(), layoutOf(op.getSource()), offset);
    tb.barrier();

    auto add = [&](Value x, Value y) -> Value {
      return arith::AddIOp::create(rewriter, tb.loc, x, y);
    };
    auto mul = [&](Value x, int64_t factor) -> Value {
      return arith::MulIOp::create(rewriter, tb.loc, x, tb.constant(x.getType(), factor));
    };
    auto shape = cast<RankedTensorType>(op.getSource().getType()).getShape();
    const unsigned axis = op.getAxis();
    Type element = cast<VectorType>(adaptor.getSource().getType()).getElementType();
    auto [place, isInside] = limit(tb, adaptor.getIndices(), shape[axis]);
    int64_t stride = getScratchElementBytes(element);
    Value bytes;
    for (unsigned dim = shape.size(); dim-- > 0; stride *= shape[dim]) {
      Value part = mul(dim == axis ? place : tb.coordinates(layout, dim), stride);
      bytes = bytes ? add(bytes, part) : part;
    }
    SmallVector<Value> values;
    Value base = tb.sharedAddress(offset);
    for (Value at : tb.unpack(bytes)) {
      values.push_back(tb.loadShared(tb.offsetBytes(base, at), element));
    }
    Value result = tb.pack(values);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isInside, result, tb.zero(result.getType()));
    return success();
  }

  /// Indices as vector<N x i32> within [0, size), and where they were inside.
  static std::pair<Value, Value> limit(ThreadBuilder &tb, Value indices, int64_t size) {
    OpBuilder &b = tb.builder;
    auto type = cast<VectorType>(indices.getType());
    auto narrow = VectorType::get(type.getShape(), b.getI32Type());
    if (type.getElementTypeBitWidth() == 1) {
      indices = arith::ExtUIOp::create(b, tb.loc, narrow, indices);
      type = narrow;
    } else if (type.getElementTypeBitWidth() < 32) {
      indices = arith::ExtSIOp::create(b, tb.loc, narrow, indices);
      type = narrow;
    }
    // Negative indices are large without a sign.
    Value isInside = arith::CmpIOp::create(b, tb.loc, arith::CmpIPredicate::ult, indices,
                                           tb.constant(type, size));
    Value place = arith::SelectOp::create(b, tb.loc, isInside, indices, tb.constant(type, 0));
    if (type.getElementTypeBitWidth() > 32) {
      place = arith::TruncIOp::create(b, tb.loc, narrow, place);
    }
    return {place, isInside};
  }
};
} // namespace

void tegula::tilegpu::addGatherPatterns(ThreadPatterns &list) { list.add<LowerGather>(); }
