//===- TileShapeOps.cpp - Ops that change the shape of a tile ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/PatternMatch.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/Tile/IR/Tile.h"

using namespace mlir;
using namespace tegula::tile;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// The constant with the elements of `constant` repeated to `type`, when all of
/// them are equal; null otherwise.
static OpFoldResult resizeSplat(Attribute constant, Type type) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(constant);
  if (!splat) {
    return {};
  }
  return splat.resizeSplat(cast<ShapedType>(type));
}

/// The constant `constant` in row-major order under the shape of `type`.
static OpFoldResult reshapeConstant(Attribute constant, Type type) {
  auto dense = dyn_cast_if_present<DenseElementsAttr>(constant);
  if (!dense) {
    return {};
  }
  if (auto splat = dyn_cast<SplatElementsAttr>(dense)) {
    return splat.resizeSplat(cast<ShapedType>(type));
  }
  return dense.reshape(cast<ShapedType>(type));
}

namespace {
/// op(splat(x)) -> splat(x) for ops that only move or repeat elements.
template <typename OpT> struct ThroughSplat : public OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    auto splat = op.getSource().template getDefiningOp<SplatOp>();
    if (!splat) {
      return rewriter.notifyMatchFailure(op, "source is not a splat");
    }
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSource());
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// splat
//===----------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  Type element = cast<RankedTensorType>(getType()).getElementType();
  if (element != getSource().getType()) {
    return emitOpError() << "expected a tile of " << getSource().getType() << ", got " << getType()
                         << diagID("tile_splat_c1");
  }
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute source = adaptor.getSource();
  if (!isa_and_present<IntegerAttr, FloatAttr>(source)) {
    return {};
  }
  return DenseElementsAttr::get(cast<ShapedType>(getType()), source);
}

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  if (source.getRank() != result.getRank()) {
    return emitOpError() << "expected a result of rank " << source.getRank() << ", got "
                         << result.getRank() << diagID("tile_broadcast_c1");
  }
  if (source.getElementType() != result.getElementType()) {
    return emitOpError() << "expected a result of " << source.getElementType() << " elements, got "
                         << result.getElementType() << diagID("tile_broadcast_c1");
  }
  for (int64_t d = 0, e = source.getRank(); d < e; ++d) {
    int64_t from = source.getDimSize(d), to = result.getDimSize(d);
    if (from != 1 && from != to) {
      return emitOpError() << "expected size 1 or " << to << " in dimension " << d
                           << " of the source, got " << from << diagID("tile_broadcast_c2");
    }
  }
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType()) {
    return getSource();
  }
  return resizeSplat(adaptor.getSource(), getType());
}

namespace {
/// broadcast(broadcast(x)) -> broadcast(x)
struct BroadcastOfBroadcast : public OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<BroadcastOp>();
    if (!inner) {
      return rewriter.notifyMatchFailure(op, "source is not a broadcast");
    }
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getSource());
    return success();
  }
};
} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ThroughSplat<BroadcastOp>, BroadcastOfBroadcast>(context);
}

//===----------------------------------------------------------------------===//
// expand_dims
//===----------------------------------------------------------------------===//

LogicalResult ExpandDimsOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  int64_t axis = getAxisAttr().getInt();
  if (axis < 0 || axis > source.getRank()) {
    return emitOpError() << "expected an axis from 0 to " << source.getRank() << ", got " << axis
                         << diagID("tile_expand_dims_c1");
  }
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + axis, 1);
  if (result.getShape() != ArrayRef(shape) || result.getElementType() != source.getElementType()) {
    return emitOpError() << "expected result "
                         << RankedTensorType::get(shape, source.getElementType()) << ", got "
                         << result << diagID("tile_expand_dims_c2");
  }
  return success();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return reshapeConstant(adaptor.getSource(), getType());
}

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ThroughSplat<ExpandDimsOp>>(context);
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  if (source.getElementType() != result.getElementType()) {
    return emitOpError() << "expected a result of " << source.getElementType() << " elements, got "
                         << result.getElementType() << diagID("tile_reshape_c1");
  }
  if (source.getNumElements() != result.getNumElements()) {
    return emitOpError() << "expected a result of " << source.getNumElements()
                         << " elements in all, got " << result.getNumElements()
                         << diagID("tile_reshape_c1");
  }
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType()) {
    return getSource();
  }
  return reshapeConstant(adaptor.getSource(), getType());
}

namespace {
/// reshape(reshape(x)) -> reshape(x)
struct ReshapeOfReshape : public OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<ReshapeOp>();
    if (!inner) {
      return rewriter.notifyMatchFailure(op, "source is not a reshape");
    }
    bool reorder = op.getAllowReorder() || inner.getAllowReorder();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getSource(), reorder);
    return success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ThroughSplat<ReshapeOp>, ReshapeOfReshape>(context);
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  ArrayRef<int32_t> order = getOrder();
  SmallVector<bool> seen(source.getRank(), false);
  bool permutation = int64_t(order.size()) == source.getRank();
  SmallVector<int64_t> shape;
  for (int32_t d : order) {
    permutation = permutation && d >= 0 && d < source.getRank() && !seen[d];
    if (!permutation) {
      break;
    }
    seen[d] = true;
    shape.push_back(source.getDimSize(d));
  }
  if (!permutation) {
    return emitOpError() << "expected a permutation of " << source.getRank() << " dimensions, got ["
                         << order << "]" << diagID("tile_transpose_c1");
  }
  if (result.getShape() != ArrayRef(shape) || result.getElementType() != source.getElementType()) {
    return emitOpError() << "expected result "
                         << RankedTensorType::get(shape, source.getElementType()) << ", got "
                         << result << diagID("tile_transpose_c2");
  }
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  bool identity = true;
  for (auto [index, d] : llvm::enumerate(getOrder())) {
    identity = identity && int32_t(index) == d;
  }
  if (identity && getSource().getType() == getType()) {
    return getSource();
  }
  return resizeSplat(adaptor.getSource(), getType());
}

namespace {
/// transpose(transpose(x)) -> transpose(x) with the orders composed.
struct TransposeOfTranspose : public OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<TransposeOp>();
    if (!inner) {
      return rewriter.notifyMatchFailure(op, "source is not a transpose");
    }
    SmallVector<int32_t> order;
    for (int32_t d : op.getOrder()) {
      order.push_back(inner.getOrder()[d]);
    }
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getSource(), order);
    return success();
  }
};
} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ThroughSplat<TransposeOp>, TransposeOfTranspose>(context);
}
