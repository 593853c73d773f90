//===- ChannelReads.cpp - Operands of products from slots
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tegula/TileGPU/Analysis/Scratch.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

/// A tile with one value everywhere: that scalar, or the constant.
static bool isSplat(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    return false;
  }
  DenseElementsAttr constant;
  return isa<tile::SplatOp>(op) ||
         (matchPattern(value, m_Constant(&constant)) && constant.isSplat());
}

static Value readSplat(OpBuilder &builder, Value value, RankedTensorType type) {
  if (auto splat = value.getDefiningOp<tile::SplatOp>()) {
    return tile::SplatOp::create(builder, splat.getLoc(), type, splat.getSource());
  }
  DenseElementsAttr constant;
  matchPattern(value, m_Constant(&constant));
  return arith::ConstantOp::create(builder, value.getLoc(), constant.resizeSplat(type));
}

bool ChannelReads::canRead(Value value) const {
  if (slots.contains(value)) {
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || op->getNumResults() != 1 || !isMemoryEffectFree(op)) {
    return false;
  }
  if (isa<ConvertLayoutOp, tile::TransposeOp>(op)) {
    return canRead(op->getOperand(0));
  }
  if (!isElementwise(op)) {
    return false;
  }
  bool any = false;
  for (Value operand : op->getOperands()) {
    if (!isTile(operand) || isSplat(operand)) {
      continue;
    }
    if (!canRead(operand)) {
      return false;
    }
    any = true;
  }
  return any;
}

/// What a transpose of parts takes: sizes or offsets of the source.
static SmallVector<int64_t> untranspose(tile::TransposeOp op, ArrayRef<int64_t> numbers) {
  SmallVector<int64_t> source(numbers.size());
  for (auto [dim, from] : llvm::enumerate(op.getOrder())) {
    source[from] = numbers[dim];
  }
  return source;
}

Value ChannelReads::read(OpBuilder &builder, Value value, RankedTensorType type,
                         ArrayRef<int64_t> offsets) const {
  if (auto found = slots.find(value); found != slots.end()) {
    const LoadedSlot &slot = found->second;
    return ChannelReadOp::create(builder, value.getLoc(), type, slot.channel, slot.position,
                                 offsets, slot.token);
  }
  Operation *op = value.getDefiningOp();
  if (isa<ConvertLayoutOp>(op)) {
    return read(builder, op->getOperand(0), type, offsets);
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    auto source = RankedTensorType::get(untranspose(transpose, type.getShape()),
                                        type.getElementType(), Attribute());
    const std::optional<Layout> layout = inferOperand(op, 0, *getLayout(type), 0);
    Value operand = read(builder, transpose.getSource(), withLayout(source, *layout),
                         untranspose(transpose, offsets));
    return tile::TransposeOp::create(builder, op->getLoc(), type, operand,
                                     transpose.getOrderAttr());
  }
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    if (isTile(operand)) {
      auto part = type.clone(getElementTypeOrSelf(operand.getType()));
      mapping.map(operand, isSplat(operand) ? readSplat(builder, operand, part)
                                            : read(builder, operand, part, offsets));
    }
  }
  Operation *made = builder.clone(*op, mapping);
  made->getResult(0).setType(type);
  return made->getResult(0);
}

void ChannelReads::findWanted(Value value, const Layout &layout,
                              llvm::MapVector<Value, Layout> &wanted) const {
  if (slots.contains(value)) {
    wanted.insert({value, layout});
    return;
  }
  Operation *op = value.getDefiningOp();
  if (isa<tile::TransposeOp>(op)) {
    if (std::optional<Layout> source = inferOperand(op, 0, layout, 0)) {
      findWanted(op->getOperand(0), *source, wanted);
    }
    return;
  }
  for (Value operand : op->getOperands()) {
    if (isTile(operand) && !isSplat(operand)) {
      findWanted(operand, layout, wanted);
    }
  }
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

std::optional<Layout> tegula::tilegpu::cutLayout(const Layout &layout, unsigned dim, int64_t size) {
  if (!layout.isLinear()) {
    return std::nullopt;
  }
  const LinearMap &inner = layout.getInner();
  SmallVector<unsigned> bits(inner.getOutputBits());
  bits[dim] = llvm::Log2_64(uint64_t(size));
  LinearMap cut{ArrayRef<unsigned>(bits)};
  for (Axis axis : {Axis::Register, Axis::Lane, Axis::Warp}) {
    for (uint64_t image : inner.getImages(axis)) {
      const SmallVector<int64_t> at = inner.unpack(image);
      if (at[dim] < size) {
        cut.addPackedBit(axis, cut.pack(at));
        continue;
      }
      const bool isStep =
          llvm::count_if(at, [](int64_t x) { return x != 0; }) == 1 && at[dim] % size == 0;
      if (axis != Axis::Register || !isStep) {
        return std::nullopt;
      }
    }
  }
  return Layout(cut);
}

std::optional<ProductParts> tegula::tilegpu::planParts(tile::DotOp dot) {
  auto instruction = dot->getAttrOfType<MmaAttr>(kMmaAttr);
  auto a = cast<RankedTensorType>(dot.getA().getType());
  const unsigned rank = a.getRank();
  if (!instruction || a.getDimSize(rank - 1) % instruction.getK() != 0) {
    return std::nullopt;
  }
  ProductParts parts;
  parts.size = instruction.getK();
  parts.count = unsigned(a.getDimSize(rank - 1) / parts.size);
  std::optional<Layout> left = cutLayout(*getLayout(a), rank - 1, parts.size);
  std::optional<Layout> right = cutLayout(*getLayout(dot.getB().getType()), rank - 2, parts.size);
  if (!left || !right) {
    return std::nullopt;
  }
  parts.a = *left;
  parts.b = *right;
  return parts;
}
