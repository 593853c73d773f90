//===- ReducePlan.cpp - The steps of reductions and scans
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/Collectives.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula::tilegpu;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

Layout tegula::tilegpu::makeScalarLayout(const Machine &machine) {
  return Layout(LinearMap::zero(Axis::Lane, llvm::Log2_32(machine.warpSize), 0) *
                LinearMap::zero(Axis::Warp, llvm::Log2_32(machine.numWarps), 0));
}

/// `layout` with `map` inside, where dimension d is dimension `newDim[d]` now; repetitions
/// of dimensions without a new one are left out.
static Layout withInner(const Layout &layout, LinearMap map, ArrayRef<int> newDim) {
  SmallVector<Repetition> repetitions;
  for (const Repetition &repetition : layout.getRepetitions()) {
    if (newDim[repetition.dim] >= 0) {
      repetitions.push_back({repetition.axis, unsigned(newDim[repetition.dim]), repetition.count});
    }
  }
  return Layout(std::move(map), repetitions);
}

Layout tegula::tilegpu::moveDimLast(const Layout &layout, unsigned dim) {
  const unsigned rank = layout.getRank();
  SmallVector<unsigned> order;
  SmallVector<int> newDim(rank, int(rank) - 1);
  for (unsigned d = 0; d < rank; ++d) {
    if (d != dim) {
      newDim[d] = int(order.size());
      order.push_back(d);
    }
  }
  order.push_back(dim);
  return withInner(layout, layout.getInner().transpose(order), newDim);
}

