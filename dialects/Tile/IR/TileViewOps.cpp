//===- TileViewOps.cpp - Structured memory: views ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/Tile/IR/Tile.h"

using namespace mlir;
using namespace tegula::tile;

//===----------------------------------------------------------------------===//
// make_view
//===----------------------------------------------------------------------===//

ParseResult MakeViewOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand base;
  SmallVector<OpAsmParser::UnresolvedOperand> shape, strides;
  if (parser.parseOperand(base) || parser.parseKeyword("shape") ||
      parser.parseOperandList(shape, OpAsmParser::Delimiter::Square) ||
      parser.parseKeyword("strides") ||
      parser.parseOperandList(strides, OpAsmParser::Delimiter::Square) ||
      parser.parseKeyword("pad")) {
    return failure();
  }
  SMLoc padLoc = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text)) {
    return failure();
  }
  std::optional<Padding> padding = symbolizePadding(text);
  if (!padding) {
    return parser.emitError(padLoc)
           << "expected 'zero' or 'nan', got '" << text << "'" << diagID("tile_make_view_c4");
  }
  std::optional<Fp8Kind> fp8;
  SMLoc kindLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(&text))) {
    fp8 = symbolizeFp8Kind(text);
    if (!fp8) {
      return parser.emitError(kindLoc) << "expected a kind of 8-bit float, got '" << text << "'"
                                       << diagID("tile_make_view_c5");
    }
  }
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColon()) {
    return failure();
  }
  // The base's type is only spelled where it does not follow from the view's.
  SMLoc typeLoc = parser.getCurrentLocation();
  Type type, baseType;
  if (parser.parseType(type)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalArrow())) {
    baseType = type;
    typeLoc = parser.getCurrentLocation();
    if (parser.parseType(type)) {
      return failure();
    }
  }
  auto view = dyn_cast<ViewType>(type);
  if (!view) {
    return parser.emitError(typeLoc)
           << "expected a view type, got " << type << diagID("tile_make_view_c3");
  }
  if (!baseType) {
    baseType = PtrType::get(view.getElementType());
  }
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.setPadding(PaddingAttr::get(parser.getContext(), *padding));
  if (fp8) {
    properties.setFp8(Fp8KindAttr::get(parser.getContext(), *fp8));
  }
  properties.operandSegmentSizes = {1, int32_t(shape.size()), int32_t(strides.size())};
  Type i64 = parser.getBuilder().getI64Type();
  if (parser.resolveOperand(base, baseType, state.operands) ||
      parser.resolveOperands(shape, i64, state.operands) ||
      parser.resolveOperands(strides, i64, state.operands)) {
    return failure();
  }
  state.addTypes(type);
  return success();
}

void MakeViewOp::print(OpAsmPrinter &printer) {
  printer << " " << getBase() << " shape [" << getShape() << "] strides [" << getStrides()
          << "] pad " << stringifyPadding(getPadding());
  if (std::optional<Fp8Kind> kind = getFp8()) {
    printer << " " << stringifyFp8Kind(*kind);
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"padding", "fp8", "operandSegmentSizes"});
  printer << " : ";
  if (getBase().getType() != PtrType::get(getType().getElementType())) {
    printer << getBase().getType() << " -> ";
  }
  printer << getType();
}

