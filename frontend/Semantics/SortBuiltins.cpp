//===- SortBuiltins.cpp - Sorting and counting ----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Collective.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::frontend {

using Kind = DType::Kind;

namespace {
struct Sorted {
  Value values, indices; ///< indices only where wanted
  int64_t axis = 0;
};
} // namespace

/// The argument `x` ordered along `dim`, by default the last dimension.
static std::optional<Sorted> sortArgument(Semantics &semantics, BoundCall &call, bool descending,
                                          bool withIndices) {
  Value x = call.getTile("x");
  if (x.isPoison()) {
    return std::nullopt;
  }
  DType dtype = x.getDType();
  if (x.getType().isScalar() || dtype.isPointer()) {
    call.error(diag::ArgumentType, "x", "expected a tile of numbers, got " + x.describe());
    return std::nullopt;
  }
  Sorted sorted;
  sorted.axis = x.getType().getRank() - 1;
  if (call.has("dim")) {
    std::optional<int64_t> given = axisArgument(call, "dim", x);
    if (!given) {
      return std::nullopt;
    }
    sorted.axis = *given;
  }
  // 8-bit floats have no order of their own; the wider type holds each of them.
  Value key = semantics.widenFp8(x);
  llvm::SmallVector<mlir::Value, 2> operands = {key.getIR()};
  if (withIndices) {
    operands.push_back(positions(semantics, x.getType(), sorted.axis).getIR());
  }
  auto op = tile::SortOp::create(
      semantics.getBuilder(), semantics.loc(), mlir::ValueRange(operands).getTypes(), operands,
      static_cast<uint32_t>(sorted.axis),
      descending ? tile::SortOrder::Descending : tile::SortOrder::Ascending,
      dtype.isUnsignedInt() ? tile::Signedness::Unsigned : tile::Signedness::Signed);
  sorted.values = semantics.cast(Value::runtime(op.getResult(0), key.getType()), dtype);
  if (withIndices) {
    sorted.indices = Value::runtime(op.getResult(1), x.getType().withDType(Kind::Int32));
  }
  return sorted;
}

Value Builtins::sort(Semantics &semantics, BoundCall &call) {
  std::optional<bool> descending = call.getBool("descending", false);
  std::optional<bool> indices = descending ? call.getBool("return_indices", false) : std::nullopt;
  std::optional<Sorted> sorted =
      indices ? sortArgument(semantics, call, *descending, *indices) : std::nullopt;
  if (!sorted) {
    return Value::poison();
  }
  return *indices ? Value::tuple({sorted->values, sorted->indices}) : sorted->values;
}

Value Builtins::argsort(Semantics &semantics, BoundCall &call) {
  std::optional<bool> descending = call.getBool("descending", false);
  std::optional<Sorted> sorted =
      descending ? sortArgument(semantics, call, *descending, true) : std::nullopt;
  return sorted ? sorted->indices : Value::poison();
}

Value Builtins::bitonicMerge(Semantics &semantics, BoundCall &call) {
  std::optional<bool> descending = call.getBool("descending", false);
  std::optional<Sorted> sorted =
      descending ? sortArgument(semantics, call, *descending, false) : std::nullopt;
  return sorted ? sorted->values : Value::poison();
}

/// The first `count` elements along `axis`.
static Value takeFirst(Semantics &semantics, const Value &tile, int64_t axis, int64_t count) {
  LangType type = tile.getType();
  type.shape[axis] = count;
  llvm::SmallVector<int64_t, 4> offsets(type.shape.size(), 0), steps(type.shape.size(), 1);
  mlir::Value result =
      tile::SliceOp::create(semantics.getBuilder(), semantics.loc(),
                            type.getMLIRType(semantics.getContext()), tile.getIR(), offsets, steps);
  return Value::runtime(result, type);
}

Value Builtins::topk(Semantics &semantics, BoundCall &call) {
  std::optional<bool> descending = call.getBool("descending", true);
  std::optional<bool> indices = descending ? call.getBool("return_indices", false) : std::nullopt;
  std::optional<int64_t> k = indices ? call.getInt("k") : std::nullopt;
  std::optional<Sorted> sorted =
      k ? sortArgument(semantics, call, *descending, *indices) : std::nullopt;
  if (!sorted) {
    return Value::poison();
  }
  int64_t size = sorted->values.getType().shape[sorted->axis];
  if (*k > size || !Semantics::isTileExtent(*k)) {
    return call.error(diag::InvalidArgument, "k",
                      "expected a power of two or a multiple of 16 from 1 to " + llvm::Twine(size) +
                          ", got " + llvm::Twine(*k));
  }
  Value values = takeFirst(semantics, sorted->values, sorted->axis, *k);
  return *indices ? Value::tuple({values, takeFirst(semantics, sorted->indices, sorted->axis, *k)})
                  : values;
}

Value Builtins::histogram(Semantics &semantics, BoundCall &call) {
  Value input = call.getTile("input");
  if (input.isPoison()) {
    return input;
  }
  DType dtype = input.getDType();
  if (!dtype.isInt() || dtype.isBool() || input.getType().getRank() != 1) {
    bool isTile = dtype.isInt() && !dtype.isBool() && input.getType().getRank() > 1;
    return call.error(diag::ArgumentType, "input",
                      "expected integers in a tile of rank 1, got " + input.describe() +
                          (isTile ? "; flatten it with tl.ravel" : ""));
  }
  std::optional<int64_t> bins = call.getInt("num_bins");
  if (!bins) {
    return Value::poison();
  }
  if (*bins > (1 << 20) || !Semantics::isTileExtent(*bins)) {
    return call.error(diag::InvalidArgument, "num_bins",
                      "expected a power of two or a multiple of 16 from 1 to 1048576, got " +
                          llvm::Twine(*bins) + Semantics::nextTileExtent(*bins));
  }
  mlir::Value mask;
  if (call.has("mask")) {
    const Value &given = call.get("mask");
    Value bools = given.isNumber() ? semantics.cast(given, Kind::Int1) : given;
    if (!bools.isRuntime() || !bools.getDType().isBool()) {
      return call.error(diag::ArgumentType, "mask",
                        "expected bools (int1), got " + given.describe());
    }
    Semantics::OfArgument about = call.about("mask");
    bools = semantics.broadcastTo(bools, input.getType().shape);
    if (bools.isPoison()) {
      return bools;
    }
    mask = bools.getIR();
  }
  // The op reads its source as signed: small unsigned numbers need room. Large ones are beyond
  // all bins, as negative ones are.
  if (dtype.isUnsignedInt() && dtype.getBitWidth() < 32) {
    input = semantics.cast(input, Kind::Int32);
  }
  LangType type(Kind::Int32, {*bins});
  mlir::Value result =
      tile::HistogramOp::create(semantics.getBuilder(), semantics.loc(),
                                type.getMLIRType(semantics.getContext()), input.getIR(), mask);
  return Value::runtime(result, type);
}

} // namespace tegula::frontend
