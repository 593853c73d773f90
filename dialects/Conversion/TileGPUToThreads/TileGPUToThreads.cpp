//===- TileGPUToThreads.cpp - The pass
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Conversion/Passes.h"
#include "tegula/Conversion/TileGPUToThreads/ThreadLowering.h"
#include "tegula/TileGPU/Analysis/Scratch.h"

using namespace mlir;

namespace tegula::conversion {
#define GEN_PASS_DEF_TILEGPUTOTHREADSPASS
#include "tegula/Conversion/ConversionPasses.h.inc"
} // namespace tegula::conversion

using namespace tegula;
using namespace tegula::tilegpu;

ThreadTypeConverter::ThreadTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](tile::PtrType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), type.getAddressSpace());
  });
  addConversion([this](RankedTensorType type) -> std::optional<Type> {
    std::optional<Layout> layout = getLayout(type);
    if (!layout) {
      return std::nullopt;
    }
    return VectorType::get({getNumRegisters(*layout)}, convertType(type.getElementType()));
  });
}

namespace {
struct TileGPUToThreads : conversion::impl::TileGPUToThreadsPassBase<TileGPUToThreads> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<Machine> machine = getMachine(module);
    if (!machine) {
      return signalPassFailure();
    }
    ThreadTypeConverter converter;
    ConversionTarget target(getContext());
    target.addLegalDialect<gpu::GPUDialect, LLVM::LLVMDialect, TileGPUDialect>();
    target.addIllegalDialect<tile::TileDialect>();
    target.addIllegalOp<ConvertLayoutOp>();
    target.addLegalOp<ModuleOp>();
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op)) {
        return converter.isSignatureLegal(function.getFunctionType()) &&
               converter.isLegal(&function.getBody());
      }
      return converter.isLegal(op);
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
    if (failed(applyFullConversion(module, target, std::move(patterns)))) {
      signalPassFailure();
    }
  }
};
} // namespace
