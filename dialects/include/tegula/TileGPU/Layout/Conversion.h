//===- Conversion.h - From one distributed layout to another ----*- C++ -*-===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every lane must come to hold the elements that the target layout gives it. Who has
// them follows from the two maps: a linear map from indices of the target to indices of
// the source. Where elements have copies, the nearest one is taken: in the own lane, else
// in the own warp, else in the own block.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_TILEGPU_LAYOUT_CONVERSION_H
#define TEGULA_TILEGPU_LAYOUT_CONVERSION_H

#include "tegula/TileGPU/Layout/LinearMap.h"

namespace tegula::tilegpu {

/// How far values travel, from the cheapest on.
enum class Distance : uint8_t {
  None,     ///< the layouts say the same
  Register, ///< each lane has what it needs
  Lane,     ///< within the warp: shuffles
  Warp,     ///< within the block: shared memory
  Block     ///< within the cluster: distributed shared memory
};

/// From where each value comes.
class Conversion {
public:
  /// Both must cover the same tile; nullopt if `source` lacks elements of it.
  static std::optional<Conversion> plan(const LinearMap &source, const LinearMap &target);

  Distance getDistance() const { return distance; }
  /// Indices in the source of what the target has at `indices`.
  Indices getOrigin(const Indices &indices) const;

private:
  Distance distance = Distance::None;
  /// For each axis of the target and bit of its index: the origin's indices.
  std::array<llvm::SmallVector<Indices, 8>, kNumAxes> images;
};

/// A conversion within warps as shuffles. In round t each lane sends one register and
/// receives one; no two lanes read the same sender in a round, unless they want copies.
///
///   register received = target + F(lane)           (+ is the exclusive or)
///   sending lane      = senders + D(lane)
///   register sent     = sources + S(sending lane)
///
/// where target, senders, sources are constants of the round. Registers that depend on
/// the lane are chosen by selects.
class ShufflePlan {
public:
  struct Round {
    uint32_t target, sender, source;
  };
  /// Nullopt if the conversion goes further than a warp, or if a sender would have to send
  /// different registers to different lanes in one round (which copies may force).
  static std::optional<ShufflePlan> make(const LinearMap &source, const LinearMap &target);

  llvm::ArrayRef<Round> getRounds() const { return rounds; }
  uint32_t getTargetRegister(const Round &round, uint32_t lane) const {
    return round.target ^ uint32_t(multiply(targetByLane, lane));
  }
  uint32_t getSender(const Round &round, uint32_t lane) const {
    return round.sender ^ uint32_t(multiply(senderByLane, lane));
  }
  uint32_t getSourceRegister(const Round &round, uint32_t sender) const {
    return round.source ^ uint32_t(multiply(sourceBySender, sender));
  }
  /// Selects per value before and after the shuffles, as a count of lane bits that
  /// registers depend on.
  unsigned getNumSelectBits() const;

private:
  llvm::SmallVector<Round> rounds;
  BitVectors targetByLane, senderByLane, sourceBySender;
};

} // namespace tegula::tilegpu

#endif // TEGULA_TILEGPU_LAYOUT_CONVERSION_H
