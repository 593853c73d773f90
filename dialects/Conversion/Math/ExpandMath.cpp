//===- ExpandMath.cpp - math functions without a library ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of expansions and its two drivers: a set of patterns, and a walk that
// rewrites each operation once.
//
//===----------------------------------------------------------------------===//

#include "tegula/Conversion/Math/ExpandMath.h"
#include "Rewrites.h"
#include "tegula/Conversion/Diagnostics.h"
#include "tegula/Conversion/Math/LegalizeFloats.h"
#include "tegula/Tile/IR/Diagnostics.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tegula::conversion {

using tile::diagID;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
using Results = SmallVector<Value>;
using Expander = Results (*)(Emitter &, ValueRange);

struct Entry {
  TypeID type;
  StringRef name;
  Expander expand;
  /// The instruction that makes the expansion needless, if there is one.
  bool MathOptions::*instruction = nullptr;
};
} // namespace

template <Val (*Function)(Val)> static Results unary(Emitter &em, ValueRange operands) {
  return {Function(em.wrap(operands[0])).get()};
}
template <Val (*Function)(Val, Val)> static Results binary(Emitter &em, ValueRange operands) {
  return {Function(em.wrap(operands[0]), em.wrap(operands[1])).get()};
}
static Results fma(Emitter &em, ValueRange operands) {
  return {expandFma(em.wrap(operands[0]), em.wrap(operands[1]), em.wrap(operands[2])).get()};
}
static Results sinCos(Emitter &em, ValueRange operands) {
  auto [sin, cos] = expandSinCos(em.wrap(operands[0]));
  return {sin.get(), cos.get()};
}

template <typename OpTy>
static Entry entry(Expander expand, bool MathOptions::*instruction = nullptr) {
  return {TypeID::get<OpTy>(), OpTy::getOperationName(), expand, instruction};
}

/// NaN is neither.
static Val isFinite(Val x) { return lt(abs(x), kInf); }
static Val isInfinite(Val x) { return eq(abs(x), kInf); }

static ArrayRef<Entry> table() {
  static const Entry entries[] = {
      entry<arith::RemFOp>(binary<expandRemainder>),
      entry<math::AcosOp>(unary<expandAcos>),
      entry<math::AcoshOp>(unary<expandAcosh>),
      entry<math::AsinOp>(unary<expandAsin>),
      entry<math::AsinhOp>(unary<expandAsinh>),
      entry<math::Atan2Op>(binary<expandAtan2>),
      entry<math::AtanOp>(unary<expandAtan>),
      entry<math::AtanhOp>(unary<expandAtanh>),
      entry<math::CbrtOp>(unary<expandCbrt>),
      entry<math::CeilOp>(unary<expandCeil>, &MathOptions::hasSse41),
      entry<math::CosOp>(unary<expandCos>),
      entry<math::CoshOp>(unary<expandCosh>),
      entry<math::ErfOp>(unary<expandErf>),
      entry<math::ErfcOp>(unary<expandErfc>),
      entry<math::Exp2Op>(unary<expandExp2>, &MathOptions::hasExp2),
      entry<math::ExpM1Op>(unary<expandExpM1>),
      entry<math::ExpOp>(unary<expandExp>),
      entry<math::FPowIOp>(binary<expandFPowI>),
      entry<math::FloorOp>(unary<expandFloor>, &MathOptions::hasSse41),
      entry<math::FmaOp>(fma, &MathOptions::hasFma),
      entry<math::IPowIOp>(binary<expandIPowI>),
      entry<math::IsFiniteOp>(unary<isFinite>),
      entry<math::IsInfOp>(unary<isInfinite>),
      entry<math::Log10Op>(unary<expandLog10>),
      entry<math::Log1pOp>(unary<expandLog1p>),
      entry<math::Log2Op>(unary<expandLog2>),
      entry<math::LogOp>(unary<expandLog>),
      entry<math::PowFOp>(binary<expandPow>),
      entry<math::RoundEvenOp>(unary<expandRoundEven>, &MathOptions::hasSse41),
      entry<math::RoundOp>(unary<expandRound>),
      entry<math::RsqrtOp>(unary<expandRsqrt>),
      entry<math::SinOp>(unary<expandSin>),
      entry<math::SincosOp>(sinCos),
      entry<math::SinhOp>(unary<expandSinh>),
      entry<math::TanOp>(unary<expandTan>),
      entry<math::TanhOp>(unary<expandTanh>),
      entry<math::TruncOp>(unary<expandTrunc>, &MathOptions::hasSse41),
      entry<vector::FMAOp>(fma, &MathOptions::hasFma),
  };
  return entries;
}

