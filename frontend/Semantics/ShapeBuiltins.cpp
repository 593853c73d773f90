//===- ShapeBuiltins.cpp - Functions that make and reshape tiles ----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "tegula/Tile/IR/Tile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

namespace tegula::frontend {

using Kind = DType::Kind;

/// `reshape(x, (a, b))` and `reshape(x, a, b)` mean the same.
static Value joinRest(const BoundCall &call) {
  if (call.rest.size() == 1 && call.rest[0].isTuple()) {
    return call.rest[0];
  }
  return Value::tuple(call.rest);
}

/// A list of axes: any compile-time integers.
static std::optional<llvm::SmallVector<int64_t, 4>>
getDims(const BoundCall &call, llvm::StringRef name, const Value &value) {
  std::vector<Value> items =
      value.isTuple() ? std::vector<Value>(value.getItems()) : std::vector<Value>{value};
  llvm::SmallVector<int64_t, 4> dims;
  for (const Value &item : items) {
    if (item.isPoison()) {
      return std::nullopt;
    }
    if (!item.isInt()) {
      call.error(item.isRuntime() ? diag::NotConstexpr : diag::ArgumentType, name,
                 "expected compile-time integers, got " + item.describeForConstant());
      return std::nullopt;
    }
    auto dim = static_cast<int64_t>(item.getInt());
    if (dim != item.getInt()) {
      call.error(diag::InvalidAxis, name, "expected axes of the tile, got " + item.repr());
      return std::nullopt;
    }
    dims.push_back(dim);
  }
  return dims;
}

/// The shape that an argument or all the remaining ones give.
static std::optional<llvm::SmallVector<int64_t, 4>>
getShape(const BoundCall &call, const Value &value, bool spread = false) {
  Semantics::OfArgument about = call.about("shape");
  return call.semantics.getShape(value, spread);
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

Value Builtins::arange(Semantics &semantics, BoundCall &call) {
  std::optional<int64_t> start = call.getInt("start");
  std::optional<int64_t> end = start ? call.getInt("end") : std::nullopt;
  if (!end) {
    return Value::poison();
  }
  for (auto [name, bound] : {std::pair("start", *start), std::pair("end", *end)}) {
    if (bound < INT32_MIN || bound > INT32_MAX) {
      return call.error(diag::LiteralRange, name,
                        "expected an integer that fits in int32, got " + llvm::Twine(bound));
    }
  }
  int64_t length = *end - *start;
  if (length <= 0) {
    return call.error(diag::InvalidArgument, "end",
                      "expected more than 'start' (" + llvm::Twine(*start) + "), got " +
                          llvm::Twine(*end));
  }
  if (!Semantics::isTileExtent(length)) {
    std::string next = Semantics::nextTileExtent(length);
    return call.error(diag::InvalidShape, "end",
                      "expected a power of two or a multiple of 16 as the length of the range, "
                      "got " +
                          llvm::Twine(length) + next +
                          (next.empty() ? "" : ": mask off what is too much"));
  }
  if (length > (1 << 20)) {
    return call.error(diag::InvalidShape, "end",
                      "expected a range of at most 1048576 integers, got " + llvm::Twine(length));
  }
  LangType type(Kind::Int32, {length});
  mlir::Value result = tile::RangeOp::create(
      semantics.getBuilder(), semantics.loc(), type.getMLIRType(semantics.getContext()),
      static_cast<uint32_t>(*start), static_cast<uint32_t>(*end));
  return Value::runtime(result, type);
}

/// A number as a constant of any shape, a scalar as a splat.
static Value fill(Semantics &semantics, const Value &value, const LangType &type) {
  Value scalar = value;
  if (value.isNumber()) {
    if (!type.dtype.isFloat() || !type.dtype.isFp8()) {
      // One constant rather than a scalar and a splat.
      if (type.dtype.isFloat()) {
        return value.isFloat() ? semantics.constantFloat(value.getFloat(), type)
                               : semantics.constantInt(value.getInt(), type);
      }
      if (type.dtype.isInt() && !value.isFloat() && value.getInt() >= type.dtype.getIntMin() &&
          value.getInt() <= type.dtype.getIntMax()) {
        return semantics.constantInt(value.getInt(), type);
      }
    }
    scalar = semantics.toRuntime(value, type.dtype);
  } else {
    scalar = semantics.cast(value, type.dtype);
  }
  return scalar.isPoison() ? scalar : semantics.broadcastTo(scalar, type.shape);
}

Value Builtins::full(Semantics &semantics, BoundCall &call) {
  auto shape = getShape(call, call.get("shape"));
  std::optional<DType> dtype = shape ? call.getDType("dtype") : std::nullopt;
  if (!dtype) {
    return Value::poison();
  }
  const Value &value = call.get("value");
  if (!value.isNumber() && !(value.isRuntime() && value.getType().isScalar())) {
    return call.error(diag::ArgumentType, "value",
                      "expected a number or a scalar, got " + value.describe());
  }
  if (dtype->isVoid()) {
    if (value.isNumber()) {
      return call.error(diag::ArgumentType, "dtype",
                        "expected a type such as tl.float32, as the value is a literal, got None");
    }
    dtype = value.getDType();
  }
  Semantics::OfArgument about = call.about("value");
  return fill(semantics, value, LangType(*dtype, *shape));
}

Value Builtins::zeros(Semantics &semantics, BoundCall &call) {
  auto shape = getShape(call, call.get("shape"));
  std::optional<DType> dtype = shape ? call.getDType("dtype") : std::nullopt;
  if (!dtype) {
    return Value::poison();
  }
  if (dtype->isVoid()) {
    return call.error(diag::ArgumentType, "dtype", "expected a type such as tl.float32, got None");
  }
  return fill(semantics, Value::integer(0), LangType(*dtype, *shape));
}

Value Builtins::zerosLike(Semantics &semantics, BoundCall &call) {
  Value input = call.getTile("input");
  return input.isPoison() ? input : fill(semantics, Value::integer(0), input.getType());
}

//===----------------------------------------------------------------------===//
// Casts, selection
//===----------------------------------------------------------------------===//

Value Builtins::cast(Semantics &semantics, BoundCall &call) {
  std::optional<DType> dtype = call.getDType("dtype");
  std::optional<bool> bits = dtype ? call.getBool("bitcast", false) : std::nullopt;
  std::optional<std::string> mode =
      bits ? call.getString("fp_downcast_rounding", "") : std::nullopt;
  if (!mode) {
    return Value::poison();
  }
  if (dtype->isVoid()) {
    return call.error(diag::ArgumentType, "dtype", "expected a type such as tl.float32, got None");
  }
  std::optional<Rounding> rounding;
  if (*mode == "rtne") {
    rounding = Rounding::RTNE;
  } else if (*mode == "rtz") {
    rounding = Rounding::RTZ;
  } else if (!mode->empty()) {
    return call.error(diag::InvalidArgument, "fp_downcast_rounding",
                      "expected 'rtne' or 'rtz', got '" + *mode + "'");
  }
  const Value &input = call.get("input");
  if (!input.isNumber() && !input.isRuntime()) {
    return call.error(diag::ArgumentType, "input",
                      "expected a tile or a number, got " + input.describe());
  }
  if (call.get("dtype").isType() && call.get("dtype").getType().isTile() && input.isRuntime() &&
      call.get("dtype").getType().shape != input.getType().shape) {
    return call.error(diag::ShapeMismatch, "dtype",
                      "expected the shape of " + input.describe() + ", got " +
                          call.get("dtype").describe());
  }
  return *bits ? semantics.bitcast(input, *dtype) : semantics.cast(input, *dtype, rounding);
}

Value Builtins::where(Semantics &semantics, BoundCall &call) {
  const Value &condition = call.get("condition");
  if (!condition.isRuntime() && !condition.isNumber()) {
    return call.error(diag::ArgumentType, "condition",
                      "expected a bool or a tile of bools, got " + condition.describe());
  }
  if (condition.isRuntime() && !condition.getDType().isBool()) {
    call.warn(diag::ConditionType, "condition",
              "expected a bool or a tile of bools, got " + condition.describe() +
                  "; write a comparison with 0, which is what is taken");
  }
  return semantics.select(condition, call.get("x"), call.get("y"));
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

Value Builtins::broadcast(Semantics &semantics, BoundCall &call) {
  Value input = call.getTile("input"), other = call.getTile("other");
  if (input.isPoison() || other.isPoison() || !semantics.broadcast(input, other)) {
    return Value::poison();
  }
  return Value::tuple({input, other});
}

Value Builtins::broadcastTo(Semantics &semantics, BoundCall &call) {
  Value input = call.getTile("input");
  auto shape = getShape(call, joinRest(call), call.rest.size() > 1);
  return input.isPoison() || !shape ? Value::poison() : semantics.broadcastTo(input, *shape);
}

static Value reshapeTo(Semantics &semantics, BoundCall &call, bool reorder) {
  Value input = call.getTile("input");
  if (input.isPoison()) {
    return input;
  }
  // One dimension may be -1: whatever fits.
  Value given = joinRest(call);
  std::vector<Value> dims(given.getItems());
  BigInt known = 1;
  int64_t open = -1;
  for (const auto &[i, dim] : llvm::enumerate(dims)) {
    if (dim.isInt() && dim.getInt() == -1) {
      if (open >= 0) {
        return call.error(diag::InvalidShape, "shape",
                          "expected at most one -1, got " + given.repr());
      }
      open = static_cast<int64_t>(i);
    } else if (dim.isInt() && dim.getInt() > 0 && dim.getInt() <= (1 << 20) && known < (1 << 20)) {
      known *= dim.getInt();
    }
  }
  BigInt total = input.getType().getNumElements();
  if (open >= 0) {
    if (total % known != 0) {
      return call.error(diag::ShapeMismatch, "shape",
                        "the " + llvm::Twine(static_cast<int64_t>(total)) + " elements of " +
                            input.describe() + " do not divide into " + given.repr());
    }
    dims[open] = Value::integer(total / known);
  }
  auto shape = getShape(call, Value::tuple(dims), call.rest.size() > 1);
  return shape ? semantics.reshape(input, *shape, reorder) : Value::poison();
}

Value Builtins::reshape(Semantics &semantics, BoundCall &call) {
  std::optional<bool> reorder = call.getBool("can_reorder", false);
  return reorder ? reshapeTo(semantics, call, *reorder) : Value::poison();
}

Value Builtins::view(Semantics &semantics, BoundCall &call) {
  return reshapeTo(semantics, call, true);
}

Value Builtins::ravel(Semantics &semantics, BoundCall &call) {
  Value input = call.getTile("input");
  std::optional<bool> reorder = call.getBool("can_reorder", false);
  if (input.isPoison() || !reorder) {
    return Value::poison();
  }
  return semantics.reshape(input, {input.getType().getNumElements()}, *reorder);
}

Value Builtins::expandDims(Semantics &semantics, BoundCall &call) {
  Value input = call.getTile("input");
  auto axes = getDims(call, "axis", call.get("axis"));
  if (input.isPoison() || !axes) {
    return Value::poison();
  }
  // Axes count in the result.
  int64_t rank = input.getType().getRank() + axes->size();
  for (int64_t &axis : *axes) {
    if (axis < -rank || axis >= rank) {
      return call.error(diag::InvalidAxis, "axis",
                        "expected an axis from " + llvm::Twine(-rank) + " to " +
                            llvm::Twine(rank - 1) + " for " + input.describe() + ", got " +
                            llvm::Twine(axis));
    }
    axis = axis < 0 ? axis + rank : axis;
  }
  llvm::sort(*axes);
  if (std::adjacent_find(axes->begin(), axes->end()) != axes->end()) {
    return call.error(
        diag::InvalidAxis, "axis",
        "expected distinct axes, got " + call.get("axis").repr() + ", which are [" +
            llvm::join(llvm::map_range(*axes, [](int64_t axis) { return std::to_string(axis); }),
                       ", ") +
            "]");
  }
  for (int64_t axis : *axes) {
    input = semantics.expandDims(input, axis);
  }
  return input;
}

Value Builtins::squeeze(Semantics &semantics, BoundCall &call) {
  Value input = call.getTile("input");
  std::optional<int64_t> dim = call.getInt("dim");
  if (input.isPoison() || !dim) {
    return Value::poison();
  }
  llvm::SmallVector<int64_t, 4> shape = input.getType().shape;
  int64_t rank = shape.size(), axis = *dim < 0 ? *dim + rank : *dim;
  if (axis < 0 || axis >= rank || shape[axis] != 1) {
    bool exists = axis >= 0 && axis < rank;
    return call.error(diag::InvalidAxis, "dim",
                      "expected a dimension of size 1 of " + input.describe() + ", got " +
                          llvm::Twine(*dim) +
                          (exists ? ", whose size is " + std::to_string(shape[axis]) : ""));
  }
  if (rank == 1) {
    return call.error(diag::InvalidAxis, "dim",
                      "cannot squeeze " + input.describe() + " to a scalar; use .item()");
  }
  shape.erase(shape.begin() + axis);
  return semantics.reshape(input, shape);
}

Value Builtins::permute(Semantics &semantics, BoundCall &call) {
  Value input = call.getTile("input");
  auto dims = getDims(call, "dims", joinRest(call));
  Semantics::OfArgument about = call.about("dims");
  return input.isPoison() || !dims ? Value::poison() : semantics.permute(input, *dims);
}

Value Builtins::trans(Semantics &semantics, BoundCall &call) {
  if (!call.rest.empty()) {
    return permute(semantics, call);
  }
  Value input = call.getTile("input");
  if (input.isPoison()) {
    return input;
  }
  unsigned rank = input.getType().getRank();
  if (rank < 2) {
    return call.error(diag::ArgumentType, "input",
                      "expected a tile of rank 2 or more, got " + input.describe());
  }
  llvm::SmallVector<int64_t, 4> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[rank - 1], order[rank - 2]);
  return semantics.permute(input, order);
}

Value Builtins::item(Semantics &semantics, BoundCall &call) {
  Value input = call.getTile("input");
  if (input.isPoison() || input.getType().isScalar()) {
    return input;
  }
  if (input.getType().getNumElements() != 1) {
    return call.error(diag::ShapeMismatch, "input",
                      "expected a tile of one element, got " + input.describe());
  }
  return semantics.onlyElement(input);
}

Value Semantics::onlyElement(const Value &tile) {
  // A reduction of one element never runs its combiner.
  Value flat = reshape(tile, {1});
  LangType scalar(tile.getDType());
  mlir::Type type = scalar.getMLIRType(builder.getContext());
  auto op = tile::ReduceOp::create(builder, loc(), mlir::TypeRange{type},
                                   mlir::ValueRange{flat.getIR()}, uint32_t(0));
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *block = builder.createBlock(&op.getCombiner(), {}, {type, type}, {loc(), loc()});
  tile::YieldOp::create(builder, loc(), mlir::ValueRange{block->getArgument(0)});
  return Value::runtime(op.getResult(0), scalar);
}

} // namespace tegula::frontend
