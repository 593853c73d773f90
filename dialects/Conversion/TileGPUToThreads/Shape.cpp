//===- Shape.cpp - Ops that change shapes
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers that are in the thread already are picked. Others go through memory, where the
// tile lies in row-major order: what an op does to shapes is then a matter of strides.
//
//===----------------------------------------------------------------------===//

#include "SharedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tegula/TileGPU/Analysis/ConvertPlan.h"
#include "tegula/TileGPU/Analysis/Scratch.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (unsigned dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride *= shape[dim];
  }
  return strides;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  if (auto type = dyn_cast<RankedTensorType>(value.getType())) {
    return type.getShape();
  }
  return {};
}

/// Where the elements of a result are among those of the source, as numbers of memory.
struct Strided {
  SmallVector<int64_t> strides;
  int64_t origin = 0;
};

static Strided getSourcePlaces(Operation *op, unsigned index) {
  SmallVector<int64_t> source = getStrides(shapeOf(op->getOperand(0)));
  Strided places{getStrides(shapeOf(op->getResult(index))), 0};
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    for (auto [stride, size, from] :
         llvm::zip(places.strides, shapeOf(broadcast.getSource()), source)) {
      stride = size == 1 ? 0 : from;
    }
  } else if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    for (auto [stride, dim] : llvm::zip(places.strides, transpose.getOrder())) {
      stride = source[dim];
    }
  } else if (isa<tile::SplitOp>(op)) {
    places = {SmallVector<int64_t>(ArrayRef(source).drop_back()), int64_t(index)};
  } else if (auto slice = dyn_cast<tile::SliceOp>(op)) {
    for (auto [stride, from, offset, step] :
         llvm::zip(places.strides, source, slice.getOffsets(), slice.getSteps())) {
      stride = from * step;
      places.origin += from * offset;
    }
  }
  return places;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Registers of one or two vectors, as findShapeRegisters names them.
static Value pickAll(ThreadBuilder &build, ValueRange vectors, ArrayRef<RegisterOrigin> origins) {
  if (vectors.size() == 1) {
    SmallVector<int64_t> indices;
    for (RegisterOrigin one : origins) {
      indices.push_back(one.index);
    }
    return build.pick(vectors[0], indices);
  }
  SmallVector<SmallVector<Value>> registers;
  for (Value vector : vectors) {
    registers.push_back(build.unpack(vector));
  }
  SmallVector<Value> elements;
  for (RegisterOrigin one : origins) {
    elements.push_back(registers[one.operand][one.index]);
  }
  return build.pack(elements);
}

namespace {
/// One tile in, one or more out: broadcast, expand_dims, reshape, transpose, split, slice.
template <typename OpTy> struct OneTilePattern : ThreadPattern<OpTy> {
  using ThreadPattern<OpTy>::ThreadPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder build(rewriter, op.getLoc(), this->machine);
    SmallVector<std::optional<SmallVector<RegisterOrigin>>> plans;
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      plans.push_back(findShapeRegisters(op, i));
    }
    Value source = adaptor.getOperands()[0];
    Type element = cast<VectorType>(source.getType()).getElementType();
    Layout from = this->layoutOf(op->getOperand(0));
    Places sourcePlaces(from);
    int64_t elements = cast<RankedTensorType>(op->getOperand(0).getType()).getNumElements();
    int64_t window = getWindow(elements, element, this->machine);
    SmallVector<Value> results;
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      std::optional<Layout> to = getLayout(result.getType());
      Value vector;
      if (plans[i]) {
        vector = pickAll(build, source, *plans[i]);
      } else {
        if (i != 0 && !plans[0]) {
          build.barrier(); // the first half has been read
        }
        Strided strided = getSourcePlaces(op, i);
        Places target(to ? *to : Layout(LinearMap(0u)), strided.strides, strided.origin);
        vector = moveThroughMemory(build, MovedTile{source, &from, &sourcePlaces}, element, target,
                                   elements, window, this->scratchOf(op));
      }
      results.push_back(to ? vector : build.unpack(vector)[0]);
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Two tiles in, one out: join, cat.
template <typename OpTy> struct TwoTilesPattern : ThreadPattern<OpTy> {
  using ThreadPattern<OpTy>::ThreadPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder build(rewriter, op.getLoc(), this->machine);
    Layout to = this->layoutOf(op->getResult(0));
    if (!isa<RankedTensorType>(op->getOperand(0).getType())) {
      rewriter.replaceOp(op, joinScalars(build, adaptor.getOperands(), to));
      return success();
    }
    if (auto registers = findShapeRegisters(op, 0)) {
      rewriter.replaceOp(op, pickAll(build, adaptor.getOperands(), *registers));
      return success();
    }
    // Both lie where the result has them.
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Type element = cast<VectorType>(adaptor.getOperands()[0].getType()).getElementType();
    SmallVector<int64_t> strides = getStrides(type.getShape());
    int64_t second = strides.back();
    if (auto cat = dyn_cast<tile::CatOp>(op.getOperation())) {
      second = strides[cat.getAxis()] * shapeOf(cat.getLhs())[cat.getAxis()];
    } else {
      strides.pop_back();
    }
    Layout lhs = this->layoutOf(op->getOperand(0)), rhs = this->layoutOf(op->getOperand(1));
    Places lhsPlaces(lhs, strides, 0), rhsPlaces(rhs, strides, second), target(to);
    MovedTile tiles[] = {{adaptor.getOperands()[0], &lhs, &lhsPlaces},
                         {adaptor.getOperands()[1], &rhs, &rhsPlaces}};
    rewriter.replaceOp(op,
                       moveThroughMemory(build, tiles, element, target, type.getNumElements(),
                                         getWindow(type.getNumElements(), element, this->machine),
                                         this->scratchOf(op)));
    return success();
  }

private:
  /// All threads know both: each takes what its registers are.
  static Value joinScalars(ThreadBuilder &build, ValueRange scalars, const Layout &to) {
    SmallVector<Value> elements;
    for (Value number : build.unpack(build.rowMajor(to))) {
      Value isFirst = arith::CmpIOp::create(build.builder, build.loc, arith::CmpIPredicate::eq,
                                            number, build.i32(0));
      elements.push_back(
          arith::SelectOp::create(build.builder, build.loc, isFirst, scalars[0], scalars[1]));
    }
    return build.pack(elements);
  }
};

