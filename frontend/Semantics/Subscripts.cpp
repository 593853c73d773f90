//===- Subscripts.cpp - value[index] --------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Subscripts of tiles mean what they mean for arrays: None adds a dimension, a
// slice with constant bounds takes a part of one, an integer takes one element and
// drops the dimension. An integer known only at run time gives zeros where there
// is no such element.
//
//===----------------------------------------------------------------------===//

#include "Semantics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tegula/Frontend/Frontend.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::frontend {

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
/// What is taken of one dimension of a tile.
struct Taken {
  enum class Kind { All, Slice, Constant, Runtime };
  Kind kind = Kind::All;
  int64_t start = 0, step = 1, count = 0;
  Value index; ///< Runtime
};

class TileSubscript {
public:
  TileSubscript(Semantics &semantics, const Value &value, const Value &index)
      : semantics(semantics), source(value),
        parts(index.isTuple() ? std::vector<Value>(index.getItems()) : std::vector<Value>{index}) {}

  Value get() {
    if (!readParts()) {
      return Value::poison();
    }
    bool isElement = !taken.empty() && llvm::all_of(taken, [](const Taken &dim) {
      return dim.kind == Taken::Kind::Constant || dim.kind == Taken::Kind::Runtime;
    });
    Value result = isElement ? element() : part();
    for (auto [axis, isNew] : llvm::enumerate(newDims)) {
      if (isNew && !result.isPoison()) {
        result = semantics.expandDims(result, static_cast<int64_t>(axis));
      }
    }
    return result;
  }

private:
  Value error(const llvm::Twine &message, DiagID id = diag::InvalidSubscript) {
    return semantics.error(id, message);
  }

  bool readParts() {
    const LangType &type = source.getType();
    unsigned rank = type.getRank(), used = 0, dots = 0;
    for (const Value &one : parts) {
      bool isDots = one.getKind() == Value::Kind::Ellipsis;
      dots += isDots;
      used += !isDots && !one.isNone();
    }
    if (dots > 1) {
      error("expected at most one '...' in a subscript");
      return false;
    }
    bool addsDims = llvm::any_of(parts, [](const Value &one) { return one.isNone(); });
    if (type.isScalar() && addsDims && llvm::all_of(parts, takesNothing)) {
      newDims.assign(llvm::count_if(parts, [](const Value &one) { return one.isNone(); }), true);
      return true;
    }
    if (type.isScalar() && used != 0) {
      error("cannot subscript " + source.describe() +
            (type.dtype.isPointer() ? "; read memory with tl.load(pointer + index)"
                                    : "; it is a scalar"));
      return false;
    }
    if (used > rank) {
      error("expected at most " + llvm::Twine(rank) +
            (rank == 1 ? " subscript of " : " subscripts of ") + source.describe() + ", got " +
            llvm::Twine(used));
      return false;
    }
    for (const Value &one : parts) {
      if (one.isNone()) {
        newDims.push_back(true);
      } else if (one.getKind() == Value::Kind::Ellipsis) {
        takeAll(rank - used);
      } else if (!readDim(one, type.shape[taken.size()])) {
        return false;
      }
    }
    takeAll(rank - taken.size());
    return true;
  }

  /// Whether a subscript beside None has no say about a scalar: `x[None, :]` is `x[None]`.
  static bool takesNothing(const Value &one) {
    return one.isNone() || one.getKind() == Value::Kind::Ellipsis ||
           (one.isSlice() &&
            llvm::all_of(one.getItems(), [](const Value &bound) { return bound.isNone(); }));
  }