LogicalResult MakeViewOp::verify() {
  size_t rank = getType().getRank();
  if (getShape().size() != rank || getStrides().size() != rank) {
    return emitOpError() << "expected " << rank << " shape and stride values, got "
                         << getShape().size() << " and " << getStrides().size()
                         << diagID("tile_make_view_c1");
  }
  Type pointee = cast<PtrType>(getBase().getType()).getPointeeType();
  if (pointee != getType().getElementType()) {
    InFlightDiagnostic diag = emitOpError()
                              << "expected a base that points to " << getType().getElementType()
                              << ", got " << getBase().getType() << diagID("tile_make_view_c2");
    diag.attachNote(getBase().getLoc()) << "base made here";
    return diag;
  }
  if (getFp8() && !pointee.isInteger(8)) {
    return emitOpError() << "expected elements of 'i8' for '" << stringifyFp8Kind(*getFp8())
                         << "', got " << pointee << diagID("tile_make_view_c5");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// view_load, view_store
//===----------------------------------------------------------------------===//

/// What both accesses demand: as many offsets as dimensions, the view's tile
/// and checked dimensions that exist, in ascending order.
template <typename OpT>
static LogicalResult verifyAccess(OpT op, Type tileType, StringRef what, StringRef prefix) {
  auto label = [&](const char *constraint) { return diagID((prefix + constraint).str()); };
  auto view = cast<ViewType>(op.getView().getType());
  if (int64_t(op.getOffsets().size()) != view.getRank()) {
    InFlightDiagnostic diag = op.emitOpError() << "expected " << view.getRank() << " offsets, got "
                                               << op.getOffsets().size() << label("c1");
    diag.attachNote(op.getView().getLoc()) << "view made here";
    return diag;
  }
  auto tile = cast<RankedTensorType>(tileType);
  if (tile.getShape() != view.getShape() || tile.getElementType() != view.getElementType()) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "expected a " << what << " of type " << view.getTileType()
                              << ", got " << tile << label("c2");
    diag.attachNote(op.getView().getLoc()) << "view made here";
    return diag;
  }
  int32_t least = 0;
  for (int32_t d : op.getChecked()) {
    if (d < least || d >= view.getRank()) {
      return op.emitOpError() << "expected ascending dimensions below " << view.getRank()
                              << " in 'checked', got [" << op.getChecked() << "]" << label("c3");
    }
    least = d + 1;
  }
  return success();
}

LogicalResult ViewLoadOp::verify() {
  return verifyAccess(*this, getType(), "result", "tile_view_load_");
}

LogicalResult ViewStoreOp::verify() {
  return verifyAccess(*this, getValue().getType(), "value", "tile_view_store_");
}

//===----------------------------------------------------------------------===//
// view_gather, view_scatter, view_atomic
//===----------------------------------------------------------------------===//

/// A view whose tile is one row, and rows of it in `tileType`.
template <typename OpT>
static LogicalResult verifyRows(OpT op, Type tileType, StringRef what, StringRef prefix) {
  auto label = [&](const char *constraint) { return diagID((prefix + constraint).str()); };
  auto view = cast<ViewType>(op.getView().getType());
  if (view.getRank() != 2 || view.getShape()[0] != 1) {
    return op.emitOpError() << "expected a view with tiles of one row, got " << view << label("c1");
  }
  int64_t rows = cast<RankedTensorType>(op.getRows().getType()).getDimSize(0);
  auto expected = RankedTensorType::get({rows, view.getShape()[1]}, view.getElementType());
  auto tile = cast<RankedTensorType>(tileType);
  if (tile.getShape() != expected.getShape() ||
      tile.getElementType() != expected.getElementType()) {
    return op.emitOpError() << "expected a " << what << " of type " << expected << ", got " << tile
                            << label("c2");
  }
  return success();
}

LogicalResult ViewGatherOp::verify() {
  return verifyRows(*this, getType(), "result", "tile_view_gather_");
}

LogicalResult ViewScatterOp::verify() {
  return verifyRows(*this, getValue().getType(), "value", "tile_view_scatter_");
}

LogicalResult ViewAtomicOp::verify() {
  if (failed(verifyAccess(*this, getValue().getType(), "value", "tile_view_atomic_"))) {
    return failure();
  }
  Type element = cast<ViewType>(getView().getType()).getElementType();
  if (!isAtomicOn(getKind(), element)) {
    return emitOpError() << "expected elements that '" << stringifyAtomicKind(getKind())
                         << "' works on, got " << element << diagID("tile_view_atomic_c4");
  }
  return success();
}
