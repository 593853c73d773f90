//===- SharedAccess.cpp - Tiles in shared memory ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Places.h"

#include "SharedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace tegula::tilegpu;

unsigned tegula::tilegpu::getSharedBytes(Type element) {
  if (isa<LLVM::LLVMPointerType, tile::PtrType, IndexType>(element)) {
    return 8;
  }
  return llvm::bit_ceil((element.getIntOrFloatBitWidth() + 7) / 8);
}

/// The type as which elements lie in memory: whole bytes.
static Type getStored(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!isa<IntegerType>(element)) {
    return type;
  }
  Type stored = IntegerType::get(type.getContext(), 8 * getSharedBytes(element));
  if (auto vector = dyn_cast<VectorType>(type)) {
    return vector.clone(stored);
  }
  return stored;
}

/// Alignment of one access: its size, where that is a power of two.
static unsigned getAlignment(Type type) {
  unsigned bytes = getSharedBytes(getElementTypeOrSelf(type));
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (llvm::isPowerOf2_64(vector.getNumElements())) {
      bytes *= vector.getNumElements();
    }
  }
  return std::min(bytes, 16u);
}

Value ThreadBuilder::sharedAddress(int64_t offset) {
  auto type = LLVM::LLVMPointerType::get(builder.getContext(), 3);
  Value base = SharedBaseOp::create(builder, loc, type);
  if (offset == 0) {
    return base;
  }
  return LLVM::GEPOp::create(builder, loc, type, builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

Value ThreadBuilder::offsetBytes(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

void ThreadBuilder::storeShared(Value pointer, Value value) {
  Type stored = getStored(value.getType());
  if (stored != value.getType()) {
    value = arith::ExtUIOp::create(builder, loc, stored, value);
  }
  LLVM::StoreOp::create(builder, loc, value, pointer, getAlignment(stored));
}

Value ThreadBuilder::loadShared(Value pointer, Type type) {
  Type stored = getStored(type);
  Value value = LLVM::LoadOp::create(builder, loc, stored, pointer, getAlignment(stored));
  return stored == type ? value : Value(arith::TruncIOp::create(builder, loc, type, value));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

SharedPlaces::SharedPlaces(ThreadBuilder &build, const Places &places, Type element, int64_t offset)
    : build(build), places(places), bytes(getSharedBytes(element)), offset(offset),
      bases(places.getNumKeys()), numbers(places.getNumKeys()) {}

Value SharedPlaces::getAddress(unsigned index) {
  Value &base = bases[places.getKey(index)];
  if (!base) {
    base = build.sharedAddress(offset);
    if (Value number = places.getBase(build, places.getKey(index))) {
      if (bytes != 1) {
        auto flags = arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
        number = arith::MulIOp::create(build.builder, build.loc, number, build.i32(bytes), flags);
      }
      base = build.offsetBytes(base, number);
    }
  }
  int64_t constant = places.getConstant(index) * bytes;
  return constant == 0 ? base : build.offsetBytes(base, build.i32(constant));
}

Value SharedPlaces::getNumber(unsigned index) {
  unsigned key = places.getKey(index);
  if (!numbers[key]) {
    numbers[key] = places.getBase(build, key);
    if (!numbers[key]) {
      numbers[key] = build.i32(0);
    }
  }
  return arith::AddIOp::create(build.builder, build.loc, numbers[key],
                               build.i32(places.getConstant(index)));
}

std::pair<Value, Value> SharedPlaces::getAddress(unsigned index, Window window) {
  OpBuilder &builder = build.builder;
  Location loc = build.loc;
  Value number = getNumber(index);
  Value part =
      arith::ShRUIOp::create(builder, loc, number, build.i32(llvm::Log2_64(uint64_t(window.size))));
  Value isInside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, part, build.i32(window.index));
  Value inside = arith::AndIOp::create(builder, loc, number, build.i32(window.size - 1));
  Value at = arith::MulIOp::create(builder, loc, inside, build.i32(bytes));
  return {build.offsetBytes(build.sharedAddress(offset), at), isInside};
}

void tegula::tilegpu::storeFirstCopies(ThreadBuilder &build, const Layout &layout,
                                       llvm::function_ref<void()> body) {
  if (getCopyBits(layout) == 0) {
    body();
    return;
  }
  OpBuilder::InsertionGuard guard(build.builder);
  auto ifOp = scf::IfOp::create(build.builder, build.loc, build.isFirstCopy(layout),
                                /*withElseRegion=*/false);
  build.builder.setInsertionPointToStart(ifOp.thenBlock());
  body();
}

/// Elements of one access of at most 16 bytes.
static unsigned getLimit(Type element) { return 16 / std::min(16u, getSharedBytes(element)); }

void tegula::tilegpu::storePlaces(ThreadBuilder &build, Value vector, const Layout &layout,
                                  const Places &places, int64_t offset, Window window) {
  OpBuilder &builder = build.builder;
  Type element = cast<VectorType>(vector.getType()).getElementType();
  llvm::BitVector copied = getCopiedRegisters(layout);
  storeFirstCopies(build, layout, [&] {
    SharedPlaces memory(build, places, element, offset);
    for (ArrayRef<unsigned> run : places.getRuns(getLimit(element))) {
      if (copied[run[0]]) {
        continue;
      }
      SmallVector<int64_t> registers(run.begin(), run.end());
      Value part = run.size() == 1
                       ? Value(vector::ExtractOp::create(builder, build.loc, vector, registers))
                       : build.pick(vector, registers);
      if (window.size == 0) {
        build.storeShared(memory.getAddress(run[0]), part);
        continue;
      }
      auto [address, isInside] = memory.getAddress(run[0], window);
      OpBuilder::InsertionGuard guard(builder);
      auto ifOp = scf::IfOp::create(builder, build.loc, isInside, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(ifOp.thenBlock());
      build.storeShared(address, part);
    }
  });
}

Value tegula::tilegpu::loadPlaces(ThreadBuilder &build, Type element, const Places &places,
                                  int64_t offset, Window window, Value rest) {
  SharedPlaces memory(build, places, element, offset);
  SmallVector<Value> registers(places.size());
  std::map<std::pair<unsigned, int64_t>, Value> known;
  for (ArrayRef<unsigned> run : places.getRuns(getLimit(element))) {
    Type type = run.size() == 1 ? element : VectorType::get({int64_t(run.size())}, element);
    Value address, isInside;
    if (window.size == 0) {
      address = memory.getAddress(run[0]);
    } else {
      std::tie(address, isInside) = memory.getAddress(run[0], window);
    }
    SmallVector<Value> parts = build.unpack(build.loadShared(address, type));
    for (auto [index, part] : llvm::zip(run, parts)) {
      if (isInside && rest) {
        Value before = vector::ExtractOp::create(build.builder, build.loc, rest,
                                                 ArrayRef<int64_t>{int64_t(index)});
        part = arith::SelectOp::create(build.builder, build.loc, isInside, part, before);
      }
      known[{places.getKey(index), places.getConstant(index)}] = part;
    }
  }
  for (unsigned i = 0; i < places.size(); ++i) {
    registers[i] = known.at({places.getKey(i), places.getConstant(i)});
  }
  return build.pack(registers);
}

void ThreadBuilder::storeRowMajor(Value vector, const Layout &layout, int64_t offset) {
  storePlaces(*this, vector, layout, Places(layout), offset);
}

Value ThreadBuilder::loadRowMajor(Type element, const Layout &layout, int64_t offset) {
  return loadPlaces(*this, element, Places(layout), offset);
}