  void takeAll(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      Taken dim;
      dim.count = source.getType().shape[taken.size()];
      taken.push_back(dim);
      newDims.push_back(false);
    }
  }

  bool readDim(const Value &one, int64_t size) {
    Taken dim;
    std::string where = "dimension " + std::to_string(taken.size()) + " of " + source.describe();
    if (one.isSlice()) {
      if (!readSlice(one, size, where, dim)) {
        return false;
      }
      newDims.push_back(false);
    } else if (one.isInt() && one.getHint() && (one.getInt() < 0 || one.getInt() >= size)) {
      // An argument that was specialized, or a variable: a value of the run time.
      dim.kind = Taken::Kind::Runtime;
      dim.index = semantics.toRuntime(one, one.getHint());
    } else if (one.isInt()) {
      BigInt at = one.getInt() < 0 ? one.getInt() + size : one.getInt();
      if (at < 0 || at >= size) {
        error("index " + one.repr() + " is out of range for " + where);
        return false;
      }
      dim.kind = Taken::Kind::Constant;
      dim.start = static_cast<int64_t>(at);
    } else if (one.isRuntime() && one.getType().isScalar() && one.getDType().isInt() &&
               !one.getDType().isBool()) {
      dim.kind = Taken::Kind::Runtime;
      dim.index = one;
    } else {
      bool isTile = one.isRuntime() && one.getType().isTile();
      error("expected an integer, a slice, None or '...' as a subscript of " + source.describe() +
            ", got " + one.describe() +
            (isTile ? "; tl.gather picks elements by a tile of indices" : ""));
      return false;
    }
    taken.push_back(dim);
    return true;
  }

  bool readSlice(const Value &slice, int64_t size, llvm::StringRef where, Taken &dim) {
    for (const Value &bound : slice.getItems()) {
      if (!bound.isNone() && !bound.isInt()) {
        error("expected compile-time integers in a slice of " + source.describe() + ", got " +
                  bound.describeForConstant(),
              bound.isRuntime() ? diag::NotConstexpr : diag::InvalidSubscript);
        return false;
      }
    }
    std::optional<SliceBounds> bounds = resolveSlice(slice, size);
    if (!bounds) {
      error("the step of a slice must not be 0");
      return false;
    }
    if (!Semantics::isTileExtent(bounds->count)) {
      error("expected a slice whose length is a power of two or a multiple of 16, got " +
            llvm::Twine(bounds->count) + " elements of " + where);
      return false;
    }
    dim.start = bounds->start;
    dim.step = bounds->step;
    dim.count = bounds->count;
    dim.kind = dim.start == 0 && dim.step == 1 && dim.count == size ? Taken::Kind::All
                                                                    : Taken::Kind::Slice;
    return true;
  }

  mlir::Value wide(const Value &index) {
    return semantics.cast(index, DType(DType::Kind::Int64)).getIR();
  }

  Value element() {
    llvm::SmallVector<mlir::Value> indices;
    for (const Taken &dim : taken) {
      indices.push_back(dim.kind == Taken::Kind::Runtime
                            ? wide(dim.index)
                            : semantics.constantInt(dim.start, DType(DType::Kind::Int64)).getIR());
    }
    LangType type(source.getDType());
    return Value::runtime(tile::ExtractOp::create(semantics.getBuilder(), semantics.loc(),
                                                  type.getMLIRType(semantics.getContext()),
                                                  source.getIR(), indices),
                          type);
  }

  Value part() {
    Value result = source;
    llvm::SmallVector<int64_t> offsets, steps,
        shape(llvm::ArrayRef<int64_t>(source.getType().shape));
    bool slices = false;
    for (auto [axis, dim] : llvm::enumerate(taken)) {
      bool cuts = dim.kind == Taken::Kind::Slice || dim.kind == Taken::Kind::Constant;
      slices |= cuts;
      offsets.push_back(cuts ? dim.start : 0);
      steps.push_back(dim.kind == Taken::Kind::Slice ? dim.step : 1);
      shape[axis] = dim.kind == Taken::Kind::Slice ? dim.count : cuts ? 1 : shape[axis];
    }
    mlir::OpBuilder &builder = semantics.getBuilder();
    auto make = [&](auto create) {
      LangType type = source.getType().withShape(shape);
      result = Value::runtime(create(type.getMLIRType(semantics.getContext())), type);
    };
    if (slices) {
      make([&](mlir::Type type) {
        return tile::SliceOp::create(builder, semantics.loc(), type, result.getIR(), offsets,
                                     steps);
      });
    }
    for (auto [axis, dim] : llvm::enumerate(taken)) {
      if (dim.kind != Taken::Kind::Runtime) {
        continue;
      }
      shape[axis] = 1;
      Value index = Value::runtime(wide(dim.index), DType(DType::Kind::Int64));
      Value indices = semantics.broadcastTo(index, shape);
      make([&](mlir::Type type) {
        return tile::GatherOp::create(builder, semantics.loc(), type, result.getIR(),
                                      indices.getIR(), static_cast<int32_t>(axis));
      });
    }
    llvm::SmallVector<int64_t> kept;
    for (auto [axis, dim] : llvm::enumerate(taken)) {
      if (dim.kind == Taken::Kind::All || dim.kind == Taken::Kind::Slice) {
        kept.push_back(shape[axis]);
      }
    }
    return kept.size() == shape.size() ? result : semantics.reshape(result, kept);
  }

  Semantics &semantics;
  const Value &source;
  std::vector<Value> parts;
  std::vector<Taken> taken;           ///< one per dimension of the source
  llvm::SmallVector<bool, 8> newDims; ///< of the result: whether None made it
};
} // namespace

//===----------------------------------------------------------------------===//
// Tuples and strings
//===----------------------------------------------------------------------===//

std::optional<SliceBounds> resolveSlice(const Value &slice, int64_t size) {
  llvm::ArrayRef<Value> parts = slice.getItems();
  BigInt step = parts[2].isNone() ? 1 : parts[2].getInt();
  if (step == 0) {
    return std::nullopt;
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
  BigInt distance = step > 0 ? stop - start : start - stop, stride = step > 0 ? step : -step;
  BigInt count = distance > 0 ? (distance + stride - 1) / stride : 0;
  return SliceBounds{static_cast<int64_t>(start), static_cast<int64_t>(step),
                     static_cast<int64_t>(count)};
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
  for (const Value &part : index.getItems()) {
    if (!part.isNone() && !part.isInt()) {
      return semantics.error(part.isRuntime() ? diag::NotConstexpr : diag::InvalidSubscript,
                             "expected compile-time integers in a slice of " + value.describe() +
                                 ", got " + part.describeForConstant());
    }
  }
  std::optional<SliceBounds> bounds = resolveSlice(index, size);
  if (!bounds) {
    return semantics.error(diag::InvalidSubscript, "the step of a slice must not be 0");
  }
  std::string text;
  std::vector<Value> items;
  for (int64_t k = 0; k < bounds->count; ++k) {
    const auto at = static_cast<size_t>(bounds->start + k * bounds->step);
    if (isText) {
      text.push_back(value.getStr()[at]);
    } else {
      items.push_back(value.getItems()[at]);
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
    return TileSubscript(*this, value, index).get();
  case Value::Kind::Tuple:
  case Value::Kind::Str:
    return subscriptSequence(*this, value, index);
  case Value::Kind::Struct:
    if (std::optional<Value> item = callMethod(value, "__getitem__", {index})) {
      return *item;
    }
    break;
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
    Value scalar = toRuntime(value);
    return scalar.isPoison() ? scalar : TileSubscript(*this, scalar, index).get();
  }
  return error(diag::InvalidSubscript, "cannot subscript " + value.describe() +
                                           (value.isCallable() ? "; call it with (...)" : ""));
}

} // namespace tegula::frontend
