//===- Reduce.cpp - tl.reduce and tl.associative_scan ---------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Collective.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::frontend {

bool buildCombiner(Semantics &semantics, BoundCall &call, mlir::Region &region,
                   llvm::ArrayRef<DType> dtypes, const Value &combine) {
  mlir::OpBuilder &builder = semantics.getBuilder();
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Location loc = semantics.loc();
  llvm::SmallVector<mlir::Type> types;
  for (int side = 0; side < 2; ++side) {
    for (const DType &dtype : dtypes) {
      types.push_back(dtype.getMLIRType(builder.getContext()));
    }
  }
  llvm::SmallVector<mlir::Location> locations(types.size(), loc);
  mlir::Block *block = builder.createBlock(&region, {}, types, locations);
  CallArgs args;
  for (auto [i, argument] : llvm::enumerate(block->getArguments())) {
    args.positional.push_back(Value::runtime(argument, dtypes[i % dtypes.size()]));
  }
  Value result = semantics.call(combine, args);
  if (result.isPoison()) {
    return false;
  }
  std::vector<Value> results =
      result.isTuple() ? std::vector<Value>(result.getItems()) : std::vector<Value>{result};
  if (results.size() != dtypes.size()) {
    call.error(diag::CombineFunction, "combine_fn",
               "expected a function that returns " +
                   (dtypes.size() == 1 ? "one value" : std::to_string(dtypes.size()) + " values") +
                   ", got " + llvm::Twine(results.size()));
    return false;
  }
  llvm::SmallVector<mlir::Value> yielded;
  for (const auto &[i, value] : llvm::enumerate(results)) {
    bool scalar = value.isNumber() || (value.isRuntime() && value.getType().isScalar());
    if (!scalar) {
      call.error(diag::CombineFunction, "combine_fn",
                 "expected a function that returns scalars, got one that returns " +
                     value.describe());
      return false;
    }
    Value converted = semantics.cast(value, dtypes[i]);
    if (converted.isPoison()) {
      return false;
    }
    yielded.push_back(converted.getIR());
  }
  tile::YieldOp::create(builder, loc, yielded);
  return true;
}

std::optional<std::vector<Value>> collectiveInputs(Semantics &semantics, BoundCall &call) {
  const Value &input = call.get("input");
  std::vector<Value> inputs =
      input.isTuple() ? std::vector<Value>(input.getItems()) : std::vector<Value>{input};
  if (inputs.empty()) {
    call.error(diag::ArgumentType, "input", "expected at least one tile, got an empty tuple");
    return std::nullopt;
  }
  for (Value &tile : inputs) {
    if (!tile.isNumber() && !tile.isRuntime()) {
      if (!tile.isPoison()) {
        call.error(diag::ArgumentType, "input", "expected tiles, got " + tile.describe());
      }
      return std::nullopt;
    }
    Semantics::OfArgument about = call.about("input");
    tile = semantics.toRuntime(tile);
    if (tile.isPoison()) {
      return std::nullopt;
    }
    if (tile.getType().shape != inputs[0].getType().shape) {
      call.error(diag::ShapeMismatch, "input",
                 "expected tiles of one shape, got " + inputs[0].describe() + " and " +
                     tile.describe());
      return std::nullopt;
    }
  }
  return inputs;
}

std::optional<int64_t> axisArgument(const BoundCall &call, llvm::StringRef name,
                                    const Value &tile) {
  int64_t rank = tile.getType().getRank();
  std::optional<int64_t> given = call.getInt(name);
  if (given && (*given < -rank || *given >= rank)) {
    call.error(diag::InvalidAxis, name,
               "expected an axis from " + llvm::Twine(-rank) + " to " + llvm::Twine(rank - 1) +
                   " for " + tile.describe() + ", got " + llvm::Twine(*given));
    return std::nullopt;
  }
  return given && *given < 0 ? std::optional(*given + rank) : given;
}

/// The argument `combine_fn`; false after a report.
static bool checkCombine(const BoundCall &call) {
  const Value &combine = call.get("combine_fn");
  if (!combine.isCallable()) {
    call.error(diag::CombineFunction, "combine_fn",
               "expected a function, got " + combine.describe());
  }
  return combine.isCallable();
}

