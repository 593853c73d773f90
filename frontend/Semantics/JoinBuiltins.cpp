//===- JoinBuiltins.cpp - Functions that join, part and pick tiles --------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Collective.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::frontend {

using Kind = DType::Kind;

/// Tiles hold at most this many elements.
static constexpr int64_t maxElements = 1 << 20;

/// Two arguments as run-time values of one element type, to which numbers adapt.
static bool matchTypes(Semantics &semantics, const BoundCall &call, llvm::StringRef first,
                       llvm::StringRef second, Value &a, Value &b) {
  a = call.get(first);
  b = call.get(second);
  if (a.isNumber() && b.isRuntime()) {
    Semantics::OfArgument about = call.about(first);
    a = semantics.toRuntime(a, b.getDType());
  } else if (b.isNumber() && a.isRuntime()) {
    Semantics::OfArgument about = call.about(second);
    b = semantics.toRuntime(b, a.getDType());
  } else {
    a = call.getTile(first);
    b = a.isPoison() ? a : call.getTile(second);
  }
  if (a.isPoison() || b.isPoison()) {
    return false;
  }
  if (a.getDType() != b.getDType()) {
    call.error(diag::ArgumentType, second,
               "expected " + a.getDType().getName() + " elements as '" + first + "' has, got " +
                   b.describe() + "; cast one of them");
    return false;
  }
  return true;
}

static bool checkElements(const BoundCall &call, llvm::StringRef name, int64_t elements) {
  if (elements > maxElements) {
    call.error(diag::InvalidShape, name,
               "expected a result of at most 1048576 elements, got " + llvm::Twine(elements));
    return false;
  }
  return true;
}

Value Builtins::join(Semantics &semantics, BoundCall &call) {
  Value a, b;
  if (!matchTypes(semantics, call, "a", "b", a, b) || !semantics.broadcast(a, b) ||
      !checkElements(call, "a", 2 * a.getType().getNumElements())) {
    return Value::poison();
  }
  LangType type = a.getType();
  type.shape.push_back(2);
  mlir::Value result =
      tile::JoinOp::create(semantics.getBuilder(), semantics.loc(),
                           type.getMLIRType(semantics.getContext()), a.getIR(), b.getIR());
  return Value::runtime(result, type);
}

Value Builtins::split(Semantics &semantics, BoundCall &call) {
  Value input = call.getTile("a");
  if (input.isPoison()) {
    return input;
  }
  LangType type = input.getType();
  if (type.isScalar() || type.shape.back() != 2) {
    return call.error(diag::ShapeMismatch, "a",
                      "expected a tile whose last dimension is 2, got " + input.describe());
  }
  type.shape.pop_back();
  mlir::Type half = type.getMLIRType(semantics.getContext());
  auto op =
      tile::SplitOp::create(semantics.getBuilder(), semantics.loc(), half, half, input.getIR());
  return Value::tuple({Value::runtime(op.getLhs(), type), Value::runtime(op.getRhs(), type)});
}

Value Builtins::interleave(Semantics &semantics, BoundCall &call) {
  Value joined = join(semantics, call);
  if (joined.isPoison() || joined.getType().getRank() == 1) {
    return joined;
  }
  llvm::SmallVector<int64_t, 4> shape = joined.getType().shape;
  shape.pop_back();
  shape.back() *= 2;
  return semantics.reshape(joined, shape);
}