struct SplatPattern : ThreadPattern<tile::SplatOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::SplatOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(
        op, getTypeConverter()->convertType(op.getType()), adaptor.getSource());
    return success();
  }
};

struct RangePattern : ThreadPattern<tile::RangeOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::RangeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder build(rewriter, op.getLoc(), machine);
    Places places(layoutOf(op.getResult()), {1}, int32_t(op.getStart()));
    rewriter.replaceOp(op, places.getVector(build));
    return success();
  }
};

struct ConvertLayoutPattern : ThreadPattern<ConvertLayoutOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ConvertLayoutOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder build(rewriter, op.getLoc(), machine);
    rewriter.replaceOp(op, build.convert(adaptor.getSource(), layoutOf(op.getSource()),
                                         layoutOf(op.getResult()), scratchOf(op)));
    return success();
  }
};

/// The thread that has the element puts it where all read it.
struct ExtractPattern : ThreadPattern<tile::ExtractOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::ExtractOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ThreadBuilder build(rewriter, loc, machine);
    Layout layout = layoutOf(op.getSource());
    ArrayRef<int64_t> shape = shapeOf(op.getSource());
    SmallVector<int64_t> strides = getStrides(shape);
    Value wanted = build.i32(0), exists = build.constant(rewriter.getI1Type(), 1);
    for (auto [index, size, stride] : llvm::zip(adaptor.getIndices(), shape, strides)) {
      Value isInside = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, index,
                                             build.constant(index.getType(), size));
      exists = arith::AndIOp::create(rewriter, loc, exists, isInside);
      Value low = arith::TruncIOp::create(rewriter, loc, rewriter.getI32Type(), index);
      Value part = arith::MulIOp::create(rewriter, loc, low, build.i32(stride));
      wanted = arith::AddIOp::create(rewriter, loc, wanted, part);
    }
    SmallVector<Value> registers = build.unpack(adaptor.getSource());
    SmallVector<Value> numbers = build.unpack(build.rowMajor(layout));
    Value value = build.zero(registers[0].getType());
    Value isOwner = build.constant(rewriter.getI1Type(), 0);
    for (auto [one, number] : llvm::zip(registers, numbers)) {
      Value isIt = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, number, wanted);
      value = arith::SelectOp::create(rewriter, loc, isIt, one, value);
      isOwner = arith::OrIOp::create(rewriter, loc, isOwner, isIt);
    }
    Value acts = arith::AndIOp::create(rewriter, loc, isOwner, build.isFirstCopy(layout));
    // Nobody has what does not exist, but a number can be one that wrapped.
    acts = arith::AndIOp::create(rewriter, loc, acts, exists);
    Value address = build.sharedAddress(scratchOf(op));
    auto ifOp = scf::IfOp::create(rewriter, loc, acts, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(ifOp.thenBlock());
      build.storeShared(address, value);
    }
    build.barrier();
    Value found = build.loadShared(address, value.getType());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, exists, found, build.zero(value.getType()));
    return success();
  }
};
} // namespace

void tegula::tilegpu::addShapePatterns(ThreadPatterns &list) {
  list.add<OneTilePattern<tile::BroadcastOp>, OneTilePattern<tile::ExpandDimsOp>,
           OneTilePattern<tile::ReshapeOp>, OneTilePattern<tile::TransposeOp>,
           OneTilePattern<tile::SplitOp>, OneTilePattern<tile::SliceOp>,
           TwoTilesPattern<tile::JoinOp>, TwoTilesPattern<tile::CatOp>, SplatPattern, RangePattern,
           ConvertLayoutPattern, ExtractPattern>();
}
