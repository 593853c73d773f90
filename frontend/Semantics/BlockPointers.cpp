//===- BlockPointers.cpp - tl.make_block_ptr, tl.advance ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryArguments.h"
#include "Views.h"
#include "llvm/ADT/STLExtras.h"

namespace tegula::frontend {

using Kind = DType::Kind;

/// The type of a pointer to a block: its `element_ty` is that of the block.
static LangType pointerToBlock(Semantics &semantics, const LangType &block) {
  LangType type = block;
  type.opaqueType = tile::ViewType::get(semantics.getContext(), block.shape,
                                        block.dtype.getMLIRType(semantics.getContext()));
  return type;
}

static LangType blockOf(const Value &pointer) {
  LangType type = pointer.getField("type").getType();
  type.opaqueType = {};
  return type;
}

/// Whether `order` is a permutation of the dimensions; false after a report.
static bool checkOrder(const BoundCall &call, size_t rank) {
  const Value &given = call.get("order");
  std::vector<Value> items = {given};
  if (given.isTuple()) {
    items = given.getItems();
  }
  llvm::SmallVector<bool, 8> seen(rank, false);
  bool fits = items.size() == rank;
  for (const Value &item : items) {
    if (!item.isInt()) {
      call.error(item.isRuntime() ? diag::NotConstexpr : diag::ArgumentType, "order",
                 "expected compile-time integers, got " + item.describeForConstant());
      return false;
    }
    fits = fits && item.getInt() >= 0 && item.getInt() < static_cast<BigInt>(rank) &&
           !seen[static_cast<size_t>(item.getInt())];
    if (fits) {
      seen[static_cast<size_t>(item.getInt())] = true;
    }
  }
  if (!fits) {
    call.error(diag::InvalidAxis, "order",
               "expected each dimension of the block once, 0 to " + llvm::Twine(rank - 1) +
                   ", got " + given.repr());
  }
  return fits;
}

/// Offsets change in loops: they are run-time values from the start.
static Value offsetsOf(Semantics &semantics, llvm::ArrayRef<Value> offsets) {
  std::vector<Value> items;
  for (const Value &offset : offsets) {
    items.push_back(semantics.cast(offset, Kind::Int64));
  }
  return Value::tuple(std::move(items));
}

Value Builtins::makeBlockPtr(Semantics &semantics, BoundCall &call) {
  Value base = getBase(call);
  if (base.isPoison()) {
    return base;
  }
  auto blockShape = getBlockShape(call);
  if (!blockShape) {
    return Value::poison();
  }
  size_t rank = blockShape->size();
  auto shape = getIntegers(call, "shape", Kind::Int64, rank);
  auto strides = shape ? getIntegers(call, "strides", Kind::Int64, rank) : std::nullopt;
  auto offsets = strides ? getIntegers(call, "offsets", Kind::Int64, rank) : std::nullopt;
  if (!offsets || !checkOrder(call, rank)) {
    return Value::poison();
  }
  LangType block(base.getDType().getElement(), *blockShape);
  Value type = Value::type(pointerToBlock(semantics, block));
  StructClassRef cls =
      StructClass::create(StructClass::Kind::BlockPointer, "block pointer of " + block.getName());
  return Value::structure(std::move(cls),
                          {type, type, Value::tuple({}), base, Value::tuple(std::move(*shape)),
                           Value::tuple(std::move(*strides)), offsetsOf(semantics, *offsets)},
                          {"type", "dtype", "shape", "_base", "_shape", "_strides", "_offsets"});
}

Value Builtins::advance(Semantics &semantics, BoundCall &call) {
  const Value &pointer = call.get("base");
  if (!pointer.isStruct(StructClass::Kind::BlockPointer)) {
    bool isPointer = pointer.isRuntime() && pointer.getDType().isPointer();
    return call.error(diag::ArgumentType, "base",
                      "expected a block pointer, got " + pointer.describe() +
                          (isPointer ? "; pointers move by +" : ""));
  }
  llvm::ArrayRef<Value> before = pointer.getField("_offsets").getItems();
  auto steps = getIntegers(call, "offsets", Kind::Int64, before.size());
  if (!steps) {
    return Value::poison();
  }
  std::vector<Value> after;
  for (auto [offset, step] : llvm::zip_equal(before, *steps)) {
    bool stays = step.isInt() && step.getInt() == 0;
    after.push_back(stays ? offset : semantics.binary(ArithOp::Add, offset, step));
  }
  return pointer.withField("_offsets", Value::tuple(std::move(after)));
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// What only pointers take; false after a report.
static bool refuseMask(const BoundCall &call, bool isLoad) {
  if (call.has("mask")) {
    call.error(diag::InvalidArgument, "mask",
               llvm::Twine("expected only with pointers, got a block pointer; use "
                           "'boundary_check'") +
                   (isLoad ? " and 'padding_option'" : ""));
    return false;
  }
  if (isLoad && call.has("other")) {
    call.error(diag::InvalidArgument, "other",
               "expected only with pointers, got a block pointer; use 'padding_option'");
    return false;
  }
  return true;
}

/// The dimensions to check, ascending; nullopt after a report.
static std::optional<llvm::SmallVector<int32_t, 5>> boundaryCheck(const BoundCall &call,
                                                                  size_t rank) {
  const Value &given = call.get("boundary_check");
  llvm::SmallVector<int32_t, 5> dims;
  if (given.isNone()) {
    return dims;
  }
  std::vector<Value> items = {given};
  if (given.isTuple()) {
    items = given.getItems();
  }
  for (const Value &item : items) {
    if (!item.isInt()) {
      call.error(item.isRuntime() ? diag::NotConstexpr : diag::ArgumentType, "boundary_check",
                 "expected compile-time integers, got " + item.describeForConstant());
      return std::nullopt;
    }
    bool exists = item.getInt() >= 0 && item.getInt() < static_cast<BigInt>(rank);
    auto dim = exists ? static_cast<int32_t>(item.getInt()) : -1;
    if (!exists || llvm::is_contained(dims, dim)) {
      call.error(diag::InvalidAxis, "boundary_check",
                 "expected dimensions of the block, 0 to " + llvm::Twine(rank - 1) +
                     ", each at most once, got " + given.repr());
      return std::nullopt;
    }
    dims.push_back(dim);
  }
  llvm::sort(dims);
  return dims;
}

static mlir::Value viewOf(Semantics &semantics, const Value &pointer, bool padsWithNaN) {
  return makeView(semantics, pointer.getField("_base"), pointer.getField("_shape").getItems(),
                  pointer.getField("_strides").getItems(), blockOf(pointer).shape, padsWithNaN);
}

Value loadBlock(Semantics &semantics, const BoundCall &call) {
  const Value &pointer = call.get("pointer");
  LangType block = blockOf(pointer);
  if (!refuseMask(call, true)) {
    return Value::poison();
  }
  auto checked = boundaryCheck(call, block.getRank());
  auto padding = checked ? paddingOption(call, block.dtype) : std::nullopt;
  auto cache = padding ? cacheModifier(call, true) : std::nullopt;
  auto eviction = cache ? evictionPolicy(call) : std::nullopt;
  auto isVolatile = eviction ? call.getBool("volatile", false) : std::nullopt;
  if (!isVolatile) {
    return Value::poison();
  }
  mlir::Value view = viewOf(semantics, pointer, *padding);
  auto offsets = toI64(semantics, pointer.getField("_offsets").getItems());
  mlir::Value result = tile::ViewLoadOp::create(semantics.getBuilder(), semantics.loc(),
                                                block.getMLIRType(semantics.getContext()), view,
                                                offsets, *checked, *cache, *eviction, *isVolatile);
  return Value::runtime(result, block);
}

Value storeBlock(Semantics &semantics, const BoundCall &call) {
  const Value &pointer = call.get("pointer");
  LangType block = blockOf(pointer);
  if (!refuseMask(call, false)) {
    return Value::poison();
  }
  const Value &base = pointer.getField("_base");
  if (base.getDType().isConstPointer()) {
    return call.error(diag::StoreToConst, "pointer",
                      "cannot store through " + base.describe() +
                          ", which the signature declares constant");
  }
  auto checked = boundaryCheck(call, block.getRank());
  auto cache = checked ? cacheModifier(call, false) : std::nullopt;
  auto eviction = cache ? evictionPolicy(call) : std::nullopt;
  if (!eviction) {
    return Value::poison();
  }
  Value value = getStored(call, "value", block);
  if (value.isPoison()) {
    return value;
  }
  mlir::Value view = viewOf(semantics, pointer, false);
  auto offsets = toI64(semantics, pointer.getField("_offsets").getItems());
  tile::ViewStoreOp::create(semantics.getBuilder(), semantics.loc(), view, offsets, value.getIR(),
                            *checked, *cache, *eviction);
  return Value::none();
}

} // namespace tegula::frontend
