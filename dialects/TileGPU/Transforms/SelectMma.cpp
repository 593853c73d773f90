//===- SelectMma.cpp - Matrix instructions for products
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each product gets the first instruction of the target that reads its types and divides
// its tiles. Where none reads the types as they are, operands are converted first, always
// exactly or as the product's precision allows:
//   8-bit floats to f16, which holds every one of them;
//   f32 under tf32 rounded to it, under tf32x3 and bf16x3 split into two tf32 each;
//   accumulators of f16 to f32, where the sum is formed, and back.
//
//===----------------------------------------------------------------------===//

#include "MmaOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/TileGPU/Analysis/DotPlan.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "tegula/TileGPU/Transforms/Diagnostics.h"
#include "tegula/TileGPU/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tegula;

namespace tegula::tilegpu {
#define GEN_PASS_DEF_TILEGPUSELECTMMAPASS
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"
} // namespace tegula::tilegpu

using namespace tegula::tilegpu;

static Type elementOf(Value tile) { return getElementTypeOrSelf(tile.getType()); }
static ArrayRef<int64_t> shapeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

/// The type that an instruction reads for an operand of a product; null for none.
static Type getInstructionType(tile::DotOp dot, Value operand, std::optional<tile::Fp8Kind> fp8) {
  Builder builder(dot.getContext());
  Type element = elementOf(operand);
  if (fp8) {
    switch (*fp8) {
    case tile::Fp8Kind::E4M3FN:
      return Float8E4M3FNType::get(dot.getContext());
    case tile::Fp8Kind::E5M2:
      return Float8E5M2Type::get(dot.getContext());
    default:
      return {};
    }
  }
  if (element.isInteger(8)) {
    bool isUnsigned = dot.getSignedness() == tile::Signedness::Unsigned;
    return builder.getIntegerType(8, /*isSigned=*/!isUnsigned);
  }
  if (element.isF32()) {
    switch (dot.getPrecision()) {
    case tile::DotPrecision::TF32:
    case tile::DotPrecision::TF32x3:
    case tile::DotPrecision::BF16x3: // three products of tf32 are more accurate still
      return builder.getTF32Type();
    case tile::DotPrecision::IEEE:
    case tile::DotPrecision::BF16x6:
      return {};
    }
  }
  return element;
}

/// The first instruction of these types whose sizes divide those of the product.
static MmaAttr findInstruction(const Machine &machine, tile::DotOp dot, Type a, Type b, Type acc) {
  ArrayRef<int64_t> left = shapeOf(dot.getA()), result = shapeOf(dot.getResult());
  const unsigned rank = result.size();
  for (MmaAttr one : machine.capabilities.getMma()) {
    // Fragments of other families are not chosen yet.
    if (one.getFamily() == MmaFamily::MmaSync && machine.warpSize == 32 && one.getA() == a &&
        one.getB() == b && one.getAcc() == acc && result[rank - 2] % one.getM() == 0 &&
        result[rank - 1] % one.getN() == 0 && left[rank - 1] % one.getK() == 0) {
      return one;
    }
  }
  return {};
}

/// The instruction for the product as it is, or with the accumulator's type widened.
static MmaAttr findInstruction(const Machine &machine, tile::DotOp dot) {
  Type a = getInstructionType(dot, dot.getA(), dot.getAFp8());
  Type b = getInstructionType(dot, dot.getB(), dot.getBFp8());
  if (!a || !b) {
    return {};
  }
  Type acc = elementOf(dot.getAcc());
  if (acc.isF16()) {
    if (MmaAttr one = findInstruction(machine, dot, a, b, Float32Type::get(dot.getContext()))) {
      return one;
    }
  }
  return findInstruction(machine, dot, a, b, acc);
}

//===----------------------------------------------------------------------===//
// Products that feed others
//===----------------------------------------------------------------------===//

/// What is computed element by element, so that a tile keeps its layout on the way.
static bool passesOn(Operation *op) { return isElementwise(op) || isa<ConvertLayoutOp>(op); }

/// Whether values lead from `dot` to the first operand of another product.
static bool feedsProduct(tile::DotOp dot) {
  llvm::SetVector<Operation *> reached;
  reached.insert(dot);
  for (unsigned i = 0; i < reached.size() && i < 256; ++i) {
    for (OpOperand &use : reached[i]->getUses()) {
      Operation *user = use.getOwner();
      if (isa<tile::DotOp>(user)) {
        if (use.getOperandNumber() == 0) {
          return true;
        }
      } else if (passesOn(user) && user->getNumResults() != 0) {
        reached.insert(user);
      }
    }
  }
  return false;
}

