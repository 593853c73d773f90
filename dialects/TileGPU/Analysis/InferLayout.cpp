//===- InferLayout.cpp - How layouts of operands and results belong together ===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/InferLayout.h"

#include "ShapeLayouts.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula::tilegpu;
using namespace tegula::tile;

//===----------------------------------------------------------------------===//
// Blocked layouts
//===----------------------------------------------------------------------===//

Layout tegula::tilegpu::makeBlocked(const Machine &machine, ArrayRef<int64_t> shape,
                                    ArrayRef<unsigned> order, unsigned perLane) {
  const unsigned rank = shape.size();
  SmallVector<unsigned> bits, used(rank, 0);
  for (int64_t size : shape) {
    bits.push_back(llvm::countr_zero(uint64_t(size)));
  }
  LinearMap map(bits);
  // Gives up to `count` bits of an axis to dimension `dim`; what is left of the count.
  auto give = [&](Axis axis, unsigned dim, unsigned count) {
    for (; count > 0 && used[dim] < bits[dim]; --count) {
      SmallVector<int64_t> image(rank, 0);
      image[dim] = int64_t(1) << used[dim]++;
      map.addBit(axis, image);
    }
    return count;
  };
  if (rank > 0) {
    give(Axis::Register, order[0], llvm::Log2_32(std::max(1u, perLane)));
  }
  for (auto [axis, size] :
       {std::pair(Axis::Lane, machine.warpSize), std::pair(Axis::Warp, machine.numWarps)}) {
    unsigned left = llvm::Log2_32(size);
    for (unsigned dim : order) {
      left = give(axis, dim, left);
    }
    for (; left > 0; --left) {
      map.addPackedBit(axis, 0);
    }
  }
  SmallVector<Repetition> repetitions;
  for (unsigned dim : order) {
    give(Axis::Register, dim, bits[dim]);
    repetitions.push_back({Axis::Register, dim, unsigned(shape[dim] >> bits[dim])});
  }
  return Layout(map, repetitions);
}

//===----------------------------------------------------------------------===//
// Relations
//===----------------------------------------------------------------------===//

bool tegula::tilegpu::isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<AddPtrOp, AtomicCASOp, AtomicRMWOp, DivOp, ExternOp, FpToIntOp, FromFp8Op, HintOp,
             InlineAsmOp, IntToPtrOp, LoadOp, MapOp, PtrCastOp, PtrToIntOp, RemOp, ShlOp, ShrOp,
             StoreOp, ToFp8Op>(op);
}

static Shape shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

/// Ops whose result `index` has the layout of operand `operand`, whichever way one looks.
static bool isSame(Operation *op, unsigned operand, unsigned index) {
  if (!isTile(op->getOperand(operand)) || !isTile(op->getResult(index))) {
    return false;
  }
  if (isElementwise(op) || isa<ScanOp, SortOp>(op)) {
    return true;
  }
  return (isa<DotOp, DotScaledOp>(op) && operand == 2) || (isa<GatherOp>(op) && operand == 1);
}

static SliceBounds getBounds(SliceOp op) {
  return {shapeOf(op.getSource()), shapeOf(op.getResult()), op.getOffsets(), op.getSteps()};
}

std::optional<Layout> tegula::tilegpu::inferResult(Operation *op, unsigned operand,
                                                   const Layout &layout, unsigned index) {
  if (isSame(op, operand, index)) {
    return layout;
  }
  if (op->getNumResults() <= index || !isTile(op->getResult(index)) ||
      !isTile(op->getOperand(operand))) {
    return std::nullopt;
  }
  return TypeSwitch<Operation *, OptionalLayout>(op)
      .Case([&](BroadcastOp op) {
        return broadcast(layout, shapeOf(op.getSource()), shapeOf(op.getResult()));
      })
      .Case([&](ExpandDimsOp op) { return insertDim(layout, op.getAxis()); })
      .Case([&](ReshapeOp op) {
        return reshape(layout, shapeOf(op.getSource()), shapeOf(op.getResult()));
      })
      .Case([&](TransposeOp op) { return transpose(layout, op.getOrder()); })
      .Case([&](JoinOp) { return join(layout); })
      .Case([&](SplitOp) { return unjoin(layout); })
      .Case([&](CatOp op) {
        return shapeOf(op.getLhs()) == shapeOf(op.getRhs())
                   ? OptionalLayout(concatenate(layout, op.getAxis()))
                   : std::nullopt;
      })
      .Case([&](SliceOp op) { return slice(layout, getBounds(op)); })
      .Case([&](ReduceOp op) { return dropDim(layout, op.getAxis()); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Layout> tegula::tilegpu::inferOperand(Operation *op, unsigned index,
                                                    const Layout &layout, unsigned operand) {
  if (isSame(op, operand, index)) {
    return layout;
  }
  if (op->getNumOperands() <= operand || !isTile(op->getResult(index)) ||
      !isTile(op->getOperand(operand))) {
    return std::nullopt;
  }
  return TypeSwitch<Operation *, OptionalLayout>(op)
      .Case([&](BroadcastOp op) {
        return unbroadcast(layout, shapeOf(op.getSource()), shapeOf(op.getResult()));
      })
      .Case([&](ExpandDimsOp op) { return dropDim(layout, op.getAxis(), /*keepCopies=*/true); })
      .Case([&](ReshapeOp op) {
        return reshape(layout, shapeOf(op.getResult()), shapeOf(op.getSource()));
      })
      .Case([&](TransposeOp op) { return untranspose(layout, op.getOrder()); })
      .Case([&](JoinOp) { return unjoin(layout); })
      .Case([&](SplitOp) { return join(layout); })
      .Case([&](CatOp op) {
        return shapeOf(op.getLhs()) == shapeOf(op.getRhs()) ? unconcatenate(layout, op.getAxis())
                                                            : std::nullopt;
      })
      .Case([&](SliceOp op) { return unslice(layout, getBounds(op)); })
      .Default([](Operation *) { return std::nullopt; });
}
