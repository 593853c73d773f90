//===- Edits.cpp - Ways to make IR smaller -----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Edits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "tegula/Tile/IR/Tile.h"

using namespace mlir;

namespace tegula::reduce {

using Places = std::vector<std::function<void()>>;

//===----------------------------------------------------------------------===//
// What stands for a value
//===----------------------------------------------------------------------===//

/// A zero of the type, made ahead of `op`; null for types without one.
static Value makeZero(OpBuilder &builder, Operation *op, Type type) {
  if (isa<LLVM::LLVMPointerType>(type)) {
    return LLVM::ZeroOp::create(builder, op->getLoc(), type);
  }
  TypedAttr zero;
  if (type.isIntOrIndexOrFloat() || isa<RankedTensorType, VectorType>(type)) {
    zero = dyn_cast_or_null<TypedAttr>(builder.getZeroAttr(type));
  }
  return zero ? arith::ConstantOp::create(builder, op->getLoc(), zero).getResult() : Value();
}

/// An argument of the function around `op`.
static Value findArgument(Operation *op, Type type) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function || function.isExternal()) {
    return {};
  }
  for (Value argument : function.getFunctionBody().getArguments()) {
    if (argument.getType() == type) {
      return argument;
    }
  }
  return {};
}

/// Whatever is simplest; with `fromOperands` an operand, if one fits.
static Value makeStandIn(OpBuilder &builder, Operation *op, Value result, bool fromOperands) {
  Type type = result.getType();
  if (fromOperands) {
    for (Value operand : op->getOperands()) {
      if (operand.getType() == type) {
        return operand;
      }
    }
  }
  if (Value zero = makeZero(builder, op, type)) {
    return zero;
  }
  if (Value argument = findArgument(op, type)) {
    return argument;
  }
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (Value argument = findArgument(op, tensor.getElementType())) {
      return tile::SplatOp::create(builder, op->getLoc(), type, argument);
    }
  }
  return ub::PoisonOp::create(builder, op->getLoc(), type);
}

static bool isReplaceable(Operation *op) {
  return !isa<ModuleOp, FunctionOpInterface>(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
         !op->hasTrait<OpTrait::ConstantLike>() && !isa<LLVM::ZeroOp, SymbolOpInterface>(op);
}

static void replace(Operation *op, bool fromOperands) {
  OpBuilder builder(op);
  for (Value result : op->getResults()) {
    if (!result.use_empty()) {
      result.replaceAllUsesWith(makeStandIn(builder, op, result, fromOperands));
    }
  }
  op->erase();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Innermost and last first, so that a place never lies inside one gone before.
template <typename Op> static std::vector<Op> collect(ModuleOp module) {
  std::vector<Op> ops;
  module.walk<WalkOrder::PreOrder>([&](Op op) { ops.push_back(op); });
  std::reverse(ops.begin(), ops.end());
  return ops;
}

static Places replaceOps(ModuleOp module, bool fromOperands) {
  Places places;
  for (Operation *op : collect<Operation *>(module)) {
    if (isReplaceable(op)) {
      places.push_back([op, fromOperands] { replace(op, fromOperands); });
    }
  }
  return places;
}

static Places eraseSymbols(ModuleOp module) {
  Places places;
  for (Operation &op : module.getOps()) {
    if (isa<SymbolOpInterface>(&op)) {
      places.push_back([&op] { op.erase(); });
    }
  }
  return places;
}

/// Moves the operations of a block ahead of `op`, whose results become what the block
/// yields.
static void inlineBlock(Operation *op, Block &block, ValueRange arguments) {
  for (auto [from, to] : llvm::zip(block.getArguments(), arguments)) {
    from.replaceAllUsesWith(to);
  }
  Operation *yield = block.getTerminator();
  op->getBlock()->getOperations().splice(Block::iterator(op), block.getOperations(), block.begin(),
                                         Block::iterator(yield));
  op->replaceAllUsesWith(yield->getOperands());
  op->erase();
}

static Places unwrapLoops(ModuleOp module) {
  Places places;
  for (scf::ForOp loop : collect<scf::ForOp>(module)) {
    places.push_back([loop]() mutable {
      SmallVector<Value> arguments = {loop.getLowerBound()};
      llvm::append_range(arguments, loop.getInitArgs());
      inlineBlock(loop, *loop.getBody(), arguments);
    });
  }
  return places;
}

static Places unwrapBranches(ModuleOp module, bool takesElse) {
  Places places;
  for (scf::IfOp branch : collect<scf::IfOp>(module)) {
    Region &region = takesElse ? branch.getElseRegion() : branch.getThenRegion();
    if (!region.empty()) {
      places.push_back([branch, &region] { inlineBlock(branch, region.front(), {}); });
    }
  }
  return places;
}

/// Results of functions that nobody in the module calls.
static Places dropResults(ModuleOp module) {
  Places places;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || function.getNumResults() == 0 ||
        !SymbolTable::symbolKnownUseEmpty(function, module)) {
      continue;
    }
    places.push_back([function]() mutable {
      function.walk([](func::ReturnOp op) { op->setOperands({}); });
      llvm::BitVector all(function.getNumResults(), true);
      (void)function.eraseResults(all);
    });
  }
  return places;
}

