//===- Shape.cpp - Broadcasting and reshaping of tiles -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics.h"
#include "tegula/Frontend/Frontend.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

namespace tegula::frontend {

/// Tiles hold at most this many elements.
static constexpr int64_t maxElements = 1 << 20;

static std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (const auto &[i, dim] : llvm::enumerate(shape)) {
    text += (i ? ", " : "") + std::to_string(dim);
  }
  return text + "]";
}

bool Semantics::isTileExtent(BigInt size) {
  return size > 0 && size < (BigInt(1) << 62) &&
         (size % 16 == 0 || llvm::isPowerOf2_64(static_cast<uint64_t>(size)));
}

std::string Semantics::nextTileExtent(BigInt size) {
  if (size <= 1 || size > maxElements) {
    return "";
  }
  uint64_t next = size < 16 ? llvm::PowerOf2Ceil(static_cast<uint64_t>(size))
                            : llvm::alignTo(static_cast<uint64_t>(size), 16);
  return "; the next larger one is " + std::to_string(next);
}

std::optional<llvm::SmallVector<int64_t, 4>> Semantics::getShape(const Value &value, bool spread) {
  if (value.isPoison()) {
    return std::nullopt;
  }
  std::vector<Value> dims;
  if (value.isTuple()) {
    dims = value.getItems();
  } else if (value.isInt()) {
    dims = {value};
  } else {
    error(value.isRuntime() ? diag::NotConstexpr : diag::ArgumentType,
          "expected a tuple of compile-time integers, got " + value.describeForConstant());
    return std::nullopt;
  }
  llvm::SaveAndRestore<int> restore(argumentInHand);
  llvm::SmallVector<int64_t, 4> shape;
  BigInt elements = 1;
  for (const auto &[i, dim] : llvm::enumerate(dims)) {
    argumentInHand += spread && i != 0 ? 1 : 0;
    if (dim.isPoison()) {
      return std::nullopt;
    }
    if (!dim.isInt()) {
      error(dim.isRuntime() ? diag::NotConstexpr : diag::ArgumentType,
            "expected a compile-time integer as dimension " + llvm::Twine(i) + ", got " +
                dim.describeForConstant() + (dim.isFloat() ? "; whole numbers come of //" : ""));
      return std::nullopt;
    }
    BigInt size = dim.getInt();
    if (!isTileExtent(size)) {
      error(diag::InvalidShape, "expected a power of two or a multiple of 16 as dimension " +
                                    llvm::Twine(i) + ", got " + toString(size) +
                                    nextTileExtent(size));
      return std::nullopt;
    }
    shape.push_back(static_cast<int64_t>(size));
    elements *= size;
    if (elements > maxElements) {
      error(diag::InvalidShape,
            "expected a tile of at most 1048576 elements, got shape " + value.repr());
      return std::nullopt;
    }
  }
  return shape;
}

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

Value Semantics::expandDims(const Value &value, int64_t axis) {
  if (value.isPoison()) {
    return value;
  }
  Value source = toRuntime(value);
  if (source.isPoison()) {
    return source;
  }
  int64_t rank = source.getType().getRank();
  int64_t position = axis < 0 ? axis + rank + 1 : axis;
  assert(position >= 0 && position <= rank && "callers check the axes of users");
  llvm::SmallVector<int64_t, 4> shape = source.getType().shape;
  shape.insert(shape.begin() + position, 1);
  LangType type = source.getType().withShape(shape);
  mlir::Type mlirType = type.getMLIRType(getContext());
  mlir::Value result =
      rank == 0 ? tile::SplatOp::create(builder, loc(), mlirType, source.getIR()).getResult()
                : tile::ExpandDimsOp::create(builder, loc(), mlirType, source.getIR(),
                                             static_cast<int32_t>(position))
                      .getResult();
  return Value::runtime(result, type);
}

Value Semantics::broadcastTo(const Value &value, llvm::ArrayRef<int64_t> shape, bool leftPad) {
  Value source = toRuntime(value);
  if (source.isPoison()) {
    return source;
  }
  assert(source.isRuntime() && "tuples have no shape");
  if (llvm::ArrayRef<int64_t>(source.getType().shape) == shape) {
    return source;
  }
  LangType type = source.getType().withShape(shape);
  if (source.getType().isScalar()) {
    return Value::runtime(
        tile::SplatOp::create(builder, loc(), type.getMLIRType(getContext()), source.getIR()),
        type);
  }
  while (leftPad && source.getType().getRank() < shape.size()) {
    source = expandDims(source, 0);
  }
  llvm::ArrayRef<int64_t> from = source.getType().shape;
  bool fits = from.size() == shape.size();
  for (unsigned i = 0; fits && i < shape.size(); ++i) {
    fits = from[i] == shape[i] || from[i] == 1;
  }
  if (!fits) {
    return error(diag::ShapeMismatch,
                 "cannot broadcast " + value.describe() + " to shape " + shapeText(shape) +
                     (from.size() < shape.size()
                          ? "; add the missing dimensions first, with x[:, None] or x[None, :]"
                          : ""));
  }
  if (from == shape) {
    return source;
  }
  return Value::runtime(
      tile::BroadcastOp::create(builder, loc(), type.getMLIRType(getContext()), source.getIR()),
      type);
}

