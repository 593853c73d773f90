//===- MapBuiltins.cpp - Scalar functions and foreign code per element ----===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "tegula/Tile/IR/Tile.h"

namespace tegula::frontend {

/// Numbers and tiles as run-time values of one shape; false after a report.
static bool broadcastAll(Semantics &semantics, const BoundCall &call, llvm::StringRef name,
                         std::vector<Value> &values) {
  Value widest;
  for (Value &value : values) {
    if (!value.isNumber() && !value.isRuntime()) {
      if (!value.isPoison()) {
        call.error(diag::ArgumentType, name, "expected tiles and numbers, got " + value.describe());
      }
      return false;
    }
    Semantics::OfArgument about = call.about(name);
    value = semantics.toRuntime(value);
    if (value.isPoison()) {
      return false;
    }
    Value other = value;
    if (!widest.isPoison() && !semantics.broadcast(widest, other)) {
      return false;
    }
    widest = other;
  }
  for (Value &value : values) {
    value = semantics.broadcastTo(value, widest.getType().shape, true);
  }
  return true;
}

/// The argument `pack`: positive; 0 after a report.
static int64_t packArgument(const BoundCall &call) {
  std::optional<int64_t> pack = call.getInt("pack", 1);
  if (pack && (*pack < 1 || *pack > 64)) {
    call.error(diag::InvalidArgument, "pack", "expected 1 to 64, got " + llvm::Twine(*pack));
    return 0;
  }
  return pack.value_or(0);
}

//===----------------------------------------------------------------------===//
// map_elementwise
//===----------------------------------------------------------------------===//

/// What the mapped function returned, as scalars: `pack` of one type for each result.
static bool checkScalars(Semantics &semantics, BoundCall &call, std::vector<Value> &results,
                         int64_t pack) {
  if (results.empty()) {
    call.error(diag::CombineFunction, "scalar_fn",
               "expected a function that returns at least one value, got an empty tuple");
    return false;
  }
  if (results.size() % pack != 0) {
    call.error(diag::CombineFunction, "scalar_fn",
               "expected a function that returns a multiple of " + llvm::Twine(pack) +
                   " values, got " + llvm::Twine(results.size()));
    return false;
  }
  for (auto [i, value] : llvm::enumerate(results)) {
    if (!value.isNumber() && !(value.isRuntime() && value.getType().isScalar())) {
      call.error(diag::CombineFunction, "scalar_fn",
                 "expected a function that returns scalars, got one that returns " +
                     value.describe());
      return false;
    }
    value = semantics.toRuntime(value);
    const Value &first = results[i - i % pack];
    if (value.isPoison() || first.isPoison()) {
      return false;
    }
    if (value.getDType() != first.getDType()) {
      call.error(diag::CombineFunction, "scalar_fn",
                 "expected a function whose results " + llvm::Twine(i - i % pack) + " and " +
                     llvm::Twine(i) + " are of one type, got " + first.describe() + " and " +
                     value.describe());
      return false;
    }
  }
  return true;
}

Value Builtins::mapElementwise(Semantics &semantics, BoundCall &call) {
  const Value &function = call.get("scalar_fn");
  if (!function.isCallable()) {
    return call.error(diag::CombineFunction, "scalar_fn",
                      "expected a function, got " + function.describe());
  }
  int64_t pack = packArgument(call);
  std::vector<Value> inputs = call.rest;
  if (pack == 0) {
    return Value::poison();
  }
  if (inputs.empty()) {
    return semantics.error(diag::MissingArgument, call.path + " needs at least one tile");
  }
  if (!broadcastAll(semantics, call, "args", inputs)) {
    return Value::poison();
  }
  LangType shape = inputs[0].getType();
  bool isScalar = shape.isScalar();
  int64_t elements = isScalar ? 1 : shape.getNumElements();
  if (elements % pack != 0) {
    return call.error(diag::InvalidArgument, "pack",
                      "expected a divisor of the " + llvm::Twine(elements) + " elements of " +
                          inputs[0].describe() + ", got " + llvm::Twine(pack));
  }
  CallArgs args;
  if (isScalar) {
    // One element: the function as it is.
    args.positional.append(inputs.begin(), inputs.end());
    Value result = semantics.call(function, args);
    if (result.isPoison()) {
      return result;
    }
    std::vector<Value> results =
        result.isTuple() ? std::vector<Value>(result.getItems()) : std::vector<Value>{result};
    if (!checkScalars(semantics, call, results, 1)) {
      return Value::poison();
    }
    return result.isTuple() ? Value::tuple(results) : results[0];
  }

  // The region comes first: what it yields is the type of the op.
  mlir::OpBuilder &builder = semantics.getBuilder();
  mlir::Location loc = semantics.loc();
  mlir::Region region;
  std::vector<Value> results;
  bool isTuple;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    // While it has no op of its own, the region hangs on a stand-in inside the function, so
    // that whoever asks finds what surrounds it.
    llvm::SmallVector<mlir::Type> types;
    for (const Value &input : inputs) {
      types.append(pack, input.getDType().getMLIRType(builder.getContext()));
    }
    llvm::SmallVector<mlir::Location> locations(types.size(), loc);
    mlir::OperationState state(loc, tile::MapOp::getOperationName());
    state.addRegion();
    mlir::Operation *standIn = builder.create(state);
    mlir::Block *block = builder.createBlock(&standIn->getRegion(0), {}, types, locations);
    for (auto [i, argument] : llvm::enumerate(block->getArguments())) {
      args.positional.push_back(Value::runtime(argument, inputs[i / pack].getDType()));
    }
    Value result = semantics.call(function, args);
    isTuple = result.isTuple();
    results = isTuple ? std::vector<Value>(result.getItems()) : std::vector<Value>{result};
    bool fits = !result.isPoison() && checkScalars(semantics, call, results, pack);
    if (fits) {
      llvm::SmallVector<mlir::Value> yielded;
      for (const Value &value : results) {
        yielded.push_back(value.getIR());
      }
      tile::YieldOp::create(builder, loc, yielded);
      region.takeBody(standIn->getRegion(0));
    }
    standIn->erase();
    if (!fits) {
      return Value::poison();
    }
  }
  llvm::SmallVector<mlir::Value> operands;
  for (const Value &input : inputs) {
    operands.push_back(input.getIR());
  }
  llvm::SmallVector<mlir::Type> resultTypes;
  llvm::SmallVector<LangType> langTypes;
  for (size_t i = 0; i < results.size(); i += pack) {
    langTypes.push_back(shape.withDType(results[i].getDType()));
    resultTypes.push_back(langTypes.back().getMLIRType(builder.getContext()));
  }
  auto op = tile::MapOp::create(builder, loc, resultTypes, operands, static_cast<uint32_t>(pack));
  op.getBody().takeBody(region);
  std::vector<Value> tiles;
  for (const auto &[i, type] : llvm::enumerate(langTypes)) {
    tiles.push_back(Value::runtime(op.getResult(i), type));
  }
  return isTuple ? Value::tuple(std::move(tiles)) : tiles[0];
}

