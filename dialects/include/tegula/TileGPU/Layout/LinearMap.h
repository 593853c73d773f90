//===- LinearMap.h - Linear maps from indices to coordinates ----*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the elements of a tile are. A distributed map says which element register r of
// lane l of warp w of block b holds; a map of memory says which element is at an offset.
// Both are linear over GF(2): each bit of each index has an image, a vector of
// coordinates, and the image of an index is the exclusive or of the images of its bits.
//
// Example, the accumulator of mma.m16n8 (rows x columns):
//   register  bit 0 -> (0, 1)   bit 1 -> (8, 0)
//   lane      bit 0 -> (0, 2)   bit 1 -> (0, 4)   bit 2 -> (1, 0)   bit 3 -> (2, 0) ...
//
// Coordinates are kept packed: the last dimension in the lowest bits, so that a packed
// coordinate is the element's row-major number.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_LAYOUT_LINEARMAP_H
#define TEGULA_TILEGPU_LAYOUT_LINEARMAP_H

#include "tegula/TileGPU/Layout/BitVectors.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <string>

namespace tegula::tilegpu {

/// What an index counts.
enum class Axis : uint8_t {
  Register, ///< elements that one lane holds
  Lane,     ///< threads of a warp
  Warp,     ///< warps of a block
  Block,    ///< blocks of a cluster
  Offset    ///< elements of memory
};
constexpr unsigned kNumAxes = 5;
llvm::StringRef stringifyAxis(Axis axis);

/// One index for each axis; axes that a map does not have count as 0.
using Indices = std::array<uint32_t, kNumAxes>;

class LinearMap {
public:
  /// The map of nothing to the one element of a tile of 1 x 1 x ... .
  explicit LinearMap(unsigned rank = 0) : outputBits(rank, 0) {}
  /// No images yet; `outputBits`: base-2 logarithms of the tile's sizes.
  explicit LinearMap(llvm::ArrayRef<unsigned> outputBits)
      : outputBits(outputBits.begin(), outputBits.end()) {}

  /// 2^bits indices of `axis` count along dimension `dim` of `rank`.
  static LinearMap identity(Axis axis, unsigned bits, unsigned dim, unsigned rank);
  /// 2^bits indices of `axis` that all name the same element: copies.
  static LinearMap zero(Axis axis, unsigned bits, unsigned rank);

  //===-- Facts ---------------------------------------------------------===//

  unsigned getRank() const { return outputBits.size(); }
  llvm::ArrayRef<unsigned> getOutputBits() const { return outputBits; }
  unsigned getTotalOutputBits() const;
  llvm::ArrayRef<uint64_t> getImages(Axis axis) const { return images[unsigned(axis)]; }
  unsigned getInputBits(Axis axis) const { return getImages(axis).size(); }
  unsigned getTotalInputBits() const;
  /// Images of all bits, by axis and then from the lowest bit on.
  BitVectors getAllImages() const;
  /// Elements of each dimension.
  llvm::SmallVector<int64_t> getShape() const;

  uint64_t applyPacked(const Indices &indices) const;
  llvm::SmallVector<int64_t> apply(const Indices &indices) const;
  uint64_t pack(llvm::ArrayRef<int64_t> coordinates) const;
  llvm::SmallVector<int64_t> unpack(uint64_t packed) const;

  /// Every element is held by somebody.
  bool isSurjective() const;
  /// Nobody holds what another holds too.
  bool isInjective() const;
  bool isBijective() const { return isSurjective() && isInjective(); }
  /// Bits of an axis that change nothing, as a mask: indices that differ in them hold
  /// copies.
  uint32_t getFreeBits(Axis axis) const;

  bool operator==(const LinearMap &other) const {
    return outputBits == other.outputBits && images == other.images;
  }
  bool operator!=(const LinearMap &other) const { return !(*this == other); }
  /// "register = [(0, 1), (8, 0)], lane = [...]"
  std::string str() const;

  //===-- Making maps of maps -------------------------------------------===//

  /// Adds a bit above those of `axis`. The image must fit the tile.
  void addBit(Axis axis, llvm::ArrayRef<int64_t> image);
  void addPackedBit(Axis axis, uint64_t image) { images[unsigned(axis)].push_back(image); }

  /// The product: each element of `outer` becomes a tile of this one. Bits of this map
  /// come below those of `outer`, in indices and in coordinates.
  LinearMap operator*(const LinearMap &outer) const;
  /// The map that `inner` must be multiplied by to give this one, or nullopt.
  std::optional<LinearMap> divideLeft(const LinearMap &inner) const;

  /// Dimension i of the result is dimension order[i] of this one.
  LinearMap transpose(llvm::ArrayRef<unsigned> order) const;
  /// The same elements in row-major order under other sizes (logarithms; same total).
  LinearMap reshape(llvm::ArrayRef<unsigned> newOutputBits) const;
  /// A dimension of size 1 put in at `dim`.
  LinearMap expandDims(unsigned dim) const;
  /// Without a dimension: what is left when it is reduced. Indices that told elements
  /// along it apart hold copies then.
  LinearMap dropDim(unsigned dim) const;
  /// As dropDim, and without the bits of registers that became copies.
  LinearMap reduceDim(unsigned dim) const;
  /// The first 2^bits registers alone.
  LinearMap withRegisterBits(unsigned bits) const;

private:
  /// Rebuilds all images by a function of packed coordinates.
  template <typename Fn> LinearMap mapImages(llvm::ArrayRef<unsigned> newBits, Fn &&fn) const;

  llvm::SmallVector<unsigned, 4> outputBits;
  std::array<BitVectors, kNumAxes> images;
};

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_LAYOUT_LINEARMAP_H
