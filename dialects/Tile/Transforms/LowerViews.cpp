//===- LowerViews.cpp - View accesses as pointer tiles and masks ---------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view becomes its base, sizes and strides, and one scalar to read outside;
// these travel through scf in its place.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/Tile/IR/Tile.h"
#include "tegula/Tile/Transforms/Diagnostics.h"
#include "tegula/Tile/Transforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_TILELOWERVIEWSPASS
#include "tegula/Tile/Transforms/TilePasses.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {
/// The values in the order in which ViewConverter lists their types.
struct ViewParts {
  ViewParts(ViewType type, ValueRange parts)
      : base(parts[0]), sizes(parts.slice(1, type.getRank())),
        strides(parts.slice(1 + type.getRank(), type.getRank())), padding(parts.back()) {}

  Value base;
  ValueRange sizes, strides;
  Value padding; ///< a scalar of the element type
};

class ViewConverter : public TypeConverter {
public:
  ViewConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](ViewType type, SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
      types.push_back(PtrType::get(type.getElementType()));
      types.append(2 * type.getRank(), IntegerType::get(type.getContext(), 64));
      types.push_back(type.getElementType());
      return success();
    });
  }
};

//===----------------------------------------------------------------------===//
// make_view, select
//===----------------------------------------------------------------------===//

struct LowerMakeView : public OpConversionPattern<MakeViewOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MakeViewOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts{adaptor.getBase()};
    llvm::append_range(parts, adaptor.getShape());
    llvm::append_range(parts, adaptor.getStrides());
    parts.push_back(makePadding(op, rewriter));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }

  /// Zero or NaN; for elements that have no NaN, zero.
  static Value makePadding(MakeViewOp op, OpBuilder &builder) {
    Type element = op.getType().getElementType();
    if (isa<PtrType>(element)) {
      Value zero = arith::ConstantOp::create(builder, op.getLoc(), builder.getI64IntegerAttr(0));
      return IntToPtrOp::create(builder, op.getLoc(), element, zero);
    }
    TypedAttr value = builder.getZeroAttr(element);
    if (auto floatType = dyn_cast<FloatType>(element);
        floatType && op.getPadding() == Padding::NaN) {
      value = builder.getFloatAttr(floatType, APFloat::getQNaN(floatType.getFloatSemantics()));
    }
    return arith::ConstantOp::create(builder, op.getLoc(), value);
  }
};

/// scf.if on views may have become a select of views.
struct LowerSelect : public OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<ViewType>(op.getType())) {
      return rewriter.notifyMatchFailure(op, "does not select views");
    }
    Value condition = adaptor.getCondition().front();
    SmallVector<Value> parts;
    for (auto [a, b] : llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue())) {
      parts.push_back(arith::SelectOp::create(rewriter, op.getLoc(), condition, a, b));
    }
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// view_load, view_store
//===----------------------------------------------------------------------===//

/// Builds pointers and mask of one access.
class Access {
public:
  Access(OpBuilder &builder, Location loc, ViewType type, const ViewParts &view, ValueRange offsets)
      : builder(builder), loc(loc), type(type), view(view), offsets(offsets) {}

  /// base + sum of (offset + index) * stride. The part that is the same for all
  /// elements is added to the base first, as a scalar.
  Value makePointers() {
    Value start;
    for (auto [offset, stride] : llvm::zip_equal(offsets, view.strides)) {
      Value product = arith::MulIOp::create(builder, loc, offset, stride);
      start = start ? arith::AddIOp::create(builder, loc, start, product).getResult() : product;
    }
    Value base = AddPtrOp::create(builder, loc, view.base.getType(), view.base, start);
    Value pointers =
        SplatOp::create(builder, loc, withShapeOf(base.getType(), type.getTileType()), base);
    for (int64_t d = 0, e = type.getRank(); d < e; ++d) {
      Value indices = makeIndices(d);
      Value stride = SplatOp::create(builder, loc, indices.getType(), view.strides[d]);
      Value step = spread(arith::MulIOp::create(builder, loc, indices, stride), d);
      pointers = AddPtrOp::create(builder, loc, pointers.getType(), pointers, step);
    }
    return pointers;
  }

  /// Whether each element is inside in all dimensions of `checked`; null when
  /// there are none.
  Value makeMask(ArrayRef<int32_t> checked) {
    Value mask;
    for (int32_t d : checked) {
      Value indices = makeIndices(d);
      Type lineType = indices.getType();
      Value offset = SplatOp::create(builder, loc, lineType, offsets[d]);
      Value position = arith::AddIOp::create(builder, loc, offset, indices);
      Value size = SplatOp::create(builder, loc, lineType, view.sizes[d]);
      Value zero =
          arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getZeroAttr(lineType)));
      Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, position, size);
      Value above = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, position, zero);
      Value inside = spread(arith::AndIOp::create(builder, loc, above, below), d);
      mask = mask ? arith::AndIOp::create(builder, loc, mask, inside).getResult() : inside;
    }
    return mask;
  }

