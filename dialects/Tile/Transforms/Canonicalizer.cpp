//===- Canonicalizer.cpp - Canonicalization that keeps results ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "tegula/Tile/Transforms/Passes.h"

using namespace mlir;

std::unique_ptr<Pass> tegula::tile::createTileCanonicalizerPass() {
  // arith.truncf(arith.sitofp(x)) is not arith.sitofp(x): an int64 rounded to f32
  // and then to bf16 differs from one rounded to bf16. Patterns are disabled by
  // the name of their class; a test notices when MLIR renames them.
  static const std::string inexact[] = {"(anonymous namespace)::TruncFSIToFPToSIToFP",
                                        "(anonymous namespace)::TruncFUIToFPToUIToFP"};
  return createCanonicalizerPass(GreedyRewriteConfig(), inexact);
}

namespace {
/// The inliner, unless there is nothing to inline: it counts the uses of all
/// symbols first, which takes a tenth of the time of the neutral passes.
struct TileInlinerPass : PassWrapper<TileInlinerPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TileInlinerPass)
  StringRef getArgument() const final { return "tile-inline"; }
  StringRef getDescription() const final { return "Inline calls, if there are any"; }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const auto stop = [](CallOpInterface) { return WalkResult::interrupt(); };
    if (llvm::hasSingleElement(module.getOps<FunctionOpInterface>()) &&
        !module.walk(stop).wasInterrupted()) {
      return;
    }
    OpPassManager inliner(ModuleOp::getOperationName());
    inliner.addPass(createInlinerPass(llvm::StringMap<OpPassManager>(), [](OpPassManager &pm) {
      pm.addPass(tegula::tile::createTileCanonicalizerPass());
    }));
    if (failed(runPipeline(inliner, module))) {
      signalPassFailure();
    }
  }
};
} // namespace

std::unique_ptr<Pass> tegula::tile::createTileInlinerPass() {
  return std::make_unique<TileInlinerPass>();
}
