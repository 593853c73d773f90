//===- ThreadExp.cpp - e^x of many registers ------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instruction for 2^x takes three more around it where the result may be below the
// normal numbers. One test of all registers spares them: as unsigned numbers, the bits of
// negative floats are larger than those of positive ones, and larger the lower they are.
// Where that finds an argument below -87, as where masked elements are -infinity, a second
// one asks whether all such arguments are so low that their powers are zero anyway.
//
//===----------------------------------------------------------------------===//

#include "ThreadExp.h"

#include "Functions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tegula::conversion {

/// Fewer registers than this do not pay for the test.
static constexpr int64_t fewRegisters = 8;

/// One of `Op` of all registers of `bits`, in a tree.
template <typename Op> static Value reduce(OpBuilder &builder, Location loc, Value bits) {
  SmallVector<Value> parts;
  for (int64_t i = 0, e = cast<VectorType>(bits.getType()).getNumElements(); i < e; ++i) {
    parts.push_back(vector::ExtractOp::create(builder, loc, bits, i));
  }
  while (parts.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < parts.size(); i += 2) {
      next.push_back(Op::create(builder, loc, parts[i], parts[i + 1]));
    }
    if (parts.size() % 2) {
      next.push_back(parts.back());
    }
    parts = std::move(next);
  }
  return parts.front();
}

/// i1: whether no power of these arguments is a number below the normal ones other than 0.
static Value testArguments(OpBuilder &builder, Location loc, Value arguments) {
  constexpr uint32_t leastBits = 0xc2ae0000, zeroBits = 0xc2dc0000; // -87, -110
  auto integers =
      VectorType::get(cast<VectorType>(arguments.getType()).getShape(), builder.getI32Type());
  auto integer = [&](uint32_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  Value bits = arith::BitcastOp::create(builder, loc, integers, arguments);
  Value isHigh =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                            reduce<arith::MaxUIOp>(builder, loc, bits), integer(leastBits));
  auto test = scf::IfOp::create(builder, loc, isHigh.getType(), isHigh, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(test.thenBlock());
  scf::YieldOp::create(builder, loc, isHigh);
  builder.setInsertionPointToStart(test.elseBlock());
  // How far beyond -87, wrapping: arguments above it are furthest.
  Value start = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(integers, APInt(32, 0u - (leastBits + 1))));
  Value beyond = arith::AddIOp::create(builder, loc, bits, start);
  Value isApart = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                        reduce<arith::MinUIOp>(builder, loc, beyond),
                                        integer(zeroBits - (leastBits + 1)));
  scf::YieldOp::create(builder, loc, isApart);
  return test.getResult(0);
}

static void expand(math::ExpOp op, const MathOptions &options) {
  auto type = cast<VectorType>(op.getType());
  const Location loc = op.getLoc();
  OpBuilder builder(op);
  Value allowed = testArguments(builder, loc, op.getOperand());
  auto branch = scf::IfOp::create(builder, loc, type, allowed, /*withElseRegion=*/true);
  op.replaceAllUsesWith(branch.getResult(0));
  builder.setInsertionPointToStart(branch.thenBlock());
  Emitter emitter(builder, loc, type, options);
  Value power = expNormalByExp2(emitter.wrap(op.getOperand())).get();
  scf::YieldOp::create(builder, loc, power);
  builder.setInsertionPointToStart(branch.elseBlock());
  auto yield = scf::YieldOp::create(builder, loc, op.getResult());
  op->moveBefore(yield);
}

void expandThreadExp(Operation *root, const MathOptions &options) {
  if (!options.hasExp2) {
    return;
  }
  SmallVector<math::ExpOp> work;
  root->walk([&](math::ExpOp op) {
    auto type = dyn_cast<VectorType>(op.getType());
    if (type && type.getRank() == 1 && !type.isScalable() && type.getElementType().isF32() &&
        type.getNumElements() >= fewRegisters) {
      work.push_back(op);
    }
  });
  for (math::ExpOp op : work) {
    expand(op, options);
  }
}

} // namespace tegula::conversion
