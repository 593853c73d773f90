//===- Places.cpp - Where the registers of a thread lie -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Places.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;

namespace tegula::tilegpu {

BitVectors getThreadImages(const Layout &layout) {
  BitVectors images;
  llvm::append_range(images, layout.getInner().getImages(Axis::Lane));
  llvm::append_range(images, layout.getInner().getImages(Axis::Warp));
  return images;
}

uint32_t getCopyBits(const Layout &layout) {
  BitSpan span(layout.getInner().getImages(Axis::Register));
  uint32_t mask = 0;
  for (auto [bit, image] : llvm::enumerate(getThreadImages(layout))) {
    mask |= uint32_t(!span.insert(image)) << bit;
  }
  return mask;
}

llvm::BitVector getCopiedRegisters(const Layout &layout) {
  BitSpan span;
  uint32_t mask = 0;
  ArrayRef<uint64_t> images = layout.getInner().getImages(Axis::Register);
  for (auto [bit, image] : llvm::enumerate(images)) {
    mask |= uint32_t(!span.insert(image)) << bit;
  }
  llvm::BitVector copied(getNumRegisters(layout));
  for (unsigned i = 0; i < copied.size(); ++i) {
    copied[i] = (i & mask) != 0;
  }
  return copied;
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

void Places::addRegisters(const Layout &layout, ArrayRef<unsigned> dims) {
  const LinearMap &inner = layout.getInner();
  SmallVector<int64_t> innerShape = inner.getShape();
  for (uint32_t i = 0; i < getNumRegisters(layout); ++i) {
    Indices indices = {};
    indices[unsigned(Axis::Register)] = i;
    SmallVector<int64_t> coordinates = layout.apply(indices);
    SmallVector<uint64_t> key;
    int64_t constant = 0;
    for (auto [dim, dimension] : llvm::zip(dims, dimensions)) {
      uint64_t meets = coordinates[dim] % innerShape[dim] & dimension.mask;
      key.push_back(meets);
      constant += (coordinates[dim] - int64_t(meets)) * dimension.stride;
    }
    auto known = llvm::find(keys, key);
    registers.push_back({unsigned(known - keys.begin()), constant});
    if (known == keys.end()) {
      keys.push_back(key);
    }
  }
}

Places::Places(const Layout &layout, ArrayRef<int64_t> strides, int64_t origin) {
  const LinearMap &inner = layout.getInner();
  // One packed coordinate says it all where no repetition lies between.
  if (layout.isLinear() && strides.empty()) {
    Dimension &all = dimensions.emplace_back();
    llvm::append_range(all.images, getThreadImages(layout));
    for (uint64_t image : all.images) {
      all.mask |= image;
    }
    for (uint32_t i = 0; i < getNumRegisters(layout); ++i) {
      Indices indices = {};
      indices[unsigned(Axis::Register)] = i;
      uint64_t packed = inner.applyPacked(indices);
      SmallVector<uint64_t> key = {packed & all.mask};
      auto known = llvm::find(keys, key);
      registers.push_back({unsigned(known - keys.begin()), int64_t(packed & ~all.mask) + origin});
      if (known == keys.end()) {
        keys.push_back(key);
      }
    }
    return;
  }
  SmallVector<int64_t> shape = layout.getShape();
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < layout.getRank(); ++dim) {
    Dimension &one = dimensions.emplace_back();
    for (uint64_t image : getThreadImages(layout)) {
      one.images.push_back(inner.unpack(image)[dim]);
      one.mask |= one.images.back();
    }
    one.stride = 1;
    if (strides.empty()) {
      for (unsigned next = dim + 1; next < layout.getRank(); ++next) {
        one.stride *= shape[next];
      }
    } else {
      one.stride = strides[dim];
    }
    dims.push_back(dim);
  }
  addRegisters(layout, dims);
  for (Register &one : registers) {
    one.constant += origin;
  }
}

Places Places::ofDimension(const Layout &layout, unsigned dim) {
  SmallVector<int64_t> strides(layout.getRank(), 0);
  strides[dim] = 1;
  Places places(layout, strides, 0);
  // Other dimensions have no part in it: neither in bases nor in keys.
  Places alone = places;
  alone.dimensions = {places.dimensions[dim]};
  alone.keys.clear();
  alone.registers.clear();
  alone.addRegisters(layout, {dim});
  return alone;
}

std::vector<SmallVector<unsigned, 4>> Places::getRuns(unsigned limit) const {
  for (unsigned run = llvm::bit_floor(std::max(1u, limit)); run > 1; run /= 2) {
    bool fits = true;
    for (auto [i, dimension] : llvm::enumerate(dimensions)) {
      for (uint64_t image : dimension.images) {
        fits &= int64_t(image) * dimension.stride % run == 0;
      }
      for (ArrayRef<uint64_t> key : keys) {
        fits &= int64_t(key[i]) * dimension.stride % run == 0;
      }
    }
    if (!fits) {
      continue;
    }
    std::map<std::pair<unsigned, int64_t>, SmallVector<unsigned, 4>> groups;
    std::vector<std::pair<unsigned, int64_t>> order;
    unsigned filled = 0;
    for (auto [i, one] : llvm::enumerate(registers)) {
      // Rounded down, for negative numbers too.
      std::pair<unsigned, int64_t> place(one.key, one.constant & -int64_t(run));
      auto [group, isNew] = groups.try_emplace(place, run, ~0u);
      if (isNew) {
        order.push_back(place);
      }
      unsigned &member = group->second[one.constant & (run - 1)];
      filled += member == ~0u;
      member = std::min<unsigned>(member, i);
    }
    if (filled == groups.size() * run) {
      std::vector<SmallVector<unsigned, 4>> runs;
      for (auto place : order) {
        runs.push_back(groups[place]);
      }
      return runs;
    }
  }
  std::vector<SmallVector<unsigned, 4>> runs;
  for (unsigned i = 0; i < registers.size(); ++i) {
    runs.push_back({i});
  }
  return runs;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Sums of numbers that do not wrap.
static Value add(ThreadBuilder &build, Value lhs, Value rhs) {
  return arith::AddIOp::create(build.builder, build.loc, lhs, rhs,
                               arith::IntegerOverflowFlags::nsw);
}

Value Places::getBase(ThreadBuilder &build, unsigned key) const {
  Value sum;
  for (auto [dimension, meets] : llvm::zip(dimensions, keys[key])) {
    if (dimension.stride == 0 || dimension.mask == 0) {
      continue;
    }
    Value term = build.applyBits(build.threadId(), dimension.images);
    if (meets != 0) {
      term = arith::XOrIOp::create(build.builder, build.loc, term, build.i32(meets));
    }
    if (dimension.stride != 1) {
      term = arith::MulIOp::create(build.builder, build.loc, term, build.i32(dimension.stride),
                                   arith::IntegerOverflowFlags::nsw);
    }
    sum = sum ? add(build, sum, term) : term;
  }
  return sum;
}

Value Places::getVector(ThreadBuilder &build) const {
  OpBuilder &builder = build.builder;
  auto type = VectorType::get({int64_t(registers.size())}, builder.getI32Type());
  SmallVector<int32_t> constants;
  for (const Register &one : registers) {
    constants.push_back(int32_t(one.constant));
  }
  Value behind = arith::ConstantOp::create(builder, build.loc,
                                           DenseElementsAttr::get(type, ArrayRef(constants)));
  SmallVector<Value> bases;
  for (unsigned key = 0; key < keys.size(); ++key) {
    bases.push_back(getBase(build, key));
  }
  if (!bases[0]) {
    return behind; // no thread has bits, and then no key has
  }
  Value front;
  if (bases.size() == 1) {
    front = vector::BroadcastOp::create(builder, build.loc, type, bases[0]);
  } else {
    SmallVector<Value> elements;
    for (const Register &one : registers) {
      elements.push_back(bases[one.key]);
    }
    front = build.pack(elements);
  }
  return llvm::all_of(constants, [](int32_t c) { return c == 0; }) ? front
                                                                   : add(build, front, behind);
}

} // namespace tegula::tilegpu
