//===- TileMemoryOps.cpp - Pointers, loads and stores --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/Tile/IR/Tile.h"

using namespace mlir;
using namespace tegula::tile;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// The pointer type of a pointer or of the elements of a tile of pointers.
static PtrType getPtrType(Value ptr) { return cast<PtrType>(getElementTypeOrSelf(ptr.getType())); }

/// Whether every bit of the i1 constant `mask` is `value`. False when null.
static bool isMaskOf(Attribute mask, bool value) {
  if (auto scalar = dyn_cast_if_present<IntegerAttr>(mask)) {
    return scalar.getValue().isOne() == value;
  }
  auto dense = dyn_cast_if_present<DenseElementsAttr>(mask);
  if (!dense || !dense.getElementType().isInteger(1)) {
    return false;
  }
  if (dense.isSplat()) {
    return dense.getSplatValue<bool>() == value;
  }
  return llvm::all_of(dense.getValues<bool>(), [&](bool bit) { return bit == value; });
}

/// Whether `mask` is a constant whose bits all are `value`.
static bool isMaskOf(Value mask, bool value) {
  Attribute constant;
  return mask && matchPattern(mask, m_Constant(&constant)) && isMaskOf(constant, value);
}

/// Parses ` KEYWORD VALUE` of an enum that is left out at its default. `label`
/// names the constraint that another value breaks.
template <typename EnumT>
static ParseResult parseOptionalEnum(OpAsmParser &parser, StringRef label, StringRef keyword,
                                     llvm::function_ref<std::optional<EnumT>(StringRef)> symbolize,
                                     EnumT &value) {
  if (failed(parser.parseOptionalKeyword(keyword))) {
    return success();
  }
  SMLoc loc = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text)) {
    return failure();
  }
  std::optional<EnumT> found = symbolize(text);
  if (!found) {
    return parser.emitError(loc) << "expected a value of '" << keyword << "', got '" << text << "'"
                                 << diagID(label);
  }
  value = *found;
  return success();
}

static ParseResult parseCaching(OpAsmParser &parser, StringRef label, CacheModifier &cache,
                                EvictionPolicy &evict) {
  return failure(
      failed(parseOptionalEnum<CacheModifier>(
          parser, label, "cache", [](StringRef s) { return symbolizeCacheModifier(s); }, cache)) ||
      failed(parseOptionalEnum<EvictionPolicy>(
          parser, label, "evict", [](StringRef s) { return symbolizeEvictionPolicy(s); }, evict)));
}

static void printCaching(OpAsmPrinter &printer, CacheModifier cache, EvictionPolicy evict) {
  if (cache != CacheModifier::None) {
    printer << " cache " << stringifyCacheModifier(cache);
  }
  if (evict != EvictionPolicy::Normal) {
    printer << " evict " << stringifyEvictionPolicy(evict);
  }
}

/// Parses the type of a load's or store's pointer, which fixes all others.
static ParseResult parsePtrType(OpAsmParser &parser, StringRef label, Type &type, PtrType &ptr) {
  SMLoc loc;
  if (parser.parseColon() || parser.getCurrentLocation(&loc) || parser.parseType(type)) {
    return failure();
  }
  ptr = dyn_cast<PtrType>(getElementTypeOrSelf(type));
  if (!ptr) {
    return parser.emitError(loc) << "expected a pointer or tile of pointers, got " << type
                                 << diagID(label);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// addptr and pointer casts
//===----------------------------------------------------------------------===//

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero())) {
    return getPtr();
  }
  return {};
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  auto inverse = getSource().getDefiningOp<IntToPtrOp>();
  return inverse && inverse.getSource().getType() == getType() ? inverse.getSource() : Value();
}

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto inverse = getSource().getDefiningOp<PtrToIntOp>();
  return inverse && inverse.getSource().getType() == getType() ? inverse.getSource() : Value();
}

LogicalResult PtrCastOp::verify() {
  unsigned from = getPtrType(getSource()).getAddressSpace();
  unsigned to = getPtrType(getResult()).getAddressSpace();
  if (from != to) {
    return emitOpError() << "expected a result in address space " << from << ", got " << to
                         << diagID("tile_ptr_cast_c1");
  }
  return success();
}