//===----------------------------------------------------------------------===//
// inline_asm_elementwise, extern_elementwise
//===----------------------------------------------------------------------===//

/// The argument `args`: one value or a tuple of them.
static std::vector<Value> foreignOperands(const BoundCall &call) {
  const Value &given = call.get("args");
  return given.isTuple() ? std::vector<Value>(given.getItems()) : std::vector<Value>{given};
}

Value Builtins::inlineAsm(Semantics &semantics, BoundCall &call) {
  for (llvm::StringRef name : {"asm", "constraints"}) {
    if (!call.get(name).isStr()) {
      return call.error(diag::ArgumentType, name,
                        "expected a string, got " + call.get(name).describe());
    }
  }
  std::optional<bool> isPure = call.getBool("is_pure", false);
  int64_t pack = isPure ? packArgument(call) : 0;
  if (pack == 0) {
    return Value::poison();
  }
  const Value &wanted = call.get("dtype");
  std::vector<Value> types =
      wanted.isTuple() ? std::vector<Value>(wanted.getItems()) : std::vector<Value>{wanted};
  if (types.empty()) {
    return call.error(diag::ArgumentType, "dtype",
                      "expected at least one type, got an empty tuple");
  }
  for (const Value &type : types) {
    if (!type.isType() || type.getDType().isVoid()) {
      return call.error(diag::ArgumentType, "dtype",
                        "expected a type such as tl.float32 or a tuple of them, got " +
                            type.describe());
    }
  }
  std::vector<Value> operands = foreignOperands(call);
  if (!broadcastAll(semantics, call, "args", operands)) {
    return Value::poison();
  }
  LangType shape = operands.empty() ? LangType() : operands[0].getType();
  llvm::SmallVector<mlir::Value> values;
  for (const Value &operand : operands) {
    values.push_back(operand.getIR());
  }
  llvm::SmallVector<mlir::Type> resultTypes;
  for (const Value &type : types) {
    resultTypes.push_back(shape.withDType(type.getDType()).getMLIRType(semantics.getContext()));
  }
  auto op = tile::InlineAsmOp::create(semantics.getBuilder(), semantics.loc(), resultTypes, values,
                                      call.get("asm").getStr(), call.get("constraints").getStr(),
                                      static_cast<uint32_t>(pack), *isPure);
  std::vector<Value> results;
  for (const auto &[i, type] : llvm::enumerate(types)) {
    results.push_back(Value::runtime(op.getResult(i), shape.withDType(type.getDType())));
  }
  return wanted.isTuple() ? Value::tuple(std::move(results)) : results[0];
}