private:
  /// 0, 1, ... along dimension d, as a rank-1 tile of i64.
  Value makeIndices(int64_t d) {
    int64_t size = type.getShape()[d];
    Value range = RangeOp::create(builder, loc, RankedTensorType::get({size}, builder.getI32Type()),
                                  builder.getI32IntegerAttr(0), builder.getI32IntegerAttr(size));
    return arith::ExtSIOp::create(builder, loc, RankedTensorType::get({size}, builder.getI64Type()),
                                  range);
  }

  /// The rank-1 tile `line` along dimension d of the view's tile, repeated
  /// along all others.
  Value spread(Value line, int64_t d) {
    Type element = getElementTypeOrSelf(line.getType());
    SmallVector<int64_t> shape(cast<RankedTensorType>(line.getType()).getShape());
    for (int64_t axis = 0, e = type.getRank(); axis < e; ++axis) {
      if (axis != d) {
        shape.insert(shape.begin() + axis, 1);
        line = ExpandDimsOp::create(builder, loc, RankedTensorType::get(shape, element), line,
                                    builder.getI32IntegerAttr(axis));
      }
    }
    Type full = RankedTensorType::get(type.getShape(), element);
    return line.getType() == full ? line : BroadcastOp::create(builder, loc, full, line);
  }

  OpBuilder &builder;
  Location loc;
  ViewType type;
  const ViewParts &view;
  ValueRange offsets;
};

struct LowerViewLoad : public OpConversionPattern<ViewLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ViewLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<ViewType>(op.getView().getType());
    ViewParts view(type, adaptor.getView());
    Access access(rewriter, op.getLoc(), type, view, op.getOffsets());
    Value pointers = access.makePointers();
    Value mask = access.makeMask(op.getChecked());
    Value other;
    if (mask) {
      other = SplatOp::create(rewriter, op.getLoc(), type.getTileType(), view.padding);
    }
    rewriter.replaceOpWithNewOp<LoadOp>(op, pointers, mask, other);
    return success();
  }
};

struct LowerViewStore : public OpConversionPattern<ViewStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ViewStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<ViewType>(op.getView().getType());
    ViewParts view(type, adaptor.getView());
    Access access(rewriter, op.getLoc(), type, view, op.getOffsets());
    Value pointers = access.makePointers();
    Value mask = access.makeMask(op.getChecked());
    rewriter.replaceOpWithNewOp<StoreOp>(op, pointers, op.getValue(), mask);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Errors for views that do not come from a make_view in their function.
static LogicalResult checkOrigins(ModuleOp module) {
  bool failed = false;
  auto isView = [](Type type) { return isa<ViewType>(type); };
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      for (BlockArgument argument : function.getArguments()) {
        if (isView(argument.getType())) {
          emitError(argument.getLoc()) << "expected views made in the function that uses them, got "
                                          "one as an argument of '"
                                       << function.getName() << "'" << diagID(diag::ViewOrigin);
          failed = true;
        }
      }
      return;
    }
    if (auto make = dyn_cast<MakeViewOp>(op)) {
      if (make.getBase().getType() != PtrType::get(make.getType().getElementType())) {
        make.emitError() << "expected a view of global memory, got " << make.getBase().getType()
                         << diagID(diag::ViewSpace);
        failed = true;
      }
      return;
    }
    bool carries = isa<scf::SCFDialect>(op->getDialect()) || isa<arith::SelectOp>(op) ||
                   isa<ViewLoadOp, ViewStoreOp>(op);
    if (!carries && (llvm::any_of(op->getOperandTypes(), isView) ||
                     llvm::any_of(op->getResultTypes(), isView))) {
      op->emitError() << "expected views to pass through scf only, got '" << op->getName() << "'"
                      << diagID(diag::ViewCarrier);
      failed = true;
    }
  });
  return failure(failed);
}

struct TileLowerViewsPass : public tegula::tile::impl::TileLowerViewsPassBase<TileLowerViewsPass> {
  void runOnOperation() override {
    if (failed(checkOrigins(getOperation()))) {
      return signalPassFailure();
    }
    MLIRContext *context = &getContext();
    ViewConverter converter;
    RewritePatternSet patterns(context);
    patterns.add<LowerMakeView, LowerSelect, LowerViewLoad, LowerViewStore>(converter, context);
    ConversionTarget target(*context);
    target.addLegalDialect<arith::ArithDialect, TileDialect>();
    target.addIllegalOp<MakeViewOp, ViewLoadOp, ViewStoreOp>();
    target.addDynamicallyLegalOp<arith::SelectOp>(
        [](arith::SelectOp op) { return !isa<ViewType>(op.getType()); });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns)))) {
      signalPassFailure();
    }
  }
};
} // namespace
