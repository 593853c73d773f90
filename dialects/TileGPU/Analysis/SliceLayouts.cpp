//===- SliceLayouts.cpp - Layouts through slices ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tegula::tilegpu;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr Axis kThreadAxes[] = {Axis::Register, Axis::Lane, Axis::Warp, Axis::Block};

/// Bits of a coordinate that vary in a slice: `count` from `low` on. All others are fixed.
struct VaryingBits {
  unsigned low = 0, count = 0;
};

/// Nullopt where elements of the slice along `dim` are not those whose other bits are fixed.
static std::optional<VaryingBits> getVarying(const SliceBounds &bounds, unsigned dim) {
  const int64_t size = bounds.resultShape[dim], step = bounds.steps[dim];
  if (!llvm::isPowerOf2_64(size)) {
    return std::nullopt;
  }
  if (size == 1) {
    return VaryingBits();
  }
  if (step < 0 || !llvm::isPowerOf2_64(step)) {
    return std::nullopt;
  }
  VaryingBits bits = {llvm::Log2_64(step), llvm::Log2_64(size)};
  // The offset must not carry into the bits that vary.
  if (bounds.offsets[dim] & ((size - 1) * step)) {
    return std::nullopt;
  }
  return bits;
}

static bool isWhole(const SliceBounds &bounds, unsigned dim) {
  return bounds.sourceShape[dim] == bounds.resultShape[dim] && bounds.steps[dim] > 0;
}

OptionalLayout tegula::tilegpu::slice(const Layout &layout, const SliceBounds &bounds) {
  const LinearMap &inner = layout.getInner();
  const SmallVector<int64_t> innerShape = inner.getShape();
  const unsigned rank = layout.getRank();
  SmallVector<unsigned> bits(inner.getOutputBits());
  SmallVector<Repetition> repetitions(layout.getRepetitions());
  SmallVector<int64_t> fixed(rank, 0); // coordinate bits that the slice fixes
  SmallVector<unsigned> shift(rank, 0);
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (isWhole(bounds, dim)) {
      continue;
    }
    if (bounds.sourceShape[dim] != innerShape[dim]) {
      // Whole repetitions by registers.
      const int64_t block = innerShape[dim], size = bounds.resultShape[dim];
      auto along = [&](const Repetition &one) { return one.dim == dim; };
      if ((bounds.steps[dim] != 1 && size != 1) || bounds.offsets[dim] % block || size % block ||
          llvm::count_if(repetitions, along) != 1) {
        return std::nullopt;
      }
      Repetition *one = llvm::find_if(repetitions, along);
      if (one->axis != Axis::Register) {
        return std::nullopt;
      }
      one->count = unsigned(size / block);
      continue;
    }
    std::optional<VaryingBits> varying = getVarying(bounds, dim);
    if (!varying) {
      return std::nullopt;
    }
    const int64_t kept = ((int64_t(1) << varying->count) - 1) << varying->low;
    fixed[dim] = (innerShape[dim] - 1) & ~kept;
    shift[dim] = varying->low;
    bits[dim] = varying->count;
  }
  // Only registers may tell apart what is kept from what is not, one bit for each.
  const uint64_t mask = inner.pack(fixed);
  LinearMap map(bits);
  uint64_t seen = 0;
  for (Axis axis : kThreadAxes) {
    for (uint64_t image : inner.getImages(axis)) {
      if (image & mask) {
        if (axis != Axis::Register || !llvm::isPowerOf2_64(image) || (seen & image)) {
          return std::nullopt;
        }
        seen |= image;
        continue;
      }
      SmallVector<int64_t> coordinates = inner.unpack(image);
      for (auto [coordinate, by] : llvm::zip(coordinates, shift)) {
        coordinate >>= by;
      }
      map.addBit(axis, coordinates);
    }
  }
  return seen == mask ? OptionalLayout(Layout(map, repetitions)) : std::nullopt;
}

OptionalLayout tegula::tilegpu::unslice(const Layout &layout, const SliceBounds &bounds) {
  const LinearMap &inner = layout.getInner();
  const SmallVector<int64_t> innerShape = inner.getShape();
  const unsigned rank = layout.getRank();
  SmallVector<unsigned> bits(inner.getOutputBits());
  SmallVector<unsigned> shift(rank, 0);
  SmallVector<int64_t> added(rank, 0);
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (isWhole(bounds, dim)) {
      continue;
    }
    std::optional<VaryingBits> varying = getVarying(bounds, dim);
    if (!varying || innerShape[dim] != bounds.resultShape[dim] ||
        !llvm::isPowerOf2_64(bounds.sourceShape[dim])) {
      return std::nullopt;
    }
    bits[dim] = llvm::Log2_64(bounds.sourceShape[dim]);
    shift[dim] = varying->low;
    const int64_t kept = ((int64_t(1) << varying->count) - 1) << varying->low;
    added[dim] = (bounds.sourceShape[dim] - 1) & ~kept;
  }
  LinearMap map(bits);
  for (Axis axis : kThreadAxes) {
    for (uint64_t image : inner.getImages(axis)) {
      SmallVector<int64_t> coordinates = inner.unpack(image);
      for (auto [coordinate, by] : llvm::zip(coordinates, shift)) {
        coordinate <<= by;
      }
      map.addBit(axis, coordinates);
    }
  }
  for (uint64_t rest = map.pack(added); rest != 0; rest &= rest - 1) {
    map.addPackedBit(Axis::Register, rest & -rest);
  }
  return Layout(map, layout.getRepetitions());
}
