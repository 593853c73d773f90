//===- PrintAxisInfo.cpp - Axis facts as remarks, for tests --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "tegula/Tile/Analysis/AxisInfo.h"
#include "tegula/Tile/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

namespace tegula::tile {
#define GEN_PASS_DEF_TILEPRINTAXISINFOPASS
#include "tegula/Tile/Transforms/TilePasses.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {
struct TilePrintAxisInfoPass
    : public tegula::tile::impl::TilePrintAxisInfoPassBase<TilePrintAxisInfoPass> {
  void runOnOperation() override {
    AxisInfoAnalysis analysis(getOperation());
    auto remark = [&](Value value) {
      if (const AxisInfo *info = analysis.lookup(value)) {
        std::string text;
        llvm::raw_string_ostream stream(text);
        info->print(stream);
        emitRemark(value.getLoc()) << text;
      }
    };
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      llvm::for_each(op->getResults(), remark);
      for (Region &region : op->getRegions()) {
        for (Block &block : region) {
          llvm::for_each(block.getArguments(), remark);
        }
      }
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
