//===- ShapeLayouts.cpp - Layouts through changes of dimensions --------------===//
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

/// `map` with the images that `fn` makes of coordinates, under other sizes.
template <typename Fn>
static LinearMap mapCoordinates(const LinearMap &map, ArrayRef<unsigned> bits, Fn &&fn) {
  LinearMap result(bits);
  for (Axis axis : kThreadAxes) {
    for (uint64_t image : map.getImages(axis)) {
      SmallVector<int64_t> coordinates = map.unpack(image);
      fn(coordinates);
      result.addBit(axis, coordinates);
    }
  }
  return result;
}

/// Without the register bits whose image is zero.
static LinearMap withoutCopies(const LinearMap &map) {
  LinearMap result(map.getOutputBits());
  for (Axis axis : kThreadAxes) {
    for (uint64_t image : map.getImages(axis)) {
      if (axis != Axis::Register || image != 0) {
        result.addPackedBit(axis, image);
      }
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Dimensions that go and come
//===----------------------------------------------------------------------===//

OptionalLayout tegula::tilegpu::dropDim(const Layout &layout, unsigned dim, bool keepCopies) {
  LinearMap inner = layout.getInner().dropDim(dim);
  if (!keepCopies) {
    inner = withoutCopies(inner);
  }
  SmallVector<Repetition> repetitions;
  for (const Repetition &one : layout.getRepetitions()) {
    if (one.dim != dim) {
      repetitions.push_back({one.axis, one.dim - unsigned(one.dim > dim), one.count});
      continue;
    }
    if (one.axis == Axis::Register) {
      continue;
    }
    // Threads that told parts along it apart now hold copies: bits of the inner part, which
    // nothing but the inner part may be below.
    if (!llvm::isPowerOf2_32(one.count) || llvm::any_of(repetitions, [&](const Repetition &below) {
          return below.axis == one.axis;
        })) {
      return std::nullopt;
    }
    for (unsigned bit = 0; bit < llvm::Log2_32(one.count); ++bit) {
      inner.addPackedBit(one.axis, 0);
    }
  }
  return Layout(inner, repetitions);
}

Layout tegula::tilegpu::insertDim(const Layout &layout, unsigned dim) {
  SmallVector<Repetition> repetitions;
  for (const Repetition &one : layout.getRepetitions()) {
    repetitions.push_back({one.axis, one.dim + unsigned(one.dim >= dim), one.count});
  }
  return Layout(layout.getInner().expandDims(dim), repetitions);
}

OptionalLayout tegula::tilegpu::unbroadcast(const Layout &layout, Shape sourceShape,
                                            Shape resultShape) {
  Layout result = layout;
  for (unsigned dim = 0; dim < layout.getRank(); ++dim) {
    if (sourceShape[dim] == resultShape[dim]) {
      continue;
    }
    OptionalLayout less = dropDim(result, dim);
    if (!less) {
      return std::nullopt;
    }
    result = insertDim(*less, dim);
  }
  return result;
}

OptionalLayout tegula::tilegpu::broadcast(const Layout &layout, Shape sourceShape,
                                          Shape resultShape) {
  const LinearMap &inner = layout.getInner();
  const unsigned rank = layout.getRank();
  SmallVector<unsigned> bits(inner.getOutputBits());
  SmallVector<std::pair<unsigned, unsigned>> wanted; // dimension and bit, the fastest first
  SmallVector<Repetition> repetitions(layout.getRepetitions());
  for (unsigned dim = rank; dim-- > 0;) {
    if (sourceShape[dim] == resultShape[dim]) {
      continue;
    }
    bits[dim] = llvm::countr_zero(uint64_t(resultShape[dim]));
    for (unsigned bit = 0; bit < bits[dim]; ++bit) {
      wanted.emplace_back(dim, bit);
    }
    repetitions.push_back({Axis::Register, dim, unsigned(resultShape[dim] >> bits[dim])});
  }
  LinearMap map(bits);
  size_t next = 0;
  auto take = [&]() {
    SmallVector<int64_t> image(rank, 0);
    image[wanted[next].first] = int64_t(1) << wanted[next].second;
    ++next;
    return image;
  };
  for (Axis axis : {Axis::Lane, Axis::Warp, Axis::Block, Axis::Register}) {
    for (uint64_t image : inner.getImages(axis)) {
      bool isFree = image == 0 && axis != Axis::Block && axis != Axis::Register;
      map.addBit(axis, isFree && next < wanted.size() ? take() : inner.unpack(image));
    }
  }
  while (next < wanted.size()) {
    map.addBit(Axis::Register, take());
  }
  return Layout(map, repetitions);
}

//===----------------------------------------------------------------------===//
// Other orders and shapes
//===----------------------------------------------------------------------===//

Layout tegula::tilegpu::transpose(const Layout &layout, ArrayRef<int32_t> order) {
  SmallVector<unsigned> dims(order.begin(), order.end()), inverse(order.size());
  for (auto [to, from] : llvm::enumerate(dims)) {
    inverse[from] = to;
  }
  SmallVector<Repetition> repetitions;
  for (const Repetition &one : layout.getRepetitions()) {
    repetitions.push_back({one.axis, inverse[one.dim], one.count});
  }
  return Layout(layout.getInner().transpose(dims), repetitions);
}

Layout tegula::tilegpu::untranspose(const Layout &layout, ArrayRef<int32_t> order) {
  SmallVector<int32_t> inverse(order.size());
  for (auto [to, from] : llvm::enumerate(order)) {
    inverse[from] = int32_t(to);
  }
  return transpose(layout, inverse);
}

/// First dimension from `first` on, below `end`, that is not of size 1; `end` if none.
static unsigned findLeading(Shape shape, unsigned first, unsigned end) {
  while (first < end && shape[first] == 1) {
    ++first;
  }
  return first;
}

OptionalLayout tegula::tilegpu::reshape(const Layout &layout, Shape from, Shape to) {
  const SmallVector<int64_t> inner = layout.getInner().getShape();
  SmallVector<unsigned> bits(to.size(), 0);
  SmallVector<unsigned> target(from.size(), 0); // where repetitions of a dimension go
  // Groups of neighbouring dimensions that hold as many elements on both sides. Only the
  // first dimension of a group may be repeated: then the repetition counts whole blocks of
  // row-major order on both sides.
  for (unsigned i = 0, j = 0; i < from.size() || j < to.size();) {
    const unsigned firstFrom = i, firstTo = j;
    int64_t a = 1, b = 1;
    do {
      if (i < from.size() && (a <= b || j == to.size())) {
        a *= from[i++];
      } else {
        b *= to[j++];
      }
    } while (a != b);
    const unsigned leadFrom = findLeading(from, firstFrom, i), leadTo = findLeading(to, firstTo, j);
    int64_t factor = 1;
    for (unsigned dim = firstFrom; dim < i; ++dim) {
      const int64_t count = from[dim] / inner[dim];
      if (count != 1 && dim != leadFrom) {
        return std::nullopt;
      }
      factor *= count;
    }
    for (unsigned dim = firstTo; dim < j; ++dim) {
      int64_t size = to[dim];
      if (dim == leadTo) {
        if (size % factor != 0) {
          return std::nullopt;
        }
        size /= factor;
      }
      if (!llvm::isPowerOf2_64(size)) {
        return std::nullopt;
      }
      bits[dim] = llvm::Log2_64(size);
    }
    if (factor != 1) {
      target[leadFrom] = leadTo;
    }
  }
  SmallVector<Repetition> repetitions;
  for (const Repetition &one : layout.getRepetitions()) {
    repetitions.push_back({one.axis, target[one.dim], one.count});
  }
  return Layout(layout.getInner().reshape(bits), repetitions);
}

//===----------------------------------------------------------------------===//
// Tiles of tiles
//===----------------------------------------------------------------------===//

Layout tegula::tilegpu::join(const Layout &layout) {
  const unsigned rank = layout.getRank();
  return Layout(LinearMap::identity(Axis::Register, 1, rank, rank + 1) *
                    layout.getInner().expandDims(rank),
                layout.getRepetitions());
}

OptionalLayout tegula::tilegpu::unjoin(const Layout &layout) {
  const LinearMap &inner = layout.getInner();
  const unsigned last = layout.getRank() - 1;
  if (inner.getOutputBits()[last] != 1) {
    return std::nullopt; // two registers of a repetition that could not be a bit
  }
  LinearMap map(inner.getOutputBits().drop_back());
  unsigned count = 0;
  for (Axis axis : kThreadAxes) {
    for (uint64_t image : inner.getImages(axis)) {
      if (!(image & 1)) {
        map.addPackedBit(axis, image >> 1);
        continue;
      }
      ++count;
      if (axis != Axis::Register || image != 1) {
        return std::nullopt;
      }
    }
  }
  return count == 1 ? OptionalLayout(Layout(map, layout.getRepetitions())) : std::nullopt;
}

Layout tegula::tilegpu::concatenate(const Layout &layout, unsigned axis) {
  return layout.repeat(Axis::Register, axis, 2);
}

OptionalLayout tegula::tilegpu::unconcatenate(const Layout &layout, unsigned axis) {
  const LinearMap &inner = layout.getInner();
  SmallVector<Repetition> repetitions(layout.getRepetitions());
  Layout half;
  if (!repetitions.empty() && repetitions.back().axis == Axis::Register &&
      repetitions.back().dim == axis && repetitions.back().count % 2 == 0) {
    repetitions.back().count /= 2;
    half = Layout(inner, repetitions);
  } else if (inner.getInputBits(Axis::Register) > 0 && inner.getOutputBits()[axis] > 0) {
    SmallVector<unsigned> bits(inner.getOutputBits());
    const int64_t size = int64_t(1) << --bits[axis];
    LinearMap less(inner.getOutputBits());
    for (Axis each : kThreadAxes) {
      ArrayRef<uint64_t> images = inner.getImages(each);
      for (uint64_t image : each == Axis::Register ? images.drop_back() : images) {
        if (inner.unpack(image)[axis] >= size) {
          return std::nullopt;
        }
        less.addPackedBit(each, image);
      }
    }
    half = Layout(mapCoordinates(less, bits, [](auto &) {}), repetitions);
  } else {
    return std::nullopt;
  }
  return concatenate(half, axis) == layout ? OptionalLayout(half) : std::nullopt;
}
