//===- Reduce.cpp - tl.reduce ---------------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::frontend {

/// Fills the region of `op` by calling `combine` on its arguments.
static bool buildCombiner(Semantics &semantics, BoundCall &call, mlir::Region &region,
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

Value Builtins::reduce(Semantics &semantics, BoundCall &call) {
  const Value &input = call.get("input"), &combine = call.get("combine_fn");
  std::optional<bool> keepDims = call.getBool("keep_dims", false);
  if (!keepDims) {
    return Value::poison();
  }
  if (!combine.isCallable()) {
    return call.error(diag::CombineFunction, "combine_fn",
                      "expected a function, got " + combine.describe());
  }
  std::vector<Value> inputs =
      input.isTuple() ? std::vector<Value>(input.getItems()) : std::vector<Value>{input};
  if (inputs.empty()) {
    return call.error(diag::ArgumentType, "input",
                      "expected at least one tile, got an empty tuple");
  }
  for (Value &tile : inputs) {
    if (!tile.isNumber() && !tile.isRuntime()) {
      return tile.isPoison() ? tile
                             : call.error(diag::ArgumentType, "input",
                                          "expected tiles, got " + tile.describe());
    }
    Semantics::OfArgument about = call.about("input");
    tile = semantics.toRuntime(tile);
    if (tile.isPoison()) {
      return tile;
    }
    if (tile.getType().shape != inputs[0].getType().shape) {
      return call.error(diag::ShapeMismatch, "input",
                        "expected tiles of one shape, got " + inputs[0].describe() + " and " +
                            tile.describe());
    }
  }
  int64_t rank = inputs[0].getType().getRank();
  if (rank == 0) {
    return input.isTuple() ? Value::tuple(inputs) : inputs[0];
  }

  int64_t axis = 0;
  bool whole = !call.has("axis");
  if (!whole) {
    std::optional<int64_t> given = call.getInt("axis");
    if (!given) {
      return Value::poison();
    }
    if (*given < -rank || *given >= rank) {
      return call.error(diag::InvalidAxis, "axis",
                        "expected an axis from " + llvm::Twine(-rank) + " to " +
                            llvm::Twine(rank - 1) + " for " + inputs[0].describe() + ", got " +
                            llvm::Twine(*given));
    }
    axis = *given < 0 ? *given + rank : *given;
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

} // namespace tegula::frontend