OpFoldResult PtrCastOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType()) {
    return getSource();
  }
  if (auto inner = getSource().getDefiningOp<PtrCastOp>()) {
    if (inner.getSource().getType() == getType()) {
      return inner.getSource();
    }
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// load
//===----------------------------------------------------------------------===//

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value mask, Value other,
                   CacheModifier cache, EvictionPolicy evict, bool isVolatile) {
  build(builder, state, withShapeOf(getPtrType(ptr).getPointeeType(), ptr.getType()), ptr, mask,
        other, cache, evict, isVolatile);
}

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand ptr, mask, other;
  bool hasMask = false, hasOther = false;
  if (parser.parseOperand(ptr)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("mask"))) {
    hasMask = true;
    if (parser.parseOperand(mask)) {
      return failure();
    }
  }
  if (succeeded(parser.parseOptionalKeyword("other"))) {
    hasOther = true;
    if (parser.parseOperand(other)) {
      return failure();
    }
  }
  CacheModifier cache = CacheModifier::None;
  EvictionPolicy evict = EvictionPolicy::Normal;
  if (parseCaching(parser, "tile_load_c5", cache, evict)) {
    return failure();
  }
  Properties &properties = state.getOrAddProperties<Properties>();
  if (succeeded(parser.parseOptionalKeyword("volatile"))) {
    properties.setIsVolatile(parser.getBuilder().getUnitAttr());
  }
  Type ptrType;
  PtrType element;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parsePtrType(parser, "tile_load_c4", ptrType, element)) {
    return failure();
  }
  properties.setCache(CacheModifierAttr::get(parser.getContext(), cache));
  properties.setEvict(EvictionPolicyAttr::get(parser.getContext(), evict));
  properties.operandSegmentSizes = {1, hasMask ? 1 : 0, hasOther ? 1 : 0};
  Type valueType = withShapeOf(element.getPointeeType(), ptrType);
  Type maskType = withShapeOf(parser.getBuilder().getI1Type(), ptrType);
  if (parser.resolveOperand(ptr, ptrType, state.operands) ||
      (hasMask && parser.resolveOperand(mask, maskType, state.operands)) ||
      (hasOther && parser.resolveOperand(other, valueType, state.operands))) {
    return failure();
  }
  state.addTypes(valueType);
  return success();
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << " " << getPtr();
  if (getMask()) {
    printer << " mask " << getMask();
  }
  if (getOther()) {
    printer << " other " << getOther();
  }
  printCaching(printer, getCache(), getEvict());
  if (getIsVolatile()) {
    printer << " volatile";
  }
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"cache", "evict", "is_volatile", "operandSegmentSizes"});
  printer << " : " << getPtr().getType();
}

LogicalResult LoadOp::verify() {
  Type pointee = getPtrType(getPtr()).getPointeeType();
  if (getElementTypeOrSelf(getType()) != pointee) {
    InFlightDiagnostic diag = emitOpError()
                              << "expected a result of " << pointee << " elements, got "
                              << getType() << diagID("tile_load_c1");
    diag.attachNote(getPtr().getLoc()) << "pointer made here";
    return diag;
  }
  if (getOther() && !getMask()) {
    return emitOpError() << "expected 'mask' beside 'other', got none" << diagID("tile_load_c2");
  }
  if (getOther() && getOther().getType() != getType()) {
    InFlightDiagnostic diag = emitOpError() << "expected 'other' of type " << getType() << ", got "
                                            << getOther().getType() << diagID("tile_load_c3");
    diag.attachNote(getOther().getLoc()) << "'other' made here";
    return diag;
  }
  return success();
}

OpFoldResult LoadOp::fold(FoldAdaptor adaptor) {
  if (!isMaskOf(adaptor.getMask(), false)) {
    return {};
  }
  if (getOther()) {
    return getOther();
  }
  // Pointers have no constants; a pattern makes their zero.
  Type element = getElementTypeOrSelf(getType());
  if (isa<PtrType>(element)) {
    return {};
  }
  return Builder(getContext()).getZeroAttr(getType());
}

