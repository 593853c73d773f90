//===- Layout.cpp - Linear maps, repeated any number of times -------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Layout/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

namespace tegula::tilegpu {

Layout::Layout(LinearMap map, llvm::ArrayRef<Repetition> list) : inner(std::move(map)) {
  for (const Repetition &repetition : list) {
    assert(repetition.count >= 1 && repetition.dim < inner.getRank());
    const bool isFree = llvm::none_of(repetitions, [&](const Repetition &below) {
      return below.axis == repetition.axis || below.dim == repetition.dim;
    });
    if (isFree && llvm::isPowerOf2_32(repetition.count)) {
      inner = inner * LinearMap::identity(repetition.axis, llvm::Log2_32(repetition.count),
                                          repetition.dim, inner.getRank());
      continue;
    }
    // Neighbours that count on along the same axis and dimension are one.
    if (!repetitions.empty() && repetitions.back().axis == repetition.axis &&
        repetitions.back().dim == repetition.dim) {
      repetitions.back().count *= repetition.count;
    } else if (repetition.count != 1) {
      repetitions.push_back(repetition);
    }
  }
}

llvm::SmallVector<int64_t> Layout::getShape() const {
  llvm::SmallVector<int64_t> shape = inner.getShape();
  for (const Repetition &repetition : repetitions) {
    shape[repetition.dim] *= repetition.count;
  }
  return shape;
}

uint32_t Layout::getSize(Axis axis) const {
  uint32_t size = uint32_t(1) << inner.getInputBits(axis);
  for (const Repetition &repetition : repetitions) {
    size *= repetition.axis == axis ? repetition.count : 1;
  }
  return size;
}

llvm::SmallVector<int64_t> Layout::apply(const Indices &indices) const {
  Indices low = {}, high = {};
  for (unsigned axis = 0; axis < kNumAxes; ++axis) {
    const unsigned bits = inner.getInputBits(Axis(axis));
    low[axis] = indices[axis] & ((uint32_t(1) << bits) - 1);
    high[axis] = indices[axis] >> bits;
  }
  llvm::SmallVector<int64_t> coordinates = inner.apply(low);
  llvm::SmallVector<int64_t> step = inner.getShape();
  for (const Repetition &repetition : repetitions) {
    uint32_t &index = high[unsigned(repetition.axis)];
    coordinates[repetition.dim] += step[repetition.dim] * (index % repetition.count);
    index /= repetition.count;
    step[repetition.dim] *= repetition.count;
  }
  assert(llvm::all_of(high, [](uint32_t index) { return index == 0; }) && "beyond the axis");
  return coordinates;
}

Layout Layout::repeat(Axis axis, unsigned dim, unsigned count) const {
  llvm::SmallVector<Repetition> list(repetitions.begin(), repetitions.end());
  list.push_back({axis, dim, count});
  return Layout(inner, list);
}

std::string Layout::str() const {
  std::string text = inner.str();
  for (auto [i, repetition] : llvm::enumerate(repetitions)) {
    text += i == 0 ? (text.empty() ? "repeat = [" : ", repeat = [") : ", ";
    text += "(" + stringifyAxis(repetition.axis).str() + ", " + std::to_string(repetition.dim) +
            ", " + std::to_string(repetition.count) + ")";
  }
  return repetitions.empty() ? text : text + "]";
}

} // namespace tegula::tilegpu
