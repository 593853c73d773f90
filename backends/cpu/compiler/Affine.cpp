//===- Affine.cpp - How values change along a dimension
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopFormer.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::cpu {

/// Dimension of the source of a trivial reshape that is `dim` of its result;
/// none for dimensions of size 1.
static std::optional<unsigned> reshapeSourceDim(tile::ReshapeOp op, unsigned dim) {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getResult().getType());
  unsigned wanted = 0;
  for (unsigned d = 0; d < dim; ++d) {
    wanted += to.getDimSize(d) != 1;
  }
  for (unsigned d = 0; d < from.getRank(); ++d) {
    if (from.getDimSize(d) != 1 && wanted-- == 0) {
      return d;
    }
  }
  return std::nullopt;
}

bool LoopFormer::isUniform(Value value, unsigned dim) {
  auto type = tileType(value);
  if (!type || type.getDimSize(dim) == 1) {
    return true;
  }
  auto found = uniform.find({value, dim});
  if (found != uniform.end()) {
    return found->second;
  }
  bool result = false;
  Operation *op = value.getDefiningOp();
  if (!op || !isVirtual(op) || isa<tile::RangeOp>(op)) {
    result = false;
  } else if (isa<tile::SplatOp>(op)) {
    result = true;
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    result = dense && dense.isSplat();
  } else if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    unsigned axis = expand.getAxis();
    result = isUniform(expand.getSource(), dim > axis ? dim - 1 : dim);
  } else if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    result = isUniform(transpose.getSource(), transpose.getOrder()[dim]);
  } else if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    if (isTrivialReshape(reshape.getSource().getType(), type)) {
      auto source = reshapeSourceDim(reshape, dim);
      result = source && isUniform(reshape.getSource(), *source);
    }
  } else {
    auto load = dyn_cast<tile::LoadOp>(op);
    result = !(load && load.getIsVolatile()) && llvm::all_of(op->getOperands(), [&](Value operand) {
      return isUniform(operand, dim);
    });
  }
  return uniform[{value, dim}] = result;
}

bool LoopFormer::hasUniformDim(Value value) {
  auto type = tileType(value);
  for (int64_t d = 0; type && d < type.getRank(); ++d) {
    if (type.getDimSize(d) > 1 && isUniform(value, d)) {
      return true;
    }
  }
  return false;
}

std::optional<int64_t> LoopFormer::getSplatInt(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number))) {
    return number.getSExtValue();
  }
  Operation *op = value.getDefiningOp();
  if (op &&
      isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, arith::ExtSIOp, arith::IndexCastOp>(
          op)) {
    return getSplatInt(op->getOperand(0));
  }
  return std::nullopt;
}

static Stride worse(Stride a, Stride b) { return a.kind > b.kind ? a : b; }

Stride LoopFormer::getStride(Value value, unsigned dim, unsigned lanes) {
  std::pair<Value, uint64_t> key(value, uint64_t(dim) << 32 | lanes);
  auto found = strides.find(key);
  if (found != strides.end()) {
    return found->second;
  }
  Stride stride = computeStride(value, dim, lanes);
  strides[key] = stride;
  return stride;
}

Stride LoopFormer::computeStride(Value value, unsigned dim, unsigned lanes) {
  if (isUniform(value, dim)) {
    return {Stride::Known, 0};
  }
  Operation *op = value.getDefiningOp();
  if (!op) {
    return {Stride::Maybe};
  }
  if (isa<tile::RangeOp>(op)) {
    return {Stride::Known, 1};
  }
  if (!isVirtual(op) || isa<tile::LoadOp, arith::ConstantOp>(op) || pickedSource(op)) {
    return {Stride::Opaque};
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    unsigned axis = expand.getAxis();
    return getStride(expand.getSource(), dim > axis ? dim - 1 : dim, lanes);
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    return getStride(broadcast.getSource(), dim, lanes);
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    return getStride(transpose.getSource(), transpose.getOrder()[dim], lanes);
  }
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    auto type = tileType(value);
    auto source = reshapeSourceDim(reshape, dim);
    if (source && isTrivialReshape(reshape.getSource().getType(), type)) {
      return getStride(reshape.getSource(), *source, lanes);
    }
    return {Stride::Maybe};
  }
  if (auto hint = dyn_cast<tile::HintOp>(op)) {
    auto runs = hint.getContiguity();
    if (runs && dim < runs->size() && (*runs)[dim] % lanes == 0) {
      Type element = getElementTypeOrSelf(value.getType());
      auto pointer = dyn_cast<tile::PtrType>(element);
      return {Stride::Known, pointer ? tile::getElementBytes(pointer.getPointeeType()) : 1};
    }
    return getStride(hint.getSource(), dim, lanes);
  }
  if (isa<tile::PtrCastOp, tile::PtrToIntOp, tile::IntToPtrOp, arith::ExtSIOp, arith::ExtUIOp,
          arith::TruncIOp, arith::IndexCastOp>(op)) {
    return getStride(op->getOperand(0), dim, lanes);
  }
  if (auto add = dyn_cast<tile::AddPtrOp>(op)) {
    Stride base = getStride(add.getPtr(), dim, lanes);
    Stride offset = getStride(add.getOffset(), dim, lanes);
    if (base.kind == Stride::Known && offset.kind == Stride::Known) {
      auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(value.getType()));
      int64_t bytes = tile::getElementBytes(pointer.getPointeeType());
      return {Stride::Known, base.step + offset.step * bytes};
    }
    return worse(base, offset);
  }
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    Stride a = getStride(op->getOperand(0), dim, lanes),
           b = getStride(op->getOperand(1), dim, lanes);
    if (a.kind == Stride::Known && b.kind == Stride::Known) {
      return {Stride::Known, isa<arith::AddIOp>(op) ? a.step + b.step : a.step - b.step};
    }
    return worse(a, b);
  }
  if (isa<arith::MulIOp>(op)) {
    for (unsigned side : {0u, 1u}) {
      Value factor = op->getOperand(side), other = op->getOperand(1 - side);
      if (!isUniform(factor, dim)) {
        continue;
      }
      Stride stride = getStride(other, dim, lanes);
      if (stride.kind != Stride::Known) {
        return stride;
      }
      if (auto number = getSplatInt(factor)) {
        return {Stride::Known, stride.step * *number};
      }
      return {Stride::Symbolic};
    }
    return {Stride::Maybe};
  }
  Stride result = {Stride::Maybe};
  for (Value operand : op->getOperands()) {
    if (tileType(operand)) {
      result = worse(result, getStride(operand, dim, lanes));
    }
  }
  if (isa<arith::SelectOp>(op) && isUniform(op->getOperand(0), dim)) {
    Stride a = getStride(op->getOperand(1), dim, lanes),
           b = getStride(op->getOperand(2), dim, lanes);
    if (a.kind == Stride::Known && b.kind == Stride::Known && a.step == b.step) {
      return a;
    }
  }
  return result;
}

} // namespace tegula::cpu
