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

//===----------------------------------------------------------------------===//
// join, split, cat
//===----------------------------------------------------------------------===//

/// `type` with a dimension of 2 at the end; a scalar gives rank 1.
static RankedTensorType joinedType(Type type) {
  SmallVector<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    llvm::append_range(shape, tensor.getShape());
  }
  shape.push_back(2);
  return RankedTensorType::get(shape, getElementTypeOrSelf(type));
}

LogicalResult JoinOp::verify() {
  auto expected = joinedType(getLhs().getType());
  auto result = cast<RankedTensorType>(getType());
  if (result.getShape() != expected.getShape() ||
      result.getElementType() != expected.getElementType()) {
    return emitOpError() << "expected result " << expected << ", got " << result
                         << diagID("tile_join_c1");
  }
  return success();
}

LogicalResult SplitOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  if (source.getRank() == 0 || source.getShape().back() != 2) {
    return emitOpError() << "expected a last dimension of 2, got " << source
                         << diagID("tile_split_c1");
  }
  auto joined = joinedType(getLhs().getType());
  if (joined.getShape() != source.getShape() ||
      joined.getElementType() != source.getElementType()) {
    Type half = source.getRank() == 1
                    ? source.getElementType()
                    : RankedTensorType::get(source.getShape().drop_back(), source.getElementType());
    return emitOpError() << "expected results " << half << ", got " << getLhs().getType()
                         << diagID("tile_split_c2");
  }
  return success();
}

LogicalResult SplitOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSource().getDefiningOp<JoinOp>();
  if (!join || join.getLhs().getType() != getLhs().getType()) {
    return failure();
  }
  results.assign({join.getLhs(), join.getRhs()});
  return success();
}

LogicalResult CatOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  auto result = cast<RankedTensorType>(getType());
  int64_t axis = getAxisAttr().getInt();
  if (axis < 0 || axis >= lhs.getRank()) {
    return emitOpError() << "expected an axis below " << lhs.getRank() << ", got " << axis
                         << diagID("tile_cat_c1");
  }
  bool fits = lhs.getRank() == rhs.getRank() && lhs.getRank() == result.getRank() &&
              lhs.getElementType() == rhs.getElementType() &&
              lhs.getElementType() == result.getElementType();
  for (int64_t d = 0; fits && d < lhs.getRank(); ++d) {
    fits = d == axis ? result.getDimSize(d) == lhs.getDimSize(d) + rhs.getDimSize(d)
                     : result.getDimSize(d) == lhs.getDimSize(d) &&
                           result.getDimSize(d) == rhs.getDimSize(d);
  }
  if (!fits) {
    return emitOpError() << "expected operands that add up to the result along axis " << axis
                         << ", got " << lhs << ", " << rhs << " and " << result
                         << diagID("tile_cat_c2");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// gather, slice, extract
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  auto result = cast<RankedTensorType>(getType());
  int64_t axis = getAxisAttr().getInt();
  if (axis < 0 || axis >= source.getRank()) {
    return emitOpError() << "expected an axis below " << source.getRank() << ", got " << axis
                         << diagID("tile_gather_c1");
  }
  bool fits = source.getRank() == indices.getRank();
  for (int64_t d = 0; fits && d < source.getRank(); ++d) {
    fits = d == axis || source.getDimSize(d) == indices.getDimSize(d);
  }
  if (!fits) {
    return emitOpError() << "expected indices that agree with " << source << " but along axis "
                         << axis << ", got " << indices << diagID("tile_gather_c2");
  }
  if (result.getShape() != indices.getShape() ||
      result.getElementType() != source.getElementType()) {
    return emitOpError() << "expected result "
                         << RankedTensorType::get(indices.getShape(), source.getElementType())
                         << ", got " << result << diagID("tile_gather_c3");
  }
  return success();
}

LogicalResult SliceOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  int64_t rank = source.getRank();
  if (result.getRank() != rank || int64_t(getOffsets().size()) != rank ||
      int64_t(getSteps().size()) != rank || result.getElementType() != source.getElementType()) {
    return emitOpError() << "expected one offset and step per dimension of " << source << ", got "
                         << getOffsets().size() << " and " << getSteps().size() << " for " << result
                         << diagID("tile_slice_c1");
  }
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = source.getDimSize(d), step = getSteps()[d], first = getOffsets()[d];
    // In 128 bits: the numbers are the author's.
    __int128 last = __int128(first) + __int128(result.getDimSize(d) - 1) * step;
    if (step == 0 || first < 0 || first >= size || last < 0 || last >= size) {
      return emitOpError() << "expected elements within " << size << " along dimension " << d
                           << ", got offset " << first << " and step " << step
                           << diagID("tile_slice_c2");
    }
  }
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType() &&
      llvm::all_of(getSteps(), [](int64_t s) { return s > 0; })) {
    return getSource();
  }
  return resizeSplat(adaptor.getSource(), getType());
}

LogicalResult ExtractOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  if (int64_t(getIndices().size()) != source.getRank()) {
    return emitOpError() << "expected " << source.getRank() << " indices, got "
                         << getIndices().size() << diagID("tile_extract_c1");
  }
  if (getType() != source.getElementType()) {
    return emitOpError() << "expected result " << source.getElementType() << ", got " << getType()
                         << diagID("tile_extract_c2");
  }
  return success();
}
