//===- Pull.cpp - Chunks of virtual tiles
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopFormer.h"
#include "LoopFormerInlines.h"
#include "tegula/Conversion/Math/FloatFormats.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tegula::cpu {

static std::pair<const void *, SmallVector<std::pair<const void *, int64_t>, 6>>
makeKey(Value value, const Chunk &chunk) {
  SmallVector<std::pair<const void *, int64_t>, 6> parts;
  for (const Coord &coord : chunk.at) {
    parts.push_back({coord.value.getAsOpaquePointer(), coord.constant});
  }
  parts.push_back({nullptr, int64_t(chunk.dim) * 4096 + chunk.lanes});
  return {value.getAsOpaquePointer(), parts};
}

Pulled LoopFormer::splat(Location loc, Pulled scalar, unsigned lanes) {
  if (lanes == 1) {
    return scalar;
  }
  Chunk tag;
  tag.lanes = lanes;
  Pulled &cached = memo[makeKey(scalar.value, tag)];
  if (!cached.value) {
    DenseElementsAttr dense;
    Attribute constantValue;
    if (matchPattern(scalar.value, m_Constant(&constantValue))) {
      auto type = VectorType::get({int64_t(lanes)}, scalar.value.getType());
      dense = DenseElementsAttr::get(type, constantValue);
      cached = {constant(dense), 0};
    } else {
      cached = at(scalar.level, [&] {
        return vector::BroadcastOp::create(builder, loc, withLanes(scalar.value.getType(), lanes),
                                           scalar.value);
      });
    }
  }
  return cached;
}

Pulled LoopFormer::pull(Value value, const Chunk &chunk) {
  if (!tileType(value)) {
    return splat(locOf(value), {scalar(value), 0}, chunk.lanes);
  }
  auto through = writeThrough.find(value);
  if (through == writeThrough.end()) {
    return pullTile(value, chunk);
  }
  Key key = makeKey(value, chunk);
  auto found = memo.find(key);
  if (found != memo.end()) {
    return found->second;
  }
  Buffer buffer = through->second;
  Pulled result = pullTile(value, chunk);
  storeBuffer(locOf(value), buffer, chunk, result);
  memo[makeKey(value, chunk)] = result;
  return result;
}

Pulled LoopFormer::pullTile(Value value, Chunk chunk) {
  // Coordinates that do not matter are zero, so that equal chunks share code
  // and loops keep only what changes in them.
  unsigned lanes = chunk.lanes;
  for (unsigned d = 0; d < chunk.at.size(); ++d) {
    if (isUniform(value, d)) {
      chunk.at[d] = Coord::get(0);
      if (chunk.dim == int(d)) {
        chunk.dim = -1;
        chunk.lanes = 1;
      }
    }
  }
  Key key = makeKey(value, chunk);
  auto found = memo.find(key);
  Pulled result;
  if (found != memo.end()) {
    result = found->second;
  } else {
    auto buffer = buffers.find(value);
    if (buffer != buffers.end()) {
      result = loadBuffer(locOf(value), buffer->second, chunk);
    } else {
      result = pullOp(value.getDefiningOp(), chunk);
    }
    memo[key] = result;
  }
  return chunk.lanes == lanes ? result : splat(locOf(value), result, lanes);
}

/// Whether `op` may be fused with others. Not in 16 bits, where every operator
/// rounds; nor a product that is rounded to fewer bits before anything uses it,
/// since LLVM multiplies in those bits where the processor can.
static bool mayContract(Operation *op, Type element) {
  if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op) ||
      element.getIntOrFloatBitWidth() < 32) {
    return false;
  }
  return !isa<arith::MulFOp>(op) || op->use_empty() ||
         !llvm::all_of(op->getUsers(), [](Operation *user) { return isa<arith::TruncFOp>(user); });
}

Pulled LoopFormer::elementwise(Operation *op, ArrayRef<Value> operands, unsigned level,
                               unsigned lanes) {
  return at(level, [&]() -> Value {
    IRMapping mapping;
    Operation *copy = op->cloneWithoutRegions(mapping);
    copy->setOperands(operands);
    Type element = convertElement(getElementTypeOrSelf(op->getResult(0).getType()));
    copy->getResult(0).setType(withLanes(element, lanes));
    if (options.contract && mayContract(op, element)) {
      auto flags = cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr().getValue();
      copy->setAttr("fastmath", arith::FastMathFlagsAttr::get(
                                    op->getContext(), flags | arith::FastMathFlags::contract));
    }
    builder.insert(copy);
    return copy->getResult(0);
  });
}

