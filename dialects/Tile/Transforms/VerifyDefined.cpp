//===- VerifyDefined.cpp - Reject arith ops with poison in their corners -===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/Tile/Transforms/Diagnostics.h"
#include "tegula/Tile/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tegula::tile {
#define GEN_PASS_DEF_TILEVERIFYDEFINEDPASS
#include "tegula/Tile/Transforms/TilePasses.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

/// The op of ours to use instead of `op`; empty when `op` has no bad corners.
static StringRef getDefinedForm(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
            arith::FloorDivSIOp>([](Operation *) { return "tile.div"; })
      .Case<arith::RemSIOp, arith::RemUIOp>([](Operation *) { return "tile.rem"; })
      .Case<arith::ShLIOp>([](Operation *) { return "tile.shl"; })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([](Operation *) { return "tile.shr"; })
      .Case<arith::FPToSIOp, arith::FPToUIOp>([](Operation *) { return "tile.fp_to_int"; })
      .Default([](Operation *) { return ""; });
}

namespace {
struct TileVerifyDefinedPass
    : public tegula::tile::impl::TileVerifyDefinedPassBase<TileVerifyDefinedPass> {
  void runOnOperation() override {
    bool failed = false;
    getOperation().walk([&](Operation *op) {
      StringRef defined = getDefinedForm(op);
      if (!defined.empty()) {
        op->emitError() << "expected " << defined << ", got " << op->getName()
                        << ", which is poison in its corner cases" << diagID(diag::UndefinedCorner);
        failed = true;
      }
    });
    if (failed) {
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
