//===- UniformAdvance.cpp - Loop-carried tiles with an invariant step ----===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   scf.for ... iter_args(%p = %init) {          scf.for ... iter_args(%o = 0) {
//     use(%p)                                      %s = splat %o
//     %q = addptr %p, splat(%step)        =>       %p = addptr %init, %s
//     yield %q                                     use(%p)
//   }                                              yield %o + extsi(%step)
//
// The address of an element in the body is then a sum of invariant tiles and
// one scalar, which code generators fold into their addressing.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tegula/Tile/IR/Tile.h"
#include "tegula/Tile/Transforms/Passes.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tegula::tile {
#define GEN_PASS_DEF_TILEUNIFORMADVANCEPASS
#include "tegula/Tile/Transforms/TilePasses.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {
/// One step of a chain: the tile that is added, or subtracted.
struct Step {
  Value tile;
  bool negative = false;
};

/// A carried tile that only advances by invariant steps.
struct Advance {
  unsigned index;             ///< among the iteration arguments
  SmallVector<Step> steps;    ///< what one trip adds
  SmallVector<Value> uniform; ///< per step the scalar it repeats, or null
};

/// Rewrites the advances of one loop.
class LoopRewriter {
public:
  LoopRewriter(scf::ForOp loop, RewriterBase &rewriter) : loop(loop), rewriter(rewriter) {}

  /// The number of carried tiles that went away.
  unsigned run();

private:
  bool isInvariant(Value value);
  void hoist(Value value);
  bool findSteps(BlockArgument argument, Value next, SmallVectorImpl<Step> &steps);
  Value getUniformScalar(Value tile);
  Value makeValue(Value init, Value offset, Value trip, Value varying, Location loc);
  Value castScalar(Value value, Type type, Location loc);

  scf::ForOp loop;
  RewriterBase &rewriter;
  llvm::DenseMap<Value, bool> invariant; ///< answers of isInvariant
};
} // namespace

//===----------------------------------------------------------------------===//
// Finding steps
//===----------------------------------------------------------------------===//

/// Whether `value` is, or can be moved, outside the loop.
bool LoopRewriter::isInvariant(Value value) {
  if (loop.isDefinedOutsideOfLoop(value)) {
    return true;
  }
  auto known = invariant.find(value);
  if (known != invariant.end()) {
    return known->second;
  }
  Operation *op = value.getDefiningOp();
  bool result =
      op && op->getBlock() == loop.getBody() && op->getNumRegions() == 0 && isPure(op) &&
      llvm::all_of(op->getOperands(), [&](Value operand) { return isInvariant(operand); });
  invariant[value] = result;
  return result;
}

/// Moves an invariant value and what it depends on in front of the loop.
void LoopRewriter::hoist(Value value) {
  if (loop.isDefinedOutsideOfLoop(value)) {
    return;
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands()) {
    hoist(operand);
  }
  rewriter.moveOpBefore(op, loop);
}

/// Walks from the yielded value back to the carried one. False when it is no
/// chain of additions of invariant tiles.
bool LoopRewriter::findSteps(BlockArgument argument, Value next, SmallVectorImpl<Step> &steps) {
  while (next != argument) {
    Operation *op = next.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody()) {
      return false;
    }
    if (auto advance = dyn_cast<AddPtrOp>(op)) {
      if (!isInvariant(advance.getOffset())) {
        return false;
      }
      steps.push_back({advance.getOffset()});
      next = advance.getPtr();
    } else if (auto sum = dyn_cast<arith::AddIOp>(op)) {
      bool left = isInvariant(sum.getLhs());
      if (!left && !isInvariant(sum.getRhs())) {
        return false;
      }
      steps.push_back({left ? sum.getLhs() : sum.getRhs()});
      next = left ? sum.getRhs() : sum.getLhs();
    } else if (auto difference = dyn_cast<arith::SubIOp>(op)) {
      if (!isInvariant(difference.getRhs())) {
        return false;
      }
      steps.push_back({difference.getRhs(), /*negative=*/true});
      next = difference.getLhs();
    } else {
      return false;
    }
  }
  return !steps.empty();
}

