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

#include "ViewAccess.h"
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
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getI64IntegerAttr(0));
    for (Value size : adaptor.getShape()) {
      parts.push_back(arith::MaxSIOp::create(rewriter, op.getLoc(), size, zero));
    }
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
    if (op.getPadding() == Padding::NaN) {
      if (auto floatType = dyn_cast<FloatType>(element)) {
        value = builder.getFloatAttr(floatType, APFloat::getQNaN(floatType.getFloatSemantics()));
      } else if (std::optional<Fp8Kind> kind = op.getFp8()) {
        value = builder.getIntegerAttr(element, APInt(8, getNaN(*kind)));
      }
    }
    return arith::ConstantOp::create(builder, op.getLoc(), value);
  }

  /// The code of a NaN; e4m3b15 has none, and its largest number stands for it as it does in
  /// tile.to_fp8.
  static uint8_t getNaN(Fp8Kind kind) {
    switch (kind) {
    case Fp8Kind::E5M2:
      return 0x7e;
    case Fp8Kind::E4M3FNUZ:
    case Fp8Kind::E5M2FNUZ:
      return 0x80;
    case Fp8Kind::E4M3FN:
    case Fp8Kind::E4M3B15:
      return 0x7f;
    }
    return 0;
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
// Accesses
//===----------------------------------------------------------------------===//

/// Values that are no views are one value each.
static SmallVector<Value> single(ArrayRef<ValueRange> ranges) {
  return llvm::map_to_vector(ranges, [](ValueRange range) { return range.front(); });
}

struct LowerViewLoad : public OpConversionPattern<ViewLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ViewLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<ViewType>(op.getView().getType());
    ViewParts view(type, adaptor.getView());
    ViewAccess access(rewriter, op.getLoc(), type, view);
    SmallVector<Value> offsets = single(adaptor.getOffsets());
    Value pointers = access.makePointers(offsets);
    Value mask = access.makeMask(offsets, op.getChecked());
    Value other = mask ? access.makePadding(type.getShape()) : Value();
    rewriter.replaceOpWithNewOp<LoadOp>(op, pointers, mask, other, op.getCache(), op.getEvict(),
                                        op.getIsVolatile());
    return success();
  }
};

struct LowerViewStore : public OpConversionPattern<ViewStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ViewStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<ViewType>(op.getView().getType());
    ViewParts view(type, adaptor.getView());
    ViewAccess access(rewriter, op.getLoc(), type, view);
    SmallVector<Value> offsets = single(adaptor.getOffsets());
    Value pointers = access.makePointers(offsets);
    Value mask = access.makeMask(offsets, op.getChecked());
    rewriter.replaceOpWithNewOp<StoreOp>(op, pointers, adaptor.getValue().front(), mask,
                                         op.getCache(), op.getEvict());
    return success();
  }
};

struct LowerViewGather : public OpConversionPattern<ViewGatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ViewGatherOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<ViewType>(op.getView().getType());
    ViewParts view(type, adaptor.getView());
    ViewAccess access(rewriter, op.getLoc(), type, view);
    Value rows = adaptor.getRows().front(), column = adaptor.getColumn().front();
    Value pointers = access.makeRowPointers(rows, column);
    Value mask = access.makeRowMask(rows, column);
    Value other = access.makePadding(cast<RankedTensorType>(op.getType()).getShape());
    rewriter.replaceOpWithNewOp<LoadOp>(op, pointers, mask, other);
    return success();
  }
};

struct LowerViewScatter : public OpConversionPattern<ViewScatterOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ViewScatterOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<ViewType>(op.getView().getType());
    ViewParts view(type, adaptor.getView());
    ViewAccess access(rewriter, op.getLoc(), type, view);
    Value rows = adaptor.getRows().front(), column = adaptor.getColumn().front();
    Value pointers = access.makeRowPointers(rows, column);
    Value mask = access.makeRowMask(rows, column);
    rewriter.replaceOpWithNewOp<StoreOp>(op, pointers, adaptor.getValue().front(), mask);
    return success();
  }
};

struct LowerViewAtomic : public OpConversionPattern<ViewAtomicOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ViewAtomicOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<ViewType>(op.getView().getType());
    ViewParts view(type, adaptor.getView());
    ViewAccess access(rewriter, op.getLoc(), type, view);
    SmallVector<Value> offsets = single(adaptor.getOffsets());
    Value pointers = access.makePointers(offsets);
    Value mask = access.makeMask(offsets, op.getChecked());
    AtomicRMWOp::create(rewriter, op.getLoc(), op.getValue().getType(), op.getKind(),
                        MemSemantic::Relaxed, MemScope::Device, pointers,
                        adaptor.getValue().front(), mask);
    rewriter.eraseOp(op);
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
                   isa<ViewLoadOp, ViewStoreOp, ViewGatherOp, ViewScatterOp, ViewAtomicOp>(op);
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
    patterns.add<LowerMakeView, LowerSelect, LowerViewLoad, LowerViewStore, LowerViewGather,
                 LowerViewScatter, LowerViewAtomic>(converter, context);
    ConversionTarget target(*context);
    target.addLegalDialect<arith::ArithDialect, TileDialect>();
    target.addIllegalOp<MakeViewOp, ViewLoadOp, ViewStoreOp, ViewGatherOp, ViewScatterOp,
                        ViewAtomicOp>();
    target.addDynamicallyLegalOp<arith::SelectOp>(
        [](arith::SelectOp op) { return !isa<ViewType>(op.getType()); });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns)))) {
      signalPassFailure();
    }
  }
};
} // namespace
