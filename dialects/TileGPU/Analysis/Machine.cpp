//===- Machine.cpp - Warps and lanes of a program
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "tegula/TileGPU/Transforms/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula::tilegpu;
using tegula::tile::diagID;

std::optional<Machine> tegula::tilegpu::getMachine(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module) {
    module = op->getParentOfType<ModuleOp>();
  }
  auto capabilities =
      module ? module->getAttrOfType<CapabilitiesAttr>(kCapabilitiesAttr) : CapabilitiesAttr();
  if (!capabilities) {
    op->emitError() << "expected a module with the attribute '" << kCapabilitiesAttr
                    << "', got none" << diagID(diag::NoCapabilities);
    return std::nullopt;
  }
  Machine machine;
  machine.capabilities = capabilities;
  machine.warpSize = capabilities.getWarpSize();
  if (auto warps = module->getAttrOfType<IntegerAttr>(tile::kNumWarpsAttr)) {
    int64_t count = warps.getInt();
    if (!llvm::isPowerOf2_64(count) ||
        count * machine.warpSize > int64_t(capabilities.getMaxThreads())) {
      op->emitError() << "expected a power of two of at most "
                      << capabilities.getMaxThreads() / machine.warpSize << " warps, got " << count
                      << diagID(diag::NumWarps);
      return std::nullopt;
    }
    machine.numWarps = count;
  }
  return machine;
}
