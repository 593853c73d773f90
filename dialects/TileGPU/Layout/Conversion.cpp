//===- Conversion.cpp - From one distributed layout to another ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Layout/Conversion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cassert>

namespace tegula::tilegpu {

static constexpr Axis kAxes[] = {Axis::Register, Axis::Lane, Axis::Warp, Axis::Block};

//===----------------------------------------------------------------------===//
// Origins
//===----------------------------------------------------------------------===//

namespace {
/// Solves source(s) = target(x) for one bit x, where s agrees with x on some axes. All
/// equations are stacked into one vector: the coordinates, then the axes that must agree.
class OriginSolver {
public:
  /// `agreeing`: axes on which origin and target are the same.
  OriginSolver(const LinearMap &source, llvm::ArrayRef<Axis> agreeing)
      : source(source), agreeing(agreeing) {
    // Columns of low bits first: preimages then use as few and as low bits as possible.
    for (Axis axis : kAxes) {
      for (unsigned bit = 0; bit < source.getInputBits(axis); ++bit) {
        span.insert(source.getImages(axis)[bit] | agreement(axis, uint32_t(1) << bit));
      }
    }
  }

  std::optional<Indices> solve(Axis axis, unsigned bit, uint64_t image) const {
    // An index that the source does not have cannot agree.
    if (llvm::is_contained(agreeing, axis) && bit >= source.getInputBits(axis)) {
      if (image != 0) {
        return std::nullopt;
      }
      return Indices{}; // a copy: what index 0 holds
    }
    std::optional<uint64_t> solution = span.solve(image | agreement(axis, uint32_t(1) << bit));
    if (!solution) {
      return std::nullopt;
    }
    Indices origin = {};
    for (Axis part : kAxes) {
      const unsigned bits = source.getInputBits(part);
      origin[unsigned(part)] = uint32_t(*solution & ((uint64_t(1) << bits) - 1));
      *solution >>= bits;
    }
    return origin;
  }

private:
  /// Bits above the coordinates that stand for the index of an agreeing axis.
  uint64_t agreement(Axis axis, uint32_t index) const {
    unsigned at = source.getTotalOutputBits();
    for (Axis other : agreeing) {
      if (other == axis) {
        return uint64_t(index) << at;
      }
      at += source.getInputBits(other);
    }
    return 0;
  }