static const Entry *lookup(Operation *op) {
  static const llvm::DenseMap<TypeID, const Entry *> index = [] {
    llvm::DenseMap<TypeID, const Entry *> map;
    for (const Entry &e : table()) {
      map[e.type] = &e;
    }
    return map;
  }();
  return index.lookup(op->getName().getTypeID());
}

void forEachExpanded(llvm::function_ref<void(StringRef)> visit) {
  for (const Entry &e : table()) {
    visit(e.name);
  }
}

/// A scalar or a fixed vector.
static bool isSupportedShape(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    return !vector.isScalable();
  }
  return type.isIntOrFloat();
}

SmallVector<Value> expandOperation(Operation *op, OpBuilder &builder, const MathOptions &options,
                                   ConstantPool *pool) {
  const Entry *found = lookup(op);
  Type type = op->getNumOperands() ? op->getOperand(0).getType() : Type();
  Type element = type ? getElementTypeOrSelf(type) : Type();
  // That instruction is for f32 alone.
  bool isWideExp2 = isa<math::Exp2Op>(op) && element.isF64();
  if (!found || (found->instruction && options.*found->instruction && !isWideExp2)) {
    return {};
  }
  bool integer = isa<math::IPowIOp>(op);
  if (!isSupportedShape(type) || !(integer || element.isF32() || element.isF64())) {
    return {};
  }
  Emitter em(builder, op->getLoc(), type, options, pool);
  return found->expand(em, op->getOperands());
}

//===----------------------------------------------------------------------===//
// Drivers
//===----------------------------------------------------------------------===//

namespace {
struct ExpandPattern : RewritePattern {
  ExpandPattern(StringRef name, MLIRContext *context, const MathOptions &options)
      : RewritePattern(name, /*benefit=*/1, context), options(options) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    SmallVector<Value> results = expandOperation(op, rewriter, options, /*pool=*/nullptr);
    if (results.empty()) {
      return rewriter.notifyMatchFailure(op, "an instruction, or not on f32 or f64");
    }
    rewriter.replaceOp(op, results);
    return success();
  }

  MathOptions options;
};
} // namespace

void populateExpandMathPatterns(RewritePatternSet &patterns, const MathOptions &options) {
  forEachExpanded(
      [&](StringRef name) { patterns.add<ExpandPattern>(name, patterns.getContext(), options); });
}

/// The cosine of a sine's argument, or the reverse, in the same block.
static Operation *findPartner(Operation *op) {
  bool isSin = isa<math::SinOp>(op);
  if (!isSin && !isa<math::CosOp>(op)) {
    return nullptr;
  }
  for (Operation *user : op->getOperand(0).getUsers()) {
    if (user->getBlock() == op->getBlock() &&
        (isSin ? isa<math::CosOp>(user) : isa<math::SinOp>(user))) {
      return user;
    }
  }
  return nullptr;
}

LogicalResult expandMath(Operation *root, const MathOptions &options) {
  SmallVector<Operation *> work;
  root->walk([&](Operation *op) {
    if (mayRewrite(op)) {
      work.push_back(op);
    }
  });
  OpBuilder builder(root->getContext());
  ConstantPool pool;
  bool failed = false;
  llvm::SmallPtrSet<Operation *, 4> done;
  for (Operation *op : work) {
    if (done.contains(op)) {
      continue;
    }
    for (Type type : op->getOperandTypes()) {
      auto vector = dyn_cast<VectorType>(type);
      if (vector ? vector.isScalable() : isa<ShapedType>(type)) {
        op->emitError("expected scalars and vectors of fixed size, got ")
            << type << diagID(diag::VectorType);
        failed = true;
        break;
      }
    }
    if (failed) {
      continue;
    }
    builder.setInsertionPoint(op);
    // Sine and cosine of one argument share the reduction. The walk visits the
    // earlier one first, whose place serves both.
    Type element = op->getNumOperands() ? getElementTypeOrSelf(op->getOperand(0)) : Type();
    Operation *partner = findPartner(op);
    if (partner && (element.isF32() || element.isF64())) {
      Emitter em(builder, op->getLoc(), op->getOperand(0).getType(), options, &pool);
      auto [sin, cos] = expandSinCos(em.wrap(op->getOperand(0)));
      bool isSin = isa<math::SinOp>(op);
      op->getResult(0).replaceAllUsesWith(isSin ? sin.get() : cos.get());
      partner->getResult(0).replaceAllUsesWith(isSin ? cos.get() : sin.get());
      op->erase();
      partner->erase();
      done.insert(partner);
      continue;
    }
    SmallVector<Value> results = legalizeOperation(op, builder, options, &pool, true);
    if (results.empty()) {
      results = expandOperation(op, builder, options, &pool);
    }
    if (!results.empty()) {
      op->replaceAllUsesWith(results);
      op->erase();
    }
  }
  return failure(failed);
}

} // namespace tegula::conversion