bool Semantics::broadcast(Value &lhs, Value &rhs) {
  if (lhs.isPoison() || rhs.isPoison()) {
    return false;
  }
  llvm::ArrayRef<int64_t> a = lhs.getType().shape, b = rhs.getType().shape;
  if (a == b) {
    return true;
  }
  unsigned rank = std::max(a.size(), b.size());
  llvm::SmallVector<int64_t, 4> shape(rank);
  for (unsigned i = 0; i < rank; ++i) {
    // Counted from the last dimension; what is missing in front is 1.
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      error(diag::ShapeMismatch, "shapes do not fit each other: " + lhs.describe() + " and " +
                                     rhs.describe() + " (dimension " + llvm::Twine(rank - 1 - i) +
                                     " is " + llvm::Twine(x) + " and " + llvm::Twine(y) + ")");
      return false;
    }
    shape[rank - 1 - i] = x == 1 ? y : x;
  }
  int64_t elements = LangType({}, shape).getNumElements();
  if (elements > maxElements) {
    error(diag::InvalidShape,
          "expected a tile of at most 1048576 elements, got shape " + shapeText(shape));
    return false;
  }
  lhs = broadcastTo(lhs, shape, true);
  rhs = broadcastTo(rhs, shape, true);
  return !lhs.isPoison() && !rhs.isPoison();
}

//===----------------------------------------------------------------------===//
// Reshape, permute
//===----------------------------------------------------------------------===//

Value Semantics::reshape(const Value &value, llvm::ArrayRef<int64_t> shape, bool allowReorder) {
  Value source = toRuntime(value);
  if (source.isPoison()) {
    return source;
  }
  LangType type = source.getType().withShape(shape);
  if (type == source.getType()) {
    return source;
  }
  if (type.getNumElements() != source.getType().getNumElements()) {
    return error(diag::ShapeMismatch, "cannot reshape " + source.describe() + " with " +
                                          llvm::Twine(source.getType().getNumElements()) +
                                          " elements to shape " + shapeText(shape) + " with " +
                                          llvm::Twine(type.getNumElements()));
  }
  if (source.getType().isScalar()) {
    return broadcastTo(source, shape);
  }
  if (shape.empty()) {
    return error(diag::ShapeMismatch,
                 "cannot reshape " + source.describe() + " to a scalar; use .item()");
  }
  auto op = tile::ReshapeOp::create(builder, loc(), type.getMLIRType(getContext()), source.getIR(),
                                    allowReorder);
  return Value::runtime(op, type);
}

Value Semantics::permute(const Value &value, llvm::ArrayRef<int64_t> order) {
  Value source = toRuntime(value);
  if (source.isPoison()) {
    return source;
  }
  llvm::ArrayRef<int64_t> shape = source.getType().shape;
  llvm::SmallVector<int32_t, 4> normal;
  llvm::SmallVector<int64_t, 4> result;
  llvm::SmallVector<bool, 4> seen(shape.size(), false);
  bool ok = order.size() == shape.size();
  for (unsigned i = 0; ok && i < order.size(); ++i) {
    int64_t dim = order[i] < 0 ? order[i] + static_cast<int64_t>(shape.size()) : order[i];
    ok = dim >= 0 && dim < static_cast<int64_t>(shape.size()) && !seen[dim];
    if (ok) {
      seen[dim] = true;
      normal.push_back(static_cast<int32_t>(dim));
      result.push_back(shape[dim]);
    }
  }
  if (!ok) {
    return error(diag::InvalidAxis, "expected a permutation of the " + llvm::Twine(shape.size()) +
                                        " dimensions of " + source.describe() + ", got " +
                                        shapeText(order));
  }
  if (llvm::is_sorted(normal)) {
    return source;
  }
  LangType type = source.getType().withShape(result);
  return Value::runtime(tile::TransposeOp::create(builder, loc(), type.getMLIRType(getContext()),
                                                  source.getIR(), normal),
                        type);
}

} // namespace tegula::frontend
