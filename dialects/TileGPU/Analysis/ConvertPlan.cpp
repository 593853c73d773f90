//===- ConvertPlan.cpp - How elements get where a layout wants them -----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/ConvertPlan.h"

#include "tegula/TileGPU/Analysis/DotPlan.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula;

namespace tegula::tilegpu {

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Row-major number of an element.
static int64_t getNumber(ArrayRef<int64_t> shape, ArrayRef<int64_t> coordinates) {
  int64_t number = 0;
  for (auto [size, coordinate] : llvm::zip(shape, coordinates)) {
    number = number * size + coordinate;
  }
  return number;
}

static Indices at(uint32_t reg, uint32_t lane, uint32_t warp) { return {reg, lane, warp, 0, 0}; }

/// Whether what holds in the first thread holds in all.
static bool holdsInAllThreads(ArrayRef<Layout> from, const Layout &to, OriginFn origin,
                              bool isLinear, ArrayRef<RegisterOrigin> registers) {
  const uint32_t lanes = to.getSize(Axis::Lane), warps = to.getSize(Axis::Warp);
  for (const Layout &one : from) {
    if (one.getSize(Axis::Lane) != lanes || one.getSize(Axis::Warp) != warps) {
      return false;
    }
    isLinear &= one.isLinear();
  }
  isLinear &= to.isLinear();
  SmallVector<int64_t> coordinates;
  auto holds = [&](uint32_t reg, uint32_t lane, uint32_t warp) {
    coordinates.clear();
    RegisterOrigin found = registers[reg];
    return origin(to.apply(at(reg, lane, warp)), coordinates) == found.operand &&
           from[found.operand].apply(at(found.index, lane, warp)) == coordinates;
  };
  if (isLinear) {
    for (uint32_t bit = 1; bit < lanes; bit *= 2) {
      if (!holds(0, bit, 0)) {
        return false;
      }
    }
    for (uint32_t bit = 1; bit < warps; bit *= 2) {
      if (!holds(0, 0, bit)) {
        return false;
      }
    }
    // Other operands hold what they hold in threads as the first does.
    for (const Layout &one : from) {
      if (one.getInner().getImages(Axis::Lane) != from[0].getInner().getImages(Axis::Lane) ||
          one.getInner().getImages(Axis::Warp) != from[0].getInner().getImages(Axis::Warp)) {
        return false;
      }
    }
    return true;
  }
  for (uint32_t warp = 0; warp < warps; ++warp) {
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      for (uint32_t reg = 0; reg < registers.size(); ++reg) {
        if (!holds(reg, lane, warp)) {
          return false;
        }
      }
    }
  }
  return true;
}

