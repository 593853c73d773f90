//===- Layouts.cpp - What passes on layouts share ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula::tilegpu;

int64_t tegula::tilegpu::getShare(const Machine &machine, ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t size : shape) {
    elements *= size & -size;
  }
  return llvm::bit_floor(uint64_t(std::max<int64_t>(1, elements / machine.getNumThreads())));
}

static SmallVector<unsigned> getRowMajorOrder(unsigned rank) {
  SmallVector<unsigned> order;
  for (unsigned dim = rank; dim-- > 0;) {
    order.push_back(dim);
  }
  return order;
}

Layout tegula::tilegpu::makeDefault(const Machine &machine, ArrayRef<int64_t> shape) {
  const int64_t share = std::min<int64_t>(4, getShare(machine, shape));
  return makeBlocked(machine, shape, getRowMajorOrder(shape.size()), share);
}

Layout tegula::tilegpu::makeWarpsApart(const Machine &machine, ArrayRef<int64_t> shape,
                                       ArrayRef<unsigned> order, unsigned perLane) {
  // One warp's part, then the warps as its outermost bits, then what is no power of two.
  SmallVector<int64_t> part;
  for (int64_t size : shape) {
    part.push_back(size & -size);
  }
  const unsigned rank = shape.size();
  unsigned left = llvm::Log2_32(machine.numWarps);
  LinearMap warps(rank);
  SmallVector<unsigned> warpOrder(order.drop_front());
  warpOrder.push_back(order[0]);
  for (unsigned dim : warpOrder) {
    const unsigned bits = std::min<unsigned>(left, llvm::Log2_64(part[dim]));
    warps = warps * LinearMap::identity(Axis::Warp, bits, dim, rank);
    part[dim] >>= bits;
    left -= bits;
  }
  warps = warps * LinearMap::zero(Axis::Warp, left, rank);
  Machine one = machine;
  one.numWarps = 1;
  const LinearMap inner = makeBlocked(one, part, order, perLane).getInner() * warps;
  SmallVector<Repetition> repetitions;
  for (unsigned dim : order) {
    repetitions.push_back({Axis::Register, dim, unsigned(shape[dim] / (shape[dim] & -shape[dim]))});
  }
  return Layout(inner, repetitions);
}

int64_t tegula::tilegpu::getPack(Operation *op) {
  if (auto map = dyn_cast<tile::MapOp>(op)) {
    return map.getPack();
  }
  auto text = dyn_cast<tile::InlineAsmOp>(op);
  return text ? text.getPack() : 1;
}

std::optional<Layout> tegula::tilegpu::makePacked(const Machine &machine, Operation *op) {
  const int64_t pack = getPack(op);
  if (pack <= 1 || !llvm::isPowerOf2_64(pack) || op->getNumOperands() == 0) {
    return std::nullopt;
  }
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!type || type.getRank() == 0 || type.getShape().back() % pack != 0) {
    return std::nullopt;
  }
  const int64_t share = std::min<int64_t>(4, getShare(machine, type.getShape()));
  return makeBlocked(machine, type.getShape(), getRowMajorOrder(type.getRank()),
                     std::max(pack, share));
}

Value tegula::tilegpu::convertTo(OpBuilder &builder, Value value, const Layout &layout) {
  RankedTensorType type = withLayout(value.getType(), layout);
  if (type == value.getType()) {
    return value;
  }
  return ConvertLayoutOp::create(builder, value.getLoc(), type, value);
}

void tegula::tilegpu::convertResult(OpResult result, const Layout &layout) {
  Type type = result.getType(), other = withLayout(type, layout);
  if (type == other) {
    return;
  }
  Operation *op = result.getOwner();
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  result.setType(other);
  if (result.use_empty()) {
    return;
  }
  auto back = ConvertLayoutOp::create(builder, op->getLoc(), type, result);
  result.replaceAllUsesExcept(back, back);
}

void tegula::tilegpu::convertAround(Operation *op, const Layout &layout) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (isTile(operand.get())) {
      operand.set(convertTo(builder, operand.get(), layout));
    }
  }
  for (OpResult result : op->getResults()) {
    if (isTile(result)) {
      convertResult(result, layout);
    }
  }
}

LogicalResult tegula::tilegpu::retypeConstant(Operation *op) {
  auto value = op->getAttrOfType<ElementsAttr>("value");
  if (!value || op->getNumResults() != 1 || !isTile(op->getResult(0))) {
    return success();
  }
  auto type = cast<ShapedType>(op->getResult(0).getType());
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    op->setAttr("value", dense.isSplat() ? dense.resizeSplat(type) : dense.reshape(type));
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    op->setAttr("value", DenseResourceElementsAttr::get(type, resource.getRawHandle()));
  } else {
    return failure();
  }
  return success();
}
