//===- Control.cpp - Functions, loops, programs
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "tegula/Conversion/TileGPUToThreads/ThreadLowering.h"
#include "tegula/TileGPU/Analysis/Scratch.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

/// A number of the grid, as i32.
template <typename GPUOp>
static void replaceByDimension(Operation *op, uint32_t axis, ConversionPatternRewriter &rewriter) {
  Value index = GPUOp::create(rewriter, op->getLoc(), gpu::Dimension(axis));
  rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, rewriter.getI32Type(), index);
}

namespace {
struct ProgramIdPattern : ThreadPattern<tile::ProgramIdOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::ProgramIdOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    replaceByDimension<gpu::BlockIdOp>(op, op.getAxis(), rewriter);
    return success();
  }
};

struct NumProgramsPattern : ThreadPattern<tile::NumProgramsOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::NumProgramsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    replaceByDimension<gpu::GridDimOp>(op, op.getAxis(), rewriter);
    return success();
  }
};

struct HintPattern : ThreadPattern<tile::HintOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::HintOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSource());
    return success();
  }
};

/// Passes before this one have read it.
struct AssumePattern : ThreadPattern<tile::AssumeOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::AssumeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

struct BarrierPattern : ThreadPattern<tile::BarrierOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::BarrierOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<gpu::BarrierOp>(op);
    return success();
  }
};

/// Any value will do; zero is one that all threads agree on.
struct PoisonPattern : ThreadPattern<ub::PoisonOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (!type) {
      return failure();
    }
    rewriter.replaceOp(op, ThreadBuilder(rewriter, op.getLoc(), machine).zero(type));
    return success();
  }
};
} // namespace

void tegula::tilegpu::addControlPatterns(ThreadPatterns &list) {
  scf::populateSCFStructuralTypeConversions(list.converter, list.patterns);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(list.patterns, list.converter);
  populateCallOpTypeConversionPattern(list.patterns, list.converter);
  populateReturnOpTypeConversionPattern(list.patterns, list.converter);
  list.add<ProgramIdPattern, NumProgramsPattern, HintPattern, AssumePattern, BarrierPattern,
           PoisonPattern>();
}
