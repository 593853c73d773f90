//===- FormLoops.cpp - The pass cpu-form-loops
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckInput.h"
#include "LoopFormer.h"
#include "Passes.h"
#include "Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tegula::cpu {

#define GEN_PASS_DEF_CPUFORMLOOPSPASS
#include "CpuPasses.h.inc"

namespace {
struct FormLoops : impl::CpuFormLoopsPassBase<FormLoops> {
  using CpuFormLoopsPassBase::CpuFormLoopsPassBase;

  /// `acc + dot(a, b, 0)` is `dot(a, b, acc)`: one buffer and one pass less.
  static void foldAccumulators(func::FuncOp function) {
    SmallVector<Operation *> dead;
    function.walk([&](arith::AddFOp add) {
      for (unsigned side : {0u, 1u}) {
        auto dot = add->getOperand(side).getDefiningOp<tile::DotOp>();
        if (!dot || !dot.getResult().hasOneUse() || dot->getBlock() != add->getBlock() ||
            !matchPattern(dot.getAcc(), m_AnyZeroFloat())) {
          continue;
        }
        Value acc = add->getOperand(1 - side);
        dot->moveBefore(add);
        dot.getAccMutable().assign(acc);
        add.getResult().replaceAllUsesWith(dot.getResult());
        dead.push_back(add);
        return;
      }
    });
    for (Operation *op : dead) {
      op->erase();
    }
  }

  static bool holdsWaitingLoop(func::FuncOp function) {
    WalkResult result = function.walk([](scf::WhileOp loop) {
      return waitsForOthers(loop) ? WalkResult::interrupt() : WalkResult::advance();
    });
    return result.wasInterrupted();
  }

  /// The halves of a split are slices: loops know one result per op.
  static void expandSplits(func::FuncOp function) {
    function.walk([](tile::SplitOp op) {
      OpBuilder b(op);
      Location loc = op.getLoc();
      auto type = cast<RankedTensorType>(op.getSource().getType());
      unsigned rank = type.getRank();
      for (auto [half, result] : llvm::enumerate(op.getResults())) {
        Value value;
        if (rank == 1) {
          Value index = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(half));
          value = tile::ExtractOp::create(b, loc, result.getType(), op.getSource(), index);
        } else {
          SmallVector<int64_t> shape(type.getShape()), offsets(rank, 0), steps(rank, 1);
          shape.back() = 1;
          offsets.back() = half;
          value = tile::SliceOp::create(b, loc, RankedTensorType::get(shape, type.getElementType()),
                                        op.getSource(), offsets, steps);
          value = tile::ReshapeOp::create(b, loc, result.getType(), value, false);
        }
        result.replaceAllUsesWith(value);
      }
      op.erase();
    });
  }

  /// Products of double width become plain arithmetic: loops know one result per op.
  template <typename Op, typename Extend, typename Shift>
  static void expandWideProducts(func::FuncOp function) {
    function.walk([](Op op) {
      OpBuilder b(op);
      Location loc = op.getLoc();
      Type type = op.getLhs().getType();
      if (isa<IndexType>(type)) {
        return; // scalars only, which stay as they are
      }
      unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
      Type wideElement = b.getIntegerType(2 * bits);
      Type wide = tile::withShapeOf(wideElement, type);
      TypedAttr amount = b.getIntegerAttr(wideElement, bits);
      if (auto shaped = dyn_cast<ShapedType>(wide)) {
        amount = DenseElementsAttr::get(shaped, Attribute(amount));
      }
      Value shift = arith::ConstantOp::create(b, loc, amount);
      Value lhs = Extend::create(b, loc, wide, op.getLhs());
      Value rhs = Extend::create(b, loc, wide, op.getRhs());
      Value product = arith::MulIOp::create(b, loc, lhs, rhs);
      Value high = Shift::create(b, loc, product, shift);
      op.getHigh().replaceAllUsesWith(arith::TruncIOp::create(b, loc, type, high));
      op.getLow().replaceAllUsesWith(arith::MulIOp::create(b, loc, op.getLhs(), op.getRhs()));
      op.erase();
    });
  }

  void runOnOperation() override {
    FormOptions options;
    options.maskedAccess = maskedAccess;
    if (auto target = getOperation()->getAttrOfType<TargetAttr>(tile::kTargetAttr)) {
      TargetFacts facts = getFacts(target);
      options.vectorBits = target.getVectorBits();
      options.maskedAccess = facts.maskedAccess;
      options.numRegisters = facts.numRegisters;
      options.contract = target.getContract();
    }
    if (vectorBits != 0) {
      options.vectorBits = vectorBits;
    }
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal()) {
        continue;
      }
      if (failed(checkInput(function))) {
        return signalPassFailure();
      }
      if (function->hasAttr(tile::kKernelAttr) && holdsWaitingLoop(function)) {
        function->setAttr(kWaitsAttr, UnitAttr::get(&getContext()));
      }
      foldAccumulators(function);
      expandSplits(function);
      expandWideProducts<arith::MulUIExtendedOp, arith::ExtUIOp, arith::ShRUIOp>(function);
      expandWideProducts<arith::MulSIExtendedOp, arith::ExtSIOp, arith::ShRSIOp>(function);
      LoopFormer former(function, options);
      if (failed(former.run())) {
        return signalPassFailure();
      }
      numLoops += former.numLoops;
      numBuffers += former.numBuffers;
    }
  }
};
} // namespace

} // namespace tegula::cpu
