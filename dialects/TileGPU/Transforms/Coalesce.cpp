//===- Coalesce.cpp - Layouts with wide, neighbouring accesses
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neighbouring lanes should access neighbouring memory, and each lane as much at once as
// alignment allows. Accesses of tiles of one shape along one order of dimensions share a
// layout, that of the widest: a conversion between two costs more than a narrower access.
// Where tiles of the shape are reduced along the dimension of neighbours, each warp has whole
// rows, as far as there are enough.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Layouts.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tegula/TileGPU/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tegula::tilegpu {
#define GEN_PASS_DEF_TILEGPUCOALESCEPASS
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"
} // namespace tegula::tilegpu

using namespace tegula::tilegpu;
using tegula::tile::AxisInfoAnalysis;

namespace {
/// Accesses of one shape along one order.
struct Group {
  unsigned perLane = 1;
  unsigned numAccesses = 0;
};
} // namespace

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// All accesses of one function.
static void coalesce(FunctionOpInterface function, const AxisInfoAnalysis &axes,
                     const Machine &machine) {
  using Order = SmallVector<unsigned, 4>;
  struct Wanted {
    Operation *op;
    Wish wish;
  };
  SmallVector<Wanted> accesses;
  llvm::MapVector<ArrayRef<int64_t>, llvm::MapVector<Order, Group>> groups;
  // Shapes that are combined along a dimension.
  DenseSet<std::pair<ArrayRef<int64_t>, unsigned>> combined;
  function.walk([&](Operation *op) {
    if (isa<tegula::tile::ReduceOp, tegula::tile::ScanOp>(op)) {
      const unsigned axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
      combined.insert({shapeOf(op->getOperand(0)), axis});
      return;
    }
    std::optional<PointerAccess> access = getPointerAccess(op);
    if (!access) {
      return;
    }
    Wish wish = getWish(op, *access, axes, machine);
    if (wish.isFirm) {
      Group &group = groups[shapeOf(access->pointer)][wish.order];
      group.perLane = std::max(group.perLane, wish.perLane);
      ++group.numAccesses;
    }
    accesses.push_back({op, wish});
  });
  for (const Wanted &wanted : accesses) {
    const ArrayRef<int64_t> shape = shapeOf(getPointerAccess(wanted.op)->pointer);
    auto found = groups.find(shape);
    if (found == groups.end()) {
      continue; // nothing is better than the layout it has
    }
    // Whoever has no wish goes with most others of the shape.
    const std::pair<Order, Group> *chosen = nullptr;
    for (const std::pair<Order, Group> &one : found->second) {
      const bool isBetter = wanted.wish.isFirm
                                ? one.first == wanted.wish.order
                                : !chosen || one.second.numAccesses > chosen->second.numAccesses;
      if (isBetter) {
        chosen = &one;
      }
    }
    const auto &[order, group] = *chosen;
    const bool isCombined = combined.contains({shape, order[0]});
    convertAround(wanted.op, isCombined && order.size() > 1
                                 ? makeWarpsApart(machine, shape, order, group.perLane)
                                 : makeBlocked(machine, shape, order, group.perLane));
  }
}

namespace {
struct CoalescePass : tegula::tilegpu::impl::TileGPUCoalescePassBase<CoalescePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<Machine> machine = getMachine(module);
    if (!machine) {
      return signalPassFailure();
    }
    const AxisInfoAnalysis axes(module);
    module.walk([&](FunctionOpInterface function) { coalesce(function, axes, *machine); });
  }
};
} // namespace
