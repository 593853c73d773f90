//===- ExpandThreadMath.cpp - Mathematical functions of threads -----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread holds many elements of a tile, and an expansion is dozens of operations:
// written out once per element a kernel with a few functions would have tens of
// thousands. So each function is written out once, on scalars, and called; LLVM puts
// the short ones in place.
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "ThreadExp.h"
#include "UniformDivision.h"
#include "tegula/Conversion/Math/ExpandMath.h"
#include "tegula/Conversion/Passes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tegula::conversion {

#define GEN_PASS_DEF_EXPANDTHREADMATHPASS
#include "tegula/Conversion/ConversionPasses.h.inc"

/// Whether GPUs have it as one instruction, or LLVM writes it out right.
static bool isInstruction(Operation *op, const MathOptions &options) {
  Type element = op->getNumResults() && op->getNumOperands()
                     ? getElementTypeOrSelf(op->getOperand(0).getType())
                     : Type();
  if (auto truncate = dyn_cast<arith::TruncFOp>(op)) {
    return !truncate.getRoundingmode() ||
           *truncate.getRoundingmode() == arith::RoundingMode::to_nearest_even;
  }
  if (isa<arith::RemFOp>(op)) {
    return false;
  }
  if (!isa<math::MathDialect>(op->getDialect())) {
    return true;
  }
  if (isa<math::FmaOp, math::AbsFOp, math::AbsIOp, math::CountLeadingZerosOp,
          math::CountTrailingZerosOp, math::CtPopOp, math::ClampFOp, math::IsNaNOp>(op)) {
    return true;
  }
  if (isNarrowFloat(element)) {
    return false;
  }
  if (isa<math::Exp2Op>(op)) {
    return options.hasExp2 && element.isF32();
  }
  return isa<math::SqrtOp, math::CopySignOp, math::CeilOp, math::FloorOp, math::TruncOp,
             math::RoundEvenOp>(op);
}

namespace {
class Outliner {
public:
  Outliner(ModuleOp module, const MathOptions &options) : module(module), options(options) {}

  LogicalResult run() {
    SmallVector<Operation *> work;
    module.walk([&](Operation *op) {
      bool isPlain = llvm::none_of(op->getOperandTypes(), [](Type type) {
        auto vector = dyn_cast<VectorType>(type);
        return vector && (vector.isScalable() || vector.getRank() != 1);
      });
      if (isPlain && op->getNumRegions() == 0 && !isInstruction(op, options)) {
        work.push_back(op);
      }
    });
    for (Operation *op : work) {
      call(op);
    }
    for (func::FuncOp function : functions) {
      if (failed(expandMath(function, options))) {
        return failure();
      }
    }
    return success();
  }

private:
  /// The function of one element; made on first use.
  func::FuncOp getFunction(Operation *op) {
    std::string name = "__tegula_" + op->getName().stripDialect().str();
    auto addTypes = [&](TypeRange types) {
      for (Type type : types) {
        llvm::raw_string_ostream(name) << '_' << getElementTypeOrSelf(type);
      }
    };
    addTypes(op->getOperandTypes());
    addTypes(op->getResultTypes());
    if (auto truncate = dyn_cast<arith::TruncFOp>(op)) {
      name += "_" + arith::stringifyRoundingMode(*truncate.getRoundingmode()).str();
    }
    func::FuncOp &function = byName[name];
    if (function) {
      return function;
    }
    auto elements = [](TypeRange types) {
      return llvm::map_to_vector(types, [](Type type) { return getElementTypeOrSelf(type); });
    };
    SmallVector<Type> inputs = elements(op->getOperandTypes());
    SmallVector<Type> results = elements(op->getResultTypes());
    OpBuilder builder(module.getBodyRegion());
    builder.setInsertionPointToEnd(module.getBody());
    Location loc = builder.getUnknownLoc();
    function = func::FuncOp::create(builder, loc, name, builder.getFunctionType(inputs, results));
    function.setPrivate();
    builder.setInsertionPointToStart(function.addEntryBlock());
    IRMapping mapping;
    mapping.map(op->getOperands(), function.getArguments());
    Operation *clone = builder.clone(*op, mapping);
    clone->setLoc(loc);
    for (auto [value, type] : llvm::zip_equal(clone->getResults(), results)) {
      value.setType(type);
    }
    func::ReturnOp::create(builder, loc, clone->getResults());
    functions.push_back(function);
    return function;
  }

  void call(Operation *op) {
    func::FuncOp function = getFunction(op);
    OpBuilder builder(op);
    Location loc = op->getLoc();
    auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
    if (!vector) {
      op->replaceAllUsesWith(func::CallOp::create(builder, loc, function, op->getOperands()));
      op->erase();
      return;
    }
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands()) {
        operands.push_back(isa<VectorType>(operand.getType())
                               ? vector::ExtractOp::create(builder, loc, operand, i).getResult()
                               : operand);
      }
      auto one = func::CallOp::create(builder, loc, function, operands);
      for (auto [list, value] : llvm::zip_equal(results, one.getResults())) {
        list.push_back(value);
      }
    }
    for (auto [list, result] : llvm::zip_equal(results, op->getResults())) {
      result.replaceAllUsesWith(
          vector::FromElementsOp::create(builder, loc, result.getType(), list));
    }
    op->erase();
  }

  ModuleOp module;
  MathOptions options;
  llvm::StringMap<func::FuncOp> byName;
  SmallVector<func::FuncOp> functions;
};

struct ExpandThreadMath : impl::ExpandThreadMathPassBase<ExpandThreadMath> {
  using ExpandThreadMathPassBase::ExpandThreadMathPassBase;

  void runOnOperation() override {
    MathOptions options{/*hasFma=*/true, /*hasF16C=*/true, /*hasSse41=*/true, exp2};
    expandUniformDivisions(getOperation());
    expandThreadExp(getOperation(), options);
    if (failed(Outliner(getOperation(), options).run())) {
      signalPassFailure();
    }
  }
};
} // namespace

} // namespace tegula::conversion
