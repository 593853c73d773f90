//===- PrintArgumentAccess.cpp - Argument accesses as remarks, for tests --===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "tegula/Tile/Analysis/ArgumentAccess.h"
#include "tegula/Tile/Transforms/Passes.h"

namespace tegula::tile {
#define GEN_PASS_DEF_TILEPRINTARGUMENTACCESSPASS
#include "tegula/Tile/Transforms/TilePasses.h.inc"
} // namespace tegula::tile

using namespace mlir;
using namespace tegula::tile;

namespace {
struct TilePrintArgumentAccessPass
    : public tegula::tile::impl::TilePrintArgumentAccessPassBase<TilePrintArgumentAccessPass> {
  void runOnOperation() override {
    getOperation().walk([](FunctionOpInterface func) {
      std::string text;
      for (ArgumentAccess access : getArgumentAccess(func)) {
        text += (text.empty() ? "" : ", ") + stringifyArgumentAccess(access).str();
      }
      emitRemark(func.getLoc()) << "access = [" << text << "]";
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