  const LinearMap &source;
  llvm::ArrayRef<Axis> agreeing;
  BitSpan span;
};
} // namespace

std::optional<Conversion> Conversion::plan(const LinearMap &source, const LinearMap &target) {
  if (source.getOutputBits() != target.getOutputBits()) {
    return std::nullopt;
  }
  static constexpr Axis agreements[] = {Axis::Block, Axis::Warp, Axis::Lane, Axis::Register};
  static constexpr Distance distances[] = {Distance::Block, Distance::Warp, Distance::Lane,
                                           Distance::Register, Distance::None};
  // From all axes agreeing to none.
  for (int count = 4; count >= 0; --count) {
    const OriginSolver solver(source, llvm::ArrayRef(agreements).take_front(count));
    Conversion conversion;
    conversion.distance = distances[count];
    bool isSolved = true;
    for (Axis axis : kAxes) {
      for (auto [bit, image] : llvm::enumerate(target.getImages(axis))) {
        const std::optional<Indices> origin = solver.solve(axis, unsigned(bit), image);
        if (!origin) {
          isSolved = false;
          break;
        }
        conversion.images[unsigned(axis)].push_back(*origin);
      }
    }
    if (isSolved) {
      // The same values in the same registers, but not the same number of them, is a move.
      if (conversion.distance == Distance::None &&
          source.getInputBits(Axis::Register) != target.getInputBits(Axis::Register)) {
        conversion.distance = Distance::Register;
      }
      return conversion;
    }
  }
  return std::nullopt;
}

Indices Conversion::getOrigin(const Indices &indices) const {
  Indices origin = {};
  for (Axis axis : kAxes) {
    for (uint32_t rest = indices[unsigned(axis)]; rest != 0; rest &= rest - 1) {
      const Indices &image = images[unsigned(axis)][llvm::countr_zero(rest)];
      for (unsigned i = 0; i < kNumAxes; ++i) {
        origin[i] ^= image[i];
      }
    }
  }
  return origin;
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// Columns F with D + C F of full rank: each lane bit that D loses is told apart by a
/// register bit instead. Nullopt where C and D together lack rank.
static std::optional<BitVectors> completeSenders(llvm::ArrayRef<uint64_t> d,
                                                 llvm::ArrayRef<uint64_t> c, unsigned laneBits) {
  BitVectors f(d.size(), 0);
  BitSpan span;
  llvm::SmallVector<unsigned> lost;
  for (auto [i, column] : llvm::enumerate(d)) {
    if (!span.insert(column)) {
      lost.push_back(unsigned(i));
    }
  }
  // Adding c to a column that depends on the others makes it independent of them.
  for (auto [j, column] : llvm::enumerate(c)) {
    if (lost.empty()) {
      break;
    }
    if (span.insert(column)) {
      f[lost.pop_back_val()] = uint64_t(1) << j;
    }
  }
  return lost.empty() && span.getDimension() == laneBits ? std::optional<BitVectors>(f)
                                                         : std::nullopt;
}

std::optional<ShufflePlan> ShufflePlan::make(const LinearMap &source, const LinearMap &target) {
  const std::optional<Conversion> conversion = Conversion::plan(source, target);
  if (!conversion || conversion->getDistance() > Distance::Lane) {
    return std::nullopt;
  }
  // Rounds are the same for all warps: what a warp receives must not depend on its number,
  // which it does where the source has copies in warps that the target tells apart.
  for (Axis axis : {Axis::Warp, Axis::Block}) {
    for (unsigned bit = 0; bit < target.getInputBits(axis); ++bit) {
      Indices indices = {};
      indices[unsigned(axis)] = uint32_t(1) << bit;
      const Indices origin = conversion->getOrigin(indices);
      if (origin[unsigned(Axis::Register)] != 0 || origin[unsigned(Axis::Lane)] != 0) {
        return std::nullopt;
      }
    }
  }
  // Origins by bits of the target's register and lane: registers A, B; lanes C, D.
  BitVectors a, b, c, d;
  for (auto [axis, registers, lanes] :
       {std::tuple(Axis::Register, &a, &c), std::tuple(Axis::Lane, &b, &d)}) {
    for (unsigned bit = 0; bit < target.getInputBits(axis); ++bit) {
      Indices indices = {};
      indices[unsigned(axis)] = uint32_t(1) << bit;
      const Indices origin = conversion->getOrigin(indices);
      registers->push_back(origin[unsigned(Axis::Register)]);
      lanes->push_back(origin[unsigned(Axis::Lane)]);
    }
  }
  const unsigned laneBits = target.getInputBits(Axis::Lane);
  if (source.getInputBits(Axis::Lane) != laneBits) {
    return std::nullopt;
  }
  ShufflePlan plan;
  const std::optional<BitVectors> f = completeSenders(d, c, laneBits);
  if (!f) {
    return std::nullopt;
  }
  plan.targetByLane = *f;
  BitVectors sourceByLane; // A F + B
  for (unsigned bit = 0; bit < laneBits; ++bit) {
    plan.senderByLane.push_back(d[bit] ^ multiply(c, (*f)[bit]));
    sourceByLane.push_back(b[bit] ^ multiply(a, (*f)[bit]));
  }
  const std::optional<BitVectors> receiverBySender = invert(plan.senderByLane);
  assert(receiverBySender && "senders were made a permutation");
  for (uint64_t column : *receiverBySender) {
    plan.sourceBySender.push_back(multiply(sourceByLane, column));
  }
  for (uint32_t t = 0; t < uint32_t(1) << target.getInputBits(Axis::Register); ++t) {
    Round round;
    round.target = t;
    round.sender = uint32_t(multiply(c, t));
    // sent(sender) = A t + (A F + B) receiver, and receiver = inverse(sender + C t).
    round.source = uint32_t(multiply(a, t) ^ multiply(plan.sourceBySender, round.sender));
    plan.rounds.push_back(round);
  }
  return plan;
}

unsigned ShufflePlan::getNumSelectBits() const {
  return BitSpan(targetByLane).getDimension() + BitSpan(sourceBySender).getDimension();
}

} // namespace tegula::tilegpu
