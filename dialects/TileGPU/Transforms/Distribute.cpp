//===- Distribute.cpp - A layout for every tile
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of one shape get one layout, wherever they are: so control flow and elementwise ops
// agree by themselves. Ops that change shapes get conversions where their operands must be
// laid out otherwise; tilegpu-propagate-layouts removes what need not be.
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "tegula/TileGPU/Transforms/Diagnostics.h"
#include "tegula/TileGPU/Transforms/Passes.h"

using namespace mlir;

namespace tegula::tilegpu {
#define GEN_PASS_DEF_TILEGPUDISTRIBUTEPASS
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"
} // namespace tegula::tilegpu

using namespace tegula::tilegpu;

namespace {
/// Changes types in place.
class Distributor {
public:
  Distributor(ModuleOp module, const Machine &machine) : module(module), machine(machine) {}

  LogicalResult run() {
    WalkResult result = module.walk([&](Operation *op) {
      return failed(spread(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      return failure();
    }
    module.walk([&](Operation *op) { relate(op); });
    return success();
  }

private:
  /// Gives all types of an op and of its blocks a layout.
  LogicalResult spread(Operation *op);
  /// The type with the layout of its shape; null for what cannot be spread.
  Type getSpread(Type type);
  LogicalResult spreadValue(Value value);
  /// Puts conversions around an op whose layouts belong together otherwise.
  void relate(Operation *op);

  ModuleOp module;
  const Machine &machine;
  DenseMap<Type, Type> types;
};
} // namespace

Type Distributor::getSpread(Type type) {
  auto found = types.find(type);
  if (found != types.end()) {
    return found->second;
  }
  Type result = type;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (!isa_and_present<LinearAttr>(tensor.getEncoding())) {
      const bool fits = !tensor.getEncoding() && tensor.hasStaticShape() &&
                        tensor.getNumElements() > 0 &&
                        tensor.getNumElements() <= tegula::tile::kMaxTileElements;
      result = fits ? withLayout(type, makeDefault(machine, tensor.getShape())) : Type();
    }
  } else if (auto function = dyn_cast<FunctionType>(type)) {
    SmallVector<Type> inputs, results;
    for (auto [from, to] :
         {std::pair(function.getInputs(), &inputs), std::pair(function.getResults(), &results)}) {
      for (Type each : from) {
        Type spread = getSpread(each);
        if (!spread) {
          return {};
        }
        to->push_back(spread);
      }
    }
    result = FunctionType::get(type.getContext(), inputs, results);
  }
  if (isa<UnrankedTensorType>(type)) {
    result = {};
  }
  types[type] = result;
  return result;
}

static LogicalResult refuse(Location loc, Type type) {
  return emitError(loc) << "expected a tile of known sizes without an encoding, got " << type
                        << tegula::tile::diagID(diag::NotSpread);
}

LogicalResult Distributor::spreadValue(Value value) {
  if (!isa<TensorType>(value.getType())) {
    return success();
  }
  Type type = getSpread(value.getType());
  if (!type || !isa<RankedTensorType>(type)) {
    return refuse(value.getLoc(), value.getType());
  }
  value.setType(type);
  return success();
}

LogicalResult Distributor::spread(Operation *op) {
  for (Value result : op->getResults()) {
    if (failed(spreadValue(result))) {
      return failure();
    }
  }
  for (Region &region : op->getRegions()) {
    for (Block &block : region) {
      for (Value argument : block.getArguments()) {
        if (failed(spreadValue(argument))) {
          return failure();
        }
      }
    }
  }
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    Type type = getSpread(function.getFunctionType());
    if (!type) {
      return refuse(op->getLoc(), function.getFunctionType());
    }
    function.setType(type);
  }
  if (failed(retypeConstant(op))) {
    return refuse(op->getLoc(), op->getResult(0).getType());
  }
  return success();
}

void Distributor::relate(Operation *op) {
  OpBuilder before(op);
  auto convertOperand = [&](unsigned index, const Layout &layout) {
    op->setOperand(index, convertTo(before, op->getOperand(index), layout));
  };
  if (std::optional<Layout> packed = makePacked(machine, op)) {
    convertAround(op, *packed);
    return;
  }
  if (isa<tegula::tile::ReduceOp>(op)) {
    for (OpResult result : op->getResults()) {
      std::optional<Layout> layout =
          isTile(result) ? inferResult(op, 0, layoutOf(op->getOperand(0)), result.getResultNumber())
                         : std::nullopt;
      if (layout) {
        convertResult(result, *layout);
      }
    }
    return;
  }
  if (isElementwise(op) || op->getNumResults() == 0 || !isTile(op->getResult(0)) ||
      op->getDialect() != module.getContext()->getLoadedDialect<tegula::tile::TileDialect>()) {
    return;
  }
  const Layout layout = layoutOf(op->getResult(0));
  for (OpOperand &operand : op->getOpOperands()) {
    const unsigned index = operand.getOperandNumber();
    if (std::optional<Layout> needed = inferOperand(op, 0, layout, index)) {
      convertOperand(index, *needed);
    }
  }
}

namespace {
struct DistributePass : tegula::tilegpu::impl::TileGPUDistributePassBase<DistributePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<Machine> machine = getMachine(module);
    if (!machine || failed(Distributor(module, *machine).run())) {
      signalPassFailure();
    }
  }
};
} // namespace