/// `(fp32, fp32)`
static std::string typeList(llvm::ArrayRef<Value> values) {
  std::string text = "(";
  for (const auto &[i, value] : llvm::enumerate(values)) {
    text += (i ? ", " : "") + value.getDType().getName();
  }
  return text + ")";
}

Value Builtins::externElementwise(Semantics &semantics, BoundCall &call) {
  std::optional<std::string> library = call.getString("lib_name", "");
  std::optional<std::string> path = library ? call.getString("lib_path", "") : std::nullopt;
  std::optional<bool> isPure = path ? call.getBool("is_pure", false) : std::nullopt;
  if (!isPure) {
    return Value::poison();
  }
  std::vector<Value> operands = foreignOperands(call);
  if (operands.empty()) {
    return call.error(diag::ArgumentType, "args", "expected at least one tile, got none");
  }
  if (!broadcastAll(semantics, call, "args", operands)) {
    return Value::poison();
  }
  // A dict is a tuple of pairs here: types of the arguments, and symbol with result type.
  const Value &table = call.get("arg_type_symbol_dict");
  const Value *found = nullptr;
  std::string known;
  bool isTable = table.isTuple() && !table.getItems().empty();
  for (size_t i = 0; isTable && i < table.getItems().size(); ++i) {
    const Value &entry = table.getItems()[i];
    isTable = entry.isTuple() && entry.getItems().size() == 2 && entry.getItems()[0].isTuple() &&
              entry.getItems()[1].isTuple() && entry.getItems()[1].getItems().size() == 2 &&
              entry.getItems()[1].getItems()[0].isStr() &&
              entry.getItems()[1].getItems()[1].isType();
    if (!isTable) {
      break;
    }
    llvm::ArrayRef<Value> key = entry.getItems()[0].getItems();
    isTable = llvm::all_of(key, [](const Value &type) { return type.isType(); });
    if (!isTable) {
      break;
    }
    bool fits = key.size() == operands.size();
    for (size_t k = 0; fits && k < key.size(); ++k) {
      fits = key[k].getDType() == operands[k].getDType();
    }
    found = fits && !found ? &entry.getItems()[1] : found;
    known += (known.empty() ? "" : " or ") + typeList(key);
  }
  if (!isTable) {
    return call.error(diag::ArgumentType, "arg_type_symbol_dict",
                      "expected {(types of arguments, ...): (symbol, type of the result)}, got " +
                          table.describe());
  }
  if (!found) {
    return call.error(diag::ArgumentType, "args",
                      "expected elements of " + known + ", got " + typeList(operands));
  }
  LangType type = operands[0].getType().withDType(found->getItems()[1].getDType());
  llvm::SmallVector<mlir::Value> values;
  for (const Value &operand : operands) {
    values.push_back(operand.getIR());
  }
  mlir::Value result = tile::ExternOp::create(
      semantics.getBuilder(), semantics.loc(), type.getMLIRType(semantics.getContext()), values,
      found->getItems()[0].getStr(), library->empty() ? *path : *library, *isPure);
  return Value::runtime(result, type);
}

} // namespace tegula::frontend