namespace {
/// A mask that is true everywhere masks nothing.
struct DropTrueLoadMask : public OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoadOp op, PatternRewriter &rewriter) const override {
    if (!isMaskOf(op.getMask(), true)) {
      return rewriter.notifyMatchFailure(op, "no mask that is true everywhere");
    }
    rewriter.modifyOpInPlace(op, [&] {
      op.getMaskMutable().clear();
      op.getOtherMutable().clear();
    });
    return success();
  }
};

/// Pointers that are not loaded anywhere are null.
struct NullPointerLoad : public OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoadOp op, PatternRewriter &rewriter) const override {
    if (!isMaskOf(op.getMask(), false) || !isa<PtrType>(getElementTypeOrSelf(op.getType()))) {
      return rewriter.notifyMatchFailure(op, "not pointers masked off everywhere");
    }
    Type type = withShapeOf(rewriter.getI64Type(), op.getType());
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(),
                                           cast<TypedAttr>(rewriter.getZeroAttr(type)));
    rewriter.replaceOpWithNewOp<IntToPtrOp>(op, op.getType(), zero);
    return success();
  }
};
} // namespace

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropTrueLoadMask, NullPointerLoad>(context);
}

//===----------------------------------------------------------------------===//
// store
//===----------------------------------------------------------------------===//

void StoreOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value value, Value mask,
                    CacheModifier cache, EvictionPolicy evict) {
  build(builder, state, TypeRange(), ptr, value, mask, cache, evict);
}

ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand ptr, value, mask;
  bool hasMask = false;
  if (parser.parseOperand(ptr) || parser.parseComma() || parser.parseOperand(value)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("mask"))) {
    hasMask = true;
    if (parser.parseOperand(mask)) {
      return failure();
    }
  }
  CacheModifier cache = CacheModifier::None;
  EvictionPolicy evict = EvictionPolicy::Normal;
  Type ptrType;
  PtrType element;
  if (parseCaching(parser, "tile_store_c3", cache, evict) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parsePtrType(parser, "tile_store_c2", ptrType, element)) {
    return failure();
  }
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.setCache(CacheModifierAttr::get(parser.getContext(), cache));
  properties.setEvict(EvictionPolicyAttr::get(parser.getContext(), evict));
  Type valueType = withShapeOf(element.getPointeeType(), ptrType);
  Type maskType = withShapeOf(parser.getBuilder().getI1Type(), ptrType);
  return failure(parser.resolveOperand(ptr, ptrType, state.operands) ||
                 parser.resolveOperand(value, valueType, state.operands) ||
                 (hasMask && parser.resolveOperand(mask, maskType, state.operands)));
}

void StoreOp::print(OpAsmPrinter &printer) {
  printer << " " << getPtr() << ", " << getValue();
  if (getMask()) {
    printer << " mask " << getMask();
  }
  printCaching(printer, getCache(), getEvict());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"cache", "evict"});
  printer << " : " << getPtr().getType();
}

LogicalResult StoreOp::verify() {
  Type pointee = getPtrType(getPtr()).getPointeeType();
  if (getElementTypeOrSelf(getValue().getType()) != pointee) {
    InFlightDiagnostic diag = emitOpError()
                              << "expected a value of " << pointee << " elements, got "
                              << getValue().getType() << diagID("tile_store_c1");
    diag.attachNote(getPtr().getLoc()) << "pointer made here";
    return diag;
  }
  return success();
}

namespace {
/// A mask that is true everywhere masks nothing; one that is false everywhere
/// leaves nothing to store.
struct ConstantStoreMask : public OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StoreOp op, PatternRewriter &rewriter) const override {
    if (isMaskOf(op.getMask(), false)) {
      rewriter.eraseOp(op);
      return success();
    }
    if (!isMaskOf(op.getMask(), true)) {
      return rewriter.notifyMatchFailure(op, "no mask with one value everywhere");
    }
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
};
} // namespace

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ConstantStoreMask>(context);
}
