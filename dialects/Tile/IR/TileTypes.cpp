//===- TileTypes.cpp - Types of the tile dialect -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tegula::tile;

#define GET_TYPEDEF_CLASSES
#include "tegula/Tile/IR/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tegula/Tile/IR/TileTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

unsigned tegula::tile::getElementBytes(Type elementType) {
  if (isa<PtrType>(elementType)) {
    return 8;
  }
  if (elementType.isSignlessInteger(1)) {
    return 1;
  }
  if (elementType.isSignlessInteger(8) || elementType.isSignlessInteger(16) ||
      elementType.isSignlessInteger(32) || elementType.isSignlessInteger(64) ||
      isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(elementType)) {
    return elementType.getIntOrFloatBitWidth() / 8;
  }
  return 0;
}

std::optional<int64_t> tegula::tile::countTileElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    // Compared before the product, which could overflow.
    if (size < 1 || size > kMaxTileElements / count) {
      return std::nullopt;
    }
    count *= size;
  }
  return count;
}

Type tegula::tile::withShapeOf(Type elementType, Type like) {
  if (auto tensor = dyn_cast<RankedTensorType>(like)) {
    return RankedTensorType::get(tensor.getShape(), elementType, tensor.getEncoding());
  }
  if (auto vector = dyn_cast<VectorType>(like)) {
    return VectorType::get(vector.getShape(), elementType, vector.getScalableDims());
  }
  return elementType;
}

//===----------------------------------------------------------------------===//
// ptr
//===----------------------------------------------------------------------===//

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointeeType,
                              unsigned addressSpace) {
  if (getElementBytes(pointeeType) == 0) {
    return emitError() << "expected i1, i8, i16, i32, i64, f16, bf16, f32, f64 or a pointer as "
                          "pointee type, got "
                       << pointeeType << diagID("tile_ptr_c1");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// view
//===----------------------------------------------------------------------===//

Type ViewType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  // Unknown sizes are parsed, so that the verifier can explain what is wrong.
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/true) ||
      parser.parseType(elementType) || parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<ViewType>(loc, parser.getContext(), ArrayRef<int64_t>(shape),
                                     elementType);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t size : getShape()) {
    printer << size << "x";
  }
  printer << getElementType() << ">";
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType) {
  if (shape.empty() || shape.size() > 5) {
    return emitError() << "expected a view of rank 1 to 5, got rank " << shape.size()
                       << diagID("tile_view_c1");
  }
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size)) {
      return emitError() << "expected constant tile dimensions in a view, got ?"
                         << diagID("tile_view_c2");
    }
    if (size < 1) {
      return emitError() << "expected positive tile dimensions in a view, got " << size
                         << diagID("tile_view_c2");
    }
  }
  if (!countTileElements(shape)) {
    return emitError() << "expected a view of tiles of at most " << kMaxTileElements
                       << " elements, got shape [" << shape << "]" << diagID("tile_view_c4");
  }
  if (getElementBytes(elementType) == 0) {
    return emitError() << "expected an element type that can be pointed to in a view, got "
                       << elementType << diagID("tile_view_c3");
  }
  return success();
}

ShapedType ViewType::cloneWith(std::optional<ArrayRef<int64_t>> shape, Type elementType) const {
  return ViewType::get(getContext(), shape.value_or(getShape()), elementType);
}

RankedTensorType ViewType::getTileType() const {
  return RankedTensorType::get(getShape(), getElementType());
}
