//===- TileGPUToThreads.cpp - The pass
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HandOver.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "tegula/Conversion/Passes.h"
#include "tegula/Conversion/TileGPUToThreads/ThreadLowering.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "tegula/TileGPU/Transforms/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::conversion {
#define GEN_PASS_DEF_TILEGPUTOTHREADSPASS
#include "tegula/Conversion/ConversionPasses.h.inc"
} // namespace tegula::conversion

using namespace tegula;
using namespace tegula::tilegpu;
using tegula::tile::diagID;

ThreadTypeConverter::ThreadTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](tile::PtrType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), type.getAddressSpace());
  });
  addConversion(
      [](ChannelType type) -> Type { return LLVM::LLVMPointerType::get(type.getContext(), 3); });
  addConversion([](TokenType type) -> Type { return IntegerType::get(type.getContext(), 1); });
  addConversion([this](RankedTensorType type) -> std::optional<Type> {
    std::optional<Layout> layout = getLayout(type);
    if (!layout) {
      return std::nullopt;
    }
    return VectorType::get({getNumRegisters(*layout)}, convertType(type.getElementType()));
  });
}

//===----------------------------------------------------------------------===//
// What is expected
//===----------------------------------------------------------------------===//

/// Whether threads of `machine` are what the layout of a tile speaks of.
static LogicalResult checkType(Operation *op, Type type, const Machine &machine) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile) {
    return success();
  }
  std::optional<Layout> layout = getLayout(tile);
  if (!layout) {
    return op->emitError() << "expected tiles with a layout, got " << tile
                           << diagID(diag::NotSpread);
  }
  const LinearMap &inner = layout->getInner();
  bool fits = layout->getSize(Axis::Block) == 1 &&
              inner.getInputBits(Axis::Lane) == llvm::Log2_32(machine.warpSize) &&
              inner.getInputBits(Axis::Warp) == llvm::Log2_32(machine.numWarps);
  for (const Repetition &repetition : layout->getRepetitions()) {
    fits &= repetition.axis == Axis::Register;
  }
  if (!fits) {
    return op->emitError() << "expected a layout of " << machine.numWarps << " warps of "
                           << machine.warpSize << " lanes, repeated by registers alone, got "
                           << tile << diagID(diag::NotSpread);
  }
  return success();
}

static LogicalResult checkTypes(ModuleOp module, const Machine &machine) {
  // Types are few and ops are many.
  llvm::SmallPtrSet<Type, 16> known;
  WalkResult result = module.walk([&](Operation *op) {
    auto check = [&](Type type) {
      return known.insert(type).second ? checkType(op, type, machine) : success();
    };
    for (Type type : op->getResultTypes()) {
      if (failed(check(type))) {
        return WalkResult::interrupt();
      }
    }
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments()) {
          if (failed(check(argument.getType()))) {
            return WalkResult::interrupt();
          }
        }
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The conversion, and a message of ours for an op that no pattern takes.
static LogicalResult convert(ModuleOp module, const ConversionTarget &target,
                             RewritePatternSet patterns) {
  std::optional<Location> where;
  std::string name;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
      std::string text = diagnostic.str();
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
          !StringRef(text).starts_with("failed to legalize operation '")) {
        return failure();
      }
      where = diagnostic.getLocation();
      name = StringRef(text).split('\'').second.split('\'').first.str();
      return success();
    });
    result = applyFullConversion(module, target, std::move(patterns));
  }
  if (where) {
    emitError(*where) << "expected ops that threads can do, got '" << name << "'"
                      << diagID(diag::NotSpread);
  }
  return result;
}

namespace {
struct TileGPUToThreads : conversion::impl::TileGPUToThreadsPassBase<TileGPUToThreads> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<Machine> machine = getMachine(module);
    if (!machine || failed(checkTypes(module, *machine))) {
      return signalPassFailure();
    }
    if (failed(verifyInlineAsm(module))) {
      return signalPassFailure();
    }
    ThreadTypeConverter converter;
    ConversionTarget target(getContext());
    target.addLegalDialect<gpu::GPUDialect, LLVM::LLVMDialect, TileGPUDialect>();
    target.addIllegalDialect<tile::TileDialect>();
    target.addIllegalOp<ConvertLayoutOp, ChannelOp, NextSlotOp, AsyncCopyOp, AsyncCommitOp,
                        AsyncWaitOp, ChannelReadOp, ChannelReleaseOp>();
    // Pointers in regions of scalars that patterns copy; they cancel out below.
    target.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op)) {
        return converter.isSignatureLegal(function.getFunctionType()) &&
               converter.isLegal(&function.getBody());
      }
      return op->getName().getStringRef() != "ub.poison" && converter.isLegal(op);
    });
    RewritePatternSet patterns(&getContext());
    ThreadPatterns list{patterns, converter, *machine};
    addElementwisePatterns(list);
    addShapePatterns(list);
    addControlPatterns(list);
    addMemoryPatterns(list);
    addAtomicPatterns(list);
    addDebugPatterns(list);
    addReducePatterns(list);
    addScanPatterns(list);
    addSortPatterns(list);
    addDotPatterns(list);
    addChannelPatterns(list);
    if (failed(convert(module, target, std::move(patterns)))) {
      return signalPassFailure();
    }
    SmallVector<UnrealizedConversionCastOp> casts;
    module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    reconcileUnrealizedCasts(casts);
  }
};
} // namespace