Layout tegula::tilegpu::addRegisterDim(const Layout &layout, unsigned bits) {
  const unsigned rank = layout.getRank();
  LinearMap map = LinearMap::identity(Axis::Register, bits, rank, rank + 1) *
                  layout.getInner().expandDims(rank);
  SmallVector<int> newDim = llvm::to_vector(llvm::seq<int>(0, rank));
  return withInner(layout, std::move(map), newDim);
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

/// By how much the register number grows with each value of a digit.
static unsigned getStride(const Layout &layout, const AxisDigit &digit) {
  if (!digit.isRepetition) {
    return 1u << digit.index;
  }
  unsigned stride = 1u << layout.getInner().getInputBits(Axis::Register);
  for (const Repetition &below : layout.getRepetitions().take_front(digit.index)) {
    stride *= below.axis == Axis::Register ? below.count : 1;
  }
  return stride;
}

unsigned tegula::tilegpu::getDigit(const Layout &layout, const AxisDigit &digit, unsigned reg) {
  return reg / getStride(layout, digit) % digit.count;
}

unsigned tegula::tilegpu::withDigit(const Layout &layout, const AxisDigit &digit, unsigned reg,
                                    unsigned value) {
  const int stride = int(getStride(layout, digit));
  return unsigned(int(reg) + (int(value) - int(getDigit(layout, digit, reg))) * stride);
}

namespace {
/// The digits of an axis, the lowest first, or the finding that there are none.
class AxisDigits {
public:
  AxisDigits(const Layout &layout, unsigned axis, bool ordered) : layout(layout), axis(axis) {
    isRegular = findBits(ordered) && findRepetitions();
  }
  bool isRegular;
  SmallVector<AxisDigit> digits;

private:
  /// Each bit must count along the axis or along other dimensions, not both, and no two
  /// the same; in order, each must be a power of two.
  bool findBits(bool ordered) {
    SmallVector<std::pair<int64_t, AxisDigit>> found;
    BitSpan span;
    for (Axis source : {Axis::Register, Axis::Lane, Axis::Warp}) {
      for (auto [index, image] : llvm::enumerate(layout.getInner().getImages(source))) {
        SmallVector<int64_t> coordinates = layout.getInner().unpack(image);
        const int64_t along = coordinates[axis];
        coordinates[axis] = 0;
        if (along == 0) {
          continue;
        }
        const bool isAlone = llvm::all_of(coordinates, [](int64_t c) { return c == 0; });
        if (!isAlone || !span.insert(uint64_t(along)) ||
            (ordered && !llvm::isPowerOf2_64(uint64_t(along)))) {
          return false;
        }
        found.push_back({along, {source, false, unsigned(index), 2}});
      }
    }
    llvm::sort(found, [](const auto &a, const auto &b) { return a.first < b.first; });
    for (const auto &[along, digit] : found) {
      digits.push_back(digit);
    }
    return true;
  }

  bool findRepetitions() {
    for (auto [index, repetition] : llvm::enumerate(layout.getRepetitions())) {
      if (repetition.axis != Axis::Register) {
        return false;
      }
      if (repetition.dim == axis) {
        digits.push_back({Axis::Register, true, unsigned(index), repetition.count});
      }
    }
    return true;
  }

  const Layout &layout;
  unsigned axis;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

SmallVector<unsigned> tegula::tilegpu::getOwnRegisters(const Layout &layout) {
  const uint32_t copies = layout.getInner().getFreeBits(Axis::Register);
  SmallVector<unsigned> registers;
  for (unsigned reg = 0, count = layout.getSize(Axis::Register); reg < count; ++reg) {
    if ((reg & copies & ((1u << layout.getInner().getInputBits(Axis::Register)) - 1)) == 0) {
      registers.push_back(reg);
    }
  }
  return registers;
}

/// Layout of what is left after `steps`: kept dimensions, then the digits of `rest`.
static Layout makePartial(const Layout &layout, unsigned axis, ArrayRef<AxisDigit> steps,
                          ArrayRef<AxisDigit> rest) {
  const LinearMap &inner = layout.getInner();
  const unsigned rank = layout.getRank();
  SmallVector<unsigned> bits(inner.getOutputBits());
  bits.erase(bits.begin() + axis);
  bits.push_back(llvm::count_if(rest, [](const AxisDigit &d) { return !d.isRepetition; }));
  LinearMap map(bits);
  for (Axis source : {Axis::Register, Axis::Lane, Axis::Warp}) {
    for (auto [index, image] : llvm::enumerate(inner.getImages(source))) {
      SmallVector<int64_t> coordinates = inner.unpack(image);
      coordinates.erase(coordinates.begin() + axis);
      coordinates.push_back(0);
      for (auto [place, digit] : llvm::enumerate(rest)) {
        if (!digit.isRepetition && digit.axis == source && digit.index == index) {
          coordinates.back() = int64_t(1) << place;
        }
      }
      if (source != Axis::Register || llvm::any_of(coordinates, [](int64_t c) { return c != 0; })) {
        map.addBit(source, coordinates);
      }
    }
  }
  SmallVector<Repetition> repetitions;
  for (auto [index, repetition] : llvm::enumerate(layout.getRepetitions())) {
    if (repetition.dim != axis) {
      const unsigned dim = repetition.dim < axis ? repetition.dim : repetition.dim - 1;
      repetitions.push_back({repetition.axis, dim, repetition.count});
    } else if (llvm::none_of(steps, [&, i = index](const AxisDigit &digit) {
                 return digit.isRepetition && digit.index == i;
               })) {
      repetitions.push_back({repetition.axis, rank - 1, repetition.count});
    }
  }
  return Layout(std::move(map), repetitions);
}

/// Without the last dimension, of size 1.
static Layout dropLastDim(const Layout &layout) {
  return Layout(layout.getInner().dropDim(layout.getRank() - 1), layout.getRepetitions());
}

ReducePlan tegula::tilegpu::planReduce(tile::ReduceOp op, const Machine &machine) {
  const Layout layout = *getLayout(op.getOperands()[0].getType());
  const unsigned axis = op.getAxis();
  const bool ordered = !op.getSimpleCombiner();
  std::optional<Layout> result = getLayout(op.getResults()[0].getType());
  ReducePlan plan;
  plan.result = result ? *result : makeScalarLayout(machine);

  AxisDigits found(layout, axis, ordered);
  if (!found.isRegular) {
    // All elements are partial results.
    plan.registers = llvm::to_vector(llvm::seq<unsigned>(0, layout.getSize(Axis::Register)));
    plan.partial = moveDimLast(layout, axis);
    plan.numPartials = layout.getShape()[axis];
    plan.needsScratch = true;
    return plan;
  }
  plan.registers = getOwnRegisters(layout);
  SmallVector<AxisDigit> rest;
  if (ordered) {
    ArrayRef<AxisDigit> digits = found.digits;
    auto inWarp = digits.take_while([](const AxisDigit &d) { return d.axis != Axis::Warp; });
    plan.steps.assign(inWarp.begin(), inWarp.end());
    rest.assign(inWarp.end(), digits.end());
  } else {
    for (Axis source : {Axis::Register, Axis::Lane}) {
      llvm::copy_if(found.digits, std::back_inserter(plan.steps),
                    [&](const AxisDigit &digit) { return digit.axis == source; });
    }
    llvm::copy_if(found.digits, std::back_inserter(rest),
                  [](const AxisDigit &digit) { return digit.axis == Axis::Warp; });
  }
  for (const AxisDigit &digit : rest) {
    plan.numPartials *= digit.count;
  }
  plan.partial = makePartial(layout, axis, plan.steps, rest);
  plan.needsScratch = plan.numPartials > 1 || (result && dropLastDim(plan.partial) != *result);
  return plan;
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// `base` with a last dimension that `run`, digits of warps, counts.
static Layout addWarpDim(const Layout &base, ArrayRef<AxisDigit> run) {
  const LinearMap &inner = base.getInner();
  SmallVector<unsigned> bits(inner.getOutputBits());
  bits.push_back(run.size());
  LinearMap map(bits);
  for (Axis source : {Axis::Register, Axis::Lane, Axis::Warp}) {
    for (auto [index, image] : llvm::enumerate(inner.getImages(source))) {
      SmallVector<int64_t> coordinates = inner.unpack(image);
      coordinates.push_back(0);
      for (auto [place, digit] : llvm::enumerate(run)) {
        if (source == Axis::Warp && digit.index == index) {
          coordinates.back() = int64_t(1) << place;
        }
      }
      map.addBit(source, coordinates);
    }
  }
  return Layout(std::move(map), base.getRepetitions());
}

ScanPlan tegula::tilegpu::planScan(tile::ScanOp op) {
  const Layout layout = *getLayout(op.getOperands()[0].getType());
  AxisDigits found(layout, op.getAxis(), /*ordered=*/true);
  ScanPlan plan;
  plan.isRegular = found.isRegular;
  if (!plan.isRegular) {
    return plan;
  }
  plan.registers = getOwnRegisters(layout);
  plan.digits = found.digits;
  ArrayRef<AxisDigit> digits = plan.digits;
  for (size_t first = 0; first < digits.size(); ++first) {
    if (digits[first].axis != Axis::Warp) {
      continue;
    }
    ArrayRef<AxisDigit> run = digits.drop_front(first).take_while(
        [](const AxisDigit &digit) { return digit.axis == Axis::Warp; });
    const size_t end = first + run.size();
    const Layout totals =
        makePartial(layout, op.getAxis(), digits.take_front(end), digits.drop_front(end));
    plan.runs.push_back({unsigned(run.size()), addWarpDim(totals, run),
                         addRegisterDim(totals, unsigned(run.size()))});
    first = end - 1;
  }
  return plan;
}
