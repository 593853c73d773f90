//===- Descriptors.cpp - tl.make_tensor_descriptor and its methods --------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Views.h"
#include "llvm/ADT/StringSwitch.h"
#include <numeric>

namespace tegula::frontend {

using Kind = DType::Kind;

//===----------------------------------------------------------------------===//
// Making one
//===----------------------------------------------------------------------===//

static Value makeDescriptor(const Value &base, std::vector<Value> shape, std::vector<Value> strides,
                            llvm::ArrayRef<int64_t> blockShape, bool padsWithNaN) {
  LangType block(base.getDType().getElement(), blockShape);
  std::vector<Value> dims;
  for (int64_t dim : blockShape) {
    dims.push_back(Value::integer(dim));
  }
  StructClassRef cls = StructClass::create(StructClass::Kind::TensorDescriptor,
                                           "tensor descriptor of " + block.getName() +
                                               (padsWithNaN ? " that pads with NaN" : ""));
  return Value::structure(
      std::move(cls),
      {Value::type(LangType(block.dtype)), Value::tuple(std::move(shape)),
       Value::tuple(std::move(strides)), Value::tuple(std::move(dims)), Value::type(block), base,
       Value::string(padsWithNaN ? "nan" : "zero")},
      {"dtype", "shape", "strides", "block_shape", "block_type", "_base", "_padding"});
}

Value Builtins::makeTensorDescriptor(Semantics &semantics, BoundCall &call) {
  Value base = getBase(call);
  if (base.isPoison()) {
    return base;
  }
  auto blockShape = getBlockShape(call);
  if (!blockShape) {
    return Value::poison();
  }
  size_t rank = blockShape->size();
  auto shape = getIntegers(call, "shape", Kind::Int32, rank);
  auto strides = shape ? getIntegers(call, "strides", Kind::Int64, rank) : std::nullopt;
  if (!strides) {
    return Value::poison();
  }
  // One that is not known until run time is trusted, and works whatever it is.
  if (const Value &last = strides->back(); last.isInt() && last.getInt() != 1) {
    return call.error(diag::InvalidArgument, "strides",
                      "expected 1 as the last stride, got " + last.repr());
  }
  bool padsWithNaN = false;
  if (llvm::is_contained(call.names, "padding_option")) {
    auto padding = paddingOption(call, base.getDType().getElement());
    if (!padding) {
      return Value::poison();
    }
    padsWithNaN = *padding;
  }
  return makeDescriptor(base, std::move(*shape), std::move(*strides), *blockShape, padsWithNaN);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
/// The descriptor of a call.
struct Access {
  const BoundCall &call;
  const Value &descriptor;
  Semantics &semantics = call.semantics;

  LangType getBlock() const { return descriptor.getField("block_type").getType(); }

  mlir::Value makeView() const {
    return frontend::makeView(semantics, descriptor.getField("_base"),
                              descriptor.getField("shape").getItems(),
                              descriptor.getField("strides").getItems(), getBlock().shape,
                              descriptor.getField("_padding").getStr() == "nan");
  }
  std::optional<llvm::SmallVector<mlir::Value>> getOffsets() const {
    auto offsets = getIntegers(call, "offsets", Kind::Int64, getBlock().getRank());
    if (!offsets) {
      return std::nullopt;
    }
    return toI64(semantics, *offsets);
  }
  llvm::SmallVector<int32_t, 5> getAllDims() const {
    llvm::SmallVector<int32_t, 5> dims(getBlock().getRank());
    std::iota(dims.begin(), dims.end(), 0);
    return dims;
  }
};
} // namespace

/// The descriptor given as `desc`; nullopt after a report.
static std::optional<Access> getAccess(const BoundCall &call, bool writes) {
  const Value &descriptor = call.get("desc");
  if (!descriptor.isStruct(StructClass::Kind::TensorDescriptor)) {
    call.error(diag::ArgumentType, "desc",
               "expected a tensor descriptor, got " + descriptor.describe() +
                   "; tl.make_tensor_descriptor makes one");
    return std::nullopt;
  }
  const Value &base = descriptor.getField("_base");
  if (writes && base.getDType().isConstPointer()) {
    call.error(diag::StoreToConst, "desc",
               "cannot store through " + base.describe() +
                   ", which the signature declares constant");
    return std::nullopt;
  }
  return Access{call, descriptor};
}

Value Builtins::descriptorLoad(Semantics &semantics, BoundCall &call) {
  auto access = getAccess(call, false);
  auto offsets = access ? access->getOffsets() : std::nullopt;
  if (!offsets) {
    return Value::poison();
  }
  LangType block = access->getBlock();
  mlir::Value result = tile::ViewLoadOp::create(semantics.getBuilder(), semantics.loc(),
                                                block.getMLIRType(semantics.getContext()),
                                                access->makeView(), *offsets, access->getAllDims());
  return Value::runtime(result, block);
}

Value Builtins::descriptorStore(Semantics &semantics, BoundCall &call) {
  auto access = getAccess(call, true);
  auto offsets = access ? access->getOffsets() : std::nullopt;
  if (!offsets) {
    return Value::poison();
  }
  Value value = getStored(call, "value", access->getBlock());
  if (value.isPoison()) {
    return value;
  }
  tile::ViewStoreOp::create(semantics.getBuilder(), semantics.loc(), access->makeView(), *offsets,
                            value.getIR(), access->getAllDims());
  return Value::none();
}

Value Builtins::experimentalLoad(Semantics &semantics, BoundCall &call) {
  auto access = getAccess(call, false);
  if (!access) {
    return Value::poison();
  }
  LangType block = access->getBlock();
  std::optional<llvm::SmallVector<int64_t, 4>> shape;
  {
    auto about = call.about("shape");
    shape = semantics.getShape(call.get("shape"));
  }
  if (!shape) {
    return Value::poison();
  }
  if (llvm::ArrayRef<int64_t>(*shape) != llvm::ArrayRef<int64_t>(block.shape)) {
    return call.error(diag::ShapeMismatch, "shape",
                      "expected the shape of the descriptor's blocks, " + block.getName() +
                          ", got " + call.get("shape").repr());
  }
  auto dtype = call.getDType("dtype");
  if (!dtype) {
    return Value::poison();
  }
  if (*dtype != block.dtype) {
    return call.error(diag::ArgumentType, "dtype",
                      "expected the type of the descriptor's elements, " + block.dtype.getName() +
                          ", got " + call.get("dtype").repr());
  }
  return descriptorLoad(semantics, call);
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// The kind that a method `atomic_...` is on elements of `dtype`; nullopt if there is none.
/// The types are those that some GPU changes in memory a block at a time.
static std::optional<tile::AtomicKind> atomicKind(llvm::StringRef name, const DType &dtype) {
  using tile::AtomicKind;
  bool isFloat = dtype.isFloat(), isSigned = dtype.isSignedInt();
  bool isHalf = dtype.isFp16() || dtype.isBF16();
  bool isWideInt = dtype.isInt() && dtype.getBitWidth() >= 32;
  if (!isWideInt && !isHalf && !(dtype.isFp32() && name == "atomic_add")) {
    return std::nullopt;
  }
  auto integer = [&](AtomicKind kind) {
    return isFloat ? std::nullopt : std::optional<AtomicKind>(kind);
  };
  return llvm::StringSwitch<std::optional<AtomicKind>>(name)
      .Case("atomic_add", isFloat ? AtomicKind::FAdd : AtomicKind::Add)
      .Case("atomic_max", isFloat    ? AtomicKind::FMax
                          : isSigned ? AtomicKind::Max
                                     : AtomicKind::UMax)
      .Case("atomic_min", isFloat    ? AtomicKind::FMin
                          : isSigned ? AtomicKind::Min
                                     : AtomicKind::UMin)
      .Case("atomic_and", integer(AtomicKind::And))
      .Case("atomic_or", integer(AtomicKind::Or))
      .Case("atomic_xor", integer(AtomicKind::Xor))
      .Default(std::nullopt);
}

Value Builtins::descriptorAtomic(Semantics &semantics, BoundCall &call) {
  auto access = getAccess(call, true);
  if (!access) {
    return Value::poison();
  }
  LangType block = access->getBlock();
  llvm::StringRef name = llvm::StringRef(call.builtin.name).split('.').second;
  std::optional<tile::AtomicKind> kind = atomicKind(name, block.dtype);
  if (!kind) {
    bool isBitwise = name == "atomic_and" || name == "atomic_or" || name == "atomic_xor";
    llvm::StringRef floats = isBitwise              ? ""
                             : name == "atomic_add" ? ", float16, bfloat16 or float32"
                                                    : ", float16 or bfloat16";
    const DType &dtype = block.dtype;
    bool takesPointers =
        dtype.isInt() ? !dtype.isBool() : dtype.isFloat() && !dtype.isFp8() && !isBitwise;
    return semantics.error(diag::OperandType,
                           "expected a descriptor of integers of 32 or 64 bits" + floats + " for " +
                               name + ", got " + access->descriptor.describe() +
                               (takesPointers ? "; use tl." + name + " with pointers" : ""));
  }
  auto offsets = access->getOffsets();
  Value value = offsets ? getStored(call, "value", block) : Value::poison();
  if (value.isPoison()) {
    return value;
  }
  tile::ViewAtomicOp::create(semantics.getBuilder(), semantics.loc(), *kind, access->makeView(),
                             *offsets, value.getIR(), access->getAllDims());
  return Value::none();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// What gather and scatter have in common.
namespace {
struct RowAccess {
  Access access;
  LangType type; ///< of all rows
  mlir::Value rows, column;
};
} // namespace

static std::optional<RowAccess> getRows(const BoundCall &call, bool writes) {
  Semantics &semantics = call.semantics;
  auto access = getAccess(call, writes);
  if (!access) {
    return std::nullopt;
  }
  LangType block = access->getBlock();
  if (block.getRank() != 2 || block.shape[0] != 1) {
    call.error(diag::InvalidShape, "desc",
               "expected blocks of one row, a block_shape of [1, N], got " +
                   access->descriptor.describe());
    return std::nullopt;
  }
  const Value &given = call.get("x_offsets");
  bool isList = given.isRuntime() && given.getType().getRank() == 1 && given.getDType().isInt() &&
                !given.getDType().isBool();
  if (!isList) {
    call.error(diag::ArgumentType, "x_offsets",
               "expected a tile of integers with one dimension, got " + given.describe());
    return std::nullopt;
  }
  int64_t count = given.getType().shape[0];
  LangType type(block.dtype, {count, block.shape[1]});
  if (type.getNumElements() > (1 << 20)) {
    call.error(diag::InvalidShape, "x_offsets",
               "expected a tile of at most 1048576 elements, got " + type.getName());
    return std::nullopt;
  }
  auto column = getIntegers(call, "y_offset", Kind::Int64, 1);
  if (!column) {
    return std::nullopt;
  }
  // The view reads indices as signed.
  DType dtype = given.getDType();
  bool direct = dtype.isSignedInt() && dtype.getBitWidth() >= 16;
  Value rows = direct ? given : semantics.cast(given, Kind::Int64);
  return RowAccess{*access, type, rows.getIR(), toI64(semantics, column->front())};
}

Value Builtins::descriptorGather(Semantics &semantics, BoundCall &call) {
  auto rows = getRows(call, false);
  if (!rows) {
    return Value::poison();
  }
  mlir::Value result = tile::ViewGatherOp::create(
      semantics.getBuilder(), semantics.loc(), rows->type.getMLIRType(semantics.getContext()),
      rows->access.makeView(), rows->rows, rows->column);
  return Value::runtime(result, rows->type);
}

Value Builtins::descriptorScatter(Semantics &semantics, BoundCall &call) {
  auto rows = getRows(call, true);
  if (!rows) {
    return Value::poison();
  }
  Value value = getStored(call, "value", rows->type);
  if (value.isPoison()) {
    return value;
  }
  tile::ViewScatterOp::create(semantics.getBuilder(), semantics.loc(), rows->access.makeView(),
                              rows->rows, rows->column, value.getIR());
  return Value::none();
}

} // namespace tegula::frontend
