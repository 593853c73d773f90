//===- Canonicalizer.cpp - Canonicalization that keeps results ------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

std::unique_ptr<Pass> tegula::tile::createTileInlinerPass() {
  return createInlinerPass(llvm::StringMap<OpPassManager>(),
                           [](OpPassManager &pm) { pm.addPass(createTileCanonicalizerPass()); });
}