/// Whether the first operand of `dot` comes from another product.
static bool isFed(tile::DotOp dot) {
  llvm::SetVector<Operation *> reached;
  auto visit = [&](Value value) {
    if (Operation *op = value.getDefiningOp()) {
      reached.insert(op);
    }
  };
  visit(dot.getA());
  for (unsigned i = 0; i < reached.size() && i < 256; ++i) {
    if (isa<tile::DotOp>(reached[i])) {
      return true;
    }
    if (passesOn(reached[i]) && isMemoryEffectFree(reached[i])) {
      llvm::for_each(reached[i]->getOperands(), visit);
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// 8-bit floats as f16.
static void widenFp8(tile::DotOp dot) {
  OpBuilder builder(dot);
  auto widen = [&](OpOperand &operand, tile::Fp8Kind kind) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    operand.set(tile::FromFp8Op::create(builder, dot.getLoc(), type.clone(builder.getF16Type()),
                                        kind, operand.get()));
  };
  widen(dot.getAMutable(), *dot.getAFp8());
  widen(dot.getBMutable(), *dot.getBFp8());
  dot.removeAFp8Attr();
  dot.removeBFp8Attr();
}

/// The product in the layouts of an instruction, its result in the accumulator's layout.
static Value buildProduct(OpBuilder &builder, tile::DotOp dot, MmaAttr instruction,
                          const MmaWarps &warps, unsigned numWarps, Value a, Value b, Value acc) {
  auto convert = [&](Value tile, Operand operand) -> Value {
    Layout layout = makeMmaLayout(instruction, operand, shapeOf(tile), warps, numWarps);
    return ConvertLayoutOp::create(builder, dot.getLoc(), withLayout(tile.getType(), layout), tile)
        .getResult();
  };
  Value sum = convert(acc, Operand::Accumulator);
  auto product = tile::DotOp::create(builder, dot.getLoc(), sum.getType(), convert(a, Operand::A),
                                     convert(b, Operand::B), sum, dot.getPrecisionAttr(),
                                     dot.getMaxImpreciseAccAttr(), dot.getSignednessAttr(),
                                     dot.getAFp8Attr(), dot.getBFp8Attr());
  product->setAttr(kMmaAttr, instruction);
  return product.getResult();
}

static void rewrite(tile::DotOp dot, MmaAttr instruction, const MmaWarps &warps,
                    unsigned numWarps) {
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  auto product = [&](Value a, Value b, Value acc) {
    return buildProduct(builder, dot, instruction, warps, numWarps, a, b, acc);
  };
  Value a = dot.getA(), b = dot.getB(), acc = dot.getAcc();
  auto type = cast<RankedTensorType>(dot.getType());
  const bool isWidened = type.getElementType() != instruction.getAcc();
  Value result;
  if (isWidened) {
    acc = arith::ExtFOp::create(builder, loc, type.clone(instruction.getAcc()), acc);
  }
  if (elementOf(a).isF32() && dot.getPrecision() != tile::DotPrecision::TF32) {
    // The two small products are summed apart: where an operand is infinite they may be NaN
    // or infinite though the sum is not, and then they do not count.
    SplitTile left = splitTf32(builder, loc, a), right = splitTf32(builder, loc, b);
    Value small = buildZero(builder, loc, acc.getType());
    small = product(left.low, right.high, small);
    small = product(left.high, right.low, small);
    small = zeroUnlessFinite(builder, loc, small);
    acc = ConvertLayoutOp::create(builder, loc, small.getType(), acc);
    acc = arith::AddFOp::create(builder, loc, acc, small);
    result = product(left.high, right.high, acc);
  } else {
    if (elementOf(a).isF32()) {
      a = roundTf32(builder, loc, a);
      b = roundTf32(builder, loc, b);
    }
    result = product(a, b, acc);
  }
  if (isWidened) {
    auto narrow = cast<RankedTensorType>(result.getType()).clone(type.getElementType());
    result = arith::TruncFOp::create(builder, loc, narrow, result);
  }
  result = ConvertLayoutOp::create(builder, loc, type, result);
  dot.replaceAllUsesWith(result);
  dot.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct SelectMmaPass : tegula::tilegpu::impl::TileGPUSelectMmaPassBase<SelectMmaPass> {
  void runOnOperation() override {
    std::optional<Machine> machine = getMachine(getOperation());
    if (!machine) {
      return signalPassFailure();
    }
    struct Choice {
      tile::DotOp dot;
      MmaAttr instruction;
      MmaWarps warps;
    };
    SmallVector<Choice> choices;
    WalkResult walk = getOperation().walk([&](tile::DotOp dot) {
      if (dot->hasAttr(kMmaAttr)) {
        return WalkResult::advance();
      }
      for (Value tile : {dot.getA(), dot.getB(), dot.getAcc()}) {
        if (!getLayout(tile.getType())) {
          dot.emitOpError("expected tiles with a layout, got ")
              << tile.getType() << tile::diagID(diag::NotSpread);
          return WalkResult::interrupt();
        }
      }
      MmaAttr instruction = findInstruction(*machine, dot);
      if (!instruction && dot.getAFp8()) {
        widenFp8(dot);
        instruction = findInstruction(*machine, dot);
      }
      if (instruction) {
        MmaWarps warps = chooseMmaWarps(instruction, shapeOf(dot.getResult()), machine->numWarps,
                                        feedsProduct(dot) || isFed(dot));
        choices.push_back({dot, instruction, warps});
      }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted()) {
      return signalPassFailure();
    }
    for (const Choice &choice : choices) {
      rewrite(choice.dot, choice.instruction, choice.warps, machine->numWarps);
    }
  }
};
} // namespace