Value Builtins::reduce(Semantics &semantics, BoundCall &call) {
  const Value &input = call.get("input"), &combine = call.get("combine_fn");
  std::optional<bool> keepDims = call.getBool("keep_dims", false);
  if (!keepDims || !checkCombine(call)) {
    return Value::poison();
  }
  std::optional<std::vector<Value>> given = collectiveInputs(semantics, call);
  if (!given) {
    return Value::poison();
  }
  std::vector<Value> &inputs = *given;
  int64_t rank = inputs[0].getType().getRank();
  if (rank == 0) {
    return input.isTuple() ? Value::tuple(inputs) : inputs[0];
  }

  int64_t axis = 0;
  bool whole = !call.has("axis");
  if (!whole) {
    std::optional<int64_t> checked = axisArgument(call, "axis", inputs[0]);
    if (!checked) {
      return Value::poison();
    }
    axis = *checked;
  } else if (rank > 1) {
    for (Value &tile : inputs) {
      // Elements keep their order: the function need not be commutative.
      tile = semantics.reshape(tile, {tile.getType().getNumElements()});
    }
  }

  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Type> resultTypes;
  llvm::SmallVector<LangType> types;
  llvm::SmallVector<DType> dtypes;
  for (const Value &tile : inputs) {
    LangType type = tile.getType();
    type.shape.erase(type.shape.begin() + axis);
    operands.push_back(tile.getIR());
    dtypes.push_back(type.dtype);
    resultTypes.push_back(type.getMLIRType(semantics.getContext()));
    types.push_back(std::move(type));
  }
  auto op = tile::ReduceOp::create(semantics.getBuilder(), semantics.loc(), resultTypes, operands,
                                   static_cast<uint32_t>(axis));
  if (!buildCombiner(semantics, call, op.getCombiner(), dtypes, combine)) {
    op.erase();
    return Value::poison();
  }

  std::vector<Value> results;
  for (const auto &[i, type] : llvm::enumerate(types)) {
    Value result = Value::runtime(op.getResult(i), type);
    if (*keepDims) {
      for (int64_t d = 0; d < (whole ? rank : 1); ++d) {
        result = semantics.expandDims(result, whole ? 0 : axis);
      }
    }
    results.push_back(result);
  }
  return input.isTuple() ? Value::tuple(std::move(results)) : results[0];
}

Value Builtins::associativeScan(Semantics &semantics, BoundCall &call) {
  const Value &input = call.get("input");
  std::optional<bool> reverse = call.getBool("reverse", false);
  if (!reverse || !checkCombine(call)) {
    return Value::poison();
  }
  std::optional<std::vector<Value>> inputs = collectiveInputs(semantics, call);
  if (!inputs) {
    return Value::poison();
  }
  if (inputs->front().getType().isScalar()) {
    return input.isTuple() ? Value::tuple(*inputs) : inputs->front();
  }
  std::optional<int64_t> axis = axisArgument(call, "axis", inputs->front());
  if (!axis) {
    return Value::poison();
  }
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<DType> dtypes;
  for (const Value &tile : *inputs) {
    operands.push_back(tile.getIR());
    types.push_back(tile.getIR().getType());
    dtypes.push_back(tile.getDType());
  }
  auto op = tile::ScanOp::create(semantics.getBuilder(), semantics.loc(), types, operands,
                                 static_cast<uint32_t>(*axis), *reverse);
  if (!buildCombiner(semantics, call, op.getCombiner(), dtypes, call.get("combine_fn"))) {
    op.erase();
    return Value::poison();
  }
  std::vector<Value> results;
  for (const auto &[i, tile] : llvm::enumerate(*inputs)) {
    results.push_back(Value::runtime(op.getResult(i), tile.getType()));
  }
  return input.isTuple() ? Value::tuple(std::move(results)) : results[0];
}

Value positions(Semantics &semantics, const LangType &tile, int64_t axis) {
  int64_t size = tile.shape[axis];
  LangType line(DType::Kind::Int32, {size});
  mlir::Value range = tile::RangeOp::create(semantics.getBuilder(), semantics.loc(),
                                            line.getMLIRType(semantics.getContext()), uint32_t(0),
                                            static_cast<uint32_t>(size));
  llvm::SmallVector<int64_t, 4> shape(tile.shape.size(), 1);
  shape[axis] = size;
  Value result = semantics.reshape(Value::runtime(range, line), shape);
  return semantics.broadcastTo(result, tile.shape);
}

} // namespace tegula::frontend