Pulled LoopFormer::pullOp(Operation *op, const Chunk &chunk) {
  Location loc = op->getLoc();
  unsigned lanes = chunk.lanes;
  Type element = convertElement(getElementTypeOrSelf(op->getResult(0).getType()));
  auto through = [&](Value operand, unsigned &level) -> Value {
    Pulled pulled = pull(operand, chunk);
    level = std::max(level, pulled.level);
    return pulled.value;
  };
  unsigned level = 0;
  return llvm::TypeSwitch<Operation *, Pulled>(op)
      .Case([&](arith::ConstantOp constantOp) -> Pulled {
        auto dense = cast<DenseElementsAttr>(constantOp.getValue());
        auto splatValue = cast<TypedAttr>(dense.getSplatValue<Attribute>());
        return splat(loc, {constant(splatValue), 0}, lanes);
      })
      .Case([&](tile::SplatOp splatOp) {
        return splat(loc, {scalar(splatOp.getSource()), 0}, lanes);
      })
      .Case([&](tile::RangeOp range) -> Pulled {
        const Coord &coord = chunk.at[0];
        Pulled first;
        Type i32 = builder.getI32Type();
        if (!coord.value) {
          first = {constant(builder.getI32IntegerAttr(range.getStart() + coord.constant)), 0};
        } else {
          first = at(coord.level,
                     [&] { return arith::TruncIOp::create(builder, loc, i32, coord.value); });
          if (range.getStart() != 0) {
            Value start = constant(builder.getI32IntegerAttr(range.getStart()));
            Value before = first.value;
            first =
                at(coord.level, [&] { return arith::AddIOp::create(builder, loc, before, start); });
          }
        }
        if (!chunk.isVector() || lanes == 1) {
          return first;
        }
        Pulled wide = splat(loc, first, lanes);
        Value steps = iota(i32, lanes, 1);
        return at(wide.level,
                  [&] { return arith::AddIOp::create(builder, loc, wide.value, steps); });
      })
      .Case([&](tile::ExpandDimsOp expand) {
        Chunk from = chunk;
        int axis = expand.getAxis();
        from.at.erase(from.at.begin() + axis);
        from.dim = chunk.dim > axis ? chunk.dim - 1 : chunk.dim;
        return pull(expand.getSource(), from);
      })
      .Case([&](tile::BroadcastOp broadcast) { return pull(broadcast.getSource(), chunk); })
      .Case([&](tile::TransposeOp transpose) {
        Chunk from = chunk;
        for (auto [d, source] : llvm::enumerate(transpose.getOrder())) {
          from.at[source] = chunk.at[d];
          if (chunk.dim == int(d)) {
            from.dim = source;
          }
        }
        return pull(transpose.getSource(), from);
      })
      .Case([&](tile::ReshapeOp reshape) {
        // Only dimensions of size 1 come or go: others are kept (Plan.cpp).
        auto fromType = tileType(reshape.getSource()), toType = tileType(reshape.getResult());
        Chunk from;
        from.lanes = lanes;
        int next = 0;
        for (int64_t extent : fromType.getShape()) {
          if (extent == 1) {
            from.at.push_back(Coord::get(0));
            continue;
          }
          while (toType.getDimSize(next) == 1) {
            ++next;
          }
          if (chunk.dim == next) {
            from.dim = from.at.size();
          }
          from.at.push_back(chunk.at[next++]);
        }
        return pull(reshape.getSource(), from);
      })
      .Case([&](tile::LoadOp load) { return pullLoad(load, chunk); })
      .Case([&](tile::GatherOp gather) { return pullGather(gather, chunk); })
      .Case([&](tile::SliceOp slice) { return pullSlice(slice, chunk); })
      .Case<tile::HintOp, tile::PtrCastOp>([&](auto same) { return pull(same.getSource(), chunk); })
      .Case([&](tile::AddPtrOp add) -> Pulled {
        Value pointer = through(add.getPtr(), level), offset = through(add.getOffset(), level);
        auto type = cast<tile::PtrType>(getElementTypeOrSelf(add.getResult().getType()));
        return at(level, [&]() -> Value {
          Type i64 = withLanes(builder.getI64Type(), lanes);
          if (getElementTypeOrSelf(offset.getType()).getIntOrFloatBitWidth() < 64) {
            offset = arith::ExtSIOp::create(builder, loc, i64, offset);
          } else if (getElementTypeOrSelf(offset.getType()).getIntOrFloatBitWidth() > 64) {
            offset = arith::TruncIOp::create(builder, loc, i64, offset);
          }
          return LLVM::GEPOp::create(builder, loc, withLanes(element, lanes),
                                     memoryElement(type.getPointeeType()), pointer,
                                     ArrayRef<LLVM::GEPArg>{offset});
        });
      })
      .Case([&](tile::PtrToIntOp cast) {
        Value pointer = through(cast.getSource(), level);
        return at(level, [&] {
          return LLVM::PtrToIntOp::create(builder, loc, withLanes(element, lanes), pointer);
        });
      })
      .Case([&](tile::IntToPtrOp cast) {
        Value number = through(cast.getSource(), level);
        return at(level, [&] {
          return LLVM::IntToPtrOp::create(builder, loc, withLanes(element, lanes), number);
        });
      })
      .Case([&](tile::FromFp8Op cast) {
        Value bits = through(cast.getSource(), level);
        return at(level, [&]() -> Value {
          Value wide = conversion::buildFp8ToF32(builder, loc, bits,
                                                 conversion::Fp8Kind(int(cast.getKind())));
          if (element.isF32()) {
            return wide;
          }
          Type type = withLanes(element, lanes);
          if (element.isF64()) {
            return arith::ExtFOp::create(builder, loc, type, wide);
          }
          return arith::TruncFOp::create(builder, loc, type, wide);
        });
      })
      .Case([&](tile::ToFp8Op cast) {
        Value number = through(cast.getSource(), level);
        return at(level, [&]() -> Value {
          Type from = getElementTypeOrSelf(number.getType());
          if (!from.isF32() && !from.isF64()) {
            number =
                arith::ExtFOp::create(builder, loc, withLanes(builder.getF32Type(), lanes), number);
          }
          return conversion::buildF32ToFp8(
              builder, loc, number, conversion::Fp8Kind(int(cast.getKind())),
              cast.getRounding() == tile::Rounding::RTZ ? arith::RoundingMode::toward_zero
                                                        : arith::RoundingMode::to_nearest_even);
        });
      })
      .Default([&](Operation *other) -> Pulled {
        SmallVector<Value> operands;
        for (Value operand : other->getOperands()) {
          if (!tileType(operand)) {
            operands.push_back(scalar(operand));
          } else {
            operands.push_back(through(operand, level));
          }
        }
        return elementwise(other, operands, level, lanes);
      });
}

} // namespace tegula::cpu
