//===- Views.cpp - What block pointers and tensor descriptors share -------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Views.h"

namespace tegula::frontend {

using Kind = DType::Kind;

static constexpr size_t kMaxRank = 5;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

std::optional<std::vector<Value>> getIntegers(const BoundCall &call, llvm::StringRef name,
                                              DType type, std::optional<size_t> rank) {
  const Value &given = call.get(name);
  std::vector<Value> items = {given};
  if (given.isTuple()) {
    items = given.getItems();
  }
  std::vector<Value> result;
  for (const auto &[i, item] : llvm::enumerate(items)) {
    std::string where = given.isTuple() ? " as item " + std::to_string(i) : "";
    if (item.isPoison()) {
      return std::nullopt;
    }
    if (item.isInt()) {
      if (item.getInt() < type.getIntMin() || item.getInt() > type.getIntMax()) {
        call.error(diag::LiteralRange, name,
                   "expected a number that " + type.getName() + " holds" + where + ", got " +
                       item.repr());
        return std::nullopt;
      }
      result.push_back(Value::integer(item.getInt(), type));
      continue;
    }
    bool isInteger = item.isRuntime() && item.getType().isScalar() && item.getDType().isInt() &&
                     !item.getDType().isBool();
    if (!isInteger) {
      call.error(diag::ArgumentType, name,
                 "expected an integer" + where + ", got " + item.describe());
      return std::nullopt;
    }
    result.push_back(call.semantics.cast(item, type));
  }
  if (rank && result.size() != *rank) {
    call.error(diag::ShapeMismatch, name,
               "expected " + llvm::Twine(*rank) + (*rank == 1 ? " integer" : " integers") +
                   ", one for each dimension of the block, got " + llvm::Twine(result.size()));
    return std::nullopt;
  }
  return result;
}

std::optional<llvm::SmallVector<int64_t, 4>> getBlockShape(const BoundCall &call) {
  std::optional<llvm::SmallVector<int64_t, 4>> shape;
  {
    auto about = call.about("block_shape");
    shape = call.semantics.getShape(call.get("block_shape"));
  }
  if (shape && (shape->empty() || shape->size() > kMaxRank)) {
    call.error(diag::InvalidShape, "block_shape",
               "expected 1 to " + llvm::Twine(kMaxRank) + " dimensions, got " +
                   llvm::Twine(shape->size()));
    return std::nullopt;
  }
  return shape;
}

Value getBase(const BoundCall &call) {
  const Value &base = call.get("base");
  if (!base.isRuntime() || !base.getType().isScalar() || !base.getDType().isPointer()) {
    return call.error(diag::ArgumentType, "base",
                      "expected a scalar pointer, got " + base.describe());
  }
  if (base.getDType().getElement().isVoid()) {
    return call.error(diag::ArgumentType, "base",
                      "cannot access memory of type void; cast the pointer, for example with "
                      ".to(tl.pointer_type(tl.float32))");
  }
  return base;
}

std::optional<bool> paddingOption(const BoundCall &call, const DType &dtype) {
  std::optional<std::string> text = call.getString("padding_option", "");
  if (!text) {
    return std::nullopt;
  }
  bool isNaN = *text == "nan";
  if (!isNaN && !text->empty() && *text != "zero") {
    call.error(diag::InvalidArgument, "padding_option",
               "expected 'zero' or 'nan', got '" + *text + "'");
    return std::nullopt;
  }
  bool hasNaN = dtype.isFloat() && dtype.getKind() != Kind::Fp8E4B15;
  if (isNaN && !hasNaN) {
    call.error(diag::InvalidArgument, "padding_option",
               "expected 'zero', as " + dtype.getName() + " has no NaN, got 'nan'");
    return std::nullopt;
  }
  return isNaN;
}

Value getStored(const BoundCall &call, llvm::StringRef name, const LangType &block) {
  Semantics &semantics = call.semantics;
  const Value &given = call.get(name);
  if (!given.isNumber() && !given.isRuntime()) {
    return call.error(diag::ArgumentType, name,
                      "expected a number or a tile, got " + given.describe());
  }
  bool isPointer = given.isRuntime() && given.getDType().isPointer();
  if (isPointer && block.dtype.isFloat()) {
    return call.error(diag::ArgumentType, name,
                      "expected " + block.dtype.getName() + ", got " + given.describe());
  }
  Value value;
  {
    auto about = call.about(name);
    value = semantics.cast(given, block.dtype);
  }
  if (value.isPoison()) {
    return value;
  }
  llvm::ArrayRef<int64_t> from = value.getType().shape, to = block.shape;
  bool fits = from.size() <= to.size();
  for (unsigned i = 0; fits && i < from.size(); ++i) {
    int64_t dim = from[from.size() - 1 - i];
    fits = dim == 1 || dim == to[to.size() - 1 - i];
  }
  if (!fits) {
    return call.error(diag::ShapeMismatch, name,
                      "expected a shape that broadcasts to that of the block, " + block.getName() +
                          ", got " + value.describe());
  }
  return semantics.broadcastTo(value, to, true);
}

//===----------------------------------------------------------------------===//
// IR
//===----------------------------------------------------------------------===//

mlir::Value toI64(Semantics &semantics, const Value &value) {
  return semantics.cast(value, Kind::Int64).getIR();
}

llvm::SmallVector<mlir::Value> toI64(Semantics &semantics, llvm::ArrayRef<Value> values) {
  return llvm::map_to_vector(values, [&](const Value &one) { return toI64(semantics, one); });
}

mlir::Value makeView(Semantics &semantics, const Value &base, llvm::ArrayRef<Value> shape,
                     llvm::ArrayRef<Value> strides, llvm::ArrayRef<int64_t> blockShape,
                     bool padsWithNaN) {
  mlir::MLIRContext *context = semantics.getContext();
  DType element = base.getDType().getElement();
  auto type = tile::ViewType::get(context, blockShape, element.getMLIRType(context));
  tile::Fp8KindAttr kind;
  if (padsWithNaN && element.isFp8()) {
    kind = tile::Fp8KindAttr::get(context, fp8Kind(element));
  }
  llvm::SmallVector<mlir::Value> sizes = toI64(semantics, shape);
  llvm::SmallVector<mlir::Value> steps = toI64(semantics, strides);
  return tile::MakeViewOp::create(
      semantics.getBuilder(), semantics.loc(), type, base.getIR(), sizes, steps,
      tile::PaddingAttr::get(context, padsWithNaN ? tile::Padding::NaN : tile::Padding::Zero),
      kind);
}

} // namespace tegula::frontend
