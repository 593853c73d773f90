//===- Shape.cpp - Broadcasting, reshaping, subscripts of tiles -----------===//
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
    if (size <= 0 || size >= (BigInt(1) << 62) ||
        !llvm::isPowerOf2_64(static_cast<uint64_t>(size))) {
      std::string nearest;
      if (size > 1 && size <= maxElements) {
        nearest = "; the next larger one is " +
                  std::to_string(llvm::NextPowerOf2(static_cast<uint64_t>(size)));
      }
      error(diag::InvalidShape, "expected a power of two as dimension " + llvm::Twine(i) +
                                    ", got " + toString(size) + nearest);
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

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

static bool isFullSlice(const Value &value) {
  return value.isSlice() &&
         llvm::all_of(value.getItems(), [](const Value &part) { return part.isNone(); });
}

/// A subscript that would pick elements.
static Value refuseElements(Semantics &semantics, const Value &value, const Value &part) {
  const LangType &type = value.getType();
  if (type.isScalar()) {
    return semantics.error(diag::InvalidSubscript,
                           "cannot subscript " + value.describe() +
                               (type.dtype.isPointer()
                                    ? "; read memory with tl.load(pointer + index)"
                                    : "; it is a scalar"));
  }
  return semantics.error(diag::InvalidSubscript,
                         "expected None or ':' as a subscript of " + value.describe() + ", got " +
                             part.describe() +
                             "; elements of a tile cannot be picked: load just those, or mask "
                             "the others and reduce");
}

/// `value[None, :, ...]` of a tile.
static Value subscriptTile(Semantics &semantics, const Value &value, const Value &index) {
  std::vector<Value> parts =
      index.isTuple() ? std::vector<Value>(index.getItems()) : std::vector<Value>{index};
  unsigned rank = value.getType().getRank(), slices = 0, dots = 0;
  for (const Value &part : parts) {
    if (part.isPoison()) {
      return part;
    }
    slices += isFullSlice(part);
    dots += part.getKind() == Value::Kind::Ellipsis;
    if (!isFullSlice(part) && !part.isNone() && part.getKind() != Value::Kind::Ellipsis) {
      return refuseElements(semantics, value, part);
    }
  }
  if (dots > 1) {
    return semantics.error(diag::InvalidSubscript, "expected at most one '...' in a subscript");
  }
  if (slices > rank) {
    return semantics.error(diag::InvalidSubscript, "expected at most " + llvm::Twine(rank) +
                                                       " ':' for " + value.describe() + ", got " +
                                                       llvm::Twine(slices));
  }
  Value result = value;
  int64_t position = 0;
  for (const Value &part : parts) {
    if (part.isNone()) {
      result = semantics.expandDims(result, position++);
    } else {
      position += part.isSlice() ? 1 : rank - slices;
    }
    if (result.isPoison()) {
      return result;
    }
  }
  return result;
}

static Value subscriptSequence(Semantics &semantics, const Value &value, const Value &index) {
  bool isText = value.isStr();
  int64_t size = isText ? value.getStr().size() : value.getItems().size();
  if (index.isInt() || index.isBool()) {
    BigInt i = index.getInt() < 0 ? index.getInt() + size : index.getInt();
    if (i < 0 || i >= size) {
      return semantics.error(diag::InvalidSubscript,
                             "index " + index.repr() + " is out of range for " + value.describe());
    }
    size_t at = static_cast<size_t>(i);
    return isText ? Value::string(std::string(1, value.getStr()[at])) : value.getItems()[at];
  }
  if (!index.isSlice()) {
    return semantics.error(index.isRuntime() ? diag::NotConstexpr : diag::InvalidSubscript,
                           "expected a compile-time integer as an index of " + value.describe() +
                               ", got " + index.describeForConstant());
  }
  llvm::ArrayRef<Value> parts = index.getItems();
  for (const Value &part : parts) {
    if (!part.isNone() && !part.isInt()) {
      return semantics.error(part.isRuntime() ? diag::NotConstexpr : diag::InvalidSubscript,
                             "expected compile-time integers in a slice of " + value.describe() +
                                 ", got " + part.describeForConstant());
    }
  }
  BigInt step = parts[2].isNone() ? 1 : parts[2].getInt();
  if (step == 0) {
    return semantics.error(diag::InvalidSubscript, "the step of a slice must not be 0");
  }
  // A longer step leads out of the sequence just the same.
  step = step > size ? BigInt(size) + 1 : step < -size ? BigInt(-size) - 1 : step;
  auto clampTo = [&](BigInt i) {
    BigInt low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    i = i < 0 ? i + size : i;
    return i < low ? low : i > high ? high : i;
  };
  BigInt start = parts[0].isNone() ? BigInt(step > 0 ? 0 : size - 1) : clampTo(parts[0].getInt());
  BigInt stop = parts[1].isNone() ? BigInt(step > 0 ? size : -1) : clampTo(parts[1].getInt());
  std::string text;
  std::vector<Value> items;
  for (BigInt i = start; step > 0 ? i < stop : i > stop; i += step) {
    if (isText) {
      text.push_back(value.getStr()[static_cast<size_t>(i)]);
    } else {
      items.push_back(value.getItems()[static_cast<size_t>(i)]);
    }
  }
  return isText ? Value::string(std::move(text)) : Value::tuple(std::move(items));
}

Value Semantics::subscript(const Value &value, const Value &index) {
  if (value.isPoison() || index.isPoison() || value.isUndefined() || index.isUndefined()) {
    return Value::poison();
  }
  switch (value.getKind()) {
  case Value::Kind::Runtime:
    return subscriptTile(*this, value, index);
  case Value::Kind::Tuple:
  case Value::Kind::Str:
    return subscriptSequence(*this, value, index);
  case Value::Kind::HostObject: {
    std::optional<HostValue> key = toHost(index);
    if (!key) {
      return Value::poison();
    }
    std::string failure;
    NameResolver *resolver = client.getResolver();
    assert(resolver && "objects of the host come from it");
    if (std::optional<HostValue> item = resolver->getItem(value.getHost(), *key, failure)) {
      return fromHost(*item);
    }
    return error(diag::HostError, "cannot subscript " + value.describe() + " with " + index.repr() +
                                      (failure.empty() ? "" : ": " + failure));
  }
  default:
    break;
  }
  if (value.isNumber() && (index.isNone() || index.isTuple())) {
    return subscriptTile(*this, toRuntime(value), index);
  }
  return error(diag::InvalidSubscript, "cannot subscript " + value.describe() +
                                           (value.isCallable() ? "; call it with (...)" : ""));
}

} // namespace tegula::frontend