static Places dropArguments(ModuleOp module) {
  Places places;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || !SymbolTable::symbolKnownUseEmpty(function, module)) {
      continue;
    }
    for (unsigned i = function.getNumArguments(); i > 0; --i) {
      if (function.getArgument(i - 1).use_empty()) {
        places.push_back([function, i]() mutable { (void)function.eraseArgument(i - 1); });
      }
    }
  }
  return places;
}

static Places dropAttributes(ModuleOp module) {
  Places places;
  module.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getDiscardableAttrs()) {
      places.push_back([op, attribute] { op->removeDiscardableAttr(attribute.getName()); });
    }
    auto function = dyn_cast<FunctionOpInterface>(op);
    for (unsigned i = 0; function && i < function.getNumArguments(); ++i) {
      if (!function.getArgAttrs(i).empty()) {
        places.push_back(
            [function, i]() mutable { function.setArgAttrs(i, ArrayRef<NamedAttribute>()); });
      }
    }
  });
  return places;
}

const std::vector<Edit> &allEdits() {
  static const std::vector<Edit> edits = {
      {"erase functions", eraseSymbols},
      {"replace by constants", [](ModuleOp module) { return replaceOps(module, false); }},
      {"replace by operands", [](ModuleOp module) { return replaceOps(module, true); }},
      {"unwrap loops", unwrapLoops},
      {"unwrap branches", [](ModuleOp module) { return unwrapBranches(module, false); }},
      {"unwrap else branches", [](ModuleOp module) { return unwrapBranches(module, true); }},
      {"drop results", dropResults},
      {"drop arguments", dropArguments},
      {"drop attributes", dropAttributes}};
  return edits;
}

void removeDead(ModuleOp module) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *op : collect<Operation *>(module)) {
      if (isOpTriviallyDead(op)) {
        op->erase();
        changed = true;
      }
    }
  }
}

unsigned countOps(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](Operation *) { ++count; });
  return count - 1;
}

unsigned costOf(ModuleOp module) {
  unsigned cost = 0;
  module.walk([&](Operation *op) {
    cost += op->hasTrait<OpTrait::ConstantLike>() ? 1 : 4;
    cost += op->getNumOperands() + unsigned(llvm::range_size(op->getDiscardableAttrs()));
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        cost += block.getNumArguments();
      }
    }
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        cost += function.getArgAttrs(i).size();
      }
    }
  });
  return cost;
}

//===----------------------------------------------------------------------===//
// For MLIR's reducer
//===----------------------------------------------------------------------===//

namespace {
struct StandIn : RewritePattern {
  explicit StandIn(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isReplaceable(op) || op->getNumResults() == 0 || isa<ub::PoisonOp>(op)) {
      return failure();
    }
    SmallVector<Value> values;
    for (Value result : op->getResults()) {
      values.push_back(makeStandIn(rewriter, op, result, /*fromOperands=*/true));
    }
    rewriter.replaceOp(op, values);
    return success();
  }
};

struct Patterns : DialectReductionPatternInterface {
  explicit Patterns(Dialect *dialect) : DialectReductionPatternInterface(dialect) {}
  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    patterns.add<StandIn>(patterns.getContext());
  }
};
} // namespace

void registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, tile::TileDialect *dialect) { dialect->addInterfaces<Patterns>(); });
}

} // namespace tegula::reduce