Value Builtins::cat(Semantics &semantics, BoundCall &call) {
  Value a, b;
  if (!call.getBool("can_reorder", false) || !matchTypes(semantics, call, "input", "other", a, b)) {
    return Value::poison();
  }
  if (a.getType().isScalar()) {
    return call.error(diag::ArgumentType, "input",
                      "expected a tile of rank 1 or more, got " + a.describe());
  }
  int64_t axis = 0;
  if (call.has("dim")) {
    std::optional<int64_t> given = axisArgument(call, "dim", a);
    if (!given) {
      return Value::poison();
    }
    axis = *given;
  }
  LangType type = a.getType();
  bool sameRank = b.getType().getRank() == type.getRank();
  for (int64_t d = 0; d < static_cast<int64_t>(type.getRank()); ++d) {
    if (!sameRank || (d != axis && type.shape[d] != b.getType().shape[d])) {
      return call.error(diag::ShapeMismatch, "other",
                        "expected the shape of 'input', " + a.describe() +
                            ", but along dimension " + llvm::Twine(axis) + ", got " + b.describe());
    }
  }
  type.shape[axis] += b.getType().shape[axis];
  if (!Semantics::isTileExtent(type.shape[axis])) {
    return call.error(diag::InvalidShape, "other",
                      "expected a power of two or a multiple of 16 as the size of the result "
                      "along dimension " +
                          llvm::Twine(axis) + ", got " + llvm::Twine(type.shape[axis]));
  }
  if (!checkElements(call, "input", type.getNumElements())) {
    return Value::poison();
  }
  mlir::Value result = tile::CatOp::create(semantics.getBuilder(), semantics.loc(),
                                           type.getMLIRType(semantics.getContext()), a.getIR(),
                                           b.getIR(), static_cast<uint32_t>(axis));
  return Value::runtime(result, type);
}

Value Builtins::flip(Semantics &semantics, BoundCall &call) {
  Value x = call.getTile("x");
  if (x.isPoison()) {
    return x;
  }
  const LangType &type = x.getType();
  if (type.isScalar()) {
    return call.error(diag::ArgumentType, "x",
                      "expected a tile of rank 1 or more, got " + x.describe());
  }
  int64_t axis = type.getRank() - 1;
  if (call.has("dim")) {
    std::optional<int64_t> given = axisArgument(call, "dim", x);
    if (!given) {
      return Value::poison();
    }
    axis = *given;
  }
  llvm::SmallVector<int64_t, 4> offsets(type.shape.size(), 0), steps(type.shape.size(), 1);
  offsets[axis] = type.shape[axis] - 1;
  steps[axis] = -1;
  mlir::Value result = tile::SliceOp::create(semantics.getBuilder(), semantics.loc(),
                                             x.getIR().getType(), x.getIR(), offsets, steps);
  return Value::runtime(result, type);
}

Value Builtins::gather(Semantics &semantics, BoundCall &call) {
  Value source = call.getTile("src"), index = call.getTile("index");
  if (source.isPoison() || index.isPoison()) {
    return Value::poison();
  }
  if (source.getType().isScalar()) {
    return call.error(diag::ArgumentType, "src",
                      "expected a tile of rank 1 or more, got " + source.describe());
  }
  if (!index.getDType().isInt() || index.getDType().isBool() ||
      index.getType().getRank() != source.getType().getRank()) {
    return call.error(diag::ArgumentType, "index",
                      "expected integers in a tile of rank " +
                          llvm::Twine(source.getType().getRank()) + " as 'src' has, got " +
                          index.describe());
  }
  std::optional<int64_t> axis = axisArgument(call, "axis", source);
  if (!axis) {
    return Value::poison();
  }
  for (int64_t d = 0; d < static_cast<int64_t>(source.getType().getRank()); ++d) {
    if (d != *axis && source.getType().shape[d] != index.getType().shape[d]) {
      return call.error(diag::ShapeMismatch, "index",
                        "expected dimension " + llvm::Twine(d) + " to be " +
                            llvm::Twine(source.getType().shape[d]) + " as in 'src', got " +
                            index.describe());
    }
  }
  // The op reads indices as signed: unsigned ones need room.
  if (index.getDType().isUnsignedInt()) {
    index = semantics.cast(index, index.getDType().getBitWidth() < 32 ? Kind::Int32 : Kind::Int64);
  }
  LangType type = index.getType().withDType(source.getDType());
  mlir::Value result = tile::GatherOp::create(
      semantics.getBuilder(), semantics.loc(), type.getMLIRType(semantics.getContext()),
      source.getIR(), index.getIR(), static_cast<uint32_t>(*axis));
  return Value::runtime(result, type);
}

} // namespace tegula::frontend
