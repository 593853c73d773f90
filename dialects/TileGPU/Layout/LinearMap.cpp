//===- LinearMap.cpp - Linear maps from indices to coordinates ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Layout/LinearMap.h"

#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <numeric>

namespace tegula::tilegpu {

llvm::StringRef stringifyAxis(Axis axis) {
  static constexpr const char *names[kNumAxes] = {"register", "lane", "warp", "block", "offset"};
  return names[unsigned(axis)];
}

static uint64_t lowBits(unsigned count) { return (uint64_t(1) << count) - 1; }

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

unsigned LinearMap::getTotalOutputBits() const {
  return std::accumulate(outputBits.begin(), outputBits.end(), 0u);
}

unsigned LinearMap::getTotalInputBits() const {
  unsigned total = 0;
  for (const BitVectors &axis : images) {
    total += axis.size();
  }
  return total;
}

BitVectors LinearMap::getAllImages() const {
  BitVectors all;
  for (const BitVectors &axis : images) {
    llvm::append_range(all, axis);
  }
  return all;
}

llvm::SmallVector<int64_t> LinearMap::getShape() const {
  llvm::SmallVector<int64_t> shape;
  for (unsigned bits : outputBits) {
    shape.push_back(int64_t(1) << bits);
  }
  return shape;
}

uint64_t LinearMap::applyPacked(const Indices &indices) const {
  uint64_t packed = 0;
  for (unsigned axis = 0; axis < kNumAxes; ++axis) {
    assert(indices[axis] >> images[axis].size() == 0 && "index beyond the axis");
    packed ^= multiply(images[axis], indices[axis]);
  }
  return packed;
}

llvm::SmallVector<int64_t> LinearMap::apply(const Indices &indices) const {
  return unpack(applyPacked(indices));
}

uint64_t LinearMap::pack(llvm::ArrayRef<int64_t> coordinates) const {
  assert(coordinates.size() == getRank());
  uint64_t packed = 0;
  for (auto [bits, coordinate] : llvm::zip(outputBits, coordinates)) {
    assert(coordinate >= 0 && uint64_t(coordinate) >> bits == 0 && "coordinate beyond the tile");
    packed = packed << bits | uint64_t(coordinate);
  }
  return packed;
}

llvm::SmallVector<int64_t> LinearMap::unpack(uint64_t packed) const {
  llvm::SmallVector<int64_t> coordinates(getRank());
  for (unsigned dim = getRank(); dim-- > 0;) {
    coordinates[dim] = int64_t(packed & lowBits(outputBits[dim]));
    packed >>= outputBits[dim];
  }
  return coordinates;
}

bool LinearMap::isSurjective() const {
  return BitSpan(getAllImages()).getDimension() == getTotalOutputBits();
}

bool LinearMap::isInjective() const {
  return BitSpan(getAllImages()).getDimension() == getTotalInputBits();
}

uint32_t LinearMap::getFreeBits(Axis axis) const {
  uint32_t mask = 0;
  for (auto [bit, image] : llvm::enumerate(getImages(axis))) {
    mask |= uint32_t(image == 0) << bit;
  }
  return mask;
}

std::string LinearMap::str() const {
  std::string text;
  for (unsigned axis = 0; axis < kNumAxes; ++axis) {
    if (images[axis].empty()) {
      continue;
    }
    text += (text.empty() ? "" : ", ") + stringifyAxis(Axis(axis)).str() + " = [";
    for (auto [i, image] : llvm::enumerate(images[axis])) {
      text += i == 0 ? "(" : ", (";
      for (auto [dim, coordinate] : llvm::enumerate(unpack(image))) {
        text += (dim == 0 ? "" : ", ") + std::to_string(coordinate);
      }
      text += ")";
    }
    text += "]";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Making maps of maps
//===----------------------------------------------------------------------===//

LinearMap LinearMap::identity(Axis axis, unsigned bits, unsigned dim, unsigned rank) {
  LinearMap map(rank);
  map.outputBits[dim] = bits;
  map.images[unsigned(axis)] = BitVectors();
  for (unsigned i = 0; i < bits; ++i) {
    map.images[unsigned(axis)].push_back(uint64_t(1) << i); // the other sizes are 1
  }
  return map;
}

LinearMap LinearMap::zero(Axis axis, unsigned bits, unsigned rank) {
  LinearMap map(rank);
  map.images[unsigned(axis)].assign(bits, 0);
  return map;
}

void LinearMap::addBit(Axis axis, llvm::ArrayRef<int64_t> image) {
  addPackedBit(axis, pack(image));
}

template <typename Fn>
LinearMap LinearMap::mapImages(llvm::ArrayRef<unsigned> newBits, Fn &&fn) const {
  LinearMap result(newBits);
  for (unsigned axis = 0; axis < kNumAxes; ++axis) {
    for (uint64_t image : images[axis]) {
      result.images[axis].push_back(fn(image));
    }
  }
  return result;
}

LinearMap LinearMap::operator*(const LinearMap &outer) const {
  assert(getRank() == outer.getRank());
  llvm::SmallVector<unsigned> bits;
  for (auto [low, high] : llvm::zip(outputBits, outer.outputBits)) {
    bits.push_back(low + high);
  }
  LinearMap result =
      mapImages(bits, [&](uint64_t image) { return LinearMap(bits).pack(unpack(image)); });
  for (unsigned axis = 0; axis < kNumAxes; ++axis) {
    for (uint64_t image : outer.images[axis]) {
      llvm::SmallVector<int64_t> coordinates = outer.unpack(image);
      for (auto [coordinate, low] : llvm::zip(coordinates, outputBits)) {
        coordinate <<= low;
      }
      result.images[axis].push_back(result.pack(coordinates));
    }
  }
  return result;
}

std::optional<LinearMap> LinearMap::divideLeft(const LinearMap &inner) const {
  if (inner.getRank() != getRank()) {
    return std::nullopt;
  }
  llvm::SmallVector<unsigned> bits;
  for (auto [all, low] : llvm::zip(outputBits, inner.outputBits)) {
    if (low > all) {
      return std::nullopt;
    }
    bits.push_back(all - low);
  }
  LinearMap outer(bits);
  for (unsigned axis = 0; axis < kNumAxes; ++axis) {
    const size_t split = inner.images[axis].size();
    if (split > images[axis].size()) {
      return std::nullopt;
    }
    for (auto [i, image] : llvm::enumerate(images[axis])) {
      llvm::SmallVector<int64_t> coordinates = unpack(image);
      if (i < split) {
        if (coordinates != inner.unpack(inner.images[axis][i])) {
          return std::nullopt;
        }
        continue;
      }
      for (auto [coordinate, low] : llvm::zip(coordinates, inner.outputBits)) {
        if (coordinate & int64_t(lowBits(low))) {
          return std::nullopt;
        }
        coordinate >>= low;
      }
      outer.images[axis].push_back(outer.pack(coordinates));
    }
  }
  return outer;
}

LinearMap LinearMap::transpose(llvm::ArrayRef<unsigned> order) const {
  assert(order.size() == getRank());
  llvm::SmallVector<unsigned> bits;
  for (unsigned dim : order) {
    bits.push_back(outputBits[dim]);
  }
  return mapImages(bits, [&](uint64_t image) {
    const llvm::SmallVector<int64_t> from = unpack(image);
    llvm::SmallVector<int64_t> to;
    for (unsigned dim : order) {
      to.push_back(from[dim]);
    }
    return LinearMap(bits).pack(to);
  });
}

LinearMap LinearMap::reshape(llvm::ArrayRef<unsigned> newOutputBits) const {
  assert(std::accumulate(newOutputBits.begin(), newOutputBits.end(), 0u) == getTotalOutputBits());
  return mapImages(newOutputBits, [](uint64_t image) { return image; });
}

LinearMap LinearMap::expandDims(unsigned dim) const {
  llvm::SmallVector<unsigned> bits(outputBits.begin(), outputBits.end());
  bits.insert(bits.begin() + dim, 0);
  return reshape(bits);
}

LinearMap LinearMap::dropDim(unsigned dim) const {
  llvm::SmallVector<unsigned> bits(outputBits.begin(), outputBits.end());
  bits.erase(bits.begin() + dim);
  return mapImages(bits, [&](uint64_t image) {
    llvm::SmallVector<int64_t> coordinates = unpack(image);
    coordinates.erase(coordinates.begin() + dim);
    return LinearMap(bits).pack(coordinates);
  });
}

LinearMap LinearMap::reduceDim(unsigned dim) const {
  LinearMap result = dropDim(dim);
  BitVectors &registers = result.images[unsigned(Axis::Register)];
  llvm::erase(registers, uint64_t(0));
  return result;
}

LinearMap LinearMap::withRegisterBits(unsigned bits) const {
  LinearMap result = *this;
  result.images[unsigned(Axis::Register)].truncate(bits);
  return result;
}

} // namespace tegula::tilegpu