/// The scalar that the invariant `tile` repeats, made in front of the loop;
/// null when its elements may differ.
Value LoopRewriter::getUniformScalar(Value tile) {
  Attribute constant;
  if (matchPattern(tile, m_Constant(&constant))) {
    auto splat = dyn_cast<SplatElementsAttr>(constant);
    if (!splat) {
      return {};
    }
    return arith::ConstantOp::create(rewriter, tile.getLoc(), splat.getSplatValue<IntegerAttr>());
  }
  Operation *op = tile.getDefiningOp();
  if (auto splat = dyn_cast_if_present<SplatOp>(op)) {
    return splat.getSource();
  }
  if (isa_and_present<BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp>(op)) {
    return getUniformScalar(op->getOperand(0));
  }
  if (isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(op)) {
    Value source = getUniformScalar(op->getOperand(0));
    if (!source) {
      return {};
    }
    Type type = getElementTypeOrSelf(tile.getType());
    return isa<arith::ExtSIOp>(op)
               ? arith::ExtSIOp::create(rewriter, op->getLoc(), type, source).getResult()
               : arith::ExtUIOp::create(rewriter, op->getLoc(), type, source).getResult();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// `value`, a scalar or tile of integers, sign-extended or cut to `type`.
Value LoopRewriter::castScalar(Value value, Type type, Location loc) {
  Type to = withShapeOf(type, value.getType());
  unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  if (from < type.getIntOrFloatBitWidth()) {
    return arith::ExtSIOp::create(rewriter, loc, to, value);
  }
  if (from > type.getIntOrFloatBitWidth()) {
    return arith::TruncIOp::create(rewriter, loc, to, value);
  }
  return value;
}

/// The sum of all uniform steps, or of all others, as `scalarType` or a tile of
/// it; null when there are none.
static Value sum(RewriterBase &rewriter, Location loc, Value total, Value step, bool negative) {
  if (total) {
    return negative ? arith::SubIOp::create(rewriter, loc, total, step).getResult()
                    : arith::AddIOp::create(rewriter, loc, total, step).getResult();
  }
  if (!negative) {
    return step;
  }
  Value zero = arith::ConstantOp::create(rewriter, loc,
                                         cast<TypedAttr>(rewriter.getZeroAttr(step.getType())));
  return arith::SubIOp::create(rewriter, loc, zero, step);
}

/// init + splat(offset) + splat(trip) * varying, each where it is there.
Value LoopRewriter::makeValue(Value init, Value offset, Value trip, Value varying, Location loc) {
  auto add = [&](Value base, Value tile) -> Value {
    if (isa<PtrType>(getElementTypeOrSelf(base.getType()))) {
      return AddPtrOp::create(rewriter, loc, base.getType(), base, tile);
    }
    return arith::AddIOp::create(rewriter, loc, base, tile);
  };
  Value value = init;
  if (offset) {
    Type type = withShapeOf(offset.getType(), init.getType());
    value = add(value, SplatOp::create(rewriter, loc, type, offset));
  }
  if (varying) {
    Type element = getElementTypeOrSelf(varying.getType());
    Value count = SplatOp::create(rewriter, loc, varying.getType(), castScalar(trip, element, loc));
    value = add(value, arith::MulIOp::create(rewriter, loc, count, varying));
  }
  return value;
}

unsigned LoopRewriter::run() {
  SmallVector<Advance> advances;
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !isa<IntegerType, PtrType>(type.getElementType())) {
      continue;
    }
    Advance advance{argument.getArgNumber() - loop.getNumInductionVars(), {}, {}};
    if (findSteps(argument, yield.getOperand(advance.index), advance.steps)) {
      advances.push_back(std::move(advance));
    }
  }
  if (advances.empty()) {
    return 0;
  }

  // What one trip adds, in front of the loop: a scalar, a tile, or both.
  Location loc = loop.getLoc();
  Type i64 = rewriter.getI64Type();
  SmallVector<Value> scalars, tiles;
  bool needsTrip = false;
  for (Advance &advance : advances) {
    Type element =
        cast<RankedTensorType>(loop.getRegionIterArgs()[advance.index].getType()).getElementType();
    Type scalarType = isa<PtrType>(element) ? i64 : element;
    Value scalar, tile;
    for (const Step &step : advance.steps) {
      hoist(step.tile);
      rewriter.setInsertionPoint(loop);
      if (Value uniform = getUniformScalar(step.tile)) {
        scalar = sum(rewriter, loc, scalar, castScalar(uniform, scalarType, loc), step.negative);
      } else {
        tile = sum(rewriter, loc, tile, castScalar(step.tile, scalarType, loc), step.negative);
      }
    }
    scalars.push_back(scalar);
    tiles.push_back(tile);
    needsTrip = needsTrip || tile;
  }

  // The new loop carries what stays, then a scalar per uniform step, then the
  // number of the trip.
  rewriter.setInsertionPoint(loop);
  llvm::SmallBitVector removed(loop.getNumRegionIterArgs());
  for (const Advance &advance : advances) {
    removed.set(advance.index);
  }
  SmallVector<Value> inits;
  for (auto [index, init] : llvm::enumerate(loop.getInitArgs())) {
    if (!removed[index]) {
      inits.push_back(init);
    }
  }
  size_t firstScalar = inits.size();
  auto zero = [&](Type type) -> Value {
    return arith::ConstantOp::create(rewriter, loc, cast<TypedAttr>(rewriter.getZeroAttr(type)));
  };
  for (Value scalar : scalars) {
    if (scalar) {
      inits.push_back(zero(scalar.getType()));
    }
  }
  if (needsTrip) {
    inits.push_back(zero(i64));
  }
  auto newLoop = scf::ForOp::create(rewriter, loc, loop.getLowerBound(), loop.getUpperBound(),
                                    loop.getStep(), inits);
  newLoop->setAttrs(loop->getAttrs());

  SmallVector<Location> locs;
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    locs.push_back(argument.getLoc());
  }

  // Values of the carried tiles: at the start of the body from the arguments,
  // after the loop from its results.
  auto makeAll = [&](ValueRange carried) {
    SmallVector<Value> values;
    size_t nextKept = 0, nextScalar = firstScalar, nextAdvance = 0;
    for (unsigned index = 0, e = loop.getInitArgs().size(); index < e; ++index) {
      if (!removed[index]) {
        values.push_back(carried[nextKept++]);
        continue;
      }
      Value offset = scalars[nextAdvance] ? Value(carried[nextScalar++]) : Value();
      values.push_back(makeValue(loop.getInitArgs()[index], offset,
                                 needsTrip ? Value(carried.back()) : Value(), tiles[nextAdvance],
                                 locs[index]));
      ++nextAdvance;
    }
    return values;
  };
  Block *body = newLoop.getBody();
  rewriter.setInsertionPointToStart(body);
  SmallVector<Value> arguments{newLoop.getInductionVar()};
  llvm::append_range(arguments, makeAll(newLoop.getRegionIterArgs()));
  SmallVector<Operation *> chains;
  for (const Advance &advance : advances) {
    chains.push_back(yield.getOperand(advance.index).getDefiningOp());
  }
  rewriter.mergeBlocks(loop.getBody(), body, arguments);

  rewriter.setInsertionPoint(yield);
  SmallVector<Value> yielded;
  for (auto [index, value] : llvm::enumerate(yield.getOperands())) {
    if (!removed[index]) {
      yielded.push_back(value);
    }
  }
  size_t nextScalar = firstScalar;
  for (Value scalar : scalars) {
    if (scalar) {
      yielded.push_back(
          arith::AddIOp::create(rewriter, loc, newLoop.getRegionIterArgs()[nextScalar++], scalar));
    }
  }
  if (needsTrip) {
    Value one = arith::ConstantOp::create(rewriter, loc, rewriter.getI64IntegerAttr(1));
    yielded.push_back(
        arith::AddIOp::create(rewriter, loc, newLoop.getRegionIterArgs().back(), one));
  }
  rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, yielded);
  for (Operation *op : chains) {
    while (op && op->getBlock() == body && isOpTriviallyDead(op)) {
      // Towards the carried tile: the operand that is made in the body.
      Operation *previous = nullptr;
      for (Value operand : op->getOperands()) {
        Operation *maker = operand.getDefiningOp();
        previous = maker && maker->getBlock() == body ? maker : previous;
      }
      rewriter.eraseOp(op);
      op = previous;
    }
  }

  rewriter.setInsertionPointAfter(newLoop);
  rewriter.replaceOp(loop, makeAll(newLoop.getResults()));
  return advances.size();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct TileUniformAdvancePass
    : public tegula::tile::impl::TileUniformAdvancePassBase<TileUniformAdvancePass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      numRewritten += LoopRewriter(loop, rewriter).run();
    }
  }
};
} // namespace