std::optional<SmallVector<RegisterOrigin>> findRegisters(ArrayRef<Layout> from, const Layout &to,
                                                         OriginFn origin, bool isLinear) {
  // What the first thread holds, by operand and row-major number.
  llvm::DenseMap<std::pair<unsigned, int64_t>, int64_t> held;
  SmallVector<SmallVector<int64_t>> shapes;
  for (auto [operand, layout] : llvm::enumerate(from)) {
    shapes.push_back(layout.getShape());
    for (uint32_t reg = 0; reg < getNumRegisters(layout); ++reg) {
      held.try_emplace({unsigned(operand), getNumber(shapes.back(), layout.apply(at(reg, 0, 0)))},
                       reg);
    }
  }
  SmallVector<RegisterOrigin> registers;
  SmallVector<int64_t> coordinates;
  for (uint32_t reg = 0; reg < getNumRegisters(to); ++reg) {
    coordinates.clear();
    unsigned operand = origin(to.apply(at(reg, 0, 0)), coordinates);
    auto found = held.find({operand, getNumber(shapes[operand], coordinates)});
    if (found == held.end()) {
      return std::nullopt;
    }
    registers.push_back({operand, found->second});
  }
  if (!holdsInAllThreads(from, to, origin, isLinear, registers)) {
    return std::nullopt;
  }
  return registers;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

unsigned getElementBytes(Type element) {
  if (!element.isIntOrFloat()) {
    return 8;
  }
  return llvm::bit_ceil((element.getIntOrFloatBitWidth() + 7) / 8);
}

int64_t getWindow(int64_t elements, Type element, const Machine &machine) {
  int64_t most = machine.capabilities.getSharedBytes() / 2 / getElementBytes(element);
  return elements <= most ? 0 : int64_t(llvm::bit_floor(uint64_t(std::max<int64_t>(most, 16))));
}

uint32_t getWindowBytes(int64_t elements, Type element, const Machine &machine) {
  int64_t window = getWindow(elements, element, machine);
  return uint32_t((window ? window : elements) * getElementBytes(element));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Whether shuffles are cheaper than a way through memory, both counted in accesses of one
/// register of 32 bits. A select is a quarter of that; waiting for all others a few.
static bool isShufflingCheaper(const ShufflePlan &plan, unsigned bytes) {
  unsigned words = llvm::divideCeil(bytes, 4);
  unsigned shuffles = plan.getRounds().size() * words;
  unsigned selects = plan.getRounds().size() * words * plan.getNumSelectBits();
  unsigned memory = 2 * llvm::divideCeil(plan.getRounds().size() * bytes, 4) + 12;
  return shuffles + selects / 4 <= memory;
}

ConvertPlan planConvert(const Layout &from, const Layout &to, Type element,
                        const Machine &machine) {
  ConvertPlan plan;
  auto same = [](ArrayRef<int64_t> coordinates, SmallVectorImpl<int64_t> &origin) {
    origin.assign(coordinates.begin(), coordinates.end());
    return 0u;
  };
  if (auto registers = findRegisters(from, to, same, /*isLinear=*/true)) {
    for (RegisterOrigin one : *registers) {
      plan.registers.push_back(one.index);
    }
    return plan;
  }
  unsigned bytes = getElementBytes(element);
  const bool isLinear = from.isLinear() && to.isLinear();
  if (isLinear) {
    plan.shuffles = ShufflePlan::make(from.getInner(), to.getInner());
    if (plan.shuffles && isShufflingCheaper(*plan.shuffles, bytes)) {
      plan.way = ConvertWay::Lanes;
      return plan;
    }
    plan.shuffles.reset();
  }
  int64_t elements = 1;
  for (int64_t size : to.getShape()) {
    elements *= size;
  }
  plan.window = getWindow(elements, element, machine);
  plan.bytes = getWindowBytes(elements, element, machine);
  plan.way = isLinear ? ConvertWay::Swizzled : ConvertWay::RowMajor;
  if (plan.window == 0 && element.isIntOrFloat() && bytes <= 4 &&
      element.getIntOrFloatBitWidth() == bytes * 8 &&
      planMatrixLoad(from, to, bytes * 8, machine)) {
    plan.way = ConvertWay::Matrices;
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Coordinates of a row-major number.
static void unpackNumber(int64_t number, ArrayRef<int64_t> shape,
                         SmallVectorImpl<int64_t> &coordinates) {
  coordinates.resize(shape.size());
  for (unsigned dim = shape.size(); dim-- > 0;) {
    coordinates[dim] = number % shape[dim];
    number /= shape[dim];
  }
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Whether indices in one layout can be those of the other, each element held once.
static bool isReordering(const Layout &from, const Layout &to) {
  return getNumRegisters(from) == getNumRegisters(to) && from.getInner().isInjective() &&
         to.getInner().isInjective();
}

std::optional<SmallVector<RegisterOrigin>> findShapeRegisters(Operation *op, unsigned index) {
  std::optional<Layout> to = getLayout(op->getResult(index).getType());
  SmallVector<Layout, 2> from;
  for (Value operand : op->getOperands()) {
    if (std::optional<Layout> layout = getLayout(operand.getType())) {
      from.push_back(*layout);
    }
  }
  if (from.empty()) {
    return std::nullopt;
  }
  if (!to) {
    // A scalar: the one element of a tile of rank 0 that all threads have.
    LinearMap map(0u);
    for (Axis axis : {Axis::Lane, Axis::Warp}) {
      for (unsigned bit = 0; bit < from[0].getInner().getInputBits(axis); ++bit) {
        map.addPackedBit(axis, 0);
      }
    }
    to = Layout(map);
  }
  using Result = std::optional<SmallVector<RegisterOrigin>>;
  using Coordinates = ArrayRef<int64_t>;
  using Origin = SmallVectorImpl<int64_t>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](tile::BroadcastOp cast) -> Result {
        auto fn = [shape = shapeOf(cast.getSource())](Coordinates x, Origin &origin) {
          for (auto [coordinate, size] : llvm::zip(x, shape)) {
            origin.push_back(size == 1 ? 0 : coordinate);
          }
          return 0u;
        };
        return findRegisters(from, *to, fn, true);
      })
      .Case([&](tile::ExpandDimsOp expand) -> Result {
        auto fn = [axis = expand.getAxis()](Coordinates x, Origin &origin) {
          origin.append(x.begin(), x.end());
          origin.erase(origin.begin() + axis);
          return 0u;
        };
        return findRegisters(from, *to, fn, true);
      })
      .Case([&](tile::ReshapeOp reshape) -> Result {
        if (reshape.getAllowReorder() && isReordering(from[0], *to)) {
          SmallVector<RegisterOrigin> same;
          for (int64_t i = 0; i < int64_t(getNumRegisters(*to)); ++i) {
            same.push_back({0, i});
          }
          return same;
        }
        auto fn = [&](Coordinates x, Origin &origin) {
          unpackNumber(getNumber(shapeOf(reshape), x), shapeOf(reshape.getSource()), origin);
          return 0u;
        };
        return findRegisters(from, *to, fn, true);
      })
      .Case([&](tile::TransposeOp transpose) -> Result {
        auto fn = [&](Coordinates x, Origin &origin) {
          origin.resize(x.size());
          for (auto [dim, source] : llvm::enumerate(transpose.getOrder())) {
            origin[source] = x[dim];
          }
          return 0u;
        };
        return findRegisters(from, *to, fn, true);
      })
      .Case([&](tile::JoinOp) -> Result {
        auto fn = [](Coordinates x, Origin &origin) {
          origin.append(x.begin(), x.end() - 1);
          return unsigned(x.back());
        };
        return findRegisters(from, *to, fn, true);
      })
      .Case([&](tile::SplitOp) -> Result {
        auto fn = [index](Coordinates x, Origin &origin) {
          origin.append(x.begin(), x.end());
          origin.push_back(index);
          return 0u;
        };
        return findRegisters(from, *to, fn, true);
      })
      .Case([&](tile::CatOp cat) -> Result {
        unsigned axis = cat.getAxis();
        int64_t first = shapeOf(cat.getLhs())[axis];
        auto fn = [axis, first](Coordinates x, Origin &origin) {
          origin.append(x.begin(), x.end());
          bool isSecond = x[axis] >= first;
          origin[axis] -= isSecond ? first : 0;
          return unsigned(isSecond);
        };
        return findRegisters(from, *to, fn, false);
      })
      .Case([&](tile::SliceOp slice) -> Result {
        auto fn = [&](Coordinates x, Origin &origin) {
          for (auto [coordinate, offset, step] :
               llvm::zip(x, slice.getOffsets(), slice.getSteps())) {
            origin.push_back(offset + coordinate * step);
          }
          return 0u;
        };
        return findRegisters(from, *to, fn, false);
      })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

} // namespace tegula::tilegpu
